package filter

import (
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestGoldenPass has every golden message come in all sizes of pieces: it passes octet for octet, also as a datagram.
func TestGoldenPass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range samples(t) {
		for _, most := range []int{1, 7, 1 << 20} {
			st := NewStream(s.rule, nil)
			var got []byte
			twice := append(append([]byte{}, s.raw...), s.raw...)
			pieces(r, twice, most, func(b []byte) {
				var err error
				got, err = st.Pass(got, b)
				require.NoError(t, err, s.name)
			})
			assert.Equal(t, twice, got, s.name)
			assert.NoError(t, st.End(), s.name)
			assert.Zero(t, st.Held())
		}
		assert.NoError(t, NewDatagrams(s.rule).Check(s.raw), s.name)
	}
}

// TestOutside has an address of each golden message that has any be one outside the plan: nothing of that message passes, all
// before it does, and the error says where.
func TestOutside(t *testing.T) {
	var places int
	for _, s := range samples(t) {
		for _, at := range append([]int{4}, s.places...) {
			for what, change := range map[string]func(b []byte){
				"a machine of the network": func(b []byte) { copy(b[2:], []byte{0, 80, 192, 168, 0, 1}) },
				"another loopback address": func(b []byte) { copy(b[2:], []byte{0, 80, 127, 0, 0, 2}) },
				"a port":                   func(b []byte) { binary.BigEndian.PutUint16(b[2:], 80) },
				"another family":           func(b []byte) { b[0] = 23 },
			} {
				places++
				bad := append([]byte{}, s.raw...)
				change(bad[at:])
				st := NewStream(s.rule, nil)
				got, err := st.Pass(nil, append(append([]byte{}, s.raw...), bad...))
				var v *Violation
				require.ErrorAs(t, err, &v, "%s: %s at %d", s.name, what, at)
				assert.Equal(t, s.raw, got)
				assert.Equal(t, int64(len(s.raw)), v.At)
				if what != "another family" { // the data of a provider are no addresses then
					assert.Equal(t, at, v.Offset, "%s: %s", s.name, v)
				}
				again, more := st.Pass(nil, s.raw)
				assert.Empty(t, again)
				assert.Equal(t, err, more)
				assert.Equal(t, err, st.End())
				assert.Zero(t, st.Held())
				if isSystem(bad) {
					assert.Error(t, NewDatagrams(s.rule).Check(bad))
				}
			}
		}
	}
	assert.Greater(t, places, 400)
}

// TestOthersHeader: a header names a port of the plan that is another slot's.
func TestOthersHeader(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351})
	b := append(headOf(4), "game"...)
	for port, ok := range map[uint16]bool{2301: true, 2300: false} {
		_, err := NewStream(Rule{From: Ports{TCP: port}, Plan: func() *Plan { return plan }}, nil).Pass(nil, b)
		assert.Equal(t, ok, err == nil, err)
	}
}

// TestGameData: what the game says for itself is held no longer than until it is known that it is that.
func TestGameData(t *testing.T) {
	plan := NewPlan()
	st := NewStream(Rule{From: Ports{TCP: 2301}, Plan: func() *Plan { return plan }}, nil)
	b := append(headOf(wire.MaxMessage-wire.SPHeaderSize), make([]byte, wire.MaxMessage-wire.SPHeaderSize)...)
	var passed int
	for i := range b {
		got, err := st.Pass(nil, b[i:i+1])
		passed += len(got)
		if err != nil || i+1 >= headSize && (passed != i+1 || st.Held() != 0) { // without testify, which takes seconds for so many
			require.Fail(t, "it does not pass at once", "octet %d: %v, %d passed, %d held", i, err, passed, st.Held())
		}
		if i+1 < headSize {
			require.ErrorIs(t, st.End(), io.ErrUnexpectedEOF)
		}
	}
	for size := range 6 { // shorter than a signature
		b := append(headOf(size), make([]byte, size)...)
		got, err := st.Pass(nil, b)
		require.NoError(t, err)
		assert.Equal(t, b, got)
	}
}

// TestNoMessages: a stream of other octets ends where they begin to be wrong.
func TestNoMessages(t *testing.T) {
	plan := NewPlan()
	rule := Rule{From: Ports{TCP: 2301}, Plan: func() *Plan { return plan }}
	good := append(headOf(4), "game"...)
	for name, bad := range map[string]string{
		"size": "\x13\x00\xb0\xfa", "text": "GET / HTTP/1.1\r\nHost: router\r\n\r\n", "zeros": "\x00\x00\x00\x00",
		"family": "\x18\x00\xb0\xfa\x03\x00\x08\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00game",
	} {
		st := NewStream(rule, nil)
		got, err := st.Pass(nil, append(append([]byte{}, good...), bad...))
		var v *Violation
		require.ErrorAs(t, err, &v, name)
		assert.Equal(t, good, got, name)
		assert.Equal(t, int64(len(good)), v.At, name)
		assert.LessOrEqual(t, v.Offset, len(bad), name)
		assert.NotEmpty(t, v.Reason)
	}
}

// TestFragments: fragments pass, but for those of messages with addresses, however they are cut.
func TestFragments(t *testing.T) {
	plan := NewPlan(Ports{2301, 2351})
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	system := func(c wire.Command) []byte {
		b := append([]byte("play"), 0, 0, 14, 0)
		binary.LittleEndian.PutUint16(b[4:], uint16(c))
		return append(b, make([]byte, 100)...)
	}
	for _, x := range []struct {
		name          string
		index, offset uint32
		data          []byte
		passes        bool
	}{
		{"the game's own", 0, 0, []byte("no system message"), true},
		{"its rest", 1, 16, system(wire.CmdAddForward), true},
		{"chat", 0, 0, system(wire.CmdChat), true},
		{"addresses", 0, 0, system(wire.CmdAddForward), false},
		{"a message in a message", 0, 0, system(wire.CmdSigned), false},
		{"the command comes later", 0, 0, system(wire.CmdChat)[:5], false},
		{"the command comes again", 1, 4, system(wire.CmdAddForward)[4:], false},
		{"right behind the command", 1, 8, system(wire.CmdAddForward)[8:], true},
		{"the command alone", 0, 0, system(wire.CmdChat)[:8], true},
		{"it begins with the second", 1, 0, system(wire.CmdAddForward), false},
		{"the first is not at the beginning", 0, 1000, system(wire.CmdAddForward), false},
	} {
		for _, m := range []wire.Message{
			&wire.Packet{Index: x.index, Offset: x.offset, Total: 3, MessageSize: 3000, Data: wire.Inner{Octets: x.data}},
			&wire.Packet2Data{Index: x.index, Offset: x.offset, Total: 3, MessageSize: 3000, Data: wire.Inner{Octets: x.data}},
		} {
			packed, err := wire.AppendMessage(nil, wire.DX9, m)
			require.NoError(t, err)
			for _, m := range []wire.Message{m, &wire.Signed{Inner: wire.Inner{Message: m}}, &wire.Ask4Multicast{Inner: wire.Inner{Message: m}},
				&wire.Packet{Total: 1, MessageSize: uint32(len(packed)), Data: wire.Inner{Message: m}},
				&wire.Packet2Data{Total: 1, MessageSize: uint32(len(packed)), Data: wire.Inner{Message: m}},
				&wire.Ask4MulticastGuaranteed{Inner: wire.Inner{Message: &wire.MulticastDelivery{Inner: wire.Inner{Message: m}}}}} {
				b, err := wire.AppendMessage(nil, wire.DX9, m)
				require.NoError(t, err)
				_, err = NewStream(rule, nil).Pass(nil, append(headOf(len(b)), b...))
				assert.Equal(t, x.passes, err == nil, "%s in %s: %v", x.name, m.Command(), err)
			}
		}
	}
}

func TestViolationText(t *testing.T) {
	assert.Equal(t, "ADDFORWARD.Stream at octet 1080: 10.0.0.1:80 is not an address of the session",
		(&Violation{Message: "ADDFORWARD", Field: "Stream", At: 1000, Offset: 80, Reason: "10.0.0.1:80 is not an address of the session"}).Error())
	assert.Equal(t, "message at octet 0: it is empty", NewDatagrams(Rule{}).Check(nil).Error())
	assert.False(t, errors.Is(NewDatagrams(Rule{}).Check(nil), io.EOF))
}

// TestMemory: a stream that holds nothing keeps no memory for a large message.
func TestMemory(t *testing.T) {
	plan := NewPlan(Ports{2301, 2351})
	st := NewStream(Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}, nil)
	for size, kept := range map[int]bool{1000: true, 60_000: false} {
		b := octets(t, &wire.PlayerDataChanged{Data: make([]byte, size)})
		_, err := st.Pass(nil, append(headOf(len(b)), b...))
		require.NoError(t, err)
		assert.Equal(t, kept, cap(st.held) > 0, size)
		assert.LessOrEqual(t, cap(st.held), keep)
	}
}
