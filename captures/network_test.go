package captures_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
)

// The machines of the tests.
const (
	host   = "10.0.0.1"
	joiner = "10.0.0.2"
	other  = "10.0.0.3"
)

// began is when every capture of the tests begins; frames are a millisecond apart.
var began = madeup.Began

// A network writes a capture into memory: a pcap file of Ethernet frames.
type network struct{ *madeup.Network }

func newNetwork(t testing.TB) *network { return &network{madeup.New(t)} }

// fragments returns a datagram in IP fragments of at most size octets, each ready for write.
func (n *network) fragments(src, dst string, payload []byte, size int) (list []func() int) {
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	eth, first := n.IP(s.Addr(), d.Addr(), layers.IPProtocolUDP)
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
		list = append(list, func() int { return n.Frame(eth, &ip, gopacket.Payload(part)) })
	}
	return list
}

// A conn is one direction of a TCP connection.
type conn struct {
	n        *network
	src, dst string
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
	return &conn{n: n, src: src, dst: dst, isn: isn}
}

func (c *conn) segment(h layers.TCP, payload []byte) int {
	c.n.T.Helper()
	h.ACK = !h.SYN
	return c.n.TCP(c.src, c.dst, h, payload)
}

// at sends octets that stand at a place in the stream, whatever was sent before.
func (c *conn) at(place int, b []byte) int {
	c.n.T.Helper()
	return c.segment(layers.TCP{Seq: c.isn + 1 + uint32(place), PSH: true}, b)
}

// send sends the next octets in one segment.
func (c *conn) send(b ...[]byte) int {
	c.n.T.Helper()
	all := bytes.Join(b, nil)
	f := c.at(int(c.next), all)
	c.next += uint32(len(all))
	return f
}

// skip lets octets be lost by the capture.
func (c *conn) skip(n int) { c.next += uint32(n) }

// fin ends the stream.
func (c *conn) fin() int { return c.segment(layers.TCP{Seq: c.isn + 1 + c.next, FIN: true}, nil) }

// synHeader is the SYN of a connection.
func synHeader(c *conn) layers.TCP { return layers.TCP{Seq: c.isn, SYN: true} }

// count reads the capture without keeping its records.
func (n *network) count(handle func(*captures.Record)) *captures.Summary {
	n.T.Helper()
	s, err := captures.Read(context.Background(), bytes.NewReader(n.Bytes()), captures.Options{}, func(r *captures.Record) error {
		handle(r)
		return nil
	}, nil)
	require.NoError(n.T, err)
	requireBalanced(n.T, s)
	return s
}
