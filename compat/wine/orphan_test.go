//go:build linux

package wine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// A besides is a session of a scripted host with another machine of ours in it, and a client of Wine's with a player.
type besides struct {
	host, member  *hostProcess
	machine, wine *wine.Machine // of the member, of the client
	c             *wine.Client
	player        wine.Word
}

func newBesides(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) *besides {
	t.Helper()
	b := &besides{wine: m}
	var err error
	b.machine, err = lab.Machine(ctx, "beside")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.machine.Close()) })
	b.member = startHost(ctx, t, b.machine, script{Member: true})
	_, b.host = newHost(ctx, t, lab, script{Application: application, Instance: instance, Name: "besides",
		Beside: b.machine.Addr().String()})
	b.c = newClient(ctx, t, m)
	find(ctx, t, b.c, b.host)
	do(ctx, t, b.c, wine.Cmd("join", "besides"))
	b.player = do(ctx, t, b.c, wine.Cmd("create-player", "me", "myself")).ID
	for _, want := range []string{"REQUESTPLAYERID", "ADDFORWARDREQUEST", "REQUESTPLAYERID", "CREATEPLAYER"} {
		b.host.next(ctx, t, want)
	}
	b.member.next(ctx, t, "CREATEPLAYER")
	await(ctx, t, b.c, wine.About("player_created", wine.Word(latePlayer)))
	b.talk(ctx, t)
	return b
}

// talk sends to the member, who returns it: guaranteed and not, small and large.
func (b *besides) talk(ctx context.Context, t *testing.T) {
	t.Helper()
	to := wine.Word(besidePlayer)
	for _, size := range []uint32{8, 60000} {
		for _, guaranteed := range []bool{true, false} {
			sent := do(ctx, t, b.c, sendSize(to.String(), size, 1, guaranteed))
			b.member.next(ctx, t, "PLAYERMESSAGE")
			hears(ctx, t, b.c, to.String(), b.player, sent.CRC32)
		}
	}
}

// says has the member send something to the client that is no answer.
func (b *besides) says(ctx context.Context, t *testing.T, m wire.Message) {
	t.Helper()
	speak(ctx, t, b.machine, speech{"tcp4", stream(b.wine), encode(t, m)})
}

// speaks has the member's player send game messages, guaranteed and not.
func (b *besides) speaks(ctx context.Context, t *testing.T) {
	t.Helper()
	for i, to := range []wire.PlayerID{wire.PlayerID(b.player), wire.IDAll} {
		m := wire.PlayerMessage{From: besidePlayer, To: to, Payload: []byte{0xD0, byte(i)}}
		b.says(ctx, t, &m)
		hears(ctx, t, b.c, wine.Word(besidePlayer).String(), b.player, crc(m.Payload))
		m.Payload = []byte{0xE0, byte(i)}
		bare, err := wire.AppendPlayerMessage(nil, &m)
		require.NoError(t, err)
		speak(ctx, t, b.machine, speech{"udp4", datagram(b.wine), bare})
		hears(ctx, t, b.c, wine.Word(besidePlayer).String(), b.player, crc(m.Payload))
	}
}

// iAmNameServer has the member say that it is the host now.
func (b *besides) iAmNameServer(ctx context.Context, t *testing.T) {
	t.Helper()
	b.says(ctx, t, &wire.IAmNameServer{Host: besideSystem, Flags: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup,
		SPData: spDataOf(b.machine.Addr())})
}

// newNameServer has another member say that it is the host, while the old one lives: the client goes on asking that.
func newNameServer(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	b := newBesides(ctx, t, lab, m)
	b.iAmNameServer(ctx, t)
	b.talk(ctx, t)
	b.speaks(ctx, t)
	do(ctx, t, b.c, wine.Cmd("create-player", "again", "me again"))
	b.host.next(ctx, t, "REQUESTPLAYERID")
	b.host.next(ctx, t, "CREATEPLAYER")
	b.member.next(ctx, t, "CREATEPLAYER") // and nothing before it
	for _, e := range b.c.Pending() {
		assert.Contains(t, []string{"player_created", "message"}, e.Name, "its own player, and what that got")
	}
	require.NoError(t, b.c.Quit(ctx))
}

// hostKilled kills the host, as a crash does. The client stays with the other member, hears and says everything as before,
// and cannot do what needs a host; that the other one is the host now changes nothing.
func hostKilled(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	b := newBesides(ctx, t, lab, m)
	idle := b.another(ctx, t, m)
	b.host.kill(t)
	result := make(chan *wine.Result, 1)
	go func() { // it waits half a minute
		r, _ := idle.Do(ctx, wine.Cmd("create-player", "in", "vain"))
		result <- r
	}()
	dead := wine.Word(hostPlayer).String()
	do(ctx, t, b.c, wine.Cmd("send", dead, "00").Flag("guaranteed")) // into a connection whose end it does not notice
	for range 2 {
		b.talk(ctx, t)
		b.speaks(ctx, t)
		refused(ctx, t, b.c, "DPERR_UNAVAILABLE", wine.Cmd("send", dead, "01").Flag("guaranteed"))
		do(ctx, t, b.c, wine.Cmd("send", dead, "02"))
		// It says that this failed; but it went to those who are there.
		refused(ctx, t, b.c, "DPERR_UNAVAILABLE", wine.Cmd("send", "all", "03").Flag("guaranteed"))
		do(ctx, t, b.c, wine.Cmd("send", "all", "04"))
		for _, payload := range [][]byte{{3}, {4}} {
			b.member.next(ctx, t, "PLAYERMESSAGE")
			hears(ctx, t, b.c, wine.Word(besidePlayer).String(), b.player, crc(payload))
		}
		refused(ctx, t, b.c, "DPERR_UNAVAILABLE", wine.Cmd("create-player", "again", "me again"))
		assert.Empty(t, b.c.Pending(), "the game is told nothing")
		b.iAmNameServer(ctx, t)
	}
	assert.Contains(t, names(do(ctx, t, b.c, wine.Cmd("players")).Players), "Host/The Host", "it stays in the list")
	b.newcomer(ctx, t)
	require.NoError(t, b.c.Quit(ctx))
	r := <-result
	require.NotNil(t, r)
	assert.Equal(t, "DPERR_TIMEOUT", r.HR, "its request went into the connection whose end it had not noticed")
	assert.InDelta(t, 30_000, r.MS, 5_000)
	refused(ctx, t, idle, "DPERR_UNAVAILABLE", wine.Cmd("create-player", "in", "vain"))
	require.NoError(t, idle.Quit(ctx))
}

// another has a second client come, that says nothing to the host once it is in.
func (b *besides) another(ctx context.Context, t *testing.T, m *wine.Machine) *wine.Client {
	t.Helper()
	c := newClient(ctx, t, m)
	find(ctx, t, c, b.host)
	do(ctx, t, c, wine.Cmd("join", "besides"))
	for _, want := range []string{"REQUESTPLAYERID", "ADDFORWARDREQUEST", "ADDFORWARDACK"} {
		b.host.next(ctx, t, want)
	}
	return c
}

// newcomer has the member let somebody in, as a new host does. The client takes it from any member, and says so to the
// host that is gone: a new host that waits for its ADDFORWARDACK waits for nothing.
func (b *besides) newcomer(ctx context.Context, t *testing.T) {
	t.Helper()
	const system, id = wire.PlayerID(0x00010021), wire.PlayerID(0x00010022)
	s := player(system, "", "", nil)
	s.Flags, s.System, s.SPData = wire.PlayerSystem|wire.PlayerInGroup, system, spDataOf(b.machine.Addr())
	b.says(ctx, t, &wire.AddForward{Player: system, Info: s})
	p := player(id, "New", "Comer", []byte{7})
	p.System, p.SPData = system, s.SPData
	b.says(ctx, t, &wire.CreatePlayer{Player: id, Info: p})
	e := await(ctx, t, b.c, wine.About("player_created", wine.Word(id)))
	assert.Equal(t, []string{"New", "Comer", "\x07"}, []string{*e.Short, *e.Long, string(e.Data.Data)})
	for i, guaranteed := range []bool{true, false} {
		sent := do(ctx, t, b.c, sendSize(wine.Word(id).String(), 8, uint32(i), guaranteed))
		b.member.next(ctx, t, "PLAYERMESSAGE") // and no ADDFORWARDACK before it
		hears(ctx, t, b.c, wine.Word(id).String(), b.player, sent.CRC32)
	}
}
