package dpsp

import (
	"bytes"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// Our own players bear the mark, those of an engine that is to be like Windows do not.
func TestMarkOctets(t *testing.T) {
	for legacy, want := range map[bool]string{true: "0000000000000000", false: "64706c6179340100"} {
		b := newBench(t, Config{Legacy: legacy})
		b.request(mockJoin(""))
		sent := b.tcp(octets(t, hexRequestPlayerReply))
		require.Len(t, sent, 1)
		var d wire.Decoder
		e, err := d.DecodeStream(sent[0].Data)
		require.NoError(t, err)
		sp := e.Message.(*wire.AddForwardRequest).Info.SPData
		assert.Equal(t, want, hex.EncodeToString(sp[24:]), "sin_zero of the datagram address")
		assert.Equal(t, make([]byte, 8), sp[8:16], "that of the stream address, which others connect to")
		data, ok := wire.ParseSPData(sp)
		assert.True(t, ok)
		assert.Equal(t, !legacy, data.Marked())
	}
}

// A legacy machine is never sent a message that it does not know, whether it is the host, a member from the start or a newcomer,
// nor when it is lost; and our own know each other.
func TestNothingForLegacyMachines(t *testing.T) {
	cfg := Config{Period: time.Second, Probes: 2}
	legacy := cfg
	legacy.Legacy = true
	for _, flags := range []wire.SessionFlags{0, migrating, migrating | wire.SessionDirectPlayProtocol} {
		for nth := range 4 {
			w := newWorld(t)
			var all []*node
			w.cut = func(from, to *node, o Outgoing) bool {
				unknown := bytes.Contains(o.Data, []byte("play\x44\x34"))
				if unknown && to != nil && to.cfg.Legacy {
					t.Errorf("%v, legacy %d: %s to %s", flags, nth, from.name, to.name)
				}
				return false
			}
			for i := range 4 {
				c := cfg
				if i == nth {
					c = legacy
				}
				p := w.add([]string{"one", "two", "three", "four"}[i], c)
				if i == 0 {
					w.must(p, Host{Application: gameGUID, Name: "Game", Flags: flags})
				} else {
					w.join(p, all[0], "")
				}
				w.must(p, CreatePlayer{ShortName: Text(p.name)})
				all = append(all, p)
			}
			w.run(w.now + 10*time.Second)
			for i, p := range all {
				if i != nth {
					assert.Len(t, moderns(p), 2, "%v nth %d: %s", flags, nth, p.name)
				}
			}
			w.kill(all[nth])
			w.run(w.now + time.Minute)
		}
	}
}

// A legacy machine that was out of reach, before it had time to ignore a greeting, is asked for nothing when it is back.
func TestNothingForLegacyMachinesThatAreBack(t *testing.T) {
	cfg := Config{Period: time.Second, Probes: 2}
	legacy := cfg
	legacy.Legacy = true
	w := newWorld(t)
	h, old, other := w.add("host", cfg), w.add("old", legacy), w.add("other", cfg)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	w.join(other, h, "")
	w.join(old, h, "")
	broken := true
	w.cut = func(from, to *node, o Outgoing) bool {
		if to == old && bytes.Contains(o.Data, []byte("play\x44\x34")) {
			t.Errorf("%s to %s", from.name, to.name)
		}
		return broken && (from == old) != (to == old)
	}
	w.run(w.now + 20*time.Second)
	require.Nil(t, h.peerByID(old.self), "it was lost")
	broken = false
	w.run(w.now + time.Minute)
}

// A host may pass on nothing of service provider data but addresses. Then a machine is known by what it says of its own players.
func TestMarkThatTheHostHides(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", Config{Legacy: true})
	w.must(h, Host{Application: gameGUID, Name: "Game"})
	w.cut = func(from, _ *node, o Outgoing) bool {
		if from == h {
			copy(o.Data, bytes.ReplaceAll(o.Data, []byte("dplay4"), make([]byte, 6)))
		}
		return false
	}
	a, b := w.add("one", Config{}), w.add("two", Config{})
	w.join(a, h, "")
	w.must(a, CreatePlayer{})
	w.join(b, h, "")
	assert.Empty(t, moderns(a))
	assert.Empty(t, moderns(b))
	w.must(b, CreatePlayer{})
	assert.Equal(t, []wire.PlayerID{b.self}, moderns(a))
	assert.Equal(t, []wire.PlayerID{a.self}, moderns(b))
}

// A new host says 0.0.0.0 of itself. What others put in its place keeps the mark, and so does the list that one of them sends on.
func TestMarkOfANewHost(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{Period: time.Second, Probes: 2})
	w.kill(n[0])
	w.run(w.now + 10*time.Second)
	host, member := n[1], n[2]
	if member.hosting() {
		host, member = member, host
	}
	require.Equal(t, host.self, member.host)
	p, _ := member.list.Get(host.self)
	d, ok := wire.ParseSPData(p.SPData)
	require.True(t, ok)
	assert.Equal(t, sockAddr(host.stream()), d.Stream)
	assert.True(t, d.Marked())
}
