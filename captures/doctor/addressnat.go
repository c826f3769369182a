package doctor

var addressNAT = rule{
	code: "address-nat", severity: Warning,
	cause: "a router between the two rewrites addresses (NAT), or the machine has several adapters and names another one than it uses. " +
		"Answers go to the address in the message, not to the one that packets come from.",
	advice: "If players cannot see each other, play through a VPN that all are in, or turn the adapters that are not needed off.",
	capture: func(c *Case) (list []Finding) {
		told := map[string]bool{}
		for _, a := range c.Addresses {
			ip := a.Socket.Addr()
			if !a.Own || ip.IsUnspecified() || ip == a.Teller || private(a) || told[ip.String()+a.Teller.String()] {
				continue
			}
			told[ip.String()+a.Teller.String()] = true
			list = append(list, Finding{
				Text:     "packets of a machine come from " + a.Teller.String() + ", but it says that it is at " + ip.String(),
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}
