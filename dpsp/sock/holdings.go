package sock

import (
	"cmp"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// A Holding is a port that a process of this machine has: for TCP it listens there.
type Holding struct {
	Port   uint16
	socket uint64 // or the process
}

// Holdings returns the ports of a range, of "TCP" or "UDP", that processes have at an address or at all addresses; for no address in
// particular any process that has one at some address; ok is false where the system does not tell.
func Holdings(network string, at netip.Addr, ports wire.Ports) (all []Holding, ok bool) {
	all, ok = boundSockets(network, at)
	all = slices.DeleteFunc(all, func(h Holding) bool { return h.Port < ports.First || h.Port > ports.Last })
	slices.SortFunc(all, func(a, b Holding) int { return int(a.Port) - int(b.Port) })
	return all, ok
}

// By names the processes of holdings, each as "dplay (process 123)". What is another user's is "another program" as a rule.
func By(all []Holding) []string {
	names := make([]string, len(all))
	for i, name := range processes(all) {
		names[i] = cmp.Or(name, "another program")
	}
	return names
}

// looks is how often Holders looks for sockets. Linux leaves some out of its table while others of the machine are closed, because it
// hands the table over in pieces and counts the rows.
const looks = 8

// Holders names the processes that have ports of a range where a socket could not be opened: see Holdings and By. Each is named once, by
// the ports; nil means that it cannot be found out.
func Holders(network string, at netip.Addr, ports wire.Ports) (names []string) {
	all, _ := Holdings(network, at, ports)
	for n := 1; n < looks && len(all) == 0; n++ {
		all, _ = Holdings(network, at, ports)
	}
	for _, name := range By(all) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
