//go:build linux

package nat_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// run runs "dplay" with arguments in a machine to its end, and returns what it printed and its exit status.
func run(ctx context.Context, t *testing.T, m *nat.Machine, args ...string) (out string, status int) {
	t.Helper()
	p := start(ctx, t, m, args...)
	require.NoError(t, p.stdin.Close())
	for {
		p.mu.Lock()
		over, changed := p.over, p.changed
		p.mu.Unlock()
		if over {
			break
		}
		<-changed
	}
	p.wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.events {
		out += e.raw + "\n"
	}
	return out + strings.Join(p.lines, "\n") + p.stderr.String(), p.cmd.ProcessState.ExitCode()
}

// TestDoctor has the doctor tell each kind of router, and what is in the way.
func TestDoctor(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	relay := f.relay.Addr().String()
	for kind, want := range map[nat.Kind]string{
		nat.FullCone:       `"kind":"restricted","seen":"203.0.113.`,
		nat.PortRestricted: `"kind":"port-restricted","seen":"203.0.113.`,
		nat.Symmetric:      `"kind":"symmetric","seen":"203.0.113.`,
		nat.UDPBlocked:     `"kind":""}`,
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			m, _ := f.machine(ctx, t, kind, "ann")
			out, status := run(ctx, t, m, "bridge", "doctor", "--relay", relay, "--format", "ndjson")
			assert.Contains(t, out, want)
			assert.Contains(t, out, `"tcp":`)
			assert.Equal(t, kind != nat.UDPBlocked, strings.Contains(out, `"udp":`))
			assert.Zero(t, status, out)
		})
	}
	t.Run("no router", func(t *testing.T) {
		t.Parallel()
		m, err := f.Machine(ctx, "ann")
		require.NoError(t, err)
		out, status := run(ctx, t, m, "bridge", "doctor", "--relay", relay)
		assert.Contains(t, out, "router: none: this machine has the address that others see")
		assert.Contains(t, out, "ports: all that the bridge and the game need are free")
		assert.Zero(t, status, out)
	})
	t.Run("no relay", func(t *testing.T) {
		t.Parallel()
		m, err := f.Machine(ctx, "ann")
		require.NoError(t, err)
		start(ctx, t, m, "host", "--app", "lotr2", "--name", "Castle", "--events", "ndjson").named(ctx, t, "session_opened")
		out, status := run(ctx, t, m, "bridge", "doctor", "--relay", m.Addr().String())
		assert.Contains(t, out, "! the relay "+m.Addr().String()+" does not answer at all")
		assert.Regexp(t, `UDP 47624 is held by dplay \(process \d+\)`, out)
		assert.Equal(t, 3, status, out)
	})
}

// TestDoctorCode has the doctor try a session: from elsewhere by a visit, and beside a bridge that is in it by asking that.
func TestDoctorCode(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.FullCone, "bob")
	host, code := f.host(ctx, t, ann)
	out, status := run(ctx, t, bob, "bridge", "doctor", code)
	assert.Regexp(t, `(?m)^ann: direct, round trip \d+\.\d ms, 0 % lost`, out)
	assert.Zero(t, status, out)
	assert.NotContains(t, out, " - ", "there is no pair without it")

	cid, _ := f.machine(ctx, t, nat.Symmetric, "cid")
	guest := f.join(ctx, t, cid, code, "--force-relay")
	guest.way(ctx, t, "ann", "relayed")
	out, status = run(ctx, t, bob, "bridge", "doctor", code, "--name", "dr. bob")
	pair := regexp.MustCompile(`(?m)^ann  - cid:  relayed  \d+(\.\d)? ms  \d+ % lost$`)
	assert.Regexp(t, pair, out)
	assert.Zero(t, status, out)
	for _, name := range []string{"doctor", "dr. bob"} {
		host.find(ctx, t, name, 0, func(e *event) bool { return e.Event == "machine_left" && e.Machine.Name == name })
	}

	f.join(ctx, t, bob, code).way(ctx, t, "ann", "direct")
	out, status = run(ctx, t, bob, "bridge", "doctor", code)
	assert.Regexp(t, `(?m)^ann: direct, round trip`, out)
	assert.Regexp(t, pair, out)
	assert.NotContains(t, out, "is held by")
	assert.Zero(t, status, out)
	out, status = run(ctx, t, bob, "bridge", "doctor") // about the relay of the bridge that runs
	assert.Regexp(t, `(?m)^ann: direct, round trip`, out)
	assert.Zero(t, status, out)

	out, _ = run(ctx, t, bob, "bridge", "doctor", code, "--format", "ndjson")
	assert.Regexp(t, `"type":"pair","a":\{[^}]*"name":"ann"[^}]*\},"b":\{[^}]*"name":"cid"[^}]*\},"way":"relayed","round_trip":0\.\d+,`, out)
	guest.leave(t)

	out, status = run(ctx, t, ann, "bridge", "kick", "bob")
	assert.Equal(t, "bob was sent away", strings.TrimSpace(out))
	assert.Zero(t, status)
	host.find(ctx, t, "bob", 0, func(e *event) bool { return e.Event == "machine_left" && e.Machine.Name == "bob" })

	host.leave(t)
	out, status = run(ctx, t, bob, "bridge", "doctor", code)
	assert.Contains(t, out, "! the session: nobody answers at the address of the code")
	assert.Equal(t, 3, status, out)
}
