//go:build linux

package wine_test

import (
	"context"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// two clients meet in one session and talk to each other, past the host. Then one is killed.
func two(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	other, err := lab.Wine(ctx, "second")
	require.NoError(t, err)
	_, host := newHost(ctx, t, lab, script{Application: application, Instance: instance, Name: "pair"})
	first, second := newClient(ctx, t, m), newClient(ctx, t, other)

	find(ctx, t, first, host)
	do(ctx, t, first, wine.Cmd("join", "pair"))
	a := do(ctx, t, first, wine.Cmd("create-player", "a", "first").With("data", "a1")).ID
	for _, want := range []string{"REQUESTPLAYERID", "ADDFORWARDREQUEST", "REQUESTPLAYERID", "CREATEPLAYER"} {
		host.next(ctx, t, want)
	}
	find(ctx, t, second, host)
	do(ctx, t, second, wine.Cmd("join", "pair"))
	host.next(ctx, t, "REQUESTPLAYERID")
	host.next(ctx, t, "ADDFORWARDREQUEST")
	host.next(ctx, t, "ADDFORWARDACK") // of the first
	b := do(ctx, t, second, wine.Cmd("create-player", "b", "second").With("data", "b2")).ID

	e := await(ctx, t, first, wine.About("player_created", b))
	assert.Equal(t, []string{"b", "second", "\xb2"}, []string{*e.Short, *e.Long, string(e.Data.Data)})
	assert.Contains(t, names(do(ctx, t, second, wine.Cmd("players")).Players), "a/first")

	talk(ctx, t, first, second, a, b)
	talk(ctx, t, second, first, b, a)
	require.NoError(t, second.Kill())
	do(ctx, t, first, wine.Cmd("send", wine.Word(hostPlayer).String(), "00"))
	host.next(ctx, t, "REQUESTPLAYERID") // of the second
	host.next(ctx, t, "CREATEPLAYER")
	host.next(ctx, t, "PLAYERMESSAGE")
	assert.Contains(t, names(do(ctx, t, first, wine.Cmd("players")).Players), "b/second", "Wine watches over nobody")
	require.NoError(t, first.Quit(ctx))
}

// talk sends from one to the other: guaranteed, not guaranteed, large.
func talk(ctx context.Context, t *testing.T, from, to *wine.Client, sender, receiver wine.Word) {
	t.Helper()
	talkOf(ctx, t, from, to, sender, receiver, 60000)
}

// talkOf is talk with another size for large.
func talkOf(ctx context.Context, t *testing.T, from, to *wine.Client, sender, receiver wine.Word, large uint32) {
	t.Helper()
	for _, command := range []wine.Command{
		sendSize(receiver.String(), large, 7, true),
		sendSize(receiver.String(), large, 8, false),
		sendSize(receiver.String(), 1, 9, false),
	} {
		sent := do(ctx, t, from, command)
		e := await(ctx, t, to, wine.Named("message"))
		assert.Equal(t, []wine.Word{sender, receiver, sent.CRC32}, []wine.Word{e.From, e.To, e.CRC32}, command)
		assert.Equal(t, sent.Size, e.Size)
	}
	assert.Equal(t, wire.PlayerID(sender), wire.PlayerID(do(ctx, t, from, wine.Cmd("send", receiver.String(), "ff")).From))
	e := await(ctx, t, to, wine.Named("message"))
	assert.Equal(t, crc32.ChecksumIEEE([]byte{0xff}), uint32(e.CRC32))
}
