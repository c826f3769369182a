package doctor

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
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
var began = madeup.Began

// A network writes a capture into memory: a pcapng file of two interfaces.
type network struct {
	*madeup.Network
	seq   map[[2]string]uint32
	known map[string]*conn
}

func newNetwork(t testing.TB) *network {
	return &network{Network: madeup.NewInterfaces(t, "one", "two"), seq: map[[2]string]uint32{}, known: map[string]*conn{}}
}

// tcp writes a segment.
func (n *network) tcp(src, dst string, h layers.TCP, payload []byte) int {
	k := [2]string{src, dst}
	h.Seq = 1000 + n.seq[k]
	n.seq[k] += uint32(len(payload))
	if h.SYN || h.FIN {
		n.seq[k]++
	}
	return n.TCP(src, dst, h, payload)
}

// ask writes a SYN, again if it was written before.
func (n *network) ask(src, dst string) {
	n.seq[[2]string{src, dst}] = 0
	n.tcp(src, dst, layers.TCP{SYN: true}, nil)
}

// refuse writes the answer to a SYN from src to dst that nobody takes.
func (n *network) refuse(src, dst string) { n.tcp(dst, src, layers.TCP{RST: true, ACK: true}, nil) }

// unreachable writes the ICMP message of a machine that a datagram or segment could not be delivered.
func (n *network) unreachable(by, code string, proto layers.IPProtocol, src, dst string) {
	codes := map[string]uint8{"host": layers.ICMPv4CodeHost, "port": layers.ICMPv4CodePort, "filtered": layers.ICMPv4CodeCommAdminProhibited}
	n.ICMP(by, layers.ICMPv4TypeDestinationUnreachable, codes[code], proto, src, dst, 0)
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
	n.T.Helper()
	n.Wait(3 * time.Second)
	n.Interface = 0
	n.UDP(hostIP+":1", hostIP+":2", []byte("end"))
	return n.report()
}

// report judges the capture as it ends here.
func (n *network) report() *Report {
	n.T.Helper()
	r, err := Examine(context.Background(), bytes.NewReader(n.Bytes()), Options{Options: captures.Options{Name: "test"}, Game: gameName})
	require.NoError(n.T, err)
	return r
}
