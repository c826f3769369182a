//go:build linux

package wine_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// A fact is what happened at a machine of ours, as cmd/dplay/EVENTS.md describes it: a line each on its standard output.
// Keys that no test looks at are left out.
type fact struct {
	Event      string `json:"event"`
	ID         string `json:"id"`
	System     string `json:"system"`
	Name       string `json:"name"`
	LongName   string `json:"long_name"`
	Data       string `json:"data"`
	Local      bool   `json:"local"`
	Player     string `json:"player"`
	Group      string `json:"group"`
	From       string `json:"from"`
	To         string `json:"to"`
	Sent       string `json:"sent"`
	Guaranteed bool   `json:"guaranteed"`
	Size       int    `json:"size"`
	Payload    string `json:"payload"`
	Command    string `json:"command"`
	Reason     string `json:"reason"`
	Text       string `json:"text"`
	Candidate  string `json:"candidate"`
	Host       string `json:"host_id"`
	Hosting    bool   `json:"hosting"`
	Code       string `json:"code"`
	For        string `json:"for"`
	Addr       string `json:"addr"`

	Machine *struct{ Name, Way string } `json:"machine"`
}

// ours is a machine of this project's at work: in a session that it hosts or has joined, as a player of its own.
type ours struct {
	*process[fact]
	player  string               // its id
	self    string               // its player, as listed gives it
	systems map[wine.Word]string // the machines of players that entered
	echoes  bool                 // it returns game messages
	order   func(order)          // has it send something; nil if it cannot be told
	mayDrop string               // a command that it may drop, as it may know already what that says
}

// startOurs runs a machine of this project's sockets and engine until the test's end.
func startOurs(ctx context.Context, t *testing.T, m *wine.Machine, r ourRole) *ours {
	t.Helper()
	arg, err := json.Marshal(r)
	require.NoError(t, err)
	o := begun(ctx, t, m.Inside(ctx, "our-machine", string(arg)))
	o.echoes = r.Echo
	in := json.NewEncoder(o.stdin)
	o.order = func(what order) { require.NoError(t, in.Encode(what)) }
	return o
}

// startDplay runs "dplay host" or "dplay join" until the test's end. The end of the shell's input is what a user's
// SIGTERM is to the program. With --commands the program reads that input, and leaves at its end.
func startDplay(ctx context.Context, t *testing.T, m *wine.Machine, program string, args ...string) *ours {
	t.Helper()
	shell := `"$@" & read -r _; kill -TERM $! 2>/dev/null; wait $!`
	if slices.Contains(args, "--commands") {
		shell = `{ cat; echo '{"command":"leave"}'; } | "$@"`
	}
	o := begun(ctx, t, m.Command(ctx, "sh", append([]string{"-c", shell, "sh", program}, append(args, "--events", "ndjson")...)...))
	o.echoes = strings.Contains(strings.Join(args, " "), "--echo")
	if slices.Contains(args, "--commands") {
		in := json.NewEncoder(o.stdin)
		o.order = func(what order) {
			require.NoError(t, in.Encode(map[string]any{"command": "send", "to": what.To.String(), "payload": hex.EncodeToString(what.Payload),
				"guaranteed": what.Guaranteed}))
		}
	}
	return o
}

// begun starts a machine of ours and waits until it has its player.
func begun(ctx context.Context, t *testing.T, cmd *exec.Cmd) *ours {
	t.Helper()
	o := &ours{process: start[fact](t, cmd), systems: map[wine.Word]string{}}
	o.next(ctx, t, "session_opened")
	me := o.wait(ctx, t, "its player", func(f fact) bool { return f.Event == "player_created" && f.Local })
	o.player, o.self = me.ID, listed(me.ID, me.Name, me.LongName, me.Data)
	return o
}

// buildDplay builds the program, once for all tests.
func buildDplay(t *testing.T) string {
	t.Helper()
	return filepath.Join(buildOnce(t, "dplay", func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "dplay"), "dplay4/cmd/dplay")
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
		return cmd
	}), "dplay")
}

// wait returns the first fact that fits, and takes it away. What a machine of ours dropped on the way is a failure: Wine
// sends nothing that it should drop, and neither do we.
func (o *ours) wait(ctx context.Context, t *testing.T, what string, fits func(fact) bool) fact {
	t.Helper()
	for {
		f := o.find(ctx, t, what, func(f fact) bool { return f.Event == "dropped" || fits(f) })
		if f.Event != "dropped" || fits(f) {
			return f
		}
		if f.Command == o.mayDrop {
			continue
		}
		t.Errorf("it dropped %s: %s: %s", f.Command, f.Reason, f.Text)
	}
}

// next returns the next fact of a kind.
func (o *ours) next(ctx context.Context, t *testing.T, event string) fact {
	t.Helper()
	return o.wait(ctx, t, event, func(f fact) bool { return f.Event == event })
}

// about returns the next fact of a kind about a player or group.
func (o *ours) about(ctx context.Context, t *testing.T, event, id string) fact {
	t.Helper()
	return o.wait(ctx, t, event+" "+id, func(f fact) bool { return f.Event == event && f.ID == id })
}

// none says that nothing of these kinds has happened that nobody waited for, up to what was waited for last.
func (o *ours) none(t *testing.T, events ...string) {
	t.Helper()
	for _, f := range o.kept {
		assert.NotContains(t, events, f.Event, "%+v", f)
	}
}

// message waits for the next game message of a player, which has to be that.
func (o *ours) message(ctx context.Context, t *testing.T, from wine.Word, sent string, guaranteed bool, payload []byte) {
	t.Helper()
	f := o.wait(ctx, t, "a message of "+from.String(), func(f fact) bool { return f.Event == "message" && f.From == from.String() })
	assert.Equal(t, []any{o.player, sent, guaranteed, len(payload)}, []any{f.To, f.Sent, f.Guaranteed, f.Size})
	assert.True(t, hex.EncodeToString(payload) == f.Payload, "the payload of %d octets is another one", len(payload))
}

// word reads an id of a fact.
func word(t *testing.T, id string) wine.Word {
	t.Helper()
	var w wine.Word
	require.NoError(t, w.UnmarshalText([]byte(id)))
	return w
}

// id is word for package wire.
func id(t *testing.T, s string) wire.PlayerID { t.Helper(); return wire.PlayerID(word(t, s)) }

// speak has a machine say something that its player did not ask for: messages over TCP and UDP to a client of Wine's.
func speak(ctx context.Context, t *testing.T, m *wine.Machine, all ...speech) {
	t.Helper()
	arg, err := json.Marshal(all)
	require.NoError(t, err)
	out, err := m.Inside(ctx, "speak", string(arg)).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// The sockets of a client of Wine's: the first ones of their ranges.
func stream(m *wine.Machine) string   { return fmt.Sprintf("%s:2300", m.Addr()) }
func datagram(m *wine.Machine) string { return fmt.Sprintf("%s:2350", m.Addr()) }
