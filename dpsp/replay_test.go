package dpsp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// The game of the laboratory captures.
var labGame = wire.GUID(mustHex("0ba552a0e0ffcf119c4e00a0c905425e"))

// A replay feeds what a joiner sent to a host of today. The ids in it are those that its own host gave: they are
// replaced by ours as we give them.
type replay struct {
	*node
	w    *world
	ids  map[uint32]uint32 // theirs: ours
	next uint32            // the next id that their host gave
	sent []wire.Message
	to   []netip.AddrPort
}

func replayOf(t *testing.T, file string) *replay {
	t.Helper()
	w := newWorld(t)
	h := w.add("host", Config{})
	w.must(h, Host{Application: labGame, Name: "Replayed", MaxPlayers: 8, Flags: wire.SessionMigrateHost | wire.SessionKeepAlive})
	w.must(h, CreatePlayer{ShortName: "HostGuy"})
	r := &replay{node: h, w: w, ids: map[uint32]uint32{}, next: 0x3EA}
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		require.Len(t, f, 3)
		port, err := strconv.ParseUint(f[1], 10, 16)
		require.NoError(t, err)
		b, err := hex.DecodeString(f[2])
		require.NoError(t, err)
		kind := Stream
		if f[0] == "udp" {
			kind = Datagram
		}
		r.feed(kind, netip.AddrPortFrom(netip.MustParseAddr("10.77.0.2"), uint16(port)), r.translated(b))
	}
	return r
}

// translated puts our ids for theirs.
func (r *replay) translated(b []byte) []byte {
	for theirs, ours := range r.ids {
		var old, now [4]byte
		binary.LittleEndian.PutUint32(old[:], theirs)
		binary.LittleEndian.PutUint32(now[:], ours)
		b = bytes.ReplaceAll(b, old[:], now[:])
	}
	return b
}

func (r *replay) feed(kind Kind, from netip.AddrPort, b []byte) {
	out := r.Step(r.w.now, Input{Kind: kind, From: from, Data: b})
	r.events = append(r.events, out.Events...)
	var d wire.Decoder
	for _, s := range out.Sends {
		env, err := d.DecodeStream(bytes.Clone(s.Data))
		require.NoError(r.w.t, err)
		m := env.Message
		if reply, ok := m.(*wire.RequestPlayerReply); ok {
			require.Equal(r.w.t, wire.OK, reply.Result)
			r.ids[r.next] = uint32(reply.ID)
			r.next++
		}
		d = wire.Decoder{} // keep m
		r.sent, r.to = append(r.sent, m), append(r.to, s.To)
	}
}

// What Wine 10 sent to another host (captures/lab/02) works with ours.
func TestReplayWineJoiner(t *testing.T) {
	r := replayOf(t, "wine-02.txt")
	assert.Empty(t, eventsOf[Dropped](r.events))
	require.Len(t, r.sent, 4)
	assert.IsType(t, &wire.EnumSessionsReply{}, r.sent[0])
	assert.IsType(t, &wire.RequestPlayerReply{}, r.sent[1])
	assert.IsType(t, &wire.SuperEnumPlayersReply{}, r.sent[2])
	assert.IsType(t, &wire.RequestPlayerReply{}, r.sent[3])
	for _, to := range r.to {
		assert.Equal(t, "10.77.0.2:2300", to.String())
	}
	players := eventsOf[PlayerCreated](r.events)
	require.Len(t, players, 2)
	assert.Equal(t, "W10", players[1].ShortName)
	assert.Equal(t, "W10 Longname", players[1].LongName)
	assert.Equal(t, "w10data", string(players[1].Data))
	var said []string
	for _, m := range eventsOf[Message](r.events) {
		assert.Equal(t, players[1].ID, m.From)
		assert.Equal(t, players[0].ID, m.To)
		said = append(said, string(m.Payload))
	}
	assert.Equal(t, []string{"w10says #0\x00", "w10says #1\x00"}, said)
}

// Two of them on one machine (captures/lab/05): the first one is told of the second and never acknowledges in
// this replay, so the list is sent when the name table timer ends.
func TestReplayTwoWineJoiners(t *testing.T) {
	r := replayOf(t, "wine-05.txt")
	var kinds []string
	for i, m := range r.sent {
		kinds = append(kinds, m.Command().String()+" "+strconv.Itoa(int(r.to[i].Port())))
	}
	assert.Equal(t, []string{
		"ENUMSESSIONSREPLY 2300", "REQUESTPLAYERREPLY 2300", "SUPERENUMPLAYERSREPLY 2300", "REQUESTPLAYERREPLY 2300",
		"ENUMSESSIONSREPLY 2301", "REQUESTPLAYERREPLY 2301", "ADDFORWARD 2300", "REQUESTPLAYERREPLY 2301",
	}, kinds)
	assert.Empty(t, eventsOf[Dropped](r.events))
	assert.Len(t, eventsOf[PlayerCreated](r.events), 3)
	assert.Len(t, eventsOf[Message](r.events), 4)
	out := r.Step(DefaultPopulate, Input{})
	require.Len(t, out.Sends, 1)
	assert.Equal(t, "10.77.0.2:2301", out.Sends[0].To.String())
}
