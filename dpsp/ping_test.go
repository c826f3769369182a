package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// 3.1.5.30 and 3.1.5.31 look IDFrom up among players, not among system players alone: a ping under the id of any player
// is answered to its owner, and an answer under any is a sign of life.
func TestPingByAnyPlayer(t *testing.T) {
	for _, cfg := range []Config{{}, {Compatible: true}} {
		for _, from := range []string{"host", "member"} {
			w, n, ids := session(t, wire.SessionKeepAlive, 1, cfg)
			at, by, id := n[0], n[1], ids[1]
			if from == "host" {
				at, by, id = n[1], n[0], ids[0]
			}
			var log []string
			w.tap(&log)
			w.raw(by, at, by.cfg.header(), &wire.Ping{From: id, Tick: 7}, true)
			assert.Equal(t, []string{at.name + ">" + by.name + " udp PINGREPLY"}, log, from)
			assert.Empty(t, eventsOf[Dropped](at.events))
			// It answers pings under that id for as long as it likes, and stays.
			w.cut = func(f, to *node, out Outgoing) bool {
				env, err := f.dec.DecodeDatagram(out.Data)
				ping, ok := env.Message.(*wire.Ping)
				if out.Transport == TCP || err != nil || !ok || to != by {
					return false
				}
				w.queue = append(w.queue, packet{by, at.datagram(), true, pingReply(t, by, id, ping.Tick)})
				return true
			}
			w.run(w.now + 30*DefaultPeriod)
			assert.Empty(t, eventsOf[PeerLost](at.events), from)
			assert.Empty(t, eventsOf[HostLost](at.events), from)
			assert.Empty(t, eventsOf[SessionLost](at.events), from)
		}
	}
}

func pingReply(t *testing.T, by *node, id wire.PlayerID, tick uint32) []byte {
	t.Helper()
	env := wire.Envelope{HasSP: true, SP: by.cfg.header(), Version: wire.DX9, Message: &wire.PingReply{From: id, Tick: tick}}
	b, err := env.Append(nil)
	assert.NoError(t, err)
	return b
}

// A member that names a wrong id, of nobody, of a group or one of ours, is that member all the same: it is told neither
// that it is dead nor to come back. 2.2.43 can be read so that an answer has the id of the one that asked.
func TestPingByAWrongID(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionKeepAlive, migrating} {
		w, n, ids := session(t, flags, 1, Config{})
		g := w.must(n[1], CreateGroup{})
		var log []string
		w.tap(&log)
		for _, id := range []wire.PlayerID{99, g, n[0].self, ids[0]} {
			for _, m := range []wire.Message{&wire.Ping{From: id}, &wire.PingReply{From: id}} {
				n[0].events, log = nil, nil
				w.raw(n[1], n[0], n[1].cfg.header(), m, true)
				assert.Empty(t, n[0].events, "%v %T", id, m)
				if _, ping := m.(*wire.Ping); ping {
					assert.Equal(t, []string{"host>peer1 udp PINGREPLY"}, log)
				} else {
					assert.Empty(t, log)
				}
			}
		}
		assert.Empty(t, eventsOf[SessionLost](n[1].events))
	}
}
