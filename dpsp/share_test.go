package dpsp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/share"
	"dplay4/wire"
)

// greedy has a member make players with data as fast as it can, as one would that knows no share: it asks the host for
// ids and announces them to all.
func (w *world) greedy(by *node, all []*node, players, octets int) {
	w.t.Helper()
	ids := w.givenIDs(all[0], by, players)
	for _, id := range ids {
		info := wire.PackedPlayer{ID: id, System: by.self, Data: make([]byte, octets)}
		for _, to := range all {
			if to != by {
				w.say(by, to, &wire.CreatePlayer{Player: id, Info: info})
			}
		}
	}
}

// givenIDs returns ids that the host gave a member.
func (w *world) givenIDs(host, to *node, n int) (ids []wire.PlayerID) {
	w.t.Helper()
	w.cut = func(from, at *node, out Outgoing) bool {
		env, err := from.dec.DecodeStream(out.Data)
		m, ok := env.Message.(*wire.RequestPlayerReply)
		if from != host || at != to || out.Transport != TCP || err != nil || !ok {
			return false
		}
		require.Equal(w.t, wire.OK, m.Result)
		ids = append(ids, m.ID)
		return true
	}
	for range n {
		w.say(to, host, &wire.RequestPlayerID{})
	}
	w.cut = nil
	return ids
}

// One member cannot fill the list, which has to fit into one message, so that nobody else gets in: it has a share, and
// everybody refuses the same of what is beyond it.
func TestOneMemberDoesNotFillTheList(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, migrating} {
		for _, cfg := range []Config{{}, {Compatible: true}} {
			w, n, ids := session(t, flags, 2, cfg)
			for _, p := range n {
				p.events = nil
			}
			w.greedy(n[1], n, 40, 60000)
			for _, p := range []*node{n[0], n[2]} {
				got := eventsOf[PlayerCreated](p.events)
				assert.Len(t, got, 2, "%s: 2 of 60 kB are within an eighth of a MiB", p.name)
				assert.Len(t, eventsOf[Dropped](p.events), 38, p.name)
				assert.Equal(t, LimitReached, eventsOf[Dropped](p.events)[0].Reason)
			}
			w.say(n[1], n[0], &wire.PlayerDataChanged{Player: ids[1], Data: make([]byte, 60000)})
			w.say(n[1], n[0], &wire.PlayerNameChanged{Player: ids[1], ShortName: wire.NewText(strings.Repeat("n", 30000))})
			assert.Equal(t, []Reason{LimitReached, LimitReached}, dropped(n[0])[38:])
			// Others, and newcomers, have room.
			w.must(n[2], SetData{ID: ids[2], Data: make([]byte, 60000)})
			w.must(n[2], CreatePlayer{ShortName: "second"})
			late := w.add("late", cfg)
			w.join(late, n[0], "")
			w.must(late, CreatePlayer{ShortName: "late", Data: make([]byte, 60000)})
			for _, p := range n {
				p.events = nil
			}
			w.sane(flags)
			assert.Equal(t, n[0].list.AppendPlayers(nil), n[2].list.AppendPlayers(nil), "all refuse the same")
			assert.ElementsMatch(t, n[0].list.AppendPlayers(nil), late.list.AppendPlayers(nil))
		}
	}
}

// The host tells a member whose player it refused that it is gone, and those who may have it: peers without the extension,
// which refuse nothing.
func TestRefusedPlayerIsGone(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{})
	legacy := w.add("legacy", Config{Legacy: true})
	w.join(legacy, n[0], "")
	var log []string
	id := w.givenIDs(n[0], n[1], 1)[0]
	w.tap(&log)
	w.say(n[1], n[0], &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: n[1].self, Data: make([]byte, 200000)}})
	want := []string{"host>peer1 EXTENSION", "host>peer1 DELETEPLAYER", "host>legacy DELETEPLAYER"} // ARRIVED, because it was large
	assert.Equal(t, want, log)
}

// Our own program is told at once, and may go on with less. Links are counted as well: to the groups' owner.
func TestShareOfOurOwn(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	for _, p := range n {
		me := ids[0]
		if p == n[1] {
			me = ids[1]
		}
		assert.Equal(t, ErrShare, w.do(p, SetData{ID: me, Data: make([]byte, share.MaxOctets)}).Err)
		assert.Equal(t, ErrShare, w.do(p, CreatePlayer{Data: make([]byte, share.MaxOctets)}).Err)
		assert.Equal(t, ErrShare, w.do(p, CreateGroup{Data: make([]byte, share.MaxOctets)}).Err)
		w.must(p, SetData{ID: me, Data: make([]byte, share.MaxOctets-1000)})
		assert.Equal(t, ErrShare, w.do(p, CreatePlayer{Data: make([]byte, 1000)}).Err)
		w.must(p, SetData{ID: me})
		w.must(p, CreatePlayer{Data: make([]byte, 1000)})
	}
	assert.Empty(t, dropped(n[0]))
	assert.Empty(t, n[0].admission.Promises, "no id was asked for in vain")
}

func TestShareOfLinks(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	var groups, players []wire.PlayerID
	for range 128 {
		players = append(players, w.must(n[0], CreatePlayer{}))
	}
	for len(groups)*len(players) < share.MaxLinks {
		groups = append(groups, w.must(n[1], CreateGroup{}))
		for _, id := range players {
			w.must(n[0], AddToGroup{Player: id, Group: groups[len(groups)-1]})
		}
	}
	g := w.must(n[1], CreateGroup{})
	assert.Equal(t, ErrShare, w.do(n[0], AddToGroup{Player: players[0], Group: g}).Err)
	assert.Equal(t, ErrShare, w.do(n[1], AddShortcut{Child: groups[0], Parent: g}).Err)
	n[0].events = nil
	w.say(n[1], n[0], &wire.AddPlayerToGroup{Player: ids[1], Group: g})
	assert.Equal(t, []Reason{LimitReached}, dropped(n[0]))
	own := w.must(n[0], CreateGroup{})
	w.must(n[1], AddToGroup{Player: ids[1], Group: own}) // in others' groups there is room
	w.must(n[1], DeleteGroup{ID: groups[0]})
	w.must(n[1], AddToGroup{Player: ids[1], Group: g})
}

// A newcomer does not bring it with its system player, either.
func TestShareOfANewcomer(t *testing.T) {
	w, n, _ := session(t, 0, 0, Config{})
	s, _ := w.stranger()
	id := w.givenAdmission(n[0], s)
	w.say(s, n[0], &wire.AddForwardRequest{Player: id, Info: wire.PackedPlayer{ID: id, System: id, Data: make([]byte, 900_000)}})
	assert.Equal(t, []Reason{Conflict}, dropped(n[0]))
	w.join(w.add("late", Config{}), n[0], "")
}

// givenAdmission returns the id that the host gave somebody who asks to be let in.
func (w *world) givenAdmission(host, to *node) (id wire.PlayerID) {
	w.cut = func(from, at *node, out Outgoing) bool {
		env, err := from.dec.DecodeStream(out.Data)
		if m, ok := env.Message.(*wire.RequestPlayerReply); err == nil && ok && at == to {
			id = m.ID
		}
		return false
	}
	w.say(to, host, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
	w.cut = nil
	return id
}
