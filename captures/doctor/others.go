package doctor

import (
	"cmp"
	"slices"
	"strings"

	"dplay4/captures"
)

// A kind is packets of one protocol, and of one port if it has any.
type kind struct {
	tally
	Name string
	What what
}

// A what is the meaning of a kind of packets in a capture without DirectPlay 4. The greater one is the more likely reason.
type what int

const (
	foreignKind what = iota // another protocol, and nothing to do with games
	tunnelKind              // a VPN: what is in it cannot be seen here
	ipxKind                 // DirectPlay by IPX, or another old game
	usualKind               // DirectPlay 4's own ports
	dplay8Kind              // DirectPlay 8
)

// A kindKey identifies a kind.
type kindKey struct {
	protocol string
	dplay8   bool
	port     uint16
}

// packet counts a packet, until the first message shows that the capture holds DirectPlay 4.
func (c *collector) packet(p *captures.Packet) {
	if c.Known {
		return
	}
	k := kindKey{protocol: p.Protocol, port: service(p)}
	k.dplay8 = p.Protocol == captures.PacketDirectPlay8 || k == kindKey{protocol: "UDP", port: dplay8Port}
	x := c.Kinds.at(k, newKind(k))
	if c.Kinds.by[k] == nil {
		c.OtherKinds++
	}
	x.again(mark{Frame: p.Frame, Time: p.Time, Message: x.Name})
}

// newKind returns the kind of packets with a key.
func newKind(k kindKey) kind {
	name, port := services[k.protocol][k.port], " port "+itoa(k.port)
	switch what := cmp.Or(whats[k.protocol], whats[name]); {
	case k.port == 0:
		return kind{Name: k.protocol, What: what}
	case k.dplay8:
		return kind{Name: "DirectPlay 8 on UDP" + port, What: dplay8Kind}
	case usual(k.port):
		return kind{Name: k.protocol + port, What: usualKind}
	default:
		return kind{Name: k.protocol + port + pick(name == "", "", " ("+name+")"), What: what}
	}
}

// dplay8Port is where DirectPlay 8 is asked for sessions.
const dplay8Port = 6073

// services are the names of ports that occur where games are played.
var services = map[string]map[uint16]string{
	captures.PacketDirectPlay8: {dplay8Port: captures.PacketDirectPlay8},
	"UDP": {dplay8Port: captures.PacketDirectPlay8, 53: "DNS", 67: "DHCP", 68: "DHCP", 123: "NTP", 137: "NetBIOS names", 138: "NetBIOS", 213: "IPX by UDP", 443: "QUIC",
		500: "IPsec", 1194: "OpenVPN", 1900: "UPnP", 3389: "remote desktop", 3478: "STUN", 3702: "WS-Discovery", 4500: "IPsec",
		5353: "mDNS", 5355: "LLMNR", 9993: "ZeroTier", 27900: "GameSpy", 51820: "WireGuard", 54792: "IPX by UDP"},
	"TCP": {22: "SSH", 25: "SMTP", 53: "DNS", 80: "HTTP", 139: "NetBIOS", 443: "HTTPS", 445: "SMB", 1194: "OpenVPN", 3389: "remote desktop",
		5900: "VNC", 6667: "IRC", 28900: "GameSpy"},
}

// whats are the protocols and services that mean a VPN, which hides its packets, or IPX.
var whats = map[string]what{"IPsec": tunnelKind, "OpenVPN": tunnelKind, "ZeroTier": tunnelKind, "WireGuard": tunnelKind, "GRE": tunnelKind,
	"ESP": tunnelKind, "IP in IP": tunnelKind, "IPv6 in IP": tunnelKind, captures.PacketIPX: ipxKind, "IPX by UDP": ipxKind}

// service returns the port of a packet's service: one that is known, else the lower one, because systems choose high ports for clients.
func service(p *captures.Packet) uint16 {
	src, dst := p.Src.Port(), p.Dst.Port()
	for _, port := range [...]uint16{dst, src} {
		if services[p.Protocol][port] != "" || usual(port) {
			return port
		}
	}
	return min(src, dst)
}

// nothing is the code of the finding about a capture without DirectPlay 4.
const nothing = "no-directplay4"

// noDirectPlay4 is the rule no-directplay4 for captures. The finding names the packets of a capture without DirectPlay 4.
var noDirectPlay4 = one(func(c *facts) *Finding {
	if c.Summary.Messages > 0 && !c.onlyDirectPlay8() {
		return nil
	}
	if c.Summary.Frames == 0 {
		return found("the capture is empty: it holds no packet", Evidence{Message: "packets", Value: "0"}).in("empty")
	}
	kinds := slices.Clone(c.Kinds.list)
	slices.SortStableFunc(kinds, func(a, b *kind) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Frame, b.Frame)) })
	text := "no DirectPlay 4 in " + count(c.Summary.Frames, "packet")
	if len(kinds) == 0 {
		return found(text, Evidence{Frame: 1, Message: "fragments", Value: "of IP datagrams that are not whole"})
	}
	return meaning(text, kinds).more(c.OtherKinds).with(mapped(kinds, func(k *kind) Evidence { return k.show("", count(k.Count, "packet")) })...)
})

// onlyDirectPlay8 reports whether a capture has DirectPlay 8, and nothing of DirectPlay 4 but datagrams that were taken for it because
// of their port.
func (c *facts) onlyDirectPlay8() bool { return !c.Known && c.Summary.DirectPlay8 > 0 }

// meanings are the words for packets in the text of a finding, and its case.
var meanings = [...][2]string{
	foreignKind: {", but ", ""}, tunnelKind: {", but a VPN: ", "tunnel"}, ipxKind: {", but IPX: ", "ipx"},
	usualKind: {", but its ports are used: ", "ports"}, dplay8Kind: {", but DirectPlay 8: ", "dplay8"},
}

// meaning returns the finding about the packets of a capture without DirectPlay 4. kinds are sorted, the most frequent kind first; there is one.
func meaning(text string, kinds []*kind) *Finding {
	const most = 3
	top := slices.MaxFunc(kinds, func(a, b *kind) int { return cmp.Compare(a.What, b.What) }).What
	names := mapped(where(kinds, func(k *kind) bool { return k.What == top }), func(k *kind) string { return k.Name + " (" + itoa(k.Count) + ")" })
	f := found(text + meanings[top][0] + strings.Join(names[:min(len(names), most)], ", "))
	switch first := kinds[0].Name; {
	case top != foreignKind:
		f.section = meanings[top][1]
	case strings.HasPrefix(first, captures.PacketLinkType): // the rest has nothing to do with games
		f.section = "link"
	case first == captures.PacketCut:
		f.section = "snap"
	}
	return f
}
