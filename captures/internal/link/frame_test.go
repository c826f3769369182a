package link

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/captures/internal/pcapfile"
)

func vlan(types ...uint16) []byte {
	var b []byte
	for _, t := range types {
		b = be.AppendUint16(be.AppendUint16(b, 0x6123), t)
	}
	return b
}

// sll makes a header of Linux's "any" device. An address length above 8 occurs with InfiniBand.
func sll(addressLength, etherType uint16) []byte {
	b := be.AppendUint16([]byte{0, 4, 0, 1}, addressLength)
	return be.AppendUint16(append(b, 1, 2, 3, 4, 5, 6, 7, 8), etherType)
}

func sll2(etherType uint16) []byte {
	return join(be.AppendUint16(nil, etherType), []byte{0, 0, 0, 0, 0, 3, 0, 1, 4, 6}, make([]byte, 8))
}

// linkHeaders are headers before IPv4 and before IPv6.
var linkHeaders = []struct {
	name     string
	link     pcapfile.LinkType
	ip4, ip6 []byte
}{
	{"Ethernet", pcapfile.LinkEthernet, etherHeader(0x0800), etherHeader(0x86dd)},
	{"802.1Q", pcapfile.LinkEthernet, join(etherHeader(0x8100), vlan(0x0800)), join(etherHeader(0x8100), vlan(0x86dd))},
	{"802.1ad", pcapfile.LinkEthernet, join(etherHeader(0x88a8), vlan(0x8100, 0x0800)),
		join(etherHeader(0x88a8), vlan(0x8100, 0x86dd))},
	{"QinQ", pcapfile.LinkEthernet, join(etherHeader(0x9100), vlan(0x9200, 0x8100, 0x0800)),
		join(etherHeader(0x9100), vlan(0x8100, 0x86dd))},
	{"most tags", pcapfile.LinkEthernet, join(etherHeader(0x8100),
		vlan(append(slices.Repeat([]uint16{0x8100}, MaxTags-1), 0x0800)...)), nil},
	{"SLL", pcapfile.LinkLinuxSLL, sll(6, 0x0800), sll(0, 0x86dd)},
	{"SLL long address", pcapfile.LinkLinuxSLL, sll(20, 0x0800), sll(0xffff, 0x86dd)},
	{"SLL VLAN", pcapfile.LinkLinuxSLL, join(sll(6, 0x8100), vlan(0x0800)), join(sll(6, 0x8100), vlan(0x86dd))},
	{"SLL2", pcapfile.LinkLinuxSLL2, sll2(0x0800), sll2(0x86dd)},
	{"SLL2 VLAN", pcapfile.LinkLinuxSLL2, join(sll2(0x8100), vlan(0x0800)), join(sll2(0x8100), vlan(0x86dd))},
	{"NULL little", pcapfile.LinkNull, []byte{2, 0, 0, 0}, []byte{30, 0, 0, 0}},
	{"NULL big", pcapfile.LinkNull, []byte{0, 0, 0, 2}, []byte{0, 0, 0, 24}},
	{"NULL FreeBSD", pcapfile.LinkNull, []byte{2, 0, 0, 0}, []byte{28, 0, 0, 0}},
	{"LOOP", pcapfile.LinkLoop, []byte{0, 0, 0, 2}, []byte{0, 0, 0, 24}},
	{"LOOP little", pcapfile.LinkLoop, []byte{2, 0, 0, 0}, []byte{24, 0, 0, 0}},
	{"RAW 12", 12, []byte{}, []byte{}},
	{"RAW 14", 14, []byte{}, []byte{}},
	{"RAW 101", 101, []byte{}, []byte{}},
	{"IPV4", 228, []byte{}, nil},
	{"IPV6", 229, nil, []byte{}},
	{"PPP", pcapfile.LinkPPP, []byte{0x00, 0x21}, []byte{0x00, 0x57}},
	{"PPP compressed", pcapfile.LinkPPP, []byte{0x21}, []byte{0x57}}, // RFC 1661 6.5
	{"PPP HDLC", pcapfile.LinkPPP, []byte{0xff, 3, 0x00, 0x21}, []byte{0xff, 3, 0x57}},
	{"PPP_HDLC", pcapfile.LinkPPPHDLC, []byte{0xff, 3, 0x00, 0x21}, []byte{0xff, 3, 0x00, 0x57}},
}

func TestLinkTypes(t *testing.T) {
	payload := []byte("payload")
	for _, c := range linkHeaders {
		t.Run(c.name, func(t *testing.T) {
			if c.ip4 != nil {
				requireUnit(t, unit4(payload), packet(1, c.link, join(c.ip4, ip4(UDP, udp(payload)))))
			}
			if c.ip6 != nil {
				requireUnit(t, unit6(payload), packet(1, c.link, join(c.ip6, ip6(UDP, udp(payload)))))
			}
		})
	}
}

// TestPPPoE has padding behind the PPPoE payload, as short Ethernet frames do.
func TestPPPoE(t *testing.T) {
	inside := join([]byte{0, 0x21}, ip4(UDP, udp([]byte("payload"))))
	header := be.AppendUint16([]byte{0x11, 0, 0, 1}, uint16(len(inside)))
	whole := join(header, inside, make([]byte, 9))
	requireUnit(t, unit4([]byte("payload")), packet(1, pcapfile.LinkPPPoE, whole))
	requireUnit(t, unit4([]byte("payload")), packet(1, pcapfile.LinkEthernet, join(etherHeader(0x8864), whole)))

	whole[1] = 0x65 // a session message that is no data
	_, st := decode1(packet(1, pcapfile.LinkPPPoE, whole))
	require.Equal(t, Status{Kind: KindSkipped, Reason: Reason{WhyEtherType, 0x8863}}, st)
	be.PutUint16(whole[4:], uint16(len(whole))) // counts its own header
	_, st = decode1(packet(1, pcapfile.LinkPPPoE, whole))
	require.Equal(t, malformed("PPPoE", 0, "length is above what was on the wire"), st)
}

func TestSkipped(t *testing.T) {
	const ether, raw = pcapfile.LinkEthernet, pcapfile.LinkRaw
	for _, c := range []struct {
		link pcapfile.LinkType
		data []byte
		why  Reason
		text string
	}{
		{ether, join(etherHeader(0x0806), make([]byte, 28)), Reason{WhyARP, 0}, "ARP"},
		{ether, join(etherHeader(0x88cc), make([]byte, 46)), Reason{WhyEtherType, 0x88cc}, "EtherType 0x88cc"},
		{ether, join(etherHeader(0x8100), vlan(0x8137)), Reason{WhyEtherType, 0x8137}, "EtherType 0x8137"},
		{ether, join(etherHeader(38), make([]byte, 46)), Reason{WhyLLC, 0}, "IEEE 802.3 LLC"},
		{ether, join(etherHeader(0x8100), vlan(38)), Reason{WhyLLC, 0}, "IEEE 802.3 LLC"},
		{ether, join(etherHeader(38), []byte{0xe0, 0xe0, 3}, make([]byte, 43)), Reason{WhyLLC, 0xe0e0}, "IEEE 802.3 LLC"},
		{ether, join(etherHeader(0x8100), vlan(4), []byte{0xff, 0xff, 0, 0}), Reason{WhyLLC, 0xffff}, "IEEE 802.3 LLC"},
		{ether, join(etherHeader(38), []byte{0xaa, 0xaa, 3, 0, 0, 0, 0x81, 0x37}, make([]byte, 30)), Reason{WhyEtherType, 0x8137},
			"EtherType 0x8137"},
		{raw, ip4(1, make([]byte, 8)), Reason{WhyICMP, 0}, "ICMP"},
		{raw, ip4(2, make([]byte, 8)), Reason{WhyIGMP, 0}, "IGMP"},
		{raw, ip4(89, nil), Reason{WhyIPProtocol, 89}, "IP protocol 89"},
		{raw, fragment4(1, 1, 1480, true, nil, make([]byte, 8)), Reason{WhyICMP, 0}, "ICMP"},
		{raw, ip6(58, make([]byte, 8)), Reason{WhyICMPv6, 0}, "ICMPv6"},
		{raw, ip6(44, join(header6(58, 1, 8, true), make([]byte, 8))), Reason{WhyICMPv6, 0}, "ICMPv6"},
		{raw, ip6(44, join(header6(89, 1, 8, true), make([]byte, 8))), Reason{WhyIPProtocol, 89}, "IP protocol 89"},
		{raw, ip6(59, nil), Reason{WhyNoNext, 0}, "IPv6 without content"},
		{raw, ip6(50, make([]byte, 8)), Reason{WhyIPProtocol, 50}, "IP protocol 50"},
		{pcapfile.LinkPPP, []byte{0xc0, 0x21, 1}, Reason{WhyPPP, 0xc021}, "PPP protocol 0xc021"},
		{pcapfile.LinkNull, []byte{7, 0, 0, 0}, Reason{WhyFamily, 7}, "address family 7"},
		{pcapfile.LinkNull, []byte{23, 0, 0, 0}, Reason{WhyFamily, 23}, "address family 23"}, // IPX, although IPv6 to Windows
		{195, []byte{1, 2, 3}, Reason{WhyLinkType, 195}, "link type 195"},
		{257, ip4(UDP, udp(nil)), Reason{WhyLinkType, 257}, "link type 257"}, // 1 in 8 bits
	} {
		u, st := decode1(packet(1, c.link, c.data))
		require.Zero(t, u, c.text)
		require.Equal(t, Status{Kind: KindSkipped, Reason: c.why}, st, c.text)
		require.Equal(t, "skipped: "+c.text, st.String())
	}
}

// TestMalformedLinks has packets that were captured whole and end inside a link header.
func TestMalformedLinks(t *testing.T) {
	tooMany := join(etherHeader(0x8100), vlan(slices.Repeat([]uint16{0x8100}, MaxTags+1)...), ip4(UDP, udp(nil)))
	const short = "ends inside the header"
	for _, c := range []struct {
		link  pcapfile.LinkType
		data  []byte
		layer string
		off   int
		text  string
	}{
		{pcapfile.LinkEthernet, nil, "Ethernet", 0, short},
		{pcapfile.LinkEthernet, etherHeader(0x0800)[:13], "Ethernet", 0, short},
		{pcapfile.LinkEthernet, join(etherHeader(0x8100), vlan(0x0800)[:3]), "VLAN", 14, short},
		{pcapfile.LinkEthernet, tooMany, "VLAN", 14 + 4*(MaxTags+1), "more tags than the limit"},
		{pcapfile.LinkLinuxSLL, sll(6, 0x0800)[:15], "SLL", 0, short},
		{pcapfile.LinkLinuxSLL2, sll2(0x0800)[:19], "SLL2", 0, short},
		{pcapfile.LinkNull, []byte{2, 0, 0}, "loopback", 0, short},
		{pcapfile.LinkNull, []byte{2, 3, 0, 0}, "loopback", 0, "no address family in either byte order"},
		{pcapfile.LinkRaw, nil, "IP", 0, short},
		{pcapfile.LinkRaw, []byte{0x50}, "IP", 0, "version is neither 4 nor 6"},
		{pcapfile.LinkPPP, nil, "PPP", 0, short},
		{pcapfile.LinkPPP, []byte{0xff, 3}, "PPP", 2, short},
		{pcapfile.LinkPPP, []byte{0xff, 3, 0}, "PPP", 2, short},
		{pcapfile.LinkPPPoE, []byte{0x11, 0, 0, 0, 0}, "PPPoE", 0, short},
		{pcapfile.LinkPPPoE, []byte{0x11, 0, 0, 0, 0, 0}, "PPP", 6, short},
	} {
		_, st := decode1(packet(1, c.link, c.data))
		require.Equal(t, malformed(c.layer, c.off, c.text), st)
	}
}
