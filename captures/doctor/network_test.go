package doctor

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
	"dplay4/wire"
)

// The machines of the tests. Those of 192.0.2.0/24 are on one network, far is on another one, of the internet as well.
const (
	hostIP   = "192.0.2.1"
	joinerIP = "192.0.2.2"
	thirdIP  = "192.0.2.3"
	farIP    = "203.0.113.9"
	everyone = "255.255.255.255:47624"
)

// The games of the tests.
var (
	thisGame  = wire.GUID{1}
	otherGame = wire.GUID{2} // without a name
	thirdGame = wire.GUID{4}
	goldGame  = wire.GUID{5}
	instance  = wire.GUID{3}
)

// gameName names the games of the tests.
func gameName(g wire.GUID) string {
	return map[wire.GUID]string{thisGame: "This Game", thirdGame: "Third Game", goldGame: "This Game: Gold"}[g]
}

// began is when every capture of the tests begins; frames are a millisecond apart.
var began = time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)

// A network writes a capture into memory: a pcapng file of raw IP packets of two interfaces.
type network struct {
	t      testing.TB
	file   bytes.Buffer
	w      *pcapgo.NgWriter
	now    time.Time
	frames int
	on     int // the interface of the next frame
	id     uint16
	seq    map[[2]netip.AddrPort]uint32
	known  map[string]*conn
}

func newNetwork(t testing.TB) *network {
	n := &network{t: t, now: began, seq: map[[2]netip.AddrPort]uint32{}, known: map[string]*conn{}}
	card := pcapgo.NgInterface{Name: "one", LinkType: layers.LinkTypeRaw, SnapLength: 262144, TimestampResolution: 9}
	var err error
	n.w, err = pcapgo.NewNgWriterInterface(&n.file, card, pcapgo.DefaultNgWriterOptions)
	require.NoError(t, err)
	card.Name = "two"
	_, err = n.w.AddInterface(card)
	require.NoError(t, err)
	return n
}

// wait lets time pass.
func (n *network) wait(d time.Duration) { n.now = n.now.Add(d) }

// packet writes an IP packet.
func (n *network) packet(src, dst netip.Addr, proto layers.IPProtocol, parts ...gopacket.SerializableLayer) int {
	n.id++
	ip := &layers.IPv4{Version: 4, TTL: 64, Id: n.id, Protocol: proto, SrcIP: src.AsSlice(), DstIP: dst.AsSlice()}
	b := gopacket.NewSerializeBuffer()
	all := append([]gopacket.SerializableLayer{ip}, parts...)
	require.NoError(n.t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, all...))
	info := gopacket.CaptureInfo{Timestamp: n.now, Length: len(b.Bytes()), CaptureLength: len(b.Bytes()), InterfaceIndex: n.on}
	require.NoError(n.t, n.w.WritePacket(info, b.Bytes()))
	n.now = n.now.Add(time.Millisecond)
	n.frames++
	return n.frames
}

// udp writes a datagram.
func (n *network) udp(src, dst string, payload []byte) int {
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	return n.packet(s.Addr(), d.Addr(), layers.IPProtocolUDP,
		&layers.UDP{SrcPort: layers.UDPPort(s.Port()), DstPort: layers.UDPPort(d.Port())}, gopacket.Payload(payload))
}

// tcp writes a segment.
func (n *network) tcp(src, dst string, h layers.TCP, payload []byte) int {
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	k := [2]netip.AddrPort{s, d}
	h.SrcPort, h.DstPort, h.Window, h.Seq = layers.TCPPort(s.Port()), layers.TCPPort(d.Port()), 65535, 1000+n.seq[k]
	n.seq[k] += uint32(len(payload))
	if h.SYN || h.FIN {
		n.seq[k]++
	}
	return n.packet(s.Addr(), d.Addr(), layers.IPProtocolTCP, &h, gopacket.Payload(payload))
}

// ask writes a SYN, again if it was written before.
func (n *network) ask(src, dst string) {
	n.seq[[2]netip.AddrPort{netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)}] = 0
	n.tcp(src, dst, layers.TCP{SYN: true}, nil)
}

// refuse writes the answer to a SYN from src to dst that nobody takes.
func (n *network) refuse(src, dst string) { n.tcp(dst, src, layers.TCP{RST: true, ACK: true}, nil) }

// unreachable writes the ICMP message of a machine that a datagram or segment could not be delivered.
func (n *network) unreachable(by, code string, proto layers.IPProtocol, src, dst string) {
	s, d := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	quoted := make([]byte, 28)
	quoted[0], quoted[9] = 0x45, byte(proto)
	from, to := s.Addr().As4(), d.Addr().As4()
	copy(quoted[12:], from[:])
	copy(quoted[16:], to[:])
	binary.BigEndian.PutUint16(quoted[20:], s.Port())
	binary.BigEndian.PutUint16(quoted[22:], d.Port())
	codes := map[string]uint8{"host": layers.ICMPv4CodeHost, "port": layers.ICMPv4CodePort, "filtered": layers.ICMPv4CodeCommAdminProhibited}
	n.packet(netip.MustParseAddr(by), s.Addr(), layers.IPProtocolICMPv4,
		&layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(layers.ICMPv4TypeDestinationUnreachable, codes[code])}, gopacket.Payload(quoted))
}

// A conn is one direction of a TCP connection.
type conn struct {
	n        *network
	src, dst string
}

// conn opens a connection, or gives the one that is open.
func (n *network) conn(src, dst string) *conn {
	k := src + dst
	if n.known[k] == nil {
		n.tcp(src, dst, layers.TCP{SYN: true}, nil)
		n.tcp(dst, src, layers.TCP{SYN: true, ACK: true}, nil)
		n.known[k] = n.midway(src, dst)
	}
	return n.known[k]
}

// midway is a connection of which the beginning is not in the capture.
func (n *network) midway(src, dst string) *conn { return &conn{n, src, dst} }

// send sends octets in one segment.
func (c *conn) send(b []byte) int { return c.n.tcp(c.src, c.dst, layers.TCP{ACK: true, PSH: true}, b) }

// examine judges the capture, after a while in which nothing happens: another protocol speaks.
func (n *network) examine() *Report {
	n.t.Helper()
	n.wait(3 * time.Second)
	n.on = 0
	n.udp(hostIP+":1", hostIP+":2", []byte("end"))
	return n.report()
}

// report judges the capture as it ends here.
func (n *network) report() *Report {
	n.t.Helper()
	require.NoError(n.t, n.w.Flush())
	r, err := Examine(context.Background(), bytes.NewReader(n.file.Bytes()), Options{Options: captures.Options{Name: "test"}, Game: gameName})
	require.NoError(n.t, err)
	return r
}
