// Package traffic writes capture files of made-up traffic: TCP conversations with their handshakes, UDP
// datagrams, ARP. Equal calls give equal files, octet for octet: time passes only with [Capture.Advance]
// and nothing is random.
//
// It is for the tests and benchmarks that hold this project against other implementations. Frames are
// Ethernet with IPv4; checksums are right, so a reader that verifies them is satisfied.
package traffic

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
)

// Limits of one frame: nothing here is fragmented, so a payload has to fit Ethernet's 1500 octets.
const (
	MaxSegment  = 1500 - 20 - 20 // payload of a TCP segment
	MaxDatagram = 1500 - 20 - 8  // payload of a UDP datagram
)

// PayloadOffset is where a payload begins in a frame of this package: after Ethernet, IPv4 and the header of
// the transport.
const (
	TCPPayloadOffset = 14 + 20 + 20
	UDPPayloadOffset = 14 + 20 + 8
)

// ErrTooLong says that a payload does not fit one frame.
var ErrTooLong = errors.New("payload does not fit one frame")

// start is the time of the first packet. Any fixed time would do; a capture of 2001 is what a game of that
// time looks like.
var start = time.Date(2001, time.March, 4, 5, 6, 7, 0, time.UTC)

// A Capture writes one pcap file, packet by packet. The first error pins it: later calls do nothing, and Err
// gives it.
type Capture struct {
	w       *pcapgo.Writer
	buf     gopacket.SerializeBuffer
	now     time.Time
	packets int
	ids     uint16 // the identification of the next IPv4 packet
	err     error
}

// New begins a pcap file on w: little-endian, microseconds, Ethernet.
func New(w io.Writer) *Capture {
	c := &Capture{w: pcapgo.NewWriter(w), buf: gopacket.NewSerializeBuffer(), now: start}
	c.err = c.w.WriteFileHeader(65535, layers.LinkTypeEthernet)
	return c
}

// Err returns the first error of the capture, or nil.
func (c *Capture) Err() error { return c.err }

// Packets returns the number of packets written so far, which is the number of the last one in the file.
func (c *Capture) Packets() int { return c.packets }

// Advance lets time pass before the next packet.
func (c *Capture) Advance(d time.Duration) { c.now = c.now.Add(d) }

// UDP writes one datagram.
func (c *Capture) UDP(src, dst netip.AddrPort, payload []byte) {
	if len(payload) > MaxDatagram {
		c.fail(fmt.Errorf("datagram of %d octets: %w", len(payload), ErrTooLong))
		return
	}
	ip := c.ipv4(src.Addr(), dst.Addr(), layers.IPProtocolUDP)
	udp := &layers.UDP{SrcPort: layers.UDPPort(src.Port()), DstPort: layers.UDPPort(dst.Port())}
	if c.fail(udp.SetNetworkLayerForChecksum(ip)) {
		return
	}
	c.frame(ethernet(src.Addr(), dst.Addr(), layers.EthernetTypeIPv4), ip, udp, gopacket.Payload(payload))
}

// ARP writes the question who has the address dst, asked by src.
func (c *Capture) ARP(src, dst netip.Addr) {
	s, d := src.As4(), dst.As4()
	eth := ethernet(src, dst, layers.EthernetTypeARP)
	eth.DstMAC = net.HardwareAddr{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	c.frame(eth, &layers.ARP{
		AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4,
		HwAddressSize: 6, ProtAddressSize: 4, Operation: layers.ARPRequest,
		SourceHwAddress: mac(src), SourceProtAddress: s[:],
		DstHwAddress: make([]byte, 6), DstProtAddress: d[:],
	})
}

func (c *Capture) ipv4(src, dst netip.Addr, proto layers.IPProtocol) *layers.IPv4 {
	s, d := src.As4(), dst.As4()
	c.ids++
	return &layers.IPv4{Version: 4, IHL: 5, TTL: 128, Id: c.ids, Flags: layers.IPv4DontFragment,
		Protocol: proto, SrcIP: s[:], DstIP: d[:]}
}

// frame serializes the layers and writes them as one packet.
func (c *Capture) frame(l ...gopacket.SerializableLayer) {
	if c.err != nil {
		return
	}
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if c.fail(gopacket.SerializeLayers(c.buf, opts, l...)) {
		return
	}
	b := c.buf.Bytes()
	if c.fail(c.w.WritePacket(gopacket.CaptureInfo{Timestamp: c.now, CaptureLength: len(b), Length: len(b)}, b)) {
		return
	}
	c.packets++
}

// fail notes an error and says whether there is one.
func (c *Capture) fail(err error) bool {
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("packet %d: %w", c.packets+1, err)
	}
	return c.err != nil
}

func ethernet(src, dst netip.Addr, kind layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: mac(src), DstMAC: mac(dst), EthernetType: kind}
}

// mac makes a locally administered hardware address out of an IPv4 address.
func mac(a netip.Addr) net.HardwareAddr {
	b := a.As4()
	return net.HardwareAddr{0x02, 0x00, b[0], b[1], b[2], b[3]}
}
