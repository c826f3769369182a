// Package madeup makes captures, for tests and benchmarks alone: a network on which machines say what a test wants them to
// say, as it would be captured, and the octets of their messages. Sockets are written "10.0.0.1:2300". Equal calls make equal
// captures, octet for octet.
package madeup

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

// Where a payload begins in a frame, after Ethernet, IPv4 and the header of the transport, and what a segment can hold of it.
const (
	TCPPayload = 14 + 20 + 20
	UDPPayload = 14 + 20 + 8
	MaxSegment = 1500 - 20 - 20
)

// Began is when a capture begins, unless its test sets Network.Now.
var Began = time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)

// A Network writes a capture of Ethernet frames into memory.
type Network struct {
	T         testing.TB
	File      bytes.Buffer
	Now       time.Time     // of the next frame
	Step      time.Duration // from one frame to the next
	Frames    int           // written so far
	Snap      int           // if not 0, what is captured of a frame
	Interface int           // of the next frame
	out       interface {
		WritePacket(gopacket.CaptureInfo, []byte) error
	}
	id uint16 // of the next IP packet
}

// New begins a pcap file.
func New(t testing.TB) *Network {
	n := &Network{T: t, Now: Began, Step: time.Millisecond}
	w := pcapgo.NewWriter(&n.File)
	n.must(w.WriteFileHeader(262144, layers.LinkTypeEthernet))
	n.out = w
	return n
}

// NewInterfaces begins a pcapng file of several network interfaces.
func NewInterfaces(t testing.TB, names ...string) *Network {
	n := &Network{T: t, Now: Began, Step: time.Millisecond}
	card := pcapgo.NgInterface{Name: names[0], LinkType: layers.LinkTypeEthernet, SnapLength: 262144, TimestampResolution: 9}
	w, err := pcapgo.NewNgWriterInterface(&n.File, card, pcapgo.DefaultNgWriterOptions)
	n.must(err)
	for _, card.Name = range names[1:] {
		_, err := w.AddInterface(card)
		n.must(err)
	}
	n.out = w
	return n
}

func (n *Network) must(err error) {
	if err != nil {
		n.T.Helper()
		n.T.Fatal(err)
	}
}

// Bytes returns the file as far as it was written.
func (n *Network) Bytes() []byte {
	if w, ok := n.out.(*pcapgo.NgWriter); ok {
		n.must(w.Flush())
	}
	return n.File.Bytes()
}

// Wait lets time pass.
func (n *Network) Wait(d time.Duration) { n.Now = n.Now.Add(d) }

// Raw writes octets as a frame, and returns its number.
func (n *Network) Raw(b []byte) int {
	n.T.Helper()
	info := gopacket.CaptureInfo{Timestamp: n.Now, Length: len(b), CaptureLength: len(b), InterfaceIndex: n.Interface}
	if n.Snap > 0 && n.Snap < len(b) {
		info.CaptureLength = n.Snap
	}
	n.must(n.out.WritePacket(info, b[:info.CaptureLength]))
	n.Now = n.Now.Add(n.Step)
	n.Frames++
	return n.Frames
}

// Frame writes a frame of layers, and returns its number.
func (n *Network) Frame(parts ...gopacket.SerializableLayer) int {
	n.T.Helper()
	return n.frame(gopacket.SerializeOptions{FixLengths: true}, parts...)
}

func (n *Network) frame(opt gopacket.SerializeOptions, parts ...gopacket.SerializableLayer) int {
	n.T.Helper()
	b := gopacket.NewSerializeBuffer()
	n.must(gopacket.SerializeLayers(b, opt, parts...))
	return n.Raw(b.Bytes())
}

// transport writes a frame with a datagram or segment, with the checksums that a receiver wants.
func (n *Network) transport(eth *layers.Ethernet, ip *layers.IPv4, h interface {
	gopacket.SerializableLayer
	SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
}, payload []byte) int {
	n.T.Helper()
	n.must(h.SetNetworkLayerForChecksum(ip))
	return n.frame(gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, ip, h, gopacket.Payload(payload))
}

// IP returns the Ethernet and IPv4 headers of a packet between two addresses.
func (n *Network) IP(src, dst netip.Addr, proto layers.IPProtocol) (*layers.Ethernet, *layers.IPv4) {
	n.id++
	return &layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: layers.EthernetTypeIPv4},
		&layers.IPv4{Version: 4, TTL: 64, Id: n.id, Protocol: proto, SrcIP: src.AsSlice(), DstIP: dst.AsSlice()}
}

// UDP writes a datagram, and returns its frame.
func (n *Network) UDP(src, dst string, payload []byte) int {
	n.T.Helper()
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	eth, ip := n.IP(s.Addr(), d.Addr(), layers.IPProtocolUDP)
	return n.transport(eth, ip, &layers.UDP{SrcPort: layers.UDPPort(s.Port()), DstPort: layers.UDPPort(d.Port())}, payload)
}

// TCP writes a segment, and returns its frame. The ports of h do not matter.
func (n *Network) TCP(src, dst string, h layers.TCP, payload []byte) int {
	n.T.Helper()
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	eth, ip := n.IP(s.Addr(), d.Addr(), layers.IPProtocolTCP)
	h.SrcPort, h.DstPort, h.Window = layers.TCPPort(s.Port()), layers.TCPPort(d.Port()), 65535
	return n.transport(eth, ip, &h, payload)
}

// ARP writes the question who has the address dst, asked by src.
func (n *Network) ARP(src, dst string) {
	n.T.Helper()
	s, d := netip.MustParseAddr(src), netip.MustParseAddr(dst)
	n.Frame(&layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: bytes.Repeat([]byte{0xFF}, 6), EthernetType: layers.EthernetTypeARP},
		&layers.ARP{AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4,
			Operation: layers.ARPRequest, SourceHwAddress: make([]byte, 6), SourceProtAddress: s.AsSlice(),
			DstHwAddress: make([]byte, 6), DstProtAddress: d.AsSlice()})
}

// ICMP writes what a machine says of a datagram or segment from src to dst, and returns its frame. cut leaves out octets
// of what it quotes.
func (n *Network) ICMP(by string, kind, code uint8, proto layers.IPProtocol, src, dst string, cut int) int {
	n.T.Helper()
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	quoted := make([]byte, 28)
	quoted[0], quoted[9] = 0x45, byte(proto)
	from, to := s.Addr().As4(), d.Addr().As4()
	copy(quoted[12:], from[:])
	copy(quoted[16:], to[:])
	binary.BigEndian.PutUint16(quoted[20:], s.Port())
	binary.BigEndian.PutUint16(quoted[22:], d.Port())
	eth, ip := n.IP(netip.MustParseAddr(by), s.Addr(), layers.IPProtocolICMPv4)
	return n.Frame(eth, ip, &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(kind, code)}, gopacket.Payload(quoted[:28-cut]))
}
