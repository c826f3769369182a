package frame

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/reliable"
	"dplay4/playerlist"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// A machine is another one, as an engine would know it.
type machine struct {
	system         wire.PlayerID
	at             netip.AddrPort
	modern, marked bool
}

func (m *machine) System() wire.PlayerID  { return m.system }
func (m *machine) Socket() netip.AddrPort { return m.at }
func (m *machine) At(ip netip.Addr) bool  { return ip == m.at.Addr() }
func (m *machine) Modern() bool           { return m.modern }
func (m *machine) Marked() bool           { return m.marked }

// A side is one of two machines, 101 and 102, whose players are 111 and 112. Nothing in it is an engine.
type side struct {
	Links
	peer *Peer // the other one
	got  []string
	done []Done
}

// pair returns both in one session.
func pair(t *testing.T) (a, b *side) {
	l, err := playerlist.New(playerlist.Session{Desc: wire.SessionDesc{Flags: wire.SessionDirectPlayProtocol, Reserved1: 0x5a5a}})
	require.NoError(t, err)
	for id := range wire.PlayerID(2) {
		for _, op := range []playerlist.Op{
			playerlist.AddPlayer{Entry: playerlist.Entry{ID: id + 101, Flags: wire.PlayerSystem}},
			playerlist.AddPlayer{Entry: playerlist.Entry{ID: id + 111, System: id + 101}},
		} {
			_, err := l.Apply(op)
			require.NoError(t, err)
		}
	}
	newSide := func(self, other wire.PlayerID) *side {
		s := &side{Links: New(Config{MaxFrame: 1400, Rand: rand.New(rand.NewPCG(1, uint64(self)))})}
		s.Session = Session{Now: time.Minute, List: l, Self: self, On: true}
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(other - 100)}), 2350)
		s.peer = &Peer{Machine: &machine{system: other, at: at}, Framed: true}
		return s
	}
	return newSide(101, 102), newSide(102, 101)
}

// work has both do what is due at a time, and carries frames between them as long as there are some, but those that are cut.
func work(now time.Duration, a, b *side, cut func(from *side) bool) {
	for sent := true; sent; {
		sent = false
		for _, s := range []*side{a, b} {
			s.Now = now
			s.Wake()
			for l, out := s.Next(); l != nil; l, out = s.Next() {
				for _, m := range out.Messages {
					s.got = append(s.got, string(m.Data))
				}
			}
			out := s.Take()
			s.done = append(s.done, out.Done...)
			other := map[*side]*side{a: b, b: a}[s]
			for _, o := range out.Sends {
				f, err := frames.Decode(o.Data)
				if o.Held != nil || o.Ask != 0 || err != nil || cut != nil && cut(s) {
					continue
				}
				sent = true
				other.Now = now
				if other.Part(other.peer.Socket(), &f) || other.List == nil {
					continue
				}
				l := other.Find(f.To, f.From, other.peer)
				if l == nil {
					l = other.Between(other.peer, other.ID(f.To, other.Self), other.ID(f.From, other.peer.System()))
				}
				other.Receive(l, &f)
			}
		}
	}
}

// What is said on a link arrives, and that a player is gone is said after what it said before.
func TestBehind(t *testing.T) {
	a, b := pair(t)
	deleted := &wire.DeletePlayer{Player: 111}
	data, err := wire.AppendMessage(nil, wire.DX9, deleted)
	require.NoError(t, err)
	a.Queue(a.Between(a.peer, 111, 112), wire.CmdPlayerMessage, reliable.Message{Data: []byte("last words"), Reliable: true, Token: 7})
	a.Say(a.peer, wire.CmdDeletePlayer, reliable.Message{Data: data, Reliable: true})
	lost := false
	first := func(s *side) bool {
		was := lost
		lost = lost || s == a
		return s == a && !was
	}
	work(time.Minute, a, b, first)
	assert.Empty(t, b.got)
	to := netip.MustParseAddrPort("10.0.0.2:2300")
	after, wait := a.MustWait(a.peer, to, wire.CmdDeletePlayer, data)
	require.True(t, wait)
	a.HoldBack(to, after, "held")
	_, wait = a.MustWait(a.peer, to, wire.CmdChat, nil)
	assert.True(t, wait, "it must not overtake what is held")
	_, wait = a.MustWait(a.peer, netip.AddrPort{}, wire.CmdChat, nil)
	assert.False(t, wait)
	for now := time.Minute; len(b.got) < 2; now = a.WakeUp() {
		work(now, a, b, nil)
	}
	assert.Equal(t, []string{"last words", string(data)}, b.got)
	assert.Equal(t, []Done{{Done: reliable.Done{Token: 7}}}, a.done)
	_, wait = a.MustWait(a.peer, to, wire.CmdDeletePlayer, data)
	assert.False(t, wait, "all was heard")

	a.Say(a.peer, wire.CmdChat, reliable.Message{Data: []byte("system"), Reliable: true})
	gone, err := wire.AppendMessage(nil, wire.DX9, &wire.DeletePlayer{Player: a.Self})
	require.NoError(t, err)
	_, wait = a.MustWait(a.peer, to, wire.CmdDeletePlayer, gone)
	assert.False(t, wait, "system messages have their order")
}

// Last words are said after the session ended, and what nobody hears is given up.
func TestLastWords(t *testing.T) {
	for _, heard := range []bool{true, false} {
		a, b := pair(t)
		work(time.Minute, a, b, nil)
		a.Queue(a.Between(a.peer, 111, 112), wire.CmdPlayerMessage, reliable.Message{Data: []byte("last words"), Reliable: true, Token: 7})
		assert.True(t, a.Leave())
		a.Reset()
		assert.True(t, a.Parting())
		start := time.Minute
		for now := start; a.Parting(); now = a.WakeUp() {
			work(now, a, b, func(*side) bool { return !heard })
		}
		assert.False(t, a.Speaks())
		if heard {
			assert.Equal(t, []string{"last words"}, b.got)
			assert.Equal(t, []Done{{Done: reliable.Done{Token: 7}}}, a.done)
			continue
		}
		assert.Equal(t, []Done{{Done: reliable.Done{Token: 7, Err: reliable.ErrLost}}}, a.done)
		assert.Equal(t, start+Linger, a.Now)
	}
}

// A link that has no room says which message did not fit.
func TestRefused(t *testing.T) {
	a, _ := pair(t)
	l := a.Between(a.peer, 111, 112)
	for range reliable.MaxQueue {
		a.Queue(l, wire.CmdPlayerMessage, reliable.Message{Data: []byte("x"), Reliable: true})
	}
	a.Queue(l, wire.CmdPlayerMessage, reliable.Message{Data: []byte("x"), Reliable: true, Token: 9})
	assert.Equal(t, []Done{{reliable.Done{Token: 9, Err: reliable.ErrFull}, wire.CmdPlayerMessage, l.Socket}}, a.Take().Done)
	assert.True(t, a.Pressed())
	assert.Positive(t, a.Cancel(0, 0))
	assert.False(t, a.Pressed())
}

// Frames of nobody are bounded for each address and for all, wait for a change of the list, and end.
func TestEarly(t *testing.T) {
	a, _ := pair(t)
	f := frames.Frame{From: 199 ^ 0x5a5a, To: 101 ^ 0x5a5a, Flags: frames.CMD | frames.STA | frames.EOM, MessageID: 1, Sequence: 1, Data: []byte("x")}
	data, err := f.Append(nil)
	require.NoError(t, err)
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 9, byte(i)}), 2350)
	}
	for range 2 * MaxEarlyEach {
		a.Hold(at(0), data)
	}
	assert.Equal(t, MaxEarlyEach, a.Early())
	for i := range 2 * MaxEarly {
		a.Hold(at(1+i%16), data)
	}
	assert.Equal(t, MaxEarly, a.Early())
	a.Hold(at(0), data)
	assert.Empty(t, a.Known())
	_, err = a.List.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: 199, System: 102}})
	require.NoError(t, err)
	known := a.Known()
	require.Len(t, known, MaxEarly)
	assert.Equal(t, []byte("x"), known[0].Frame.Data)
	assert.Zero(t, a.Early())

	f.From = 198 ^ 0x5a5a
	data, err = f.Append(nil)
	require.NoError(t, err)
	a.Hold(at(0), data)
	assert.Equal(t, a.Now+EarlyLife, a.WakeUp())
	a.Now += EarlyLife
	assert.Empty(t, a.Known())
	assert.Zero(t, a.Early())
}

// System messages for a machine without our mark go in frames from the start. Who bears it has time to say hello first.
func TestSpeaksFrames(t *testing.T) {
	a, _ := pair(t)
	a.Extended = true
	m := a.peer.Machine.(*machine)
	a.peer.Met = a.Now
	for _, marked := range []bool{false, true} {
		m.marked = marked
		assert.Equal(t, !marked, a.SpeaksFrames(a.peer))
	}
	a.Now += helloTime
	assert.True(t, a.SpeaksFrames(a.peer), "it had time")
	m.modern = true
	assert.False(t, a.SpeaksFrames(a.peer), "ours")
}

// Where links to machines began is kept of so many, the last ones, and they begin there when they are back.
func TestKnown(t *testing.T) {
	a, _ := pair(t)
	a.Extended = true
	back := &Peer{Machine: &machine{system: 102, modern: true}}
	a.Forget(back)
	for id := range maxKnown {
		assert.Len(t, a.known, id+1)
		again := &Peer{Machine: back.Machine}
		a.Meet(again)
		assert.Equal(t, back.Begin, again.Begin)
		assert.True(t, a.Waits(again))
		a.Forget(&Peer{Machine: &machine{system: wire.PlayerID(id + 103)}})
	}
	assert.Len(t, a.known, maxKnown)
	again := &Peer{Machine: back.Machine}
	a.Meet(again)
	assert.Zero(t, again.Begin)
}

// A peer that puts ids before what the game says does so always, one of ours never.
func TestPayload(t *testing.T) {
	with := append([]byte{112, 0, 0, 0, 111, 0, 0, 0}, "text"...)
	for _, c := range []struct {
		modern bool
		says   [][]byte
		want   []string
	}{
		{false, [][]byte{with, with}, []string{"text", "text"}},
		{false, [][]byte{[]byte("text"), with}, []string{"text", string(with)}},
		{true, [][]byte{with}, []string{string(with)}},
	} {
		a, _ := pair(t)
		a.peer.Machine.(*machine).modern = c.modern
		l := a.Between(a.peer, 111, 112)
		for i, b := range c.says {
			assert.Equal(t, c.want[i], string(l.Payload(b)), "%v %d", c.modern, i)
		}
	}
}

// A peer is asked whether it speaks frames, no more often than has sense, and shown to be plain by its answer alone, or by silence after
// a message over its connection. What it did not hear goes once more.
func TestPlain(t *testing.T) {
	a, _ := pair(t)
	p := a.peer
	assert.False(t, a.Unanswered(p, AskAfter-1))
	assert.Empty(t, a.Take().Sends)
	assert.False(t, a.Unanswered(p, AskAfter))
	assert.False(t, a.Unanswered(p, AskAfter))
	sends := a.Take().Sends
	require.Len(t, sends, 1)
	assert.Equal(t, Send{To: p.Socket(), Ask: p.Asked}, sends[0])
	assert.True(t, a.Answered(p, p.Asked))
	assert.False(t, a.Answered(p, p.Asked+1))
	assert.False(t, a.Unanswered(p, deafAfter), "it said nothing over its connection")
	a.CameUnframed(p)
	assert.True(t, a.Unanswered(p, deafAfter))

	a.Queue(a.Between(p, 111, 112), wire.CmdPlayerMessage, reliable.Message{Data: []byte("game"), Reliable: true})
	a.Say(p, wire.CmdChat, reliable.Message{Data: []byte("system"), Reliable: true})
	var again []string
	for _, m := range a.SpeakPlainly(p) {
		again = append(again, string(m.Data))
	}
	assert.Equal(t, []string{"system", "game"}, again)
	assert.True(t, p.Plain && !p.Framed)
	assert.Empty(t, p.Links)
	a.CameFramed(p)
	assert.True(t, p.Plain, "a message came over its connection a moment ago")
	a.Now += PlainFor + 1
	a.CameFramed(p)
	assert.True(t, p.Framed && !p.Plain)
	assert.False(t, a.MayBePlain(p))
	p.Machine.(*machine).modern = true
	a.Now += PlainFor + 1
	assert.False(t, a.MayBePlain(p), "ours")
}
