//go:build linux

package nat_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/dpsp/bridge/relay/relaytest"
	"dplay4/internal/testkit"
)

// newCoturn makes an internet with coturn as its relay.
func newCoturn(t *testing.T, secret string, more ...string) (context.Context, *field) {
	t.Helper()
	takesLong(t)
	ctx, in := newInternet(t)
	m, err := in.Machine(ctx, "coturn")
	require.NoError(t, err)
	f := &field{Internet: in, relay: m}
	f.startCoturn(ctx, t, secret, more...)
	return ctx, f
}

// startCoturn starts coturn on the relay's machine, with the settings of "dplay help community", a secret, and more settings, in which
// 203.0.113.5 is its address.
func (f *field) startCoturn(ctx context.Context, t *testing.T, secret string, more ...string) {
	t.Helper()
	turnserver, err := exec.LookPath("turnserver")
	if err != nil && os.Getenv("DPLAY_REQUIRE_COTURN") == "" {
		t.Skip("coturn is not here (Debian: apt install coturn)")
	}
	require.NoError(t, err)
	m, dir := f.relay, t.TempDir()
	cert, key, file := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), filepath.Join(dir, "turnserver.conf")
	made, err := relay.SelfMade([]netip.Addr{m.Addr()})
	require.NoError(t, err)
	c, err := made(nil)
	require.NoError(t, err)
	require.NoError(t, relaytest.WriteCertificate(c, cert, key))
	settings, err := relaytest.CoturnSettings(filepath.Join("..", "..", "cmd", "dplay", "topics", "community.md"))
	require.NoError(t, err)
	settings = strings.NewReplacer("203.0.113.5", m.Addr().String(), "=SECRET", "="+secret, "/etc/turn/tls.crt", cert,
		"/etc/turn/tls.key", key).Replace(settings + strings.Join(append(more, ""), "\n"))
	require.NoError(t, os.WriteFile(file, []byte(settings+"userdb="+filepath.Join(dir, "users")+"\n"), 0o600))
	cmd := m.Command(ctx, turnserver, "-c", file, "--log-file", "stdout", "--pidfile", filepath.Join(dir, "pid"))
	cmd.Dir = dir
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Cancel(); _ = cmd.Wait() })
	f.listens(ctx, t)
}

// TestCoturn plays over coturn, open to everybody and for who has a credential. A code stays good until the machine leaves that
// answers newcomers; then another one does, with a new code.
func TestCoturn(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	for name, c := range map[string]struct{ secret, before string }{
		"open":       {code.OpenSecret, ""},
		"credential": {secret, credentialBefore(secret)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, f := newCoturn(t, c.secret)
			at := c.before + f.relay.Addr().String()
			ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
			bob, _ := f.machine(ctx, t, nat.Symmetric, "bob")
			cid, _ := f.machine(ctx, t, nat.UDPBlocked, "cid")
			host, told := f.hostAt(ctx, t, ann, at, migrating...)
			f.keeperKnocks(ctx, t)
			guest := f.join(ctx, t, bob, told, migrating[2:]...)
			says(ctx, t, guest, host, "hello")
			hundred(ctx, t, guest, host)
			guest.way(ctx, t, "ann", "relayed")

			assert.Empty(t, host.seen(oneOf("bridge_code")))
			late := f.join(ctx, t, cid, told, migrating[2:]...)
			says(ctx, t, late, guest, "me too")

			host.kill()
			changed := guest.named(ctx, t, "bridge_code").Code
			require.NotEqual(t, told, changed)
			assert.Equal(t, changed, late.named(ctx, t, "bridge_code").Code)
			guest.named(ctx, t, "host_changed")
			dan, _ := f.machine(ctx, t, nat.FullCone, "dan")
			f.join(ctx, t, dan, changed, migrating[2:]...)
		})
	}
}

// keeperKnocks waits until the only machine of a session asks coturn whether it is still the one that answers newcomers. Its
// question goes from one address of coturn's to another one, and nothing else does.
func (f *field) keeperKnocks(ctx context.Context, t *testing.T) {
	t.Helper()
	looped := func() string {
		out, err := f.relay.Command(ctx, "cat", "/proc/net/dev").Output()
		require.NoError(t, err)
		_, counters, found := strings.Cut(string(out), "lo:")
		require.True(t, found)
		return strings.Fields(counters)[1] // packets that came
	}
	before := looped()
	testkit.Until(t, func() bool { return looped() != before }, "a question of the keeper")
}

// TestCoturnCloud plays over a coturn that has a private address, behind a router that translates a public one.
func TestCoturnCloud(t *testing.T) {
	t.Parallel()
	takesLong(t)
	ctx, in := newInternet(t)
	home, err := in.Home(ctx, nat.FullCone, false)
	require.NoError(t, err)
	m, err := home.Machine(ctx, "coturn")
	require.NoError(t, err)
	for _, port := range []int{3478, 5349} {
		require.NoError(t, home.Forward(ctx, port, m.Addr()))
	}
	f, public := &field{Internet: in, relay: m}, home.Outer().String()
	f.startCoturn(ctx, t, code.OpenSecret, "external-ip="+public+"/203.0.113.5")
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.Symmetric, "bob")
	cid, _ := f.machine(ctx, t, nat.UDPBlocked, "cid")
	out, status := run(ctx, t, cid, "bridge", "doctor", "--relay", public)
	assert.NotContains(t, out, "!")
	assert.Zero(t, status, out)
	host, told := f.hostAt(ctx, t, ann, public)
	guest, late := f.join(ctx, t, bob, told), f.join(ctx, t, cid, told)
	guest.way(ctx, t, "ann", "relayed")
	hundred(ctx, t, guest, host)
	says(ctx, t, late, guest, "me too")
}

// TestCoturnPool plays over a name that is that of three TURN servers, as bought ones are: whoever joins is sent to another one by DNS.
func TestCoturnPool(t *testing.T) {
	t.Parallel()
	takesLong(t)
	ctx, in := newInternet(t)
	var servers []*field
	var addrs, more []string
	for i := range 3 {
		m, err := in.Machine(ctx, fmt.Sprintf("turn%d", i))
		require.NoError(t, err)
		servers = append(servers, &field{Internet: in, relay: m})
		addrs, more = append(addrs, m.Addr().String()), append(more, "allowed-peer-ip="+m.Addr().String())
	}
	for _, f := range servers {
		f.startCoturn(ctx, t, code.OpenSecret, more...)
	}
	server, err := in.Machine(ctx, "dns")
	require.NoError(t, err)
	begin(ctx, t, server, "dns", append([]string{"pool"}, addrs...)...)
	var all []*program
	var told string
	for i, kind := range []nat.Kind{nat.Symmetric, nat.Symmetric, nat.PortRestricted, nat.FullCone, nat.Symmetric} {
		m, _ := servers[0].machine(ctx, t, kind, fmt.Sprintf("m%d", i))
		require.NoError(t, m.Resolves(ctx, server.Addr()))
		if i == 0 {
			var host *program
			host, told = servers[0].hostAt(ctx, t, m, poolName, migrating...)
			all = append(all, host)
			continue
		}
		all = append(all, servers[0].join(ctx, t, m, told, migrating[2:]...))
	}
	acquainted(ctx, t, all)
	everybody(ctx, t, all, "hello from")
	assert.Empty(t, all[0].seen(oneOf("bridge_code")))
}

// TestCoturnDoctor: the doctor says of coturn what it says of our relay. With one address it has no second port to tell the kind of a
// router by.
func TestCoturnDoctor(t *testing.T) {
	t.Parallel()
	const secret = "0123456789abcdef"
	for name, c := range map[string]struct {
		more  []string
		kinds map[nat.Kind]string
	}{
		"all addresses": {nil, map[nat.Kind]string{nat.FullCone: "restricted", nat.PortRestricted: "port-restricted",
			nat.Symmetric: "symmetric", nat.UDPBlocked: ""}},
		"one address": {[]string{"listening-ip=203.0.113.5"}, map[nat.Kind]string{nat.PortRestricted: "one-port"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, f := newCoturn(t, secret, c.more...)
			at := f.relay.Addr().String()
			for kind, want := range c.kinds {
				m, _ := f.machine(ctx, t, kind, "ann")
				out, status := run(ctx, t, m, "bridge", "doctor", "--relay", credentialBefore(secret)+at, "--format", "ndjson")
				assert.Contains(t, out, `"type":"router","kind":"`+want+`"`)
				assert.Contains(t, out, `"tls":`)
				assert.NotContains(t, out, `"problem"`)
				assert.Zero(t, status, out)
			}
			m, err := f.Machine(ctx, "bob")
			require.NoError(t, err)
			for before, want := range map[string]string{
				credentialBefore(secret):             "router: there is none that changes addresses",
				"":                                   "! the relay " + at + ": it lets in only who has a name and a password",
				credentialBefore("of somebody else"): ": the name or the password for it is wrong",
			} {
				out, status := run(ctx, t, m, "bridge", "doctor", "--relay", before+at)
				assert.Contains(t, out, want)
				assert.Equal(t, strings.Contains(out, "\n!"), status == 3, out)
			}
		})
	}
}

// credentialBefore returns what stands before the address of a relay with that secret.
func credentialBefore(secret string) string {
	c := code.NewCredential(secret, "club", time.Now().AddDate(0, 0, 1))
	return c.User + ":" + c.Password + "@"
}
