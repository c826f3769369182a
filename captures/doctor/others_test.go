package doctor

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

// ether writes a frame of another protocol.
func (n *network) ether(t layers.EthernetType, payload []byte) {
	eth := layers.Ethernet{SrcMAC: []byte{2, 0, 0, 0, 0, 1}, DstMAC: []byte{2, 0, 0, 0, 0, 2}, EthernetType: t}
	if t == layers.EthernetTypeLLC {
		eth.Length = uint16(len(payload))
	}
	n.Frame(&eth, gopacket.Payload(payload))
}

// connect8 asks for a connection of DirectPlay 8, as [MC-DPL8R] 2.2.1.1 has it.
func connect8() []byte {
	b := []byte{0x88, 1, 0, 0}
	b = binary.LittleEndian.AppendUint32(b, 0x00010006)
	return append(b, 1, 2, 3, 4, 5, 6, 7, 8)
}

// core8 is a message of [MC-DPL8CS], NAMETABLE_VERSION, in a frame.
func core8() []byte { return []byte{0x7f, 0, 2, 0, 0xc9, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0} }

// answer8 answers a search for sessions of DirectPlay 8, as [MC-DPLHP] has it.
func answer8() []byte {
	b := []byte{0, 3, 7, 9, 0, 0, 0, 0, 0, 0, 0, 0}
	return append(binary.LittleEndian.AppendUint32(b, 0x50), make([]byte, 0x50)...)
}

func init() {
	examples["no-directplay4"] = []example{
		{name: "empty", ends: true, want: []string{"the capture is empty: it holds no packet"}, capture: func(*network) {},
			shows: []string{"packets =0"}, why: []string{"dplay record", "dplay help captures"}},
		{name: "DNS and HTTP", want: []string{"no DirectPlay 4 in 5 packets, but UDP port 53 (DNS) (3), TCP port 80 (HTTP) (1), UDP port 1 (1)"},
			capture: func(n *network) {
				n.UDP(joinerIP+":5353", hostIP+":53", []byte("who"))
				n.UDP(hostIP+":53", joinerIP+":40000", []byte("he"))
				n.UDP(joinerIP+":40000", hostIP+":53", []byte("who"))
				n.tcp(joinerIP+":40000", hostIP+":80", layers.TCP{SYN: true}, nil)
			}, shows: []string{"UDP port 53 (DNS) =3 packets", "TCP port 80 (HTTP) =1 packet\n"}, why: []string{"all adapters", "dplay record"}},
		{name: "IPX by EtherType", want: []string{"no DirectPlay 4 in 2 packets, but IPX: IPX (1)"},
			capture: func(n *network) { n.ether(0x8137, make([]byte, 60)) }, why: []string{"TCP/IP"}},
		{name: "IPX of three kinds", want: []string{"no DirectPlay 4 in 5 packets, but IPX: IPX (3), UDP port 213 (IPX by UDP) (1)"},
			capture: func(n *network) {
				n.ether(layers.EthernetTypeLLC, append([]byte{0xff, 0xff}, make([]byte, 58)...))
				n.ether(layers.EthernetTypeLLC, append([]byte{0xe0, 0xe0, 3}, make([]byte, 57)...))
				n.ether(layers.EthernetTypeLLC, append([]byte{0xaa, 0xaa, 3, 0, 0, 0, 0x81, 0x37}, make([]byte, 52)...))
				n.UDP(joinerIP+":213", hostIP+":213", make([]byte, 30))
			}},
		{name: "DirectPlay 8 by its port", want: []string{"no DirectPlay 4 in 2 packets, but DirectPlay 8: DirectPlay 8 on UDP port 6073 (1)"},
			capture: func(n *network) { n.UDP(joinerIP+":2302", hostIP+":6073", []byte{0, 2, 1, 1, 2}) },
			why:     []string{"2302 to 2400", "6073"}},
		{name: "DirectPlay 8 by what it says", want: []string{"no DirectPlay 4 in 3 packets, but DirectPlay 8: DirectPlay 8 on UDP port 2302 (1), " +
			"DirectPlay 8 on UDP port 23456 (1)"},
			capture: func(n *network) {
				n.UDP(joinerIP+":40000", hostIP+":2302", connect8())
				n.UDP(hostIP+":23456", joinerIP+":40000", answer8())
			}},
		{name: "DirectPlay 8 in the middle of a game", want: []string{"no DirectPlay 4 in 4 packets, but DirectPlay 8: DirectPlay 8 on UDP port 2302 (3)"},
			capture: func(n *network) {
				n.UDP(joinerIP+":2302", hostIP+":2302", core8())
				n.UDP(hostIP+":2302", joinerIP+":2302", []byte("\x3d\x00\x05\x03 what the game says"))
				n.UDP(hostIP+":2302", thirdIP+":2302", []byte("\x3d\x00\x07\x03 and to somebody else"))
			}, why: []string{"another protocol"}},
		{name: "nearly DirectPlay 8", want: []string{"no DirectPlay 4 in 3 packets, but UDP port 23456 (1), UDP port 30000 (1), UDP port 1 (1)"},
			capture: func(n *network) {
				b := connect8()
				b[6] = 2 // no version that is known
				n.UDP(joinerIP+":40000", hostIP+":23456", b)
				b = answer8()
				b[12]++
				n.UDP(joinerIP+":40000", hostIP+":30000", b)
			}},
		{name: "in the middle of a game", want: []string{"no DirectPlay 4 in 3 packets, but its ports are used: UDP port 2350 (2)"},
			capture: func(n *network) {
				n.UDP(joinerIP+":2350", hostIP+":2350", []byte("data of a game"))
				n.UDP(hostIP+":2350", joinerIP+":2350", []byte("data of a game"))
			}, why: []string{"middle of a game", "--port"}},
		{name: "outside of a VPN", want: []string{"no DirectPlay 4 in 3 packets, but a VPN: ESP (1), UDP port 51820 (WireGuard) (1)"},
			capture: func(n *network) {
				eth, ip := n.IP(netip.MustParseAddr(joinerIP), netip.MustParseAddr(hostIP), layers.IPProtocolESP)
				n.Frame(eth, ip, gopacket.Payload(make([]byte, 40)))
				n.UDP(joinerIP+":51820", hostIP+":51820", make([]byte, 40))
			}, why: []string{"the VPN's own adapter"}},
		{name: "other protocols", want: []string{"no DirectPlay 4 in 4 packets, but LLDP (1), EtherType 0x1234 (1), EtherType 0x0600 (1)"},
			capture: func(n *network) {
				n.ether(0x88cc, make([]byte, 60))
				n.ether(0x1234, make([]byte, 60))
				n.ether(0x600, nil)
			}},
		{name: "a game", capture: healthy},
		{name: "a refused connection says why there is no message", rest: true, capture: func(n *network) {
			for range 3 {
				n.ask(joinerIP+":4100", hostIP+":47624")
				n.refuse(joinerIP+":4100", hostIP+":47624")
			}
		}},
	}
}

// TestManyKinds checks that memory does not grow with what a capture holds.
func TestManyKinds(t *testing.T) {
	c := newCollector(Options{})
	for i := range 3 * maxFacts {
		c.packet(&captures.Packet{Frame: i + 1, Protocol: fmt.Sprintf("EtherType %d", i)})
	}
	assert.Len(t, c.Kinds.list, maxFacts)
	assert.Len(t, c.Kinds.by, maxFacts)
	c.Summary = &captures.Summary{Frames: 3 * maxFacts}
	r := c.report("x")
	require.Len(t, r.Findings, 1)
	assert.Len(t, r.Findings[0].Evidence, maxEvidence)
	assert.Equal(t, 3*maxFacts-maxEvidence, r.Findings[0].More)
	assert.False(t, r.Healthy())
}

// TestOtherLinks checks what is said of captures of which no packet can be read.
func TestOtherLinks(t *testing.T) {
	for link, want := range map[byte]string{127: "no DirectPlay 4 in 1 packet, but a packet of link type 127 (1)",
		1: "no DirectPlay 4 in 1 packet, but a packet that was cut inside its headers (1)"} {
		file := append([]byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, link, 0, 0, 0},
			1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 60, 0, 0, 0, 1, 2, 3, 4)
		r, err := Examine(context.Background(), bytes.NewReader(file), Options{})
		require.NoError(t, err)
		require.Len(t, r.Findings, 1)
		assert.Equal(t, want, r.Findings[0].Text)
		assert.True(t, strings.Contains(r.Findings[0].Cause, "snap length") == (link == 1), r.Findings[0].Cause)
	}
}

// TestForced examines captures whose port the user takes for DirectPlay 4's. Where there is DirectPlay 8 alone, that is the only finding.
// Beside a game of DirectPlay 4 all rules apply.
func TestForced(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joinerIP+":2302", hostIP+":2302", []byte{1, 0, 5}) // too short for a message
	n.UDP(joinerIP+":2302", hostIP+":2302", core8())
	examine := func() *Report {
		r, err := Examine(context.Background(), bytes.NewReader(n.Bytes()), Options{Options: captures.Options{Ports: []uint16{2302}}})
		require.NoError(t, err)
		return r
	}
	r := examine()
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "no DirectPlay 4 in 2 packets, but DirectPlay 8: DirectPlay 8 on UDP port 2302 (1)", r.Findings[0].Text)
	newSession(n).seek(joinerIP, thisGame)
	n.Wait(time.Minute)
	n.UDP(hostIP+":1", hostIP+":2", []byte("end"))
	r = examine()
	require.Len(t, r.Findings, 2)
	assert.Equal(t, Code("enum-unanswered"), r.Findings[0].Code)
	assert.Equal(t, Code("message-malformed"), r.Findings[1].Code)
}
