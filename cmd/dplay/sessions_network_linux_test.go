package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAllInterfaces has a host beyond a card without a broadcast address, such as that of a VPN. The system sends what
// goes to everybody out of another card, so it is found only if each card asks for itself. It needs root.
func TestAllInterfaces(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 1, 1)
	asker, host := net.machines[0], net.machines[1]
	net.ip(host, "link set eth0 down")
	net.ip(net.switches, "link add tunnel type veth peer name lennut",
		"link set tunnel netns "+asker, "link set lennut netns "+host)
	net.ip(asker, "addr add 198.51.100.1/32 dev tunnel", "link set tunnel up", "route add 198.51.100.2 dev tunnel",
		"route add default dev eth0")
	net.ip(host, "addr add 198.51.100.2/24 dev lennut", "link set lennut up")
	at := newPlace(t)
	h := startProcess(t, inside(host), "host", "--app", at.app, "--name", "Beyond", "--events", "ndjson")
	h.event("session_opened")
	one := startProcess(t, inside(asker), "sessions", "--format", "ndjson", "--timeout", "300ms") // an answer that is late is missed, and there is none
	assert.Equal(t, exitOK, one.end())
	assert.Contains(t, one.stderr(), "dplay: no sessions; --all lists those")
	all := startProcess(t, inside(asker), "sessions", "--format", "ndjson", "--timeout", anHour, "--all-interfaces")
	found := all.event("session_found")
	assert.Equal(t, "198.51.100.2:2300", found["addr"])
	assert.Equal(t, "198.51.100.1", found["via"])
	all.leaves()
	assert.Len(t, all.output(), 1, "each session once")
}
