package doctor

import "net/netip"

var adapterOdd = rule{
	code: "adapter-vpn", severity: Warning,
	cause: "a VPN's address or a link-local one is of use only with others in the same VPN or on the same cable. A game may tell others to reach it " +
		"there.",
	advice: "If you do not play through that VPN, turn it off while you play. A link-local address means that no router answered: look at cable and wireless.",
	live: func(l *Live) (list []Finding) {
		if l.Host.IsValid() && l.answered() {
			return nil // nothing stands in the way
		}
		for _, a := range l.playable() {
			for _, p := range a.Addrs {
				if p.Addr().Is4() && oddAdapter(p.Addr()) && !l.playsOver(p) {
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

// playsOver says whether the host that was asked, or one that answered, is in the network or VPN of an address of this
// machine.
func (l *Live) playsOver(p netip.Prefix) bool {
	if sameVPN(p, l.Host) {
		return true
	}
	for i := range l.Ways {
		for _, o := range l.Ways[i].Offers {
			if sameVPN(p, o.Host.Addr()) && o.Host.Addr() != p.Addr() {
				return true
			}
		}
	}
	return false
}

// sameVPN says whether an address is in the network of an adapter's. Some VPNs give each machine a network of its own,
// a /32: then the range that the VPN takes its addresses from counts.
func sameVPN(p netip.Prefix, at netip.Addr) bool {
	if p.Contains(at) {
		return true
	}
	for _, n := range nets[4:7] {
		if n.net.Contains(p.Addr()) && n.net.Contains(at.Unmap()) {
			return true
		}
	}
	return false
}
