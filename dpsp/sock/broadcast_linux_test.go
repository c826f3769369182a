package sock

import (
	"errors"
	"flag"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// insideNetwork is set where the test runs in a network of its own.
const insideNetwork = "DPLAY_SOCK_TEST_NETWORK"

// twoNetworks sets up two network cards with two addresses each. What is broadcast through one comes back to this
// machine, as if it had come in there.
const twoNetworks = `link set lo up
link add left type veth peer name left-end
link add right type veth peer name right-end
addr add 192.0.2.1/24 broadcast 192.0.2.255 dev left
addr add 192.0.2.2/24 broadcast 192.0.2.255 dev left
addr add 198.51.100.1/24 broadcast 198.51.100.255 dev right
addr add 198.51.100.2/24 broadcast 198.51.100.255 dev right
link set left-end up
link set right-end up
link set left up
link set right up
`

// TestBroadcast has hosts that are bound to an address found by broadcast. It runs itself once more in a network of its
// own, so that nothing leaves the machine.
func TestBroadcast(t *testing.T) {
	if !ownNetwork(t) {
		return
	}
	cmd := exec.Command("ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(twoNetworks)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	foundByBroadcast(t)
}

// ownNetwork says whether the test runs in a network of its own, in which nothing is up yet. If not, it runs the test
// once more in one; where that cannot be had, for want of rights or of ip, it says so.
func ownNetwork(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideNetwork) != "" {
		return true
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Log("not tested:", err)
		return false
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout="+flag.Lookup("test.timeout").Value.String())
	cmd.Env = append(os.Environ(), insideNetwork+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		t.Log("not tested: no network namespace:", err)
		return false
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// foundByBroadcast has a host on each of two networks looked for on each. Both hear what goes to 255.255.255.255 and to
// everybody on their own network, and nothing of the other one.
func foundByBroadcast(t *testing.T) {
	limited := netip.MustParseAddr("255.255.255.255")
	heard := map[string]*traffic{}
	networks := []struct{ name, host, seeker, everybody string }{
		{"left", "192.0.2.1", "192.0.2.2", "192.0.2.255"}, {"right", "198.51.100.1", "198.51.100.2", "198.51.100.255"},
	}
	for _, n := range networks {
		heard[n.name] = &traffic{}
		opt := Options{Bind: netip.MustParseAddr(n.host), Record: heard[n.name]}
		s, err := hosted(t.Context(), opt, dpsp.Host{Application: testGame, Name: dpsp.Text(n.name)})
		require.NoError(t, err)
		defer s.Close()
	}
	for _, n := range networks {
		ctx := testkit.Context(t)
		seeker := netip.MustParseAddr(n.seeker)
		said := func(to netip.Addr) bool { return heard[n.name].has(seeker, netip.AddrPortFrom(to, dpsp.EnumPort)) }
		names := map[string]bool{}
		s, err := Open(Options{Bind: seeker})
		require.NoError(t, err)
		defer s.Close()
		for f, err := range s.Enumerate(ctx, Ask{Application: testGame}) {
			require.NoError(t, err)
			names[f.Name] = true
			if said(limited) && said(netip.MustParseAddr(n.everybody)) {
				break
			}
		}
		require.True(t, said(limited) && said(netip.MustParseAddr(n.everybody)), "it does not hear what is broadcast")
		assert.Equal(t, map[string]bool{n.name: true}, names)
	}
	// The one on the right was looked for last: what had come to its socket before, it has handled.
	right := heard["right"]
	right.mu.Lock()
	defer right.mu.Unlock()
	for _, p := range right.all {
		if p.command == wire.CmdEnumSessions {
			assert.Equal(t, networks[1].seeker, p.from.Addr().String(), "it hears the other network")
		}
	}
}

// has says whether a message from an address to a socket was told.
func (r *traffic) has(from netip.Addr, to netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.all {
		if p.from.Addr() == from && p.to == to {
			return true
		}
	}
	return false
}
