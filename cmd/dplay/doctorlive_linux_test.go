package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// on runs a command line on a machine of the network.
func (n *network) on(machine int, args ...string) result {
	n.t.Helper()
	p := startProcess(n.t, inside(n.machines[machine]), args...)
	status := p.end()
	return result{status, p.written(), p.stderr()}
}

// TestDoctorLiveNetwork searches for games on a closed network of its own: with one adapter and a host, then without
// it, then with a second adapter. It needs root.
func TestDoctorLiveNetwork(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 2, 0)
	net.ip(net.machines[1], "route add default via "+address(0))
	host := net.newArena("doctor").open(nil)
	got := net.on(1, "doctor", "--live", "--timeout", anHour, "--until", "session_found")
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	assert.Contains(t, got.out, "healthy: nothing was found that stands in the way of a game\n")
	host.leaves()

	got = net.on(1, "doctor", "--live", "--timeout", "300ms") // nobody can answer
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out,
		"everybody on the network was asked for sessions, and nobody answered within 0.300 s [enum-unanswered]")

	net.ip(net.machines[1], "link add vpn0 type veth peer name vpn1", "addr add 25.1.2.3/8 dev vpn0", "link set vpn0 up",
		"link set vpn1 up")
	got = net.on(1, "doctor", "--live", "--timeout", "300ms") // nobody can answer
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, "this machine is on 2 networks, and a search for games goes to that of "+address(1)+
		" only [broadcast-wrong-adapter]")
	assert.Contains(t, got.out, "the adapter vpn0 has 25.1.2.3, which is an address of the VPN Hamachi [adapter-vpn]")
	net.ip(net.machines[1], "route replace default dev vpn0")
	got = net.on(1, "doctor", "--live", "--timeout", "300ms") // nobody can answer
	assert.Contains(t, got.out,
		"failure: a search for games on the network leaves by 25.1.2.3, which is an address of the VPN Hamachi")
}
