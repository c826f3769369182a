package relay

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/relay/relaytest"
	"dplay4/internal/testkit"
)

// coturnSettings returns those that "dplay help community" has.
func coturnSettings(t *testing.T) string {
	t.Helper()
	s, err := relaytest.CoturnSettings(filepath.Join("..", "..", "..", "cmd", "dplay", "topics", "community.md"))
	require.NoError(t, err)
	return s
}

// beginCoturn runs coturn with the settings that are documented, at an address of this machine, and more.
func beginCoturn(t *testing.T, more ...string) target {
	t.Helper()
	program, err := exec.LookPath("turnserver")
	if err != nil {
		if os.Getenv("DPLAY_REQUIRE_COTURN") != "" {
			require.NoError(t, err)
		}
		t.Skip("coturn is not here (Debian: apt install coturn)")
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	here := testkit.Addr(t)
	made, err := SelfMade([]netip.Addr{here})
	require.NoError(t, err)
	c, err := made(nil)
	require.NoError(t, err)
	require.NoError(t, relaytest.WriteCertificate(c, cert, key))
	const port, tlsPort = DefaultPort, DefaultTLSPort
	g := target{at: netip.AddrPortFrom(here, port), tls: netip.AddrPortFrom(here, tlsPort),
		secret: "0123456789abcdef", public: here, sockets: true}
	settings := strings.NewReplacer("203.0.113.5", here.String(), "=SECRET", "="+g.secret, "/etc/turn/tls.crt", cert,
		"/etc/turn/tls.key", key).
		Replace(coturnSettings(t))
	settings += fmt.Sprintf("listening-ip=%s\nlistening-port=%d\ntls-listening-port=%d\nallow-loopback-peers\nuserdb=%s\n",
		here, port, tlsPort, filepath.Join(dir, "users")) + strings.Join(more, "\n") + "\n"
	file := filepath.Join(dir, "turnserver.conf")
	require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
	var said bytes.Buffer
	cmd := exec.Command(program, "-c", file, "--log-file", "stdout", "--pidfile", filepath.Join(dir, "pid"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it has ended then
		cmd.Wait()         //nolint:errcheck // it was killed
		if t.Failed() {
			t.Log(said.String())
		}
	})
	for _, at := range []netip.AddrPort{g.at, g.tls} {
		eventually(t, "it listens", func() bool {
			c, err := net.Dial("tcp4", at.String())
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	return g
}

// TestCoturn: with the documented settings coturn relays between its own users, over all transports, and to nobody else; and
// lets in who has a credential.
func TestCoturn(t *testing.T) {
	t.Parallel()
	g := beginCoturn(t)
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			a, b := g.member(t, transport, "a0123456789abcdef"), g.member(t, "udp", "")
			talk(t, a, b, "over there")
			talk(t, b, a, "back again")
			talk(t, a, a, "myself")
			g.aimAtOthers(t, transport)
		})
	}
	g.refuseAll(t)
}

// TestCoturnQuota: user-quota bounds what one credential gives, and total-quota all.
func TestCoturnQuota(t *testing.T) {
	t.Parallel()
	g := beginCoturn(t, "user-quota=2")
	one := g.credential("anna")
	for range 2 {
		_, err := g.allocate(t, "udp", one)
		require.NoError(t, err)
	}
	_, err := g.allocate(t, "udp", one)
	assert.ErrorContains(t, err, "486")
	g.member(t, "udp", "bob")

	settings := coturnSettings(t)
	require.Contains(t, settings, "total-quota=")
	g = beginCoturn(t, "total-quota=1")
	g.member(t, "udp", "anna")
	_, err = g.allocate(t, "udp", g.credential("bob"))
	assert.ErrorContains(t, err, "486")
}
