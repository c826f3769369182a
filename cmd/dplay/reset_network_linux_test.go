package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ss runs the program ss on a machine, for connections to another one's listener, and returns those that it names, by both ends.
func (n *network) ss(from, to int, flags ...string) (connections []string) {
	n.t.Helper()
	command := append(append(inside(n.machines[from]), "ss", "--no-header", "--tcp", "--numeric"), flags...)
	command = append(command, "state", "established", "dst", address(to), "dport", "=", ":2300")
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(n.t, err, "%v: %s", command, out)
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) >= 4 {
			connections = append(connections, words[2]+" "+words[3])
		}
	}
	return connections
}

// TestReset resets single connections between processes while the network is well, those of a host and of two joiners. Each is made
// once more, nobody is accused, and all talk on. It needs root.
func TestReset(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 3, 0)
	a := net.newArena("reset")
	host := a.open(nil)
	for range 2 {
		a.open(host)
	}
	a.meet()
	a.talk("before")
	for _, c := range [][2]int{{1, 2}, {2, 1}, {0, 1}, {1, 0}} {
		before := net.ss(c[0], c[1])
		require.Len(t, before, 1, "one connection leads from %d to %d", c[0], c[1])
		if len(net.ss(c[0], c[1], "--kill")) == 0 {
			t.Skip("NO CONNECTION IS RESET: this system has no INET_DIAG_DESTROY, which ss --kill takes")
		}
		a.all[c[0]].event("connection_renewed", "system", a.all[c[1]].id, "lost_at_break", false)
		now := net.ss(c[0], c[1])
		require.Len(t, now, 1)
		require.NotEqual(t, before, now)
		a.talk("after " + before[0])
	}
	for _, p := range slices.Backward(a.all) { // the host last, so that nobody loses it
		p.leaves()
		for _, bad := range []string{"peer_lost", "session_lost", "host_lost"} {
			assert.NotContains(t, strings.Join(p.output(), "\n"), `"event":"`+bad+`"`, p.player)
		}
	}
}
