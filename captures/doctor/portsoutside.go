package doctor

import (
	"net/netip"

	"dplay4/captures"
)

var portsOutside = rule{
	code: "ports-outside-range", severity: Warning,
	cause: "the machine listens on a port that people do not forward: the usual ones were taken by other programs, a router gave it another " +
		"one, or a tool changed it.",
	advice: "End programs that hold ports 2300 to 2400, among them games that hang, or forward the port that is named here as well.",
	capture: func(c *Case) (list []Finding) {
		type key struct {
			teller netip.Addr
			port   uint16
		}
		told := map[key]bool{}
		for _, a := range c.Addresses {
			k := key{a.Teller, a.Socket.Port()}
			if a.Socket.Port() == 0 || usual(a.Socket.Port()) || told[k] || !abroad(c, a) {
				continue
			}
			told[k] = true
			list = append(list, Finding{
				Text: a.Teller.String() + " wants to be reached at " + a.Transport.String() + " port " + itoa(int(a.Socket.Port())) +
					", which is not one of 2300 to 2400",
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}

// abroad says whether a port matters to a router or firewall: the two are not on one network, or nobody could
// connect to it.
func abroad(c *Case, a *Address) bool {
	if !broadcast(a.Told) && !sameNetwork(a.Teller, a.Told) {
		return true
	}
	if a.Transport == captures.UDP {
		return false
	}
	ip := a.Socket.Addr()
	if ip.IsUnspecified() {
		ip = a.Teller
	}
	for _, d := range c.dialled(netip.AddrPortFrom(ip, a.Socket.Port())) {
		if d.Taken == 0 && !d.Used {
			return true
		}
	}
	return false
}
