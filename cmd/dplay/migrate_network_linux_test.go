package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A network is machines on two switches with a cable between them, which can be cut. Machines and switches are network
// namespaces without names: they end with the processes in them, and those with the test.
type network struct {
	t        *testing.T
	switches string // the process id of their namespace
	machines []string
}

// namespace makes a network namespace and gives the id of the process that holds it.
func namespace(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "--", "sh", "-c", "ip link set lo up && echo ready && exec cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait() //nolint:errcheck // it has ended
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return fmt.Sprint(cmd.Process.Pid)
}

// inside returns what runs a command in a namespace.
func inside(pid string) []string { return []string{"nsenter", "--net=/proc/" + pid + "/ns/net", "--"} }

// ip runs the program ip in a namespace, once for each line.
func (n *network) ip(pid string, lines ...string) {
	n.t.Helper()
	for _, line := range lines {
		command := append(append(inside(pid), "ip"), strings.Fields(line)...)
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(n.t, err, "ip %s: %s", line, out)
	}
}

// address is that of a machine: of 192.0.2.0/24, which is nobody's (RFC 5737).
func address(i int) string { return fmt.Sprintf("192.0.2.%d", 1+i) }

// newNetwork makes a network with machines on the left switch, and then some on the right one.
func newNetwork(t *testing.T, left, right int) *network {
	t.Helper()
	if out, err := exec.Command("unshare", "--net", "--", "ip", "link", "add", "dplay0", "type",
		"bridge").CombinedOutput(); err != nil {
		t.Skipf("THE NETWORK IS NOT CUT: this machine cannot make network namespaces with switches, which takes root, unshare and "+
			"ip: %v: %s", err, out)
	}
	n := &network{t: t, switches: namespace(t)}
	n.ip(n.switches, "link add left type bridge mcast_snooping 0", "link add right type bridge mcast_snooping 0",
		"link add cable type veth peer name elbac", "link set cable master left", "link set elbac master right",
		"link set left up", "link set right up", "link set elbac up")
	n.mend()
	for i := range left + right {
		pid, at := namespace(t), "left"
		if i >= left {
			at = "right"
		}
		port := fmt.Sprintf("port%d", i)
		n.ip(n.switches, fmt.Sprintf("link add %s type veth peer name eth0 netns %s", port, pid),
			fmt.Sprintf("link set %s master %s up", port, at))
		n.ip(pid, "addr add "+address(i)+"/24 broadcast 192.0.2.255 dev eth0", "link set eth0 up")
		n.machines = append(n.machines, pid)
	}
	return n
}

func (n *network) cut()  { n.ip(n.switches, "link set cable down") }
func (n *network) mend() { n.ip(n.switches, "link set cable up") }

// newArena is an arena on the machines of the network.
func (n *network) newArena(name string, common ...string) *arena {
	return &arena{t: n.t, name: name, common: common, app: newPlace(n.t).app,
		addr: address, before: func(i int) []string { return inside(n.machines[i]) }}
}

// TestNetworkCut cuts the network between two halves of a session. Each goes on with a host of its own, and is not
// disturbed by the other. When the cut ends, all find together, with one host and all players. It needs root. It takes a minute: as
// long as pinging says for the cut, and as long again until the halves ask for each other.
func TestNetworkCut(t *testing.T) {
	needsPings(t)
	t.Parallel()
	net := newNetwork(t, 2, 3)
	a := net.newArena("cut", pinging...)
	host := a.open(nil)
	for range 4 {
		a.open(host)
	}
	a.meet()
	a.talk("before")
	net.cut()
	left, right := a.half(0, 2), a.half(2, 5)
	for _, p := range left.all {
		var waits []func()
		for _, q := range right.all {
			waits = append(waits, func() { p.event("player_deleted", "name", q.player) })
		}
		p.inAnyOrder(waits...)
	}
	before := map[*process]int{}
	for _, p := range right.all {
		before[p] = p.read
	}
	other := right.loseHost(host, func() {})
	for _, p := range right.all { // who did not answer in time is lost before or after there is a host
		after := p.read
		for _, q := range left.all {
			p.read = before[p]
			p.event("player_deleted", "name", q.player)
			after = max(after, p.read)
		}
		p.read = after
	}
	left.talk("on the left")
	right.talk("on the right")
	net.mend()
	a.healed(host, other, func(p *process) []*process {
		if slices.Contains(left.all, p) {
			return right.all
		}
		return left.all
	})
	a.talk("all together again")
	for _, p := range a.all {
		p.leaves()
	}
	a.claimed(host, other)
}

// half is the part of an arena with some of its processes.
func (a *arena) half(from, to int) *arena {
	b := *a
	b.all = a.all[from:to]
	return &b
}

// claimed checks the recordings of both hosts: one claimed the session, and both came into a new view.
func (a *arena) claimed(hosts ...*process) {
	a.t.Helper()
	all := map[string]int{}
	for _, p := range hosts {
		for c, n := range a.commands(p) {
			all[c] += n
		}
	}
	for _, c := range []string{"EXTENSION VIEW CLAIM", "EXTENSION VIEW PREPARE", "EXTENSION VIEW ACK", "EXTENSION VIEW INSTALL", "PING", "PINGREPLY"} {
		assert.Positive(a.t, all[c], c)
	}
}
