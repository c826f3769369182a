package fragment

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// cut returns the fragments of a message.
func cut(message string, step int, reliable bool) []Fragment {
	var all []Fragment
	for _, p := range Cut(wire.GUID{1}, []byte(message), step) {
		f := Of(&p)
		f.Reliable = reliable
		all = append(all, f)
	}
	return all
}

var sender = netip.MustParseAddrPort("10.0.0.1:2300")

// A message is put together once, of fragments in sequence; what comes twice changes nothing.
func TestReceiver(t *testing.T) {
	for _, reliable := range []bool{true, false} {
		var r Receiver
		f := cut("0123456789", 4, reliable)
		require.Len(t, f, 3)
		for i, g := range []Fragment{f[1], f[0], f[0], f[1]} { // the first one has no beginning yet
			message, err := r.Add(time.Duration(i), sender, g)
			assert.Nil(t, message)
			assert.NoError(t, err)
		}
		assert.Equal(t, 8, r.octets)
		assert.Equal(t, map[bool]time.Duration{true: GiveUp, false: Discard}[reliable]+3, r.Next(time.Hour))
		message, err := r.Add(4, sender, f[2])
		assert.NoError(t, err)
		assert.Equal(t, "0123456789", string(message))
		assert.Zero(t, r.octets)
		assert.Equal(t, time.Hour, r.Next(time.Hour))
		message, err = r.Add(5, sender, f[0])
		assert.Nil(t, message)
		assert.NoError(t, err, "its acknowledgement was late")
		assert.Empty(t, r.work)
		assert.False(t, r.Whole(f[0].ID, sender))
		assert.True(t, r.Whole(wire.GUID{2}, sender), "another message")
		assert.False(t, r.Whole(wire.GUID{2}, sender))
	}
}

// A fragment that does not follow spoils a message without acknowledgements; with them it is sent again.
func TestReceiverGap(t *testing.T) {
	for _, reliable := range []bool{true, false} {
		var r Receiver
		f := cut("0123456789", 4, reliable)
		_, err := r.Add(0, sender, f[0])
		assert.NoError(t, err)
		_, err = r.Add(0, sender, f[2])
		assert.ErrorIs(t, err, ErrOrder)
		other := f[1]
		other.Size = 9
		_, err = r.Add(0, sender, other)
		assert.Equal(t, !reliable, err == nil, "what is spoilt is forgotten")
		assert.Len(t, r.work, map[bool]int{true: 1, false: 0}[reliable])
		assert.Equal(t, 4*len(r.work), r.octets)
	}
}

// What is kept is bounded for each machine, for all, and in octets; what was begun may go on.
func TestReceiverRoom(t *testing.T) {
	var r Receiver
	f := cut("0123456789", 4, true)
	add := func(now, machine, id, index int) error {
		g := f[index]
		g.ID = wire.GUID{byte(id)}
		_, err := r.Add(time.Duration(now), netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(machine)}), 2300), g)
		return err
	}
	for i := range MaxParts {
		assert.NoError(t, add(i, i/MaxEach, i%MaxEach, 0), i)
		if (i+1)%MaxEach == 0 {
			assert.ErrorIs(t, add(i, i/MaxEach, 99, 0), ErrRoom, i)
		}
	}
	assert.ErrorIs(t, add(0, 99, 0, 0), ErrRoom)
	assert.NoError(t, add(0, 3, 3, 0), "it was begun")
	messages, octets, _ := r.Waiting()
	assert.Equal(t, []int{MaxParts, 4 * MaxParts}, []int{messages, octets})
	r.Expire(GiveUp + MaxParts/2 - 1)
	messages, octets, _ = r.Waiting()
	assert.Equal(t, []int{MaxParts / 2, 4 * MaxParts / 2}, []int{messages, octets})
	r.Forget(netip.MustParseAddrPort("10.0.0.15:2300"))
	assert.Len(t, r.work, MaxParts/2-MaxEach)

	r = Receiver{}
	f[0].Data, f[0].Size = make([]byte, wire.MaxMessage-1), wire.MaxMessage
	for i := range MaxOctets >> 20 {
		assert.NoError(t, add(0, i, i, 0), i)
	}
	f[0].Data = f[0].Data[:MaxOctets-(MaxOctets>>20)*(wire.MaxMessage-1)+1]
	assert.ErrorIs(t, add(0, 99, 99, 0), ErrRoom, "octets")
	f[0].Data = f[0].Data[1:]
	assert.NoError(t, add(0, 99, 99, 0))
}

// A fragment's numbers are held against each other before anything is kept for it.
func TestFragmentPossible(t *testing.T) {
	good := Fragment{Offset: 8, Total: 3, Size: 10, Data: []byte("89")}
	assert.True(t, good.possible())
	for name, spoil := range map[string]func(*Fragment){
		"too large":      func(f *Fragment) { f.Size = wire.MaxMessage + 1 },
		"no fragments":   func(f *Fragment) { f.Total = 0 },
		"more than size": func(f *Fragment) { f.Total = 11 },
		"empty":          func(f *Fragment) { f.Data = nil },
		"behind its end": func(f *Fragment) { f.Offset = 9 },
		"wraps around":   func(f *Fragment) { f.Offset = 1<<32 - 1 },
	} {
		f := good
		spoil(&f)
		_, err := new(Receiver).Add(0, sender, f)
		assert.ErrorIs(t, err, ErrSize, name)
	}
}

// The timer follows the round trip of what was sent once, and no other: 900 ms until the first acknowledgement, then 1.5 times the round
// trip, at least 37.5 ms (3.1.2.4). Redundant acknowledgements are ignored (3.1.5.29).
func TestSender(t *testing.T) {
	var s Sender
	id := wire.GUID{1}
	ack := func(now time.Duration, index uint32) *wire.Packet2Data {
		return s.Acknowledged(now, sender, &wire.Packet2Ack{ID: id, Index: index})
	}
	m := s.Send(100, id, sender, []byte("0123456789"), 4)
	assert.Equal(t, &wire.Packet2Data{ID: id, Total: 3, MessageSize: 10, Data: wire.Inner{Octets: []byte("0123")}}, m)
	assert.Equal(t, 100+First, s.Next(time.Hour))
	assert.Empty(t, s.Due(99+First))
	now := 100 + time.Second
	m = ack(now, 0)
	assert.EqualValues(t, 4, m.Offset)
	assert.Equal(t, now+1500*time.Millisecond, s.Next(time.Hour))
	assert.Nil(t, ack(now, 0))
	assert.Nil(t, ack(now, 3))
	assert.Nil(t, s.Acknowledged(now, sender, &wire.Packet2Ack{ID: wire.GUID{2}, Index: 1}))
	assert.Nil(t, s.Acknowledged(now, netip.MustParseAddrPort("10.0.0.2:2300"), &wire.Packet2Ack{ID: id, Index: 1}))
	again := s.Due(2 * time.Minute)
	assert.Equal(t, []Send{{sender, m}}, again)
	m = ack(2*time.Minute, 1)
	assert.Equal(t, "89", string(m.Data.Octets))
	assert.Equal(t, 2*time.Minute+1500*time.Millisecond, s.Next(time.Hour), "it may be the first one that was acknowledged")
	assert.Nil(t, ack(2*time.Minute, 2))
	assert.Zero(t, s.Waiting())
	s.Send(0, id, sender, []byte("01234"), 4)
	ack(0, 0)
	assert.Equal(t, Least, s.Next(time.Hour))
}

// 3.1.6.1: a message is given up after 16 sends and 60 s, both.
func TestSenderGivesUp(t *testing.T) {
	for trip, sends := range map[time.Duration]int{First: 67, 4 * time.Second: Sends} { // every 900 ms within a minute; every 6 s
		var s Sender
		s.Send(0, wire.GUID{1}, sender, make([]byte, 12), 4)
		start, n := time.Duration(0), 1
		if trip != First {
			start = trip
			s.Acknowledged(trip, sender, &wire.Packet2Ack{ID: wire.GUID{1}})
		}
		now := start
		for s.Waiting() > 0 {
			now = s.Next(time.Hour)
			all := s.Due(now)
			require.Len(t, all, 1)
			if all[0].Fragment != nil {
				n++
			}
		}
		assert.Equal(t, sends, n)
		assert.GreaterOrEqual(t, now-start, GiveUp)
	}
}

// So many messages are on their way at a time; those for a machine that is gone end there.
func TestSenderRoom(t *testing.T) {
	var s Sender
	for i := range MaxOutgoing - 1 {
		s.Send(0, wire.GUID{byte(i), byte(i >> 8)}, netip.AddrPortFrom(sender.Addr(), uint16(i%2)), []byte("01234"), 4)
	}
	assert.True(t, s.Room(1))
	assert.False(t, s.Room(2))
	s.Forget(netip.AddrPortFrom(sender.Addr(), 0))
	assert.Equal(t, MaxOutgoing/2-1, s.Waiting())
}
