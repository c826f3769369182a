package recorder

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// serialize makes the octets of a packet.
func serialize(t *testing.T, parts ...gopacket.SerializableLayer) []byte {
	t.Helper()
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, parts...))
	return b.Bytes()
}

// ether is an Ethernet header.
func ether(kind layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: kind}
}

// ip4 is an IPv4 header, with options of some words.
func ip4(protocol layers.IPProtocol, options int) *layers.IPv4 {
	h := &layers.IPv4{Version: 4, TTL: 1, Protocol: protocol, SrcIP: []byte{192, 0, 2, 1}, DstIP: []byte{192, 0, 2, 2}}
	for range options {
		h.Options = append(h.Options, layers.IPv4Option{OptionType: 1}, layers.IPv4Option{OptionType: 1},
			layers.IPv4Option{OptionType: 1}, layers.IPv4Option{OptionType: 1})
	}
	return h
}

// TestFilter runs the filter as the kernel does, on packets of Ethernet and on bare ones.
func TestFilter(t *testing.T) {
	sieve := newSieve([]wire.Ports{{First: 2300, Last: 2400}, {First: wire.EnumPort, Last: wire.EnumPort}})
	udp := func(src, dst uint16) *layers.UDP {
		return &layers.UDP{SrcPort: layers.UDPPort(src), DstPort: layers.UDPPort(dst)}
	}
	tcp := func(src, dst uint16) *layers.TCP {
		return &layers.TCP{SrcPort: layers.TCPPort(src), DstPort: layers.TCPPort(dst)}
	}
	icmp := func(kind uint8) *layers.ICMPv4 {
		return &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(kind, 1)}
	}
	later := ip4(layers.IPProtocolUDP, 0)
	later.FragOffset = 185
	first := ip4(layers.IPProtocolUDP, 0)
	first.Flags = layers.IPv4MoreFragments
	for name, c := range map[string]struct {
		takes bool
		parts []gopacket.SerializableLayer
	}{
		"question":                     {true, []gopacket.SerializableLayer{ip4(17, 0), udp(40000, 47624)}},
		"answer by TCP":                {true, []gopacket.SerializableLayer{ip4(6, 0), tcp(2300, 40000)}},
		"the last port":                {true, []gopacket.SerializableLayer{ip4(17, 0), udp(40000, 2400)}},
		"behind it":                    {false, []gopacket.SerializableLayer{ip4(17, 0), udp(40000, 2401)}},
		"before the first":             {false, []gopacket.SerializableLayer{ip4(6, 0), tcp(2299, 40000)}},
		"behind options":               {true, []gopacket.SerializableLayer{ip4(17, 3), udp(40000, 47624)}},
		"options that look like ports": {false, []gopacket.SerializableLayer{ip4(17, 3), udp(257, 257)}},
		"DNS":                          {false, []gopacket.SerializableLayer{ip4(17, 0), udp(40000, 53)}},
		"a later fragment":             {true, []gopacket.SerializableLayer{later, gopacket.Payload("12345678")}},
		"a first fragment of ours":     {true, []gopacket.SerializableLayer{first, udp(2350, 2350)}},
		"a first fragment of others":   {false, []gopacket.SerializableLayer{first, udp(53, 53)}},
		"unreachable":                  {true, []gopacket.SerializableLayer{ip4(1, 0), icmp(3)}},
		"time exceeded":                {true, []gopacket.SerializableLayer{ip4(1, 0), icmp(11)}},
		"ping":                         {false, []gopacket.SerializableLayer{ip4(1, 0), icmp(8)}},
		"SCTP":                         {false, []gopacket.SerializableLayer{ip4(132, 0), udp(2300, 2300)}},
		"cut behind the IP header":     {false, []gopacket.SerializableLayer{ip4(17, 0)}},
	} {
		bare := serialize(t, c.parts...)
		whole := serialize(t, append([]gopacket.SerializableLayer{ether(layers.EthernetTypeIPv4)}, c.parts...)...)
		assert.Equal(t, c.takes, sieve.takes(bareIP, bare), "%s, bare", name)
		assert.Equal(t, c.takes, sieve.takes(ethernet, whole), "%s", name)
		for n := range whole { // cut anywhere, nothing fails
			sieve.takes(ethernet, whole[:n])
		}
	}
	assert.True(t, sieve.takes(ethernet, serialize(t, ether(0x8137), gopacket.Payload(make([]byte, 46)))), "IPX")
	assert.False(t, sieve.takes(ethernet, serialize(t, ether(layers.EthernetTypeARP), gopacket.Payload(make([]byte, 46)))))
	assert.False(t, sieve.takes(bareIP, append([]byte{0x60}, make([]byte, 60)...)), "IPv6")
}

// TestFilterPorts holds the filter against all ports, with as many ranges as there can be.
func TestFilterPorts(t *testing.T) {
	p := newPorts([]wire.Ports{{First: 1, Last: 1}, {First: 65535, Last: 65535}, {First: 30000, Last: 30009}, {First: 30005, Last: 30012}})
	for port := uint16(40000); p.learnt < mostLearnt; port += 2 {
		require.True(t, p.add(port))
	}
	assert.False(t, p.add(50001), "no more are learnt")
	sieve := newSieve(p.list)
	b := serialize(t, ip4(17, 0), &layers.UDP{SrcPort: 999, DstPort: 0})
	for port := 0; port <= 65535; port++ {
		b[22], b[23] = byte(port>>8), byte(port)
		want := port == 1 || port == 65535 || port == 6073 || port == 47624 || port >= 2300 && port <= 2400 || port >= 30000 && port <= 30012 ||
			port >= 40000 && port < 40000+2*mostLearnt && port%2 == 0
		if sieve.takes(bareIP, b) != want {
			t.Fatalf("port %d: taken %t", port, !want)
		}
	}
	for i := range 100 { // as many as --port can name
		p.list = append(p.list, wire.Ports{First: uint16(50000 + 2*i), Last: uint16(50000 + 2*i)})
	}
	for _, f := range []framing{ethernet, bareIP, loopback} {
		raw, err := bpf.Assemble(program(f, p.list))
		require.NoError(t, err)
		assert.LessOrEqual(t, len(raw), 4096, "the kernel takes no more")
	}
}

// TestLearn checks which ports are learnt from messages, and which are not.
func TestLearn(t *testing.T) {
	p := newPorts(nil)
	heard := func(m wire.Message, header uint16) bool {
		e := wire.Envelope{HasSP: true, Version: wire.DX9, Message: m,
			SP: wire.SPHeader{Token: wire.TokenRemote, SockAddr: madeup.SockAddr(fmt.Sprintf("0.0.0.0:%d", header))}}
		raw, err := e.Append(nil)
		require.NoError(t, err)
		e, err = new(wire.Decoder).DecodeStream(raw)
		require.NoError(t, err)
		return p.learn(&captures.Record{Raw: raw, Base: wire.SPHeaderSize, Envelope: e})
	}
	player := func(tcp, udp int) wire.PackedPlayer {
		return wire.PackedPlayer{SPData: madeup.SPData(fmt.Sprintf("192.0.2.1:%d", tcp), fmt.Sprintf("192.0.2.1:%d", udp))}
	}
	assert.False(t, heard(&wire.Ping{}, 2300))
	assert.True(t, heard(&wire.Ping{}, 31415))
	assert.False(t, heard(&wire.Ping{}, 31415), "once")
	assert.False(t, heard(&wire.Ping{}, 443), "services of the system are not a game's")
	assert.True(t, heard(&wire.AddForward{Info: player(30001, 30002)}, 2300))
	assert.True(t, heard(&wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{
		{SPData: player(30003, 30004).SPData}, {SPData: player(30005, 80).SPData}}}, 2300))
	assert.False(t, heard(&wire.AddForward{Info: wire.PackedPlayer{SPData: bytes.Repeat([]byte{0x51}, 32)}}, 2300), "of another protocol")
	assert.True(t, heard(&wire.CreatePlayer{Info: player(30006, 2350)}, 2300))
	assert.Equal(t, []wire.Ports{{First: 2300, Last: 2400}, {First: 6073, Last: 6073}, {First: 30001, Last: 30006},
		{First: 31415, Last: 31415}, {First: wire.EnumPort, Last: wire.EnumPort}}, p.list)
}
