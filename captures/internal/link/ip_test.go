package link

import (
	"slices"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"dplay4/captures/internal/pcapfile"
)

// set returns b with v at offset at.
func set(b []byte, at int, v ...byte) []byte {
	b = slices.Clone(b)
	copy(b[at:], v)
	return b
}

// TestSerialized decodes packets that gopacket serialized, checksums and Ethernet padding included.
func TestSerialized(t *testing.T) {
	ip := &layers.IPv4{
		Version: 4, TTL: 64, Protocol: layers.IPProtocolTCP, SrcIP: src4.Addr().AsSlice(), DstIP: dst4.Addr().AsSlice(),
		Options: []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}}}, // router alert
	}
	segment := &layers.TCP{
		SrcPort: layers.TCPPort(src4.Port()), DstPort: layers.TCPPort(dst4.Port()), Seq: 0xfffffff0, FIN: true, PSH: true, ACK: true,
		Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindTimestamps, OptionData: make([]byte, 8)}},
	}
	require.NoError(t, segment.SetNetworkLayerForChecksum(ip))
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		&layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: layers.EthernetTypeIPv4},
		ip, segment, gopacket.Payload("x")))
	want := unit4([]byte("x"))
	want.Proto, want.Seq, want.FIN, want.ACK = TCP, 0xfffffff0, true, true
	requireUnit(t, want, packet(1, pcapfile.LinkEthernet, b.Bytes()))
}

func TestTCP(t *testing.T) {
	payload := []byte("payload")
	want := func(flags byte, payload []byte) Unit {
		u := unit4(payload)
		u.Proto, u.Seq = TCP, 0xfffffff0
		u.FIN, u.SYN, u.RST = flags&1 != 0, flags&2 != 0, flags&4 != 0
		if flags&16 != 0 {
			u.Ack, u.ACK = 7, true
		}
		return u
	}
	for flags := range 64 {
		requireUnit(t, want(byte(flags), payload), packet(1, pcapfile.LinkRaw, ip4(TCP, tcp(byte(flags), nil, payload))))
	}
	for name, options := range map[string][]byte{
		"usual":     {2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7},
		"most":      slices.Repeat([]byte{1}, 40),
		"length 0":  {2, 0, 0, 0},
		"length 1":  {8, 1, 0, 0},
		"too long":  {8, 200, 0, 0},
		"no length": {1, 1, 1, 8},
	} {
		u, st := decode1(packet(1, pcapfile.LinkRaw, ip4(TCP, tcp(2, options, payload))))
		require.Equal(t, Status{Kind: KindUnit}, st, name)
		require.Equal(t, want(2, payload), u, name)
	}
	requireUnit(t, want(16, []byte{}), packet(1, pcapfile.LinkRaw, ip4(TCP, tcp(16, nil, nil))))
}

// TestPadding has octets behind the IP packet: Ethernet's minimum of 60, or a frame check sequence.
func TestPadding(t *testing.T) {
	padding := slices.Repeat([]byte{0xee}, 60)
	for n := range padding {
		requireUnit(t, unit4([]byte("a")), packet(1, pcapfile.LinkRaw, join(ip4(UDP, udp([]byte("a"))), padding[:n])))
		requireUnit(t, unit6([]byte("a")), packet(1, pcapfile.LinkRaw, join(ip6(UDP, udp([]byte("a"))), padding[:n])))
		short := set(udp([]byte("ab")), 4, 0, 9) // the UDP length leaves the last octet of the IP payload out
		requireUnit(t, unit4([]byte("a")), packet(1, pcapfile.LinkRaw, join(ip4(UDP, short), padding[:n])))
	}
}

// TestOffload has packets that were captured before the network adapter cut them up: their IP length is 0.
func TestOffload(t *testing.T) {
	for _, n := range []int{1, 3000, 65535 - 40, 65536, 131000} { // more than 16 bits can count
		payload := slices.Repeat([]byte("x"), n)
		want := unit4(payload)
		want.Proto, want.Seq, want.Ack, want.ACK = TCP, 0xfffffff0, 7, true
		segment := tcp(16, nil, payload)
		requireUnit(t, want, packet(1, pcapfile.LinkRaw, set(ip4(TCP, segment), 2, 0, 0)))
		want.Src, want.Dst = src6, dst6
		requireUnit(t, want, packet(1, pcapfile.LinkRaw, set(ip6(TCP, segment), 4, 0, 0)))
		jumbo := join([]byte{6, 0, 0xc2, 4}, be.AppendUint32(nil, uint32(8+len(segment))), segment) // RFC 2675
		requireUnit(t, want, packet(1, pcapfile.LinkRaw, set(ip6(0, jumbo), 4, 0, 0)))
		requireUnit(t, unit4(payload), packet(1, pcapfile.LinkRaw, set(ip4(UDP, set(udp(payload), 4, 0, 0)), 2, 0, 0)))
	}
}

func TestIPv6Extensions(t *testing.T) {
	payload := []byte("payload")
	chain := join(extension(43, 1), extension(60, 3), extension(60, 32), extension(17, 1), udp(payload))
	requireUnit(t, unit6(payload), packet(1, pcapfile.LinkRaw, join(ip6(0, chain), []byte("padding"))))
	atomic := join(extension(44, 1), header6(60, 1, 0, false), extension(17, 1), udp(payload)) // RFC 6946
	requireUnit(t, unit6(payload), packet(1, pcapfile.LinkRaw, ip6(0, atomic)))

	var most []byte
	for range MaxExtensions - 1 {
		most = append(most, extension(60, 1)...)
	}
	requireUnit(t, unit6(payload), packet(1, pcapfile.LinkRaw, ip6(60, join(most, extension(17, 1), udp(payload)))))
	_, st := decode1(packet(1, pcapfile.LinkRaw, ip6(60, join(most, extension(60, 1), extension(17, 1), udp(payload)))))
	require.Equal(t, malformed("IPv6 extension header", ip6Size+8*(MaxExtensions+1), "more extension headers than the limit"), st)
}

// malformedIP are packets of raw IP that their receiver would have dropped.
func malformedIP() map[string]struct {
	data  []byte
	layer string
	off   int
	text  string
} {
	u4, u6 := ip4(UDP, udp([]byte("abcd"))), ip6(UDP, udp([]byte("abcd")))
	t4, x6 := ip4(TCP, tcp(16, nil, []byte("abcd"))), ip6(0, join(extension(17, 1), udp(nil)))
	two := ip6(44, join(header6(44, 1, 0, false), header6(17, 2, 0, false), udp(nil)))
	const short = "ends inside the header"
	const wire = "length is above what was on the wire"
	return map[string]struct {
		data  []byte
		layer string
		off   int
		text  string
	}{
		"IPv4 short":                {u4[:19], "IPv4", 0, short},
		"IPv4 header length 16":     {set(u4, 0, 0x44), "IPv4", 0, "header length is below 20"},
		"IPv4 header past total":    {set(u4, 0, 0x4f), "IPv4", 0, "total length is below the header's"},
		"IPv4 total 19":             {set(u4, 2, 0, 19), "IPv4", 0, "total length is below the header's"},
		"IPv4 total past wire":      {set(u4, 2, 0, 33), "IPv4", 0, "total " + wire},
		"IPv4 total 65535":          {set(u4, 2, 0xff, 0xff), "IPv4", 0, "total " + wire},
		"IPv4 offload, long header": {set(u4, 0, 0x4f, 0, 0, 0), "IPv4", 0, "total length is below the header's"},
		"IPv6 short":                {u6[:39], "IPv6", 0, short},
		"IPv6 payload past wire":    {set(u6, 4, 0, 13), "IPv6", 0, "payload " + wire},
		"IPv6 extension short":      {set(x6, 4, 0, 7), "IPv6 extension header", 40, short},
		"IPv6 extension long":       {set(x6, 41, 2), "IPv6 extension header", 40, short},
		"IPv6 two fragment headers": {two, "IPv6 fragment header", 48, "a second fragment header"},
		"IPv6 fragment short":       {ip6(44, make([]byte, 7)), "IPv6 fragment header", 40, short},
		"UDP short":                 {ip4(UDP, make([]byte, 7)), "UDP", 20, short},
		"UDP length 0":              {set(u4, 24, 0, 0), "UDP", 20, "length is below 8"},
		"UDP length 7":              {set(u4, 24, 0, 7), "UDP", 20, "length is below 8"},
		"UDP length past IP's":      {join(set(u4, 24, 0, 13), []byte("padding")), "UDP", 20, "length is above the IP payload's"},
		"UDP length, IPv6":          {set(u6, 44, 0xff, 0xff), "UDP", 40, "length is above the IP payload's"},
		"TCP short":                 {ip4(TCP, make([]byte, 19)), "TCP", 20, short},
		"TCP header length 16":      {set(t4, 32, 0x40), "TCP", 20, "data offset is below 20"},
		"TCP header past segment":   {set(t4, 32, 0x70), "TCP", 20, "header is longer than the segment"},
	}
}

func TestMalformedIP(t *testing.T) {
	for name, c := range malformedIP() {
		u, st := decode1(packet(1, pcapfile.LinkRaw, c.data))
		require.Equal(t, malformed(c.layer, c.off, c.text), st, name)
		require.Zero(t, u, name)
		header := sll2(0x0800)
		if c.data[0]>>4 == 6 {
			header = sll2(0x86dd)
		}
		_, st = decode1(packet(1, pcapfile.LinkLinuxSLL2, join(header, c.data)))
		require.Equal(t, malformed(c.layer, c.off+sll2Size, c.text), st, name)
	}
	_, st := decode1(packet(1, pcapfile.LinkIPv4, ip6(UDP, udp(nil))))
	require.Equal(t, malformed("IPv4", 0, "version is not 4"), st)
	_, st = decode1(packet(1, pcapfile.LinkIPv6, join(ip4(UDP, udp(nil)), make([]byte, 40))))
	require.Equal(t, malformed("IPv6", 0, "version is not 6"), st)
	require.Equal(t, "malformed: IPv6 at octet 0: version is not 6", st.String())
}

// TestSnapLength cuts packets at every octet. What is cut is never malformed, and what came is never lost.
func TestSnapLength(t *testing.T) {
	payload := []byte("payload")
	for name, c := range map[string]struct {
		whole []byte
		fixed int // octets of headers without the TCP options
	}{
		"UDP":  {join(etherHeader(0x0800), ip4(UDP, udp(payload))), 14 + 20 + 8},
		"TCP":  {join(etherHeader(0x0800), ip4(TCP, tcp(2, []byte{1, 1, 1, 1}, payload))), 14 + 20 + 20},
		"IPv6": {join(etherHeader(0x86dd), ip6(0, join(extension(17, 2), udp(payload)))), 14 + 40 + 16 + 8},
	} {
		headers := len(c.whole) - len(payload)
		for n := range c.whole {
			p := packet(1, pcapfile.LinkEthernet, c.whole[:n:n])
			p.Length = len(c.whole) + 4 // and padding
			u, st := decode1(p)
			if n < c.fixed {
				require.Equal(t, skipped(WhyCut, 0), st, "%s, %d octets", name, n)
				continue
			}
			require.Equal(t, Status{Kind: KindUnit}, st, "%s, %d octets", name, n)
			require.Equal(t, src4.Port(), u.Src.Port())
			require.Equal(t, string(payload[:max(n-headers, 0)]), string(u.Payload), "%s, %d octets", name, n)
			require.Equal(t, len(payload)-len(u.Payload), u.Cut, "%s, %d octets", name, n)
			require.Equal(t, name == "TCP", u.SYN)
		}
	}
	require.Equal(t, "skipped: headers cut by the snap length", skipped(WhyCut, 0).String())
}

// TestBadOptions: options that make no sense lose no data.
func TestBadOptions(t *testing.T) {
	for _, options := range [][]byte{{7, 0, 0, 0}, {7, 2, 1, 1}, {7, 200, 0, 0}, {1, 1, 1, 7}, {0, 1, 2, 3}} {
		requireUnit(t, unit4([]byte("a")), packet(1, pcapfile.LinkRaw, fragment4(UDP, 0, 0, false, options, udp([]byte("a")))))
	}
	garbage := set(extension(17, 2), 2, 0xff, 0xff, 0xff, 0xff)
	requireUnit(t, unit6([]byte("a")), packet(1, pcapfile.LinkRaw, ip6(0, join(garbage, udp([]byte("a"))))))
}
