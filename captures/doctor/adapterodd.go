package doctor

var adapterOdd = rule{
	code: "adapter-vpn", severity: Warning,
	cause: "a VPN's address or a link-local one is of use only with others in the same VPN or on the same cable. A game may tell others to reach it " +
		"there.",
	advice: "If you do not play through that VPN, turn it off while you play. A link-local address means that no router answered: look at cable and wireless.",
	live: func(l *Live) (list []Finding) {
		for _, a := range l.playable() {
			for _, p := range a.Addrs {
				if p.Addr().Is4() && oddAdapter(p.Addr()) && !p.Contains(l.Host) {
					list = append(list, Finding{
						Text:     "the adapter " + a.Name + " has " + p.Addr().String() + ", which is " + localKind(p.Addr()),
						Evidence: []Evidence{a.show()},
					})
				}
			}
		}
		return list
	},
}
