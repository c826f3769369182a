package dpsp

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/admit"
	"dplay4/dpsp/internal/share"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A household is machines of one address: node is where they are, and each has a listener of its own.
type household struct {
	w    *world
	node *node
	host *node
	ids  []wire.PlayerID // their system players
	away bool            // they say that they listen at other addresses
	last wire.Message    // of the host to one of them
}

// household makes so many machines of one address join. They acknowledge newcomers, and do nothing by themselves.
func (w *world) household(host *node, machines int, away bool) *household {
	w.t.Helper()
	return w.householdAt(netip.Addr{}, host, machines, away)
}

// householdAt is household at an address, any one if that is zero.
func (w *world) householdAt(at netip.Addr, host *node, machines int, away bool) *household {
	w.t.Helper()
	h := &household{w: w, node: w.add("household", Config{}), host: host, away: away}
	if at.IsValid() {
		h.node.addr = at
	}
	before := w.cut
	w.cut = func(from, to *node, out Outgoing) bool {
		if to != h.node {
			return before != nil && before(from, to, out)
		}
		if out.Transport != TCP {
			return true
		}
		if env, err := from.dec.DecodeStream(out.Data); err == nil && from == host {
			h.last = env.Message
			if m, ok := env.Message.(*wire.AddForward); ok {
				h.queue(int(out.To.Port())-2300, &wire.AddForwardAck{ID: m.Player}, host)
			}
		}
		return true
	}
	for i := range machines {
		require.True(w.t, h.join(i), "machine %d: %+v", i, h.last)
	}
	return h
}

// ask has one more machine ask for an id, and reports whether it got one.
func (h *household) ask(i int) bool {
	h.say(i, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
	reply := h.last.(*wire.RequestPlayerReply)
	h.ids = append(h.ids, reply.ID)
	return reply.Result == wire.OK
}

// join has one more machine join, and reports whether it got the list.
func (h *household) join(i int) bool {
	if !h.ask(i) {
		return false
	}
	at := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: uint16(2300 + i)}, Datagram: wire.SockAddr{Family: wire.FamilyINet}}
	if h.away {
		at.Stream.Addr = [4]byte{172, 16, byte(i), byte(len(h.w.nodes))}
	}
	id := h.ids[i]
	h.say(i, &wire.AddForwardRequest{Player: id, Info: wire.PackedPlayer{
		Flags: wire.PlayerSystem | wire.PlayerLocal, ID: id, System: id, Version: uint32(wire.DX9), SPData: at.Append(nil),
	}})
	_, ok := h.last.(*wire.SuperEnumPlayersReply)
	return ok
}

// queue has a machine send a message to another one once the world settles.
func (h *household) queue(i int, m wire.Message, to *node) {
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: uint16(2300 + i)}}
	env := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
	b, err := env.Append(nil)
	require.NoError(h.w.t, err)
	h.w.queue = append(h.w.queue, packet{h.node, to.stream(), false, b})
}

// say has a machine send a message to the host.
func (h *household) say(i int, m wire.Message) {
	h.w.t.Helper()
	h.queue(i, m, h.host)
	h.w.settle()
}

// player has a machine make a player with data.
func (h *household) player(i int, data int) wire.PlayerID {
	h.w.t.Helper()
	h.say(i, &wire.RequestPlayerID{})
	reply, ok := h.last.(*wire.RequestPlayerReply)
	require.True(h.w.t, ok)
	m := &wire.CreatePlayer{Player: reply.ID, Info: wire.PackedPlayer{ID: reply.ID, System: h.ids[i], Data: make([]byte, data)}}
	for _, to := range h.w.nodes {
		if to != h.node {
			h.queue(i, m, to)
		}
	}
	h.w.settle()
	return reply.ID
}

// Machines of one address that fill their shares do not fill the list: what they have together is bounded, and everybody else can
// join and play.
func TestAddressDoesNotFillTheList(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, migrating} {
		w, n, _ := session(t, flags, 1, Config{})
		h := w.household(n[0], 9, false)
		made := 0
		for i := range 9 {
			if id := h.player(i, 127<<10); n[0].inList(id) {
				made++
			}
		}
		assert.Equal(t, share.MaxAddress/share.MaxOctets, made)
		assert.Contains(t, dropped(n[0]), LimitReached)
		assert.Less(t, n[0].sharedAt(h.node.addr), share.MaxAddress)
		for range 25 {
			late := w.add("late", Config{})
			w.join(late, n[0], "")
			w.must(late, CreatePlayer{ShortName: "late", Data: make([]byte, 1000)})
		}
		for _, p := range n {
			assert.Len(t, p.list.AppendSystems(nil), 2+9+25, p.name)
			players, _ := n[0].list.Len()
			got, _ := p.list.Len()
			assert.Equal(t, players, got, "%s was told that the others are gone", p.name)
		}
	}
}

func (n *node) inList(id wire.PlayerID) bool {
	_, there := n.list.System(id)
	return there
}

// A household of honest machines plays beside one another, however many there are of the size that games have.
func TestHonestHousehold(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	h := w.household(n[0], 8, false)
	for i := range 8 {
		for range 4 {
			assert.True(t, n[0].inList(h.player(i, 7<<10)))
		}
	}
	assert.Empty(t, dropped(n[0]))
	assert.Empty(t, dropped(n[1]))
}

// The bridge gives all machines of a party the address 127.0.0.1. They have the shares of machines and of all, and none by address.
func TestHonestPartyOverTheBridge(t *testing.T) {
	w, n, _ := session(t, 0, 0, Config{})
	h := w.householdAt(share.Bridge, n[0], 16, false)
	for i := range 16 {
		for range 4 {
			assert.True(t, n[0].inList(h.player(i, 7<<10)))
		}
	}
	assert.Empty(t, dropped(n[0]))
	assert.True(t, h.join(16), "one more")
	assert.NotEqual(t, n[0].site(h.ids[0]), n[0].site(h.ids[1]))
	made := 0
	for i := range 16 {
		if n[0].inList(h.player(i, 64<<10)) {
			made++
		}
	}
	assert.Less(t, made, 16)
	assert.Less(t, n[0].list.SuperSize(), share.MaxAll)
}

// All addresses together leave room for newcomers. The address that counts is the one that connections come from, whatever machines
// say about themselves.
func TestListKeepsRoomForNewcomers(t *testing.T) {
	w, n, _ := session(t, 0, 0, Config{})
	all := 0
	for range 5 {
		h := w.household(n[0], 2, true)
		for i := range 2 {
			if n[0].inList(h.player(i, 127<<10)) {
				all++
			}
		}
	}
	assert.Equal(t, share.MaxAll/share.MaxOctets, all, "not all of 5 addresses with 2 each")
	assert.Less(t, n[0].list.SuperSize(), share.MaxAll)
	late := w.add("late", Config{})
	w.join(late, n[0], "")
	assert.ErrorIs(t, w.do(n[0], CreatePlayer{Data: make([]byte, 127<<10)}).Err, ErrShare, "our own program is told at once")
}

// Machines that join and do nothing else take a part of the list that is bounded by address, too.
func TestMachinesOfAnAddress(t *testing.T) {
	w, n, _ := session(t, 0, 0, Config{})
	h := w.household(n[0], 1, false)
	h.player(0, 127<<10)
	const most = (share.MaxAddress + share.MaxOctets - 127<<10) / share.EntryOctets
	for i := range most {
		p := playerlist.Entry{ID: wire.PlayerID(1<<20 + i), Flags: wire.PlayerSystem}
		_, err := n[0].list.Apply(playerlist.AddPlayer{Entry: p})
		require.NoError(t, err)
		n[0].addPeer(p.ID, nil, wire.DX9, h.node.addr).seen = h.node.addr
		if i == most/2 {
			require.True(t, h.ask(1))
		}
	}
	assert.False(t, h.ask(2))
	assert.Equal(t, wire.ErrNoNewPlayers, h.last.(*wire.RequestPlayerReply).Result)
	assert.Equal(t, []Reason{LimitReached}, dropped(n[0]))
	w.slowJoin(w.add("late", Config{}), n[0])
}

// TestRefusedChangesAreCorrected: the host alone refuses a change by the share of an address or of all, and tells the others what it
// keeps, so that all have the same list. What it tells at full rate is bounded.
func TestRefusedChangesAreCorrected(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, migrating} {
		for _, cfg := range []Config{{}, {Compatible: true}} {
			w, n, _ := session(t, flags, 2, cfg)
			filler := w.household(n[0], 3, false)
			own := filler.player(2, 100)
			filler.say(2, &wire.RequestGroupID{})
			group := filler.last.(*wire.RequestPlayerReply).ID
			for i := range 2 {
				require.True(t, n[0].inList(filler.player(i, 127<<10)))
			}
			for _, p := range n {
				p.events = nil
			}
			say := func(m wire.Message) {
				for _, to := range n {
					filler.queue(2, m, to)
				}
				w.settle()
			}
			say(&wire.CreateGroup{Player: group, Info: wire.PackedPlayer{ID: group, System: filler.ids[2]}})
			most := 100 + share.MaxAddress - n[0].sharedAt(filler.node.addr) - share.LinkOctets + 1
			say(&wire.PlayerDataChanged{Player: own, Data: make([]byte, most)})
			require.Empty(t, dropped(n[0]))
			for range 100 {
				say(&wire.PlayerDataChanged{Player: own, Data: make([]byte, most+4000)})
				say(&wire.PlayerNameChanged{Player: own, ShortName: wire.NewText(strings.Repeat("n", 3000))})
			}
			say(&wire.AddPlayerToGroup{Player: own, Group: group})
			assert.Equal(t, slices.Repeat([]Reason{LimitReached}, 201), dropped(n[0]))
			w.run(w.now + 2*admit.CorrectEvery)
			for _, p := range n[1:] {
				assert.Equal(t, n[0].list.AppendPlayers(nil), p.list.AppendPlayers(nil), p.name)
				assert.False(t, p.list.IsMember(group, own))
				changed := eventsOf[PlayerChanged](p.events)
				require.NotEmpty(t, changed)
				assert.Len(t, changed[len(changed)-1].Data, most)
				assert.LessOrEqual(t, len(changed), 1+2*(100+1+admit.CorrectTimes))
			}
		}
	}
}
