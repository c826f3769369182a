package doctor

var addressPrivate = rule{
	code: "address-private", severity: Failure,
	cause: "a machine behind a router knows only its own address on the local network, and tells that to somebody outside, who cannot reach it " +
		"there.",
	advice: "Play through a VPN that all are in, or use a program that rewrites these addresses; forwarding ports alone does not mend it.",
	capture: func(c *Case) (list []Finding) {
		told := map[string]bool{}
		for _, a := range c.Addresses {
			ip := a.Socket.Addr()
			if !private(a) || told[ip.String()+a.Told.String()] {
				continue
			}
			told[ip.String()+a.Told.String()] = true
			text := a.Teller.String() + " tells " + a.Told.String() + " to reach it at " + ip.String()
			if !a.Own {
				text = a.Teller.String() + " tells " + a.Told.String() + " to reach another machine at " + ip.String()
			}
			list = append(list, Finding{
				Text:     text + ", which is " + localKind(ip),
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}

// private says whether an address is one that who was told it cannot use: one of a local network or VPN, told to
// somebody on the internet, or on another such network while packets come from elsewhere.
func private(a *Address) bool {
	ip := a.Socket.Addr()
	if ip.IsUnspecified() || localKind(ip) == "" || broadcast(a.Told) || sameNetwork(ip, a.Told) {
		return false
	}
	if global(a.Told) {
		return true
	}
	return localKind(ip) != localKind(a.Told) && ip != a.Teller
}
