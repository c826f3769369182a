package dpsp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// What a machine that is not ours was seen to do is told once, however many links there are to it; of our own nothing.
func TestPeerReadings(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		w, n, ids := session(t, framed, 1, Config{})
		foreign := w.add("foreign", Config{Legacy: legacy})
		w.join(foreign, n[0], "")
		all := append(ids, w.must(foreign, CreatePlayer{}), w.must(foreign, CreatePlayer{}))
		w.run(w.now + time.Second)
		lost := 0
		w.cut = func(from, to *node, out Outgoing) bool { // so that it asks for what is missing
			lost++
			return out.Transport == UDP && to == foreign && lost%5 == 0
		}
		for i := range 80 {
			for _, id := range all[2:] {
				w.must(n[0], Send{From: ids[0], To: id, Guaranteed: true, Payload: []byte("x")})
				w.must(foreign, Send{From: id, To: ids[0], Guaranteed: true, Payload: []byte("y")})
			}
			if i%8 == 7 {
				w.run(w.now + 100*time.Millisecond)
			}
		}
		w.cut = nil
		w.run(w.now + 10*time.Second)
		assert.Len(t, eventsOf[Message](foreign.events), 160)
		told := map[reliable.Reading]int{}
		for _, r := range take[PeerReading](n[0]) {
			assert.Equal(t, foreign.self, r.System)
			told[r.Reading]++
		}
		if !legacy {
			assert.Empty(t, told)
			continue
		}
		assert.Equal(t, 1, told[reliable.NACKs])
		for r, times := range told {
			assert.Equal(t, 1, times, r)
		}
		assert.Empty(t, take[PeerReading](n[1]))
	}
}

// A host that is not ours, and has no player, may speak as its system player; one of ours does not, nor one that has players.
func TestSystemPlayerSpeaks(t *testing.T) {
	for _, c := range []struct{ legacy, player, heard bool }{{true, false, true}, {true, true, false}, {false, false, false}} {
		w := newWorld(t)
		h := w.add("host", Config{Legacy: c.legacy})
		w.must(h, Host{Application: gameGUID, Name: "Game", Flags: framed})
		m := w.add("member", Config{})
		w.join(m, h, "")
		id := w.must(m, CreatePlayer{})
		if c.player {
			w.must(h, CreatePlayer{})
		}
		w.run(w.now + time.Second)
		m.events = nil
		l := h.frames().Between(&h.peerByID(m.self).frameLinks, h.self, m.self)
		assert.NoError(t, l.Send(reliable.Message{Data: []byte("spoken"), Reliable: true}))
		h.frames().Turn(l)
		w.step(h, Input{})
		w.settle()
		heard := eventsOf[Message](m.events)
		if !c.heard {
			assert.Empty(t, heard)
			assert.Equal(t, []Reason{NotAllowed}, dropped(m))
			continue
		}
		assert.Equal(t, []Message{{From: h.self, To: id, Guaranteed: true, Payload: []byte("spoken")}}, heard)
	}
}

// What Readings say is sent to machines that are not ours alone, and understood by one that takes either.
func TestReadingsSent(t *testing.T) {
	for _, r := range []Readings{{}, {EachPlayer: true}, {WithIDs: true}, {reliable.Options{Loose: true, Running: true}, true, true}} {
		w, n, ids := session(t, framed, 1, Config{Readings: r})
		foreign := w.add("foreign", Config{Legacy: true})
		w.join(foreign, n[0], "")
		all := []wire.PlayerID{w.must(foreign, CreatePlayer{}), w.must(foreign, CreatePlayer{})}
		w.run(w.now + time.Minute)
		foreign.events, n[1].events = nil, nil
		loose, toSystem, there := 0, 0, false
		w.cut = func(from, to *node, out Outgoing) bool {
			f, err := frames.Decode(out.Data)
			if out.Transport == UDP && err == nil && f.Kind() == frames.KindData && from == n[0] && to == foreign {
				if f.Flags&frames.RLY == 0 {
					loose++
				}
				there = there || bytes.HasPrefix(f.Data, binary.LittleEndian.AppendUint32(nil, uint32(ids[0])))
				if f.To == n[0].frames().Index(foreign.self) {
					toSystem++
				}
			}
			return false
		}
		for _, s := range []string{"x", "play\x02"} {
			w.must(n[0], Send{From: ids[0], Guaranteed: true, Payload: []byte(s)})
			w.must(n[0], Send{From: ids[0], To: all[1], Payload: []byte(s)})
			w.run(w.now + time.Second)
		}
		var want []string
		for _, s := range []string{"x", "play\x02"} {
			want = append(want, fmt.Sprint(s, all[0]), fmt.Sprint(s, all[1]), fmt.Sprint(s, all[1]))
		}
		var got []string
		for _, m := range eventsOf[Message](foreign.events) {
			got = append(got, fmt.Sprint(string(m.Payload), m.To))
			assert.Equal(t, ids[0], m.From)
		}
		assert.ElementsMatch(t, want, got, "%+v", r)
		assert.Equal(t, r.WithIDs, there)
		assert.Equal(t, r.Loose, loose > 0)
		assert.Equal(t, !r.EachPlayer, toSystem > 0)
		assert.Len(t, eventsOf[Message](n[1].events), 2*len(n[1].players(0)), "ours hear as always")
	}
}
