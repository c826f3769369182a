package dpsp

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// asksFor has somebody with the TCP port ask for an id as a newcomer, and gives the answer.
func (w *world) asksFor(h *node, ip netip.Addr, port uint16) *wire.RequestPlayerReply {
	w.t.Helper()
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: port}}
	env := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9,
		Message: &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal}}
	b, err := env.Append(nil)
	require.NoError(w.t, err)
	out := h.Step(w.now, Input{Kind: Stream, From: netip.AddrPortFrom(ip, 40000), Data: b})
	h.events = append(h.events, out.Events...)
	require.Len(w.t, out.Sends, 1)
	assert.Equal(w.t, netip.AddrPortFrom(ip.Unmap(), port), out.Sends[0].To)
	var d wire.Decoder
	env, err = d.DecodeStream(out.Sends[0].Data)
	require.NoError(w.t, err)
	return env.Message.(*wire.RequestPlayerReply)
}

// A stranger that asks for ids from one address, with as many ports as there are, keeps nobody else out.
func TestAdmissionsOfOneAddress(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	h, greedy, other := n[0], netip.MustParseAddr("10.0.9.9"), netip.MustParseAddr("10.0.9.10")
	for i := range uint16(admit.MaxNewcomersEach) {
		require.Equal(t, wire.OK, w.asksFor(h, greedy, 2000+i).Result, i)
	}
	for i := range uint16(2000) {
		require.Equal(t, wire.ErrNoNewPlayers, w.asksFor(h, greedy, 3000+i).Result, i)
	}
	assert.Len(t, h.admission.Newcomers, admit.MaxNewcomersEach)
	again := w.asksFor(h, greedy, 2000)
	assert.Equal(t, wire.OK, again.Result, "one that asks again is on its way in already")
	assert.Equal(t, h.admission.Newcomers[0].ID, again.ID)
	assert.Equal(t, wire.OK, w.asksFor(h, other, 2300).Result)
	assert.Equal(t, wire.OK, w.asksFor(h, netip.MustParseAddr("::ffff:10.0.9.10"), 2301).Result)
	assert.Equal(t, wire.ErrNoNewPlayers, w.asksFor(h, netip.MustParseAddr("::ffff:10.0.9.9"), 5000).Result, "the same address")
	w.join(w.add("late", Config{}), h, "")
	w.run(idLife)
	w.step(h, Input{})
	assert.Empty(t, h.admission.Newcomers)
	assert.Equal(t, wire.OK, w.asksFor(h, greedy, 3000).Result, "what is not used goes back")
}

// All addresses together have a limit as well; beyond it those make room that did not go on.
func TestAdmissionsInAll(t *testing.T) {
	w, n, _ := session(t, 0, 0, Config{})
	for i := range admit.MaxNewcomers {
		ip := netip.AddrFrom4([4]byte{10, 7, byte(i / admit.MaxNewcomersEach), 1})
		require.Equal(t, wire.OK, w.asksFor(n[0], ip, uint16(2300+i)).Result, i)
	}
	// Those who have the most make room, so that strangers at few addresses keep nobody out.
	for i := range 10 {
		assert.Equal(t, wire.ErrNoNewPlayers, w.asksFor(n[0], netip.AddrFrom4([4]byte{10, 7, byte(i), 1}), 4000).Result)
	}
	for i := range 10 {
		w.join(w.add(fmt.Sprintf("late%d", i), Config{}), n[0], "")
	}
	assert.Len(t, n[0].peers.all, 10)
	for i := range admit.MaxNewcomers {
		ip := netip.AddrFrom4([4]byte{10, 8, byte(i >> 8), byte(i)})
		require.Equal(t, wire.OK, w.asksFor(n[0], ip, 2300).Result, i)
		assert.LessOrEqual(t, len(n[0].admission.Newcomers), admit.MaxNewcomers)
	}
	assert.Len(t, take[Dropped](n[0]), 10+admit.MaxNewcomers, "each refusal and each that made room is told")
	w.join(w.add("last", Config{}), n[0], "")
}

// A member that asks for ids and uses none leaves some for the others.
func TestPromisesOfOneMember(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	for range 2 * admit.MaxPromisesEach {
		w.say(n[1], n[0], &wire.RequestPlayerID{Flags: wire.PlayerLocal})
		w.say(n[1], n[0], &wire.RequestGroupID{})
	}
	assert.Len(t, n[0].admission.Promises, admit.MaxPromisesEach)
	w.must(n[2], CreatePlayer{})
	w.must(n[2], CreateGroup{})
}
