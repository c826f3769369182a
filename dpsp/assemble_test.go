package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// cut returns the fragments of a message.
func cut(message string, step int) []fragment {
	var all []fragment
	for i := 0; i < len(message); i += step {
		all = append(all, fragment{id: wire.GUID{1}, index: uint32(i / step), offset: uint32(i), total: pieces(len(message), step),
			size: uint32(len(message)), data: []byte(message[i:min(i+step, len(message))])})
	}
	return all
}

// A message is put together once, of fragments in sequence; what comes twice changes nothing.
func TestAssembly(t *testing.T) {
	for _, reliable := range []bool{true, false} {
		var a assembly
		c, f := completed{wire.GUID{1}, netip.MustParseAddrPort("10.0.0.1:2300")}, cut("0123456789", 4)
		require.Len(t, f, 3)
		for i, g := range []fragment{f[1], f[0], f[0], f[1]} { // the first one has no beginning yet
			message, ok := a.add(c, reliable, g, time.Duration(i))
			assert.Nil(t, message)
			assert.True(t, ok)
		}
		assert.Equal(t, 8, a.octets)
		assert.Equal(t, map[bool]time.Duration{true: packetGiveUp, false: discardParts}[reliable]+3, a.work[0].deadline)
		message, ok := a.add(c, reliable, f[2], 4)
		assert.True(t, ok)
		assert.Equal(t, "0123456789", string(message))
		assert.Zero(t, a.octets)
		assert.Empty(t, a.work)
		message, ok = a.add(c, reliable, f[0], 5)
		assert.Nil(t, message)
		assert.True(t, ok, "its acknowledgement was late")
		assert.Empty(t, a.work)
	}
}

// A fragment that does not follow spoils a message without acknowledgements; with them it is sent again.
func TestAssemblyGap(t *testing.T) {
	for _, reliable := range []bool{true, false} {
		var a assembly
		c, f := completed{from: netip.MustParseAddrPort("10.0.0.1:2300")}, cut("0123456789", 4)
		a.add(c, reliable, f[0], 0)
		_, ok := a.add(c, reliable, f[2], 0)
		assert.False(t, ok)
		other := f[1]
		other.size = 9
		_, ok = a.add(c, reliable, other, 0)
		assert.Equal(t, !reliable, ok, "what is spoilt is forgotten")
		assert.Len(t, a.work, map[bool]int{true: 1, false: 0}[reliable])
		assert.Equal(t, 4*len(a.work), a.octets)
	}
}

// What is kept is bounded for each machine, for all, and in octets; what was begun may go on.
func TestAssemblyRoom(t *testing.T) {
	var a assembly
	at := func(m, id int) completed {
		return completed{wire.GUID{byte(id)}, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(m)}), 2300)}
	}
	f := cut("0123456789", 4)
	for i := range maxParts {
		c := at(i/maxPartsEach, i%maxPartsEach)
		assert.True(t, a.room(c, f[0]), i)
		a.add(c, true, f[0], time.Duration(i))
		assert.Equal(t, (i+1)%maxPartsEach != 0 && i+1 < maxParts, a.room(at(i/maxPartsEach, 99), f[0]), i)
	}
	assert.False(t, a.room(at(99, 0), f[0]))
	assert.True(t, a.room(at(3, 3), f[0]))
	assert.True(t, a.room(at(3, 3), f[1]))
	f[1].data = make([]byte, maxPartOctets)
	assert.False(t, a.room(at(3, 3), f[1]))
	a.expire(packetGiveUp + maxParts/2 - 1)
	assert.Len(t, a.work, maxParts/2)
	assert.Equal(t, 4*len(a.work), a.octets)
}

// A fragment's numbers are held against each other before anything is kept for it.
func TestFragmentPossible(t *testing.T) {
	good := fragment{offset: 8, total: 3, size: 10, data: []byte("89")}
	assert.True(t, good.possible())
	for name, spoil := range map[string]func(*fragment){
		"too large":      func(f *fragment) { f.size = wire.MaxMessage + 1 },
		"no fragments":   func(f *fragment) { f.total = 0 },
		"more than size": func(f *fragment) { f.total = 11 },
		"empty":          func(f *fragment) { f.data = nil },
		"behind its end": func(f *fragment) { f.offset = 9 },
		"wraps around":   func(f *fragment) { f.offset = 1<<32 - 1 },
	} {
		f := good
		spoil(&f)
		assert.False(t, f.possible(), name)
	}
}

// The timer follows the round trip of what was sent once, and no other.
func TestOutgoing(t *testing.T) {
	w := outgoing{id: wire.GUID{1}, message: []byte("0123456789"), step: 4, timer: packetFirst}
	m := w.send(100)
	assert.Equal(t, &wire.Packet2Data{ID: wire.GUID{1}, Total: 3, MessageSize: 10, Data: wire.Inner{Octets: []byte("0123")}}, m)
	assert.Equal(t, 100+packetFirst, w.deadline)
	assert.False(t, w.acknowledged(100+time.Second))
	assert.Equal(t, 1500*time.Millisecond, w.timer)
	w.send(time.Minute)
	m = w.send(2 * time.Minute)
	assert.EqualValues(t, 4, m.Offset)
	assert.Equal(t, 2, w.sends)
	assert.Equal(t, time.Minute, w.first)
	assert.False(t, w.acknowledged(2*time.Minute))
	assert.Equal(t, 1500*time.Millisecond, w.timer, "it may be the first one that was acknowledged")
	m = w.send(3 * time.Minute)
	assert.Equal(t, "89", string(m.Data.Octets))
	assert.True(t, w.acknowledged(3*time.Minute))
	assert.Equal(t, packetLeast, w.timer)
}
