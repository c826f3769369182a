package captures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

// big is a game message of 9008 octets, as in lab capture 12b: seven fragments.
func big() []byte { return bare(0x502, 0x501, strings.Repeat("0123456789", 900)) }

// teach describes a session in frame 2: its host listens on UDP 2350.
func teach(t *testing.T) *network {
	n := newNetwork(t)
	n.tcp(host+":1025", joiner+":2300").send(sys(2300, list("0.0.0.0:2300", "0.0.0.0:2350")))
	return n
}

// TestFragmentedDatagram: a datagram in IP fragments is one message, whatever the order.
func TestFragmentedDatagram(t *testing.T) {
	const text = `PLAYERMESSAGE from=0x00000502 "Ann" to=0x00000501 payload=9000 octets ` +
		`303132333435363738393031323334353637383930313233...`
	orders := map[string]func(list []func() int) []func() int{
		"in order":  func(l []func() int) []func() int { return l },
		"backwards": func(l []func() int) []func() int { slices.Reverse(l); return l },
		"repeated":  func(l []func() int) []func() int { return append(slices.Clone(l[:3]), l...) },
	}
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			n := teach(t)
			var frames []int
			for _, send := range order(n.fragments(joiner+":2350", host+":2350", big(), 1480)) {
				frames = append(frames, send())
			}
			g := n.read(captures.Options{})
			assert.Equal(t, fmt.Sprint(frames)+" "+text, g.events[1])
			assert.Equal(t, account(9008, 0), g.sum.UDP)
			assert.Equal(t, len(frames)+1, g.sum.FramesWith)
			assert.Len(t, g.records, 2)
		})
	}
}

// TestFragmentsMissing: what is there of a datagram is counted, and what is not, as far as that can be seen.
func TestFragmentsMissing(t *testing.T) {
	cases := []struct {
		name string
		keep []int
		want string
		sum  captures.Account
	}{
		{"the first alone (lab 12b)", []int{0},
			"! ip-fragments-missing frame 3: UDP datagram 10.0.0.2:2350 > 10.0.0.1:2350: 1472 octets of it are in the file, 1 " +
				"fragments; 7536 are missing",
			account(0, 7536, skipIncomplete, 1472)},
		{"one in the middle missing", []int{0, 1, 2, 4, 5, 6},
			"! ip-fragments-missing frame 3: UDP datagram 10.0.0.2:2350 > 10.0.0.1:2350: 7528 octets of it are in the file, 6 " +
				"fragments; 1480 are missing",
			account(0, 1480, skipIncomplete, 7528)},
		{"the last missing", []int{0, 1, 2, 3, 4, 5},
			"! ip-fragments-missing frame 3: UDP datagram 10.0.0.2:2350 > 10.0.0.1:2350: 8872 octets of it are in the file, 6 " +
				"fragments; 136 are missing",
			account(0, 136, skipIncomplete, 8872)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := teach(t)
			l := n.fragments(joiner+":2350", host+":2350", big(), 1480)
			for _, i := range c.keep {
				l[i]()
			}
			g := n.read(captures.Options{})
			assert.Equal(t, []string{c.want}, g.events[1:])
			assert.Equal(t, c.sum, g.sum.UDP)
			assert.Equal(t, 1+len(c.keep), g.sum.FramesWith)
		})
	}
}

// TestFragmentsMissingWhose: an unfinished datagram is DirectPlay's by the same signs as a whole one.
func TestFragmentsMissingWhose(t *testing.T) {
	long := strings.Repeat("0123456789", 900)
	cases := []struct {
		name     string
		src, dst string
		payload  []byte
		keep     int
		ok       bool
	}{
		{"to a socket that was learnt", joiner + ":40000", host + ":2350", []byte(long), 0, true},
		{"from one", host + ":2350", joiner + ":40000", []byte(long), 0, true},
		{"known ids", joiner + ":40000", joiner + ":40001", big(), 0, true},
		{"a system message", joiner + ":40000", joiner + ":40001", sys(2300, &wire.Voice{From: 1, To: 2, Data: []byte(long)}), 0, true},
		{"the option", joiner + ":40000", joiner + ":6112", []byte(long), 0, true},
		{"something else", joiner + ":40000", joiner + ":40001", []byte(long), 0, false},
		{"a usual port", joiner + ":40000", joiner + ":2350", []byte(long), 0, false},
		{"the first fragment missing", joiner + ":40000", host + ":2350", []byte(long), 1, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := teach(t)
			n.fragments(c.src, c.dst, c.payload, 1480)[c.keep]()
			g := n.read(captures.Options{Ports: []uint16{6112}})
			assert.Equal(t, c.ok, g.sum.ByCode[captures.FragmentsMissing] == 1, g.events)
			if c.ok {
				assert.EqualValues(t, 1472, g.sum.UDP.Octets)
			} else {
				assert.EqualValues(t, 1472+8*c.keep, g.sum.OtherOctets)
			}
		})
	}
}

// TestManyUnfinishedDatagrams: however many there are between two batches of frames, each is accounted for.
func TestManyUnfinishedDatagrams(t *testing.T) {
	n := teach(t)
	for range 900 {
		n.fragments(joiner+":2350", host+":2350", make([]byte, 40), 24)[0]()
	}
	g := n.read(captures.Options{})
	assert.Equal(t, account(0, 900*24, skipIncomplete, 900*16), g.sum.UDP)
	assert.Equal(t, 900, g.sum.ByCode[captures.FragmentsMissing])
	assert.Equal(t, 901, g.sum.FramesWith)
}

// TestMalformedFrames: headers that cannot be are findings with their place.
func TestMalformedFrames(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":2350", host+":2350", ping(1))
	whole := slices.Clone(n.Bytes()[24+16:])
	change := func(at int, v byte) {
		b := slices.Clone(whole)
		b[at] = v
		n.Raw(b)
	}
	change(14, 0x44)        // an IPv4 header of 16 octets
	change(14+20+5, 7)      // a UDP length of 7
	n.Raw(whole[:10])       // half an Ethernet header
	change(12, 0x86)        // IPv6
	n.Raw(make([]byte, 60)) // IEEE 802.3
	l := n.fragments(joiner+":2350", host+":2350", make([]byte, 30), 24)
	l[0]()
	n.Wait(0)
	l[1]()
	g := n.read(captures.Options{})
	assert.Equal(t, []string{
		"[1] PING from=0x00000005 tick=1",
		"! frame-malformed frame 2 IPv4 @14: IPv4 at octet 14: header length is below 20",
		"! frame-malformed frame 3 UDP @34: UDP at octet 34: length is below 8",
		"! frame-malformed frame 4 Ethernet @0: Ethernet at octet 0: ends inside the header",
	}, g.events[:4])
	assert.Equal(t, g.sum.Frames, g.sum.FramesWith+g.sum.FramesNotIP+g.sum.FramesOther)
}

// TestMalformedReassembled: where a header is wrong that came in fragments, the place is one in the datagram.
func TestMalformedReassembled(t *testing.T) {
	n := newNetwork(t)
	l := n.fragments(joiner+":2350", host+":2350", make([]byte, 30), 24)
	at := n.File.Len() + 16 + 14 + 20 + 5
	l[0]()
	n.Bytes()[at] = 99 // the UDP length
	l[1]()
	g := n.read(captures.Options{})
	g.want(`! frame-malformed frame 2 UDP @0: UDP at octet 0 of the reassembled datagram: length is above the IP payload's`)
	assert.Equal(t, 2, g.sum.FramesNotIP)
	assert.Zero(t, g.sum.FramesOther)
}
