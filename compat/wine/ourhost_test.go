//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/compat/wine"
	"dplay4/wire"
)

// A neighbourhood is the machines that the runs against ours share: Wine takes some seconds to start.
type neighbourhood struct {
	lab               *wine.Lab
	host, guest, late *wine.Machine // with our files
	one, two          *wine.Machine // with Wine
}

func newNeighbourhood(t *testing.T) (context.Context, *neighbourhood) {
	t.Helper()
	ctx, lab := newLab(t)
	n := &neighbourhood{lab: lab}
	for _, plug := range []struct {
		into **wine.Machine
		how  func(context.Context, string) (*wine.Machine, error)
		name string
	}{{&n.host, lab.Machine, "host"}, {&n.one, lab.Wine, "one"}, {&n.two, lab.Wine, "two"},
		{&n.guest, lab.Machine, "guest"}, {&n.late, lab.Machine, "late"}} {
		m, err := plug.how(ctx, plug.name)
		missing(t, err)
		*plug.into = m
	}
	return ctx, n
}

// recorded runs a part of a test and holds its recording against package captures: every octet decodes, nothing in it is
// odd, and our host said to Wine's clients what the part gives, its other side. That is for sessions in which nobody says
// what is odd.
func (n *neighbourhood) recorded(ctx context.Context, t *testing.T, run func() []string) {
	t.Helper()
	stop := record(ctx, t, n.lab)
	want := run()
	pcap := stop().Bytes()
	sum, commands := decode(ctx, t, bytes.NewBuffer(pcap))
	assert.True(t, sum.TCP.Balanced() && sum.UDP.Balanced(), "%+v", sum)
	assert.Zero(t, sum.Findings, sum.ByCode)
	assert.Contains(t, commands, "SUPERENUMPLAYERSREPLY")
	shows(t, "what our host sent says the same", func(t *testing.T) { assert.ElementsMatch(t, want, n.said(ctx, t, pcap)) })
}

// said returns what our host said to Wine's clients in a recording: whom it refused and why, and who is gone.
func (n *neighbourhood) said(ctx context.Context, t *testing.T, pcap []byte) []string {
	t.Helper()
	to := map[netip.Addr]string{n.one.Addr(): " to one", n.two.Addr(): " to two"}
	var all []string
	_, err := captures.Read(ctx, bytes.NewReader(pcap), captures.Options{Name: t.Name()}, func(r *captures.Record) error {
		whom, wines := to[r.Dst.Addr()]
		if r.Src.Addr() != n.host.Addr() || !wines {
			return nil
		}
		switch m := r.Envelope.Message.(type) {
		case *wire.AddForwardReply:
			all = append(all, m.Error.Name()+whom)
		case *wire.RequestPlayerReply:
			if m.Result != wire.OK {
				all = append(all, m.Result.Name()+whom)
			}
		case *wire.DeletePlayer:
			all = append(all, gone(m.Player.String())+whom)
		}
		return nil
	}, nil)
	require.NoError(t, err)
	return all
}

// gone is what said gives of a DELETEPLAYER.
func gone(id string) string { return id + " is gone" }

// shows runs one step of a session as a part of the test with a name that says what it shows. What follows needs it.
func shows(t *testing.T, what string, step func(t *testing.T)) {
	t.Helper()
	if !t.Run(what, step) {
		t.FailNow()
	}
}

// TestOurHost has Wine's own dplayx join sessions that this project hosts, with ids that are the same in every run.
func TestOurHost(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, n := newNeighbourhood(t)
	for _, c := range []struct {
		name string
		run  func(ctx context.Context, t *testing.T, n *neighbourhood) []string
	}{
		{"two-clients", func(ctx context.Context, t *testing.T, n *neighbourhood) []string {
			h := startOurs(ctx, t, n.host, ourRole{Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive,
				Player: "Host", Long: "of ours", Data: []byte("ours"), Echo: true})
			return twoClients(ctx, t, n, h)
		}},
		{"full", func(ctx context.Context, t *testing.T, n *neighbourhood) []string {
			h := startOurs(ctx, t, n.host, ourRole{Name: "small", MaxPlayers: 2, Player: "Host", Long: "of ours", Data: []byte("ours")})
			return fullSession(ctx, t, n, h)
		}},
		{"third", ourThird},
	} {
		t.Run(c.name, func(t *testing.T) { n.recorded(ctx, t, func() []string { return c.run(ctx, t, n) }) })
	}
}

// look enumerates until a session is found.
func look(ctx context.Context, t *testing.T, c *wine.Client) wine.Session {
	t.Helper()
	for {
		r := do(ctx, t, c, wine.Cmd("enum", application).With("flags", uint32(wire.EnumPasswordRequired)).With("timeout", 500))
		if len(r.Sessions) > 0 {
			return r.Sessions[0]
		}
		require.NoError(t, ctx.Err())
	}
}

// enters has a client join and make a player, which our machines have to be told of.
func enters(ctx context.Context, t *testing.T, c *wine.Client, session, short, long, data string, told ...*ours) wine.Word {
	t.Helper()
	join := wine.Cmd("join", session)
	if look(ctx, t, c).Flags&wine.Word(wire.SessionPasswordRequired) != 0 {
		join = join.With("password", "sesame")
	}
	do(ctx, t, c, join)
	player := do(ctx, t, c, wine.Cmd("create-player", short, long).With("data", data)).ID
	for _, o := range told {
		system := o.next(ctx, t, "peer_joined").System
		f := o.about(ctx, t, "player_created", player.String())
		assert.Equal(t, fact{Event: "player_created", ID: player.String(), Name: short, LongName: long, Data: data, System: system}, f)
		o.systems[player] = system
	}
	return player
}

// twoClients is the session of our host and two clients of Wine's. It gives what our host has to have said to them.
func twoClients(ctx context.Context, t *testing.T, n *neighbourhood, h *ours) []string {
	a, b := newClient(ctx, t, n.one), newClient(ctx, t, n.two)
	both := []*wine.Client{a, b}
	var pa, pb wine.Word
	shows(t, "two Wine clients enumerate our session", func(t *testing.T) {
		for _, c := range both {
			s := look(ctx, t, c)
			assert.Equal(t, []any{"ours", application, wine.Word(wire.SessionKeepAlive | wire.SessionPasswordRequired),
				uint32(1), uint32(8)},
				[]any{*s.Name, s.Application.String(), s.Flags, s.Players, s.MaxPlayers})
		}
	})
	shows(t, "both are refused with a wrong password and without one", func(t *testing.T) {
		for _, c := range both {
			refused(ctx, t, c, "DPERR_INVALIDPASSWORD", wine.Cmd("join", "ours").With("password", "wrong"))
			refused(ctx, t, c, "DPERR_INVALIDPASSWORD", wine.Cmd("join", "ours"))
		}
	})
	shows(t, "with the right one they join and make players, and our host learns names and data", func(t *testing.T) {
		pa = enters(ctx, t, a, "ours", "a", "first", "a1", h) // the first machine that our host tells of
		pb = enters(ctx, t, b, "ours", "b", "second", "b2", h)
	})
	shows(t, "both see each other and our player, with names and data", func(t *testing.T) {
		e := await(ctx, t, a, wine.About("player_created", pb))
		assert.Equal(t, []string{"b", "second", "\xb2"}, []string{*e.Short, *e.Long, string(e.Data.Data)})
		for _, c := range both {
			assert.ElementsMatch(t, []string{h.self, listed(pa.String(), "a", "first", "a1"), listed(pb.String(), "b", "second", "b2")},
				list(ctx, t, c))
		}
	})
	shows(t, "messages from client to client arrive unchanged, guaranteed and not, 1 and 60,000 octets", func(t *testing.T) {
		talk(ctx, t, a, b, pa, pb)
		talk(ctx, t, b, a, pb, pa)
	})
	shows(t, "our host gets messages unchanged and returns them, guaranteed and not, 8 and 60,000 octets", func(t *testing.T) {
		echo(ctx, t, h, a, pa)
		echo(ctx, t, h, b, pb)
	})
	lost := h.systems[pb]
	shows(t, "one client is killed, our host tells of it, and the other one plays on", func(t *testing.T) {
		require.NoError(t, b.Kill())
		f := h.next(ctx, t, "peer_lost")
		assert.Equal(t, lost, f.System, f.Reason)
		h.about(ctx, t, "player_deleted", pb.String())
		echo(ctx, t, h, a, pa)
		assert.Contains(t, ids(do(ctx, t, a, wine.Cmd("players")).Players), pb.String(), "Wine takes no DELETEPLAYER")
	})
	shows(t, "the other one quits, and our host tells of it, and of nobody else", func(t *testing.T) {
		require.NoError(t, a.Quit(ctx))
		h.about(ctx, t, "player_deleted", pa.String())
		h.none(t, "peer_joined", "player_created", "player_deleted", "message")
	})
	const wrong = "DPERR_INVALIDPASSWORD to "
	return []string{wrong + "one", wrong + "one", wrong + "two", wrong + "two", gone(pb.String()) + " to one",
		gone(lost) + " to one"}
}

// echo sends messages of all kinds to a player of ours, which has to get them as they are and return them as they are.
func echo(ctx context.Context, t *testing.T, o *ours, c *wine.Client, from wine.Word) {
	t.Helper()
	echoOf(ctx, t, o, c, from, 60000)
}

// echoOf is echo with another size for the large ones.
func echoOf(ctx context.Context, t *testing.T, o *ours, c *wine.Client, from wine.Word, large uint32) {
	t.Helper()
	for seed, size := range []uint32{8, 8, large, large} {
		guaranteed := seed%2 == 0
		sent := do(ctx, t, c, sendSize(o.player, size, uint32(seed+1), guaranteed))
		o.message(ctx, t, from, o.player, guaranteed, wine.Octets(int(size), uint32(seed+1)))
		e := await(ctx, t, c, wine.Named("message"))
		assert.Equal(t, []any{o.player, from, sent.CRC32, int(size)}, []any{e.From.String(), e.To, e.CRC32, e.Size})
	}
}

// fullSession is a session for two players: whoever is one too many is refused, until there is room. It gives what our
// host has to have said to the clients.
func fullSession(ctx context.Context, t *testing.T, n *neighbourhood, h *ours) []string {
	a, b := newClient(ctx, t, n.one), newClient(ctx, t, n.two)
	shows(t, "one client joins and fills the session", func(t *testing.T) {
		look(ctx, t, b)
		enters(ctx, t, a, "small", "a", "first", "a1", h)
	})
	shows(t, "its second player and the other client are refused", func(t *testing.T) {
		refused(ctx, t, a, "DPERR_NONEWPLAYERS", wine.Cmd("create-player", "x", "one too many"))
		refused(ctx, t, b, "DPERR_NONEWPLAYERS", wine.Cmd("join", "small"))
	})
	shows(t, "it quits, and our host tells of it, and of nobody who was refused", func(t *testing.T) {
		require.NoError(t, a.Quit(ctx))
		h.next(ctx, t, "player_deleted")
		h.none(t, "peer_joined", "player_created")
	})
	shows(t, "the other client is let in now that there is room", func(t *testing.T) {
		look(ctx, t, b)
		do(ctx, t, b, wine.Cmd("join", "small"))
		h.next(ctx, t, "peer_joined")
		require.NoError(t, b.Quit(ctx))
	})
	return []string{"DPERR_NONEWPLAYERS to one", "DPERR_NONEWPLAYERS to two"}
}

// ids returns the ids of players or groups.
func ids(players []wine.Player) []string {
	var all []string
	for _, p := range players {
		all = append(all, p.ID.String())
	}
	return all
}

// list returns the players that a client sees, each as listed does.
func list(ctx context.Context, t *testing.T, c *wine.Client) []string {
	t.Helper()
	players := do(ctx, t, c, wine.Cmd("players")).Players
	all := names(players)
	for i, p := range players {
		short, long, _ := strings.Cut(all[i], "/")
		all[i] = listed(p.ID.String(), short, long, hex.EncodeToString(p.Data.Data))
	}
	return all
}

// listed describes a player; data is hexadecimal.
func listed(id, short, long, data string) string {
	return fmt.Sprintf("%s %q %q %s", id, short, long, data)
}
