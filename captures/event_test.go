package captures_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// icmp writes an ICMP message of the host about a datagram or segment from src to dst.
func (n *network) icmp(kind, code uint8, proto layers.IPProtocol, src, dst string, cut int) int {
	return n.ICMP(host, kind, code, proto, src, dst, cut)
}

// TestEvents checks what is told of a network, and when: between the messages.
func TestEvents(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":5000", host+":47624", sys(2300, &wire.EnumSessions{}))
	n.icmp(3, 3, layers.IPProtocolUDP, joiner+":5000", host+":47624", 0)
	c := n.tcp(host+":4000", joiner+":2300")
	n.TCP(c.dst, c.src, layers.TCP{Seq: 7, SYN: true, ACK: true}, nil)
	c.send(sys(2300, &wire.EnumSessionsReply{}))
	c.fin()
	n.tcp(joiner+":4001", host+":2300")
	n.midway(host+":2300", joiner+":4001").segment(layers.TCP{RST: true}, nil)
	n.icmp(3, 13, layers.IPProtocolTCP, joiner+":4002", host+":2300", 0)
	for _, no := range []func() int{
		func() int { return n.icmp(3, 3, layers.IPProtocolUDP, joiner+":1", host+":2", 5) },  // without its ports
		func() int { return n.icmp(3, 3, layers.IPProtocolIGMP, joiner+":1", host+":2", 0) }, // neither TCP nor UDP
		func() int { return n.icmp(8, 0, layers.IPProtocolUDP, joiner+":1", host+":2", 0) },  // a ping
	} {
		no()
	}
	var got []string
	opt := captures.Options{Network: func(e *captures.Event) {
		got = append(got, fmt.Sprintf("%d %s %s %v>%v by %v code %d at %s", e.Frame, e.Kind, e.Transport, e.Src, e.Dst, e.By, e.Code,
			e.Time.Sub(began)))
	}}
	_, err := captures.Read(context.Background(), bytes.NewReader(n.Bytes()), opt, func(r *captures.Record) error {
		got = append(got, fmt.Sprintf("%v %s", r.Frames, r.Command()))
		return nil
	}, nil)
	require.NoError(t, err)
	want := `
1 address tcp 10.0.0.2:5000>10.0.0.1:47624 by invalid IP code 0 at 0s
[1] ENUMSESSIONS
2 ICMP unreachable udp 10.0.0.2:5000>10.0.0.1:47624 by 10.0.0.1 code 3 at 1ms
3 address tcp 10.0.0.1:4000>10.0.0.2:2300 by invalid IP code 0 at 2ms
3 SYN tcp 10.0.0.1:4000>10.0.0.2:2300 by invalid IP code 0 at 2ms
4 SYN ACK tcp 10.0.0.2:2300>10.0.0.1:4000 by invalid IP code 0 at 3ms
[5] ENUMSESSIONSREPLY
6 FIN tcp 10.0.0.1:4000>10.0.0.2:2300 by invalid IP code 0 at 5ms
7 SYN tcp 10.0.0.2:4001>10.0.0.1:2300 by invalid IP code 0 at 6ms
8 RST tcp 10.0.0.1:2300>10.0.0.2:4001 by invalid IP code 0 at 7ms
9 ICMP unreachable tcp 10.0.0.2:4002>10.0.0.1:2300 by 10.0.0.1 code 13 at 8ms
12 end of capture tcp invalid AddrPort>invalid AddrPort by invalid IP code 0 at 11ms
`
	assert.Equal(t, strings.TrimSpace(want), strings.Join(got, "\n"))
	assert.Equal(t, "EventKind(99)", captures.EventKind(99).String())
}
