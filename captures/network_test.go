package captures_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// The machines of the tests.
const (
	host   = "10.0.0.1"
	joiner = "10.0.0.2"
	other  = "10.0.0.3"
)

// began is when every capture of the tests begins; frames are a millisecond apart.
var began = time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)

// A network writes a capture into memory: a pcap file of Ethernet frames.
type network struct {
	t      testing.TB
	file   bytes.Buffer
	w      *pcapgo.Writer
	now    time.Time // of the next frame
	frames int
	id     uint16 // of the next IP packet
	snap   int    // if not 0, what is captured of a frame
}

func newNetwork(t testing.TB) *network {
	n := &network{t: t, now: began}
	n.w = pcapgo.NewWriter(&n.file)
	require.NoError(t, n.w.WriteFileHeader(262144, layers.LinkTypeEthernet))
	return n
}

// frame writes a frame and gives its number.
func (n *network) frame(parts ...gopacket.SerializableLayer) int {
	n.t.Helper()
	b := gopacket.NewSerializeBuffer()
	require.NoError(n.t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, parts...))
	return n.raw(b.Bytes())
}

// raw writes octets as a frame.
func (n *network) raw(b []byte) int {
	n.t.Helper()
	info := gopacket.CaptureInfo{Timestamp: n.now, Length: len(b), CaptureLength: len(b)}
	if n.snap > 0 && n.snap < len(b) {
		info.CaptureLength = n.snap
	}
	require.NoError(n.t, n.w.WritePacket(info, b[:info.CaptureLength]))
	n.now = n.now.Add(time.Millisecond)
	n.frames++
	return n.frames
}

// ip gives the Ethernet and IPv4 headers between two sockets.
func (n *network) ip(src, dst netip.AddrPort, proto layers.IPProtocol) (*layers.Ethernet, *layers.IPv4) {
	n.id++
	return &layers.Ethernet{SrcMAC: make([]byte, 6), DstMAC: make([]byte, 6), EthernetType: layers.EthernetTypeIPv4},
		&layers.IPv4{Version: 4, TTL: 64, Id: n.id, Protocol: proto, SrcIP: src.Addr().AsSlice(), DstIP: dst.Addr().AsSlice()}
}

// udp writes a datagram and gives its frame.
func (n *network) udp(src, dst string, payload []byte) int {
	n.t.Helper()
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	eth, ip := n.ip(s, d, layers.IPProtocolUDP)
	return n.frame(eth, ip, &layers.UDP{SrcPort: layers.UDPPort(s.Port()), DstPort: layers.UDPPort(d.Port())}, gopacket.Payload(payload))
}

// fragments gives a datagram in IP fragments of at most size octets, each ready for write.
func (n *network) fragments(src, dst string, payload []byte, size int) (list []func() int) {
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	eth, first := n.ip(s, d, layers.IPProtocolUDP)
	whole := make([]byte, 8, 8+len(payload))
	binary.BigEndian.PutUint16(whole, s.Port())
	binary.BigEndian.PutUint16(whole[2:], d.Port())
	binary.BigEndian.PutUint16(whole[4:], uint16(8+len(payload)))
	whole = append(whole, payload...)
	for at := 0; at < len(whole); at += size {
		ip := *first
		ip.FragOffset = uint16(at / 8)
		end := min(at+size, len(whole))
		if end < len(whole) {
			ip.Flags = layers.IPv4MoreFragments
		}
		part := whole[at:end]
		list = append(list, func() int { return n.frame(eth, &ip, gopacket.Payload(part)) })
	}
	return list
}

// A conn is one direction of a TCP connection.
type conn struct {
	n        *network
	src, dst netip.AddrPort
	isn      uint32
	next     uint32 // octets sent
}

// tcp opens a connection: the SYN is the next frame.
func (n *network) tcp(src, dst string) *conn {
	c := n.midway(src, dst)
	c.segment(layers.TCP{Seq: c.isn, SYN: true}, nil)
	return c
}

// midway is a connection of which the SYN is not in the capture.
func (n *network) midway(src, dst string) *conn {
	return n.midwayAt(src, dst, 1000)
}

func (n *network) midwayAt(src, dst string, isn uint32) *conn {
	return &conn{n: n, src: netip.MustParseAddrPort(src), dst: netip.MustParseAddrPort(dst), isn: isn}
}

func (c *conn) segment(h layers.TCP, payload []byte) int {
	c.n.t.Helper()
	eth, ip := c.n.ip(c.src, c.dst, layers.IPProtocolTCP)
	h.SrcPort, h.DstPort, h.ACK, h.Window = layers.TCPPort(c.src.Port()), layers.TCPPort(c.dst.Port()), !h.SYN, 65535
	return c.n.frame(eth, ip, &h, gopacket.Payload(payload))
}

// at sends octets that stand at a place in the stream, whatever was sent before.
func (c *conn) at(place int, b []byte) int {
	c.n.t.Helper()
	return c.segment(layers.TCP{Seq: c.isn + 1 + uint32(place), PSH: true}, b)
}

// send sends the next octets in one segment.
func (c *conn) send(b ...[]byte) int {
	c.n.t.Helper()
	all := bytes.Join(b, nil)
	f := c.at(int(c.next), all)
	c.next += uint32(len(all))
	return f
}

// skip lets octets be lost by the capture.
func (c *conn) skip(n int) { c.next += uint32(n) }

// fin ends the stream.
func (c *conn) fin() int { return c.segment(layers.TCP{Seq: c.isn + 1 + c.next, FIN: true}, nil) }

// wait lets time pass.
func (n *network) wait(d time.Duration) { n.now = n.now.Add(d) }

// synHeader is the SYN of a connection.
func synHeader(c *conn) layers.TCP { return layers.TCP{Seq: c.isn, SYN: true} }

// count reads the capture without keeping its records.
func (n *network) count(handle func(*captures.Record)) *captures.Summary {
	n.t.Helper()
	s, err := captures.Read(context.Background(), bytes.NewReader(n.file.Bytes()), captures.Options{}, func(r *captures.Record) error {
		handle(r)
		return nil
	}, nil)
	require.NoError(n.t, err)
	requireBalanced(n.t, s)
	return s
}
