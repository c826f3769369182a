package dpsp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/fragment"
	"dplay4/wire"
)

// chats returns the addressees of the chat that a machine sends, by machine, from now on.
func (w *world) chats() *[]string {
	var log []string
	w.cut = func(from, to *node, out Outgoing) bool {
		var d wire.Decoder
		env, err := d.DecodeStream(out.Data)
		if out.Transport == UDP {
			env, err = d.DecodeDatagram(out.Data)
		}
		if m, ok := env.Message.(*wire.Chat); ok && err == nil {
			log = append(log, from.name+">"+to.name+" "+m.To.String())
		}
		return false
	}
	return &log
}

// 3.1.4.17: chat to a group is a copy to each player in it, but for the sender and players on its own machine; where
// two of them are on one machine, each gets one all the same. To one player or to everybody it is one copy a machine.
func TestChatCopies(t *testing.T) {
	for _, guaranteed := range []bool{true, false} {
		w, n, ids := session(t, 0, 3, Config{})
		second := w.must(n[2], CreatePlayer{})
		local := w.must(n[1], CreatePlayer{})
		g := w.must(n[1], CreateGroup{})
		for _, id := range []wire.PlayerID{ids[0], ids[1], ids[2], second, local} {
			w.must(n[1], AddToGroup{Player: id, Group: g})
		}
		for _, p := range n {
			p.events = nil
		}
		log := w.chats()
		w.must(n[1], Chat{From: ids[1], To: g, Guaranteed: guaranteed, Text: "x"})
		assert.Equal(t, []string{"peer1>host " + g.String(), "peer1>peer2 " + ids[2].String(), "peer1>peer2 " + second.String()}, *log)
		got := func(id, sent wire.PlayerID) ChatMessage {
			return ChatMessage{From: ids[1], FromName: "peer1", To: id, Sent: sent, Guaranteed: guaranteed, Text: "x"}
		}
		assert.Equal(t, []ChatMessage{got(ids[0], g)}, take[ChatMessage](n[0]))
		assert.Equal(t, []ChatMessage{got(local, g)}, take[ChatMessage](n[1]))
		assert.Equal(t, []ChatMessage{got(ids[2], ids[2]), got(second, second)}, take[ChatMessage](n[2]), "each player once")
		assert.Empty(t, take[ChatMessage](n[3]))
		*log = nil
		w.must(n[1], Chat{From: ids[1], To: second, Guaranteed: guaranteed, Text: "x"})
		w.must(n[1], Chat{From: ids[1], To: wire.IDAll, Guaranteed: guaranteed, Text: "x"})
		all := wire.PlayerID(wire.IDAll).String()
		assert.Equal(t, []string{"peer1>peer2 " + second.String(), "peer1>host " + all, "peer1>peer2 " + all, "peer1>peer3 " + all}, *log)
		assert.Len(t, take[ChatMessage](n[2]), 3)
		w.sane("chat")
	}
}

// MULTICASTSERVER: a member's chat to a group goes by the host, which passes it on as it is (3.1.4.16, 3.2.5.1), one
// copy a machine; the host's own is a copy to each player.
func TestChatCopiesByTheHost(t *testing.T) {
	w, n, ids := session(t, wire.SessionMulticastServer, 2, Config{})
	second := w.must(n[2], CreatePlayer{})
	g := w.must(n[1], CreateGroup{})
	for _, id := range []wire.PlayerID{ids[1], ids[2], second} {
		w.must(n[1], AddToGroup{Player: id, Group: g})
	}
	log := w.chats()
	n[2].events = nil
	w.must(n[1], Chat{From: ids[1], To: g, Guaranteed: true, Text: "x"})
	assert.Equal(t, []string{"host>peer2 " + g.String()}, *log)
	assert.Len(t, take[ChatMessage](n[2]), 2)
	*log = nil
	w.must(n[0], Chat{From: ids[0], To: g, Guaranteed: true, Text: "x"})
	assert.Equal(t, []string{"host>peer1 " + g.String(), "host>peer2 " + ids[2].String(), "host>peer2 " + second.String()}, *log)
	assert.Len(t, take[ChatMessage](n[2]), 2)
	w.sane("chat")
}

// Chat that needs fragments goes to all in the group, or to none of them if there are too many on their way.
func TestLargeChatToAGroup(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{MaxStream: 300})
	g := w.must(n[0], CreateGroup{})
	w.must(n[0], AddToGroup{Player: ids[1], Group: g})
	w.must(n[0], AddToGroup{Player: w.must(n[1], CreatePlayer{}), Group: g})
	text := strings.Repeat("long ", 100)
	w.must(n[0], Chat{From: ids[0], To: g, Guaranteed: true, Text: Text(text)})
	got := take[ChatMessage](n[1])
	require.Len(t, got, 2)
	assert.Equal(t, text, got[1].Text)
	w.cut = func(_, _ *node, _ Outgoing) bool { return true }
	for range fragment.MaxOutgoing - 1 {
		w.must(n[0], Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: make([]byte, 400)})
	}
	assert.Equal(t, ErrBusy, w.do(n[0], Chat{From: ids[0], To: g, Guaranteed: true, Text: Text(text)}).Err)
	assert.Equal(t, fragment.MaxOutgoing-1, n[0].fragments.out.Waiting())
	assert.NoError(t, w.do(n[0], Chat{From: ids[0], To: g, Guaranteed: true, Text: "short"}).Err)
}

// TestChatFromName: text has the name that its player had when it came, at its own machine as well.
func TestChatFromName(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	chat := func(want string) {
		for _, p := range n {
			p.events = nil
		}
		w.must(n[1], Chat{From: ids[1], To: wire.IDAll, Guaranteed: true, Text: "x"})
		got := take[ChatMessage](n[0])
		require.Len(t, got, 1)
		assert.Equal(t, want, got[0].FromName)
	}
	w.must(n[1], SetName{ID: ids[1], ShortName: "Ann"})
	chat("Ann")
	w.must(n[1], SetName{ID: ids[1], ShortName: "Bérénice"})
	chat("Bérénice")
	second := w.must(n[1], CreatePlayer{ShortName: "Cid"})
	n[1].events = nil
	w.must(n[1], Chat{From: ids[1], To: second, Text: "x"})
	assert.Equal(t, "Bérénice", take[ChatMessage](n[1])[0].FromName, "from a player of the same machine")
}
