//go:build linux

package nat_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/dpsp/bridge/code"
)

// run runs "dplay" with arguments in a machine to its end, and returns what it printed and its exit status.
func run(ctx context.Context, t *testing.T, m *nat.Machine, args ...string) (out string, status int) {
	t.Helper()
	p := start(ctx, t, m, args...)
	require.NoError(t, p.stdin.Close())
	return p.end(t)
}

// end waits until a program ends, and returns what it printed and its exit status.
func (p *program) end(t *testing.T) (out string, status int) {
	t.Helper()
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
		nat.FullCone:       `"kind":"restricted","seen":"203.0.113.`, // a relay with one address cannot tell it from a full cone
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
		assert.Contains(t, out, "router: there is none that changes addresses")
		assert.Contains(t, out, "ports: all that the bridge and the game need are free")
		assert.Zero(t, status, out)
	})
	t.Run("no relay", func(t *testing.T) {
		t.Parallel()
		m, err := f.Machine(ctx, "ann")
		require.NoError(t, err)
		start(ctx, t, m, "host", "--app", "lotr2", "--name", "Castle", "--events", "ndjson").named(ctx, t, "session_opened")
		out, status := run(ctx, t, m, "bridge", "doctor", "--relay", m.Addr().String())
		assert.Contains(t, out, "! the relay "+m.Addr().String()+" refuses: no relay runs there")
		for _, port := range []string{"TCP 2300", "UDP 2350", "UDP 47624"} {
			assert.Regexp(t, port+` is held by dplay \(process \d+\)`, out)
		}
		assert.Equal(t, 3, status, out)
	})
}

// newRelay starts another relay, of both families.
func (f *field) newRelay(ctx context.Context, t *testing.T, more ...string) (at, at6 string) {
	t.Helper()
	m, err := f.Machine(ctx, "relay2")
	require.NoError(t, err)
	other := &field{Internet: f.Internet, relay: m}
	at = m.Addr().String()
	at6 = fmt.Sprintf("2001:db8:ff::%x", m.Addr().As4()[3])
	other.program = start(ctx, t, m, append([]string{"bridge", "relay", "--public", at, "--public", at6}, more...)...)
	other.listens(ctx, t)
	return at, at6
}

// TestOnlyTLS plays from a network that lets nothing out but TLS, and the doctor says what gets through there.
func TestOnlyTLS(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, office := f.machine(ctx, t, nat.PortRestricted, "bob")
	require.NoError(t, office.OnlyTLS(ctx))
	out, status := run(ctx, t, bob, "bridge", "doctor", "--relay", f.relay.Addr().String())
	assert.Regexp(t, `: UDP no answer, TCP no answer, TLS [\d.]+ ms\n`, out)
	assert.NotContains(t, out, "!")
	assert.Zero(t, status, out)
	host, code := f.host(ctx, t, ann)
	guest := f.join(ctx, t, bob, code)
	t.Logf("session after %v", guest.named(ctx, t, "session_opened").at.Sub(guest.began))
	assert.Contains(t, guest.way(ctx, t, "ann", "relayed").Machine.Over, " by tls")
	says(ctx, t, host, guest, "hello")
	hundred(ctx, t, guest, host)
}

// TestDoctorIPv6 looks at a relay by its IPv6 address, from a home that has IPv6, and from one that has not.
func TestDoctorIPv6(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	_, at6 := f.newRelay(ctx, t)
	for _, six := range []bool{true, false} {
		home, err := f.Home(ctx, nat.Symmetric, six)
		require.NoError(t, err)
		m, err := home.Machine(ctx, "ann")
		require.NoError(t, err)
		out, status := run(ctx, t, m, "bridge", "doctor", "--relay", at6)
		if !six {
			assert.Contains(t, out, "! the relay ["+at6+"]: it has IPv6, and this machine has none that leads there")
			assert.NotContains(t, out, "router:")
			assert.Equal(t, 3, status, out)
			continue
		}
		assert.Regexp(t, `relay \[`+at6+`\]: UDP [\d.]+ ms, TCP [\d.]+ ms, TLS [\d.]+ ms`, out)
		assert.Contains(t, out, "router: there is none that changes addresses")
		assert.Zero(t, status, out)
	}
}

// TestClosed: a relay that is closed says so to the doctor and to who shares, and not that it is not there.
func TestClosed(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	const secret = "0123456789abcdef"
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	at, _ := f.newRelay(ctx, t, "--auth-secret-file", file, "--max-per-address", "1")
	expired := code.NewCredential(secret, "club", time.Unix(1e9, 0))
	const makes = `"dplay bridge credential" makes a name and a password`
	for name, c := range map[string]struct{ before, want string }{
		"none":    {"", "it lets in only who has a name and a password"},
		"wrong":   {credentialBefore("of somebody else"), "the name or the password for it is wrong"},
		"expired": {expired.User + ":" + expired.Password + "@", "the name and the password for it expired at 01:46 UTC on 9 September 2001"},
	} {
		m, _ := f.machine(ctx, t, nat.PortRestricted, name)
		out, status := run(ctx, t, m, "bridge", "doctor", "--relay", c.before+at)
		assert.Contains(t, out, c.want)
		assert.Contains(t, out, makes)
		assert.Equal(t, 3, status, out)
		out, status = run(ctx, t, m, "bridge", "share", "--relay", c.before+at)
		assert.Contains(t, out, c.want)
		assert.Contains(t, out, makes)
		assert.NotContains(t, out, "is it running")
		assert.Equal(t, 1, status, out)
	}

	ann, home := f.machine(ctx, t, nat.PortRestricted, "ann")
	out, status := run(ctx, t, ann, "bridge", "doctor", "--relay", credentialBefore(secret)+at)
	assert.NotContains(t, out, "!")
	assert.Zero(t, status, out)
	start(ctx, t, ann, "bridge", "share", "--relay", credentialBefore(secret)+at, "--events", "ndjson").named(ctx, t, "bridge_opened")
	bob, err := home.Machine(ctx, "bob")
	require.NoError(t, err)
	out, status = run(ctx, t, bob, "bridge", "doctor", "--relay", credentialBefore(secret)+at)
	assert.Contains(t, out, "it is full: it takes no more machines, with this address or this name, or in all")
	assert.NotContains(t, out, makes)
	assert.Equal(t, 3, status, out)
}

// TestDoctorAsks: a session that asks for each newcomer is told to whom, and the doctor that waits can be interrupted.
func TestDoctorAsks(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.FullCone, "bob")
	host := start(ctx, t, ann, "bridge", "share", "--ask", "--relay", f.relay.Addr().String(), "--commands", "ndjson")
	with := host.named(ctx, t, "bridge_opened").Code
	p := start(ctx, t, bob, "bridge", "doctor", with)
	asked := host.named(ctx, t, "machine_asks")
	assert.Equal(t, "doctor", asked.Machine.Name)
	host.command(t, map[string]any{"command": "admit", "machine": asked.Machine.ID})
	out, status := p.end(t)
	assert.Contains(t, out, "somebody there has to give it, within a minute")
	assert.Regexp(t, `(?m)^ann: direct, round trip`, out)
	assert.Zero(t, status, out)

	skip := host.count()
	p = start(ctx, t, bob, "bridge", "doctor", with)
	host.find(ctx, t, "machine_asks", skip, oneOf("machine_asks"))
	p.interrupt(t)
	out, status = p.end(t)
	assert.Contains(t, out, "dplay: interrupted")
	assert.NotContains(t, out, "!")
	assert.Equal(t, 1, status, out)
}

// TestDoctorCode has the doctor try a session: from elsewhere by a visit, and beside a bridge that is in it by asking that.
func TestDoctorCode(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.FullCone, "bob")
	host, with := f.host(ctx, t, ann)
	out, status := run(ctx, t, bob, "bridge", "doctor", with)
	assert.Regexp(t, `(?m)^ann: direct, round trip \d+\.\d ms, 0 % lost`, out)
	assert.Zero(t, status, out)
	assert.NotContains(t, out, " - ", "there is no pair without it")

	cid, _ := f.machine(ctx, t, nat.Symmetric, "cid")
	guest := f.join(ctx, t, cid, with, "--force-relay")
	guest.way(ctx, t, "ann", "relayed")
	out, status = run(ctx, t, bob, "bridge", "doctor", with, "--name", "dr. bob")
	pair := regexp.MustCompile(`(?m)^ann - cid:  relayed  \d+(\.\d)? ms  \d+ % lost$`)
	assert.Regexp(t, pair, out)
	assert.Zero(t, status, out)
	for _, name := range []string{"doctor", "dr. bob"} {
		host.find(ctx, t, name, 0, func(e *event) bool { return e.Event == "machine_left" && e.Machine.Name == name })
	}

	home, _ := homes.Load(bob)
	config := filepath.Join(home.(string), ".config", "dplay4")
	require.NoError(t, os.MkdirAll(config, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(config, "bridge.toml"), []byte("force-relay = true\n"), 0o600))
	out, status = run(ctx, t, bob, "bridge", "doctor", with)
	assert.Regexp(t, `(?m)^ann: relayed, round trip`, out)
	assert.Zero(t, status, out)
	require.NoError(t, os.RemoveAll(config))

	f.join(ctx, t, bob, with).way(ctx, t, "ann", "direct")
	out, status = run(ctx, t, bob, "bridge", "doctor", with)
	assert.Regexp(t, `(?m)^ann: direct, round trip`, out)
	assert.Regexp(t, pair, out)
	assert.NotContains(t, out, "is held by")
	assert.Zero(t, status, out)
	out, status = run(ctx, t, bob, "bridge", "doctor") // about the relay of the bridge that runs
	assert.Regexp(t, `(?m)^ann: direct, round trip`, out)
	assert.Zero(t, status, out)

	out, _ = run(ctx, t, bob, "bridge", "doctor", with, "--format", "ndjson")
	assert.Regexp(t, `"type":"pair","a":\{[^}]*"name":"ann"[^}]*\},"b":\{[^}]*"name":"cid"[^}]*\},"way":"relayed","round_trip":0\.\d+,`, out)
	guest.leave(t)

	out, status = run(ctx, t, ann, "bridge", "kick", "bob")
	assert.Equal(t, "bob was sent away", strings.TrimSpace(out))
	assert.Zero(t, status)
	host.find(ctx, t, "bob", 0, func(e *event) bool { return e.Event == "machine_left" && e.Machine.Name == "bob" })

	host.leave(t)
	out, status = run(ctx, t, bob, "bridge", "doctor", with)
	assert.Contains(t, out, "! the session: everybody has left the session")
	assert.Equal(t, 3, status, out)
}
