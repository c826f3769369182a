//go:build linux

package nat_test

import (
	"context"
	"encoding/json"

	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/internal/testkit"
)

// keepSets names a folder for the recordings of TestRecordings that fail.
const keepSets = "DPLAY_SETS_KEEP"

// A stage is a network on which real programs play, and "dplay record" records.
type stage struct {
	context.Context
	*nat.Internet
	t     *testing.T
	home  *nat.Home
	tapes []*tape
	may   string // the code of a warning that a recording may give
}

// A tape is a recording of one machine that is being made.
type tape struct {
	recorder *program
	file     string
}

// machine adds a machine to the network of the home.
func (s *stage) machine(name string) *nat.Machine {
	s.t.Helper()
	m, err := s.home.Machine(s, name)
	require.NoError(s.t, err)
	return m
}

// runs runs a command in a machine.
func (s *stage) runs(m *nat.Machine, script string) {
	s.t.Helper()
	out, err := m.Command(s, "sh", "-ec", script).CombinedOutput()
	require.NoError(s.t, err, "%s: %s", script, out)
}

// records begins a recording of a machine. Its file is there once packets are taken.
func (s *stage) records(m *nat.Machine) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), m.Name()+".pcapng")
	r := start(s, s.t, m, "record", "-o", file, "--format", "ndjson")
	testkit.Until(s.t, func() bool { _, err := os.Stat(file); return err == nil }, "a recording of %s", m.Name())
	s.tapes = append(s.tapes, &tape{r, file})
}

// hosts opens a session on a machine, with a player of the machine's name.
func (s *stage) hosts(m *nat.Machine, more ...string) *program {
	s.t.Helper()
	p := start(s, s.t, m, append([]string{"host", "--app", "lotr2", "--name", "Castle", "--player", m.Name(), "--commands", "ndjson"}, more...)...)
	p.named(s, s.t, "session_opened")
	return p
}

// joins joins it.
func (s *stage) joins(m *nat.Machine, more ...string) *program {
	s.t.Helper()
	p := start(s, s.t, m, append([]string{"join", "--app", "lotr2", "--player", m.Name(), "--timeout", "10m", "--commands", "ndjson"}, more...)...)
	p.named(s, s.t, "session_opened")
	return p
}

// talks has programs say something to each other, and send messages in both ways.
func (s *stage) talks(all ...*program) {
	s.t.Helper()
	acquainted(s, s.t, all)
	everybody(s, s.t, all, "we are")
	for _, p := range all {
		for range 20 {
			p.command(s.t, map[string]any{"command": "send", "payload": "c0ffee", "guaranteed": false})
		}
	}
	everybody(s, s.t, all, "we were")
}

// plays has programs talk, and leave, the last one first.
func (s *stage) plays(all ...*program) {
	s.t.Helper()
	s.talks(all...)
	for i := len(all) - 1; i >= 0; i-- {
		all[i].leave(s.t)
	}
}

// A recorded is a healthy session of real programs.
type recorded struct {
	kind, form string
	play       func(*stage)
}

// recordings are healthy. No two have kind and form in common.
var recordings = []recorded{
	{"a search", "a LAN, both sides", func(s *stage) {
		ann, bob := s.machine("ann"), s.machine("bob")
		s.records(ann)
		s.records(bob)
		h := s.hosts(ann)
		s.plays(h, s.joins(bob))
	}},
	{"a search", "one machine, loopback", func(s *stage) {
		ann := s.machine("ann")
		s.records(ann)
		h := s.hosts(ann)
		b := s.joins(ann, "--player", "ben")
		b.name = "ben"
		s.plays(h, b)
	}},
	{"at an address", "a LAN, the joiner", func(s *stage) {
		ann, bob := s.machine("ann"), s.machine("bob")
		s.records(bob)
		h := s.hosts(ann)
		s.plays(h, s.joins(bob, ann.Addr().String()))
	}},
	{"at an address", "loopback, 127.0.0.1", func(s *stage) {
		ann := s.machine("ann")
		s.records(ann)
		h := s.hosts(ann, "--bind", "127.0.0.1")
		b := s.joins(ann, "127.0.0.1", "--bind", "127.0.0.2", "--player", "ben")
		b.name = "ben"
		s.plays(h, b)
	}},
	{"a search", "two adapters", func(s *stage) {
		ann, bob := s.machine("ann"), s.machine("bob")
		s.runs(bob, "ip link add vpn0 type veth peer name vpn1; ip addr add 25.1.2.3/8 dev vpn0; ip link set vpn0 up; ip link set vpn1 up")
		s.records(bob)
		h := s.hosts(ann)
		s.plays(h, s.joins(bob))
	}},
	{"three machines", "from the middle", func(s *stage) {
		ann, bob, cid := s.machine("ann"), s.machine("bob"), s.machine("cid")
		h := s.hosts(ann)
		all := []*program{h, s.joins(bob), s.joins(cid)}
		acquainted(s, s.t, all)
		s.records(ann)
		s.records(cid)
		s.plays(all...)
	}},
	{"a host that dies", "a LAN, the third", func(s *stage) {
		ann, bob, cid := s.machine("ann"), s.machine("bob"), s.machine("cid")
		s.records(cid)
		h := s.hosts(ann, "--flags", "migratehost,keepalive")
		b, c := s.joins(bob), s.joins(cid)
		acquainted(s, s.t, []*program{h, b, c})
		h.kill()
		for _, p := range []*program{b, c} {
			p.named(s, s.t, "host_changed")
		}
		s.plays(b, c)
	}},
	{"the reliable protocol", "busy machines", func(s *stage) {
		s.may = "sent-again-too-early" // which is right: nothing gets lost
		ann, bob := s.machine("ann"), s.machine("bob")
		for range 8 {
			burns(s, s.t, bob)
		}
		s.records(ann)
		s.records(bob)
		h := s.hosts(ann, "--flags", "migratehost,keepalive,directplayprotocol")
		b := s.joins(bob)
		acquainted(s, s.t, []*program{h, b})
		hundred(s, s.t, b, h)
		s.plays(h, b)
	}},
	{"client and server", "a LAN, the server", func(s *stage) {
		ann, bob, cid := s.machine("ann"), s.machine("bob"), s.machine("cid")
		s.records(ann)
		h := s.hosts(ann, "--flags", "clientserver,keepalive")
		b, c := s.joins(bob), s.joins(cid) // which do not know each other
		s.talks(h, b)
		b.leave(s.t)
		s.plays(h, c)
	}},
	{"a password", "a LAN, the joiner", func(s *stage) {
		ann, bob := s.machine("ann"), s.machine("bob")
		s.records(bob)
		h := s.hosts(ann, "--password", "sesame")
		s.plays(h, s.joins(bob, "--password", "sesame"))
	}},
	{"a spectator", "a LAN, the spectator", func(s *stage) {
		ann, bob, cid := s.machine("ann"), s.machine("bob"), s.machine("cid")
		s.records(cid)
		h, b := s.hosts(ann), s.joins(bob)
		c := s.joins(cid, "--player", "")
		s.talks(h, b)
		c.leave(s.t)
		s.plays(h, b)
	}},
	{"over the internet, a forwarded port", "the joiner", func(s *stage) {
		ann := s.machine("ann")
		for _, port := range []int{47624, 2300, 2350} {
			require.NoError(s.t, s.home.Forward(s, port, ann.Addr()))
		}
		bob, err := s.Machine(s, "bob")
		require.NoError(s.t, err)
		s.records(bob)
		h := s.hosts(ann, "--advertise", s.home.Outer().String())
		s.plays(h, s.joins(bob, s.home.Outer().String()))
	}},
	{"over the bridge", "both sides", func(s *stage) {
		f := &field{Internet: s.Internet}
		var err error
		f.relay, err = s.Machine(s, "relay")
		require.NoError(s.t, err)
		f.startRelay(s, s.t)
		ann := s.machine("ann")
		bob, _ := f.machine(s, s.t, nat.FullCone, "bob")
		s.records(ann)
		s.records(bob)
		h, code := f.host(s, s.t, ann)
		s.plays(h, f.join(s, s.t, bob, code))
	}},
	{"a search of the network beside a bridge", "both sides", func(s *stage) {
		f := &field{Internet: s.Internet}
		var err error
		f.relay, err = s.Machine(s, "relay")
		require.NoError(s.t, err)
		f.startRelay(s, s.t)
		ann := s.machine("ann")
		bob, _ := f.machine(s, s.t, nat.PortRestricted, "bob")
		share := start(s, s.t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson")
		with := share.named(s, s.t, "bridge_opened").Code
		start(s, s.t, bob, "bridge", "join", with, "--events", "ndjson").named(s, s.t, "bridge_opened")
		s.records(ann)
		s.records(bob)
		h := s.hosts(ann)
		s.plays(h, s.joins(bob))
	}},
}

// burns burns CPU time of a machine until the test ends.
func burns(ctx context.Context, t *testing.T, m *nat.Machine) {
	t.Helper()
	cmd := m.Command(ctx, "sh", "-c", "while :; do :; done")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	})
}

// TestRecordings has real programs play healthy sessions on networks of every kind, recorded by "dplay record". The doctor finds no
// failure in any of them.
func TestRecordings(t *testing.T) {
	t.Parallel()
	takesLong(t)
	seen := map[[2]string]bool{}
	for _, r := range recordings {
		require.False(t, seen[[2]string{r.kind, r.form}], "%s, %s", r.kind, r.form)
		seen[[2]string{r.kind, r.form}] = true
		t.Run(r.kind+", "+r.form, func(t *testing.T) {
			t.Parallel()
			ctx, in := newInternet(t)
			home, err := in.Home(ctx, nat.PortRestricted, false)
			require.NoError(t, err)
			s := &stage{Context: ctx, Internet: in, t: t, home: home}
			r.play(s)
			require.NotEmpty(t, s.tapes)
			for _, tape := range s.tapes {
				tape.judge(s)
			}
		})
	}
}

// judge ends a recording, and asks the doctor.
func (x *tape) judge(s *stage) {
	x.recorder.interrupt(s.t)
	x.recorder.wait()
	exe, err := dplayProgram()
	require.NoError(s.t, err)
	out, err := exec.CommandContext(s, exe, "doctor", "--format", "ndjson", x.file).Output()
	if _, status := err.(*exec.ExitError); err != nil && !status {
		require.NoError(s.t, err)
	}
	healthy := true
	var verdict struct{ Messages int }
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var f struct{ Type, Code, Severity, Text string }
		require.NoError(s.t, json.Unmarshal([]byte(line), &f), "%q", line)
		switch {
		case f.Type == "verdict":
			require.NoError(s.t, json.Unmarshal([]byte(line), &verdict))
		case f.Code == "capture-incomplete": // a busy machine records not everything
		case f.Severity != "information" && (f.Severity != "warning" || f.Code != s.may):
			healthy = assert.Fail(s.t, "a finding in a healthy recording", "%s: %s [%s]: %s", filepath.Base(x.file), f.Severity, f.Code, f.Text)
		}
	}
	if assert.Positive(s.t, verdict.Messages, "%s", out) && healthy {
		return
	}
	if folder := os.Getenv(keepSets); folder != "" {
		b, err := os.ReadFile(x.file)
		require.NoError(s.t, err)
		kept := filepath.Join(folder, strings.ReplaceAll(filepath.Base(s.t.Name()), " ", "-")+"-"+filepath.Base(x.file))
		require.NoError(s.t, os.WriteFile(kept, b, 0o600))
		s.t.Logf("the recording is %s", kept)
	}
}
