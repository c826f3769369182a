package captures_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

const skipMalformed, skipTrailing = int(captures.SkipMalformed), int(captures.SkipTrailing)

// resize changes the size in an SP header.
func resize(b []byte, size int) []byte {
	b = append([]byte(nil), b...)
	binary.LittleEndian.PutUint32(b, uint32(size)|0xfab<<20)
	return b
}

// TestSystemDatagrams: what has 'play' at octet 20 behind something like a header is a system message, on
// whatever port (3.1.5 as facts 2.15 correct it); what is wrong with it is said.
func TestSystemDatagrams(t *testing.T) {
	unknown := encode(wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: sockAddr("0.0.0.0:2300")}, Version: 14,
		Message: &wire.Unknown{Cmd: 0x14, Body: []byte("??")}})
	cases := []struct {
		name    string
		payload []byte
		want    string
		sum     captures.Account
	}{
		{"plain", ping(1), `[1] PING from=0x00000005 tick=1`, account(36, 0)},
		{"trailing octets", append(ping(1), "more"...), `
			[1] PING from=0x00000005 tick=1
			  ! trailing-octets frame 1 @36: 4 octets after the size in the header`, account(36, 0, skipTrailing, 4)},
		{"stray octets", resize(append(ping(1), "more"...), 40), `
			[1] PING from=0x00000005 tick=1
			  ! stray-octets frame 1 @36: 4 octets at octet 36 belong to no field`, account(40, 0)},
		{"unknown command", unknown, `
			[1] UNKNOWN(0x0014) body=2 octets 3f3f
			  ! unknown-command frame 1 Command @24: command 0x0014 is not assigned by the specification`, account(30, 0)},
		{"size beyond the datagram", resize(ping(1), 37), `
			[1] PING from=0x00000005 tick=1  ! SPHEADER.size at octet 0: points outside the message (37)
			  ! message-malformed frame 1 SPHEADER.size @0: SPHEADER.size at octet 0: points outside the message (37)`,
			account(0, 0, skipMalformed, 36)},
		{"size below the header", resize(ping(1), 19), `
			[1] PING from=0x00000005 tick=1  ! SPHEADER.size at octet 0: value is not allowed (19)
			  ! message-malformed frame 1 SPHEADER.size @0: SPHEADER.size at octet 0: value is not allowed (19)`,
			account(0, 0, skipMalformed, 36)},
		{"size of the header", resize(ping(1), 20), `
			[1] PLAYERMESSAGE  ! PLAYERMESSAGE.IDFrom at octet 20: message too short
			  ! message-malformed frame 1 PLAYERMESSAGE.IDFrom @20: PLAYERMESSAGE.IDFrom at octet 20: message too short`,
			account(0, 0, skipMalformed, 36)},
		{"cut short", resize(ping(1)[:34], 34), `
			[1] PING from=0x00000005  ! PING.TickCount at octet 32: message too short
			  ! message-malformed frame 1 PING.TickCount @32: PING.TickCount at octet 32: message too short`,
			account(0, 0, skipMalformed, 34)},
		{"the signature alone", resize(ping(1)[:24], 24), `
			[1] MALFORMED  ! MESSAGE.Command at octet 24: message too short
			  ! message-malformed frame 1 MESSAGE.Command @24: MESSAGE.Command at octet 24: message too short`,
			account(0, 0, skipMalformed, 24)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			n.UDP(joiner+":40000", host+":50000", c.payload)
			g := n.read(captures.Options{})
			g.want(c.want)
			assert.Equal(t, c.sum, g.sum.UDP)
			assert.Equal(t, 1, g.sum.FramesWith)
		})
	}
}

// TestSnapLengthOfDatagrams: what was captured of a datagram is shown, the rest is lost.
func TestSnapLengthOfDatagrams(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":2350", host+":2350", ping(1))
	n.Snap = 42 + 32
	n.UDP(joiner+":2350", host+":2350", ping(2))
	n.UDP(joiner+":2350", host+":2350", bare(5, 6, string(make([]byte, 100))))
	n.Snap = 42 + 10
	n.UDP(joiner+":2350", host+":2350", ping(3))
	g := n.read(captures.Options{})
	g.want(`
		[1] PING from=0x00000005 tick=1
		[2] PING from=0x00000005  ! SPHEADER.size at octet 0: points outside the message (36)
		  ! octets-lost frame 2: 4 octets of the datagram were not captured
		  ! message-malformed frame 2 SPHEADER.size @0: SPHEADER.size at octet 0: points outside the message (36)
		[3] PLAYERMESSAGE from=0x00000005 to=0x00000006 payload=24 octets 000000000000000000000000000000000000000000000000
		  ! octets-lost frame 3: 76 octets of the datagram were not captured
		[4] MALFORMED  ! SPHEADER.SockAddr at octet 4: message too short
		  ! octets-lost frame 4: 26 octets of the datagram were not captured
		  ! message-malformed frame 4 SPHEADER.SockAddr @4: SPHEADER.SockAddr at octet 4: message too short`)
	assert.Equal(t, account(36+32, 4+76+26, skipMalformed, 32+10), g.sum.UDP)
}

// TestHints: a port where implementations listen by default is no proof; such datagrams are counted.
func TestHints(t *testing.T) {
	n := newNetwork(t)
	for _, dst := range []string{":2300", ":2350", ":2400", ":47624"} {
		n.UDP(joiner+":40000", host+dst, bare(5, 6, "x"))
		n.UDP(host+dst, joiner+":40000", bare(5, 6, "x"))
	}
	n.UDP(joiner+":40000", host+":2401", bare(5, 6, "x"))
	n.UDP(joiner+":40000", host+":2299", bare(5, 6, "x"))
	g := n.read(captures.Options{})
	g.want(``)
	assert.Equal(t, 8, g.sum.Unproven)
	assert.EqualValues(t, 8*9, g.sum.Unclaimed)
	assert.EqualValues(t, 2*9, g.sum.OtherOctets)
	assert.Equal(t, captures.Account{}, g.sum.UDP)
	assert.Equal(t, 10, g.sum.FramesOther)
}

// TestPorts: the reader's word is enough.
func TestPorts(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":40000", host+":6112", bare(5, 6, "x"))
	n.UDP(host+":6112", joiner+":40000", bare(6, 5, "y"))
	n.UDP(joiner+":40000", host+":2350", bare(5, 6, "x"))
	g := n.read(captures.Options{Ports: []uint16{6112}})
	g.want(`
		[1] PLAYERMESSAGE from=0x00000005 to=0x00000006 payload=1 octets 78
		[2] PLAYERMESSAGE from=0x00000006 to=0x00000005 payload=1 octets 79`)
	assert.Equal(t, 1, g.sum.Unproven)
}

// TestShortGameDatagrams: on a socket of DirectPlay everything is a game message, or should be.
func TestShortGameDatagrams(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":40000", host+":6112", bare(5, 6, "")[:7])
	n.UDP(joiner+":40000", host+":6112", nil)
	n.UDP(joiner+":40000", host+":6112", bare(5, 6, ""))
	n.UDP(joiner+":40000", host+":6112", bare(0x79616c70, 6, "its first id looks like a signature"))
	g := n.read(captures.Options{Ports: []uint16{6112}})
	g.want(`
		[1] PLAYERMESSAGE from=0x00000005  ! PLAYERMESSAGE.IDTo at octet 4: message too short
		  ! message-malformed frame 1 PLAYERMESSAGE.IDTo @4: PLAYERMESSAGE.IDTo at octet 4: message too short
		[2] PLAYERMESSAGE  ! PLAYERMESSAGE.IDFrom at octet 0: message too short
		  ! message-malformed frame 2 PLAYERMESSAGE.IDFrom @0: PLAYERMESSAGE.IDFrom at octet 0: message too short
		[3] PLAYERMESSAGE from=0x00000005 to=0x00000006 payload=0 octets
		[4] PLAYERMESSAGE from=0x79616c70 to=0x00000006 payload=35 octets 697473206669727374206964206c6f6f6b73206c696b6520...`)
	assert.Contains(t, g.records[3].tree, "IDFrom: 0x79616c70", "shown as what it was decoded as")
}
