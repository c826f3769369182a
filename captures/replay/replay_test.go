package replay

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

const (
	hostIP   = "10.1.0.1"
	joinerIP = "10.1.0.2"
	system   = wire.PlayerID(0x00010042) // the host's
	joiner   = wire.PlayerID(0x00010043)
	ann      = wire.PlayerID(0x00010044) // the joiner's
)

var desc = wire.SessionDesc{Flags: wire.SessionMigrateHost | wire.SessionKeepAlive, Instance: wire.GUID{1, 2, 3},
	Application: wire.GUID{9}, MaxPlayers: 4, Reserved1: 0x42}

func spData() []byte {
	at := func(port uint16) wire.SockAddr { return wire.SockAddr{Family: wire.FamilyINet, Port: port} }
	return wire.SPData{Stream: at(2300), Datagram: at(2350)}.Append(nil)
}

// joins writes a join and a player "Ann" as our engines would exchange them, by [MC-DPL4CS] 4.1 and the facts.
func joins(m *madeUp) {
	m.say(joinerIP, hostIP, &wire.EnumSessions{Application: desc.Application, Flags: wire.EnumAll})
	m.say(hostIP, joinerIP, &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("made up")})
	m.say(joinerIP, hostIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
	m.say(hostIP, joinerIP, &wire.RequestPlayerReply{ID: joiner})
	m.say(joinerIP, hostIP, &wire.AddForwardRequest{Player: joiner, Password: wire.NewText(""), Reserved1: desc.Reserved1,
		Info: wire.PackedPlayer{
			Flags: wire.PlayerSystem | wire.PlayerLocal, ID: joiner, System: joiner, Version: uint32(wire.DX9), SPData: spData()}})
	newcomer := wire.SPData{Stream: wire.SockAddr{Family: 2, Port: 2300, Addr: [4]byte{10, 1, 0, 2}},
		Datagram: wire.SockAddr{Family: 2, Port: 2350, Addr: [4]byte{10, 1, 0, 2}}}
	m.say(hostIP, joinerIP, &wire.SuperEnumPlayersReply{Desc: desc, Name: wire.NewText("made up"), Players: []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerInGroup, ID: joiner, Owner: uint32(wire.DX9), SPData: newcomer.Append(nil)},
		{Flags: wire.PlayerSystem | wire.PlayerInGroup | wire.PlayerNameServer | wire.PlayerLocal, ID: system,
			Owner: uint32(wire.DX9), SPData: spData()},
	}})
	m.say(joinerIP, hostIP, &wire.RequestPlayerID{Flags: wire.PlayerLocal})
	m.say(hostIP, joinerIP, &wire.RequestPlayerReply{ID: ann})
	m.say(joinerIP, hostIP, &wire.CreatePlayer{Player: ann, Info: wire.PackedPlayer{
		Flags: wire.PlayerLocal, ID: ann, System: joiner, Version: uint32(wire.DX9), ShortName: wire.NewText("Ann"), SPData: spData()}})
}

// A session of ours is replayed without a difference, its host with other ids.
func TestEqual(t *testing.T) {
	m := newMadeUp(t)
	joins(m)
	m.say(joinerIP, hostIP, &wire.DeletePlayer{Player: ann})
	m.say(joinerIP, hostIP, &wire.DeletePlayer{Player: joiner})
	all := parties(t, m.capture(), Options{})
	for _, at := range []string{hostIP + ":2300", joinerIP + ":2300"} {
		p := all[at]
		assert.Empty(t, p.Differences, at)
		assert.Empty(t, p.NotPlayed)
		assert.Equal(t, p.Compared, p.Equal)
	}
	h, j := all[hostIP+":2300"], all[joinerIP+":2300"]
	assert.Equal(t, 4, h.Compared)
	assert.Equal(t, Mapped{IDs: 3, Masks: 1}, Mapped{IDs: h.Mapped.IDs, Masks: h.Mapped.Masks})
	assert.Equal(t, 7, j.Compared)
	assert.Zero(t, j.Mapped.IDs)
	assert.Equal(t, map[string]int{"Enumerate": 1, "Join": 1, "CreatePlayer": 1, "Leave": 1}, j.Commands)
	assert.Contains(t, h.Commands, "Host")
}

// What differs is named: a field of another value, a message of one side only.
func TestDifferences(t *testing.T) {
	m := newMadeUp(t)
	joins(m)
	m.say(joinerIP, hostIP, &wire.PlayerMessage{From: 0x77, To: 0, Payload: []byte("not its player")})
	m.say(hostIP, joinerIP, &wire.SessionDescChanged{Desc: desc, Name: wire.NewText("another")})
	m.say(hostIP, joinerIP, &wire.AddForward{Player: 0x99, Info: wire.PackedPlayer{ID: 0x99, Flags: wire.PlayerSystem}})
	c := m.capture()
	all := parties(t, c, Options{As: Joiner})
	require.Len(t, all, 1)
	j := all[joinerIP+":2300"]
	require.Len(t, j.Differences, 2)
	assert.Equal(t, Missing, j.Differences[0].Kind)
	assert.Equal(t, "PLAYERMESSAGE", j.Differences[0].Message)
	assert.Equal(t, "no player or group has this id", j.Differences[0].Note)
	assert.Equal(t, 10, j.Differences[0].N)
	assert.Equal(t, Extra, j.Differences[1].Kind, "ours acknowledges the newcomer")
	assert.Equal(t, "ADDFORWARDACK", j.Differences[1].Message)
	assert.Equal(t, 12, j.Differences[1].N)
	text := string(AppendParty(nil, &j, true))
	for _, says := range []string{
		"joiner 10.1.0.2:2300, dialect 14: 5 messages compared, 5 equal; 1 that ours does not send, 1 that only ours sends\n",
		"message 10, frame ", ", PLAYERMESSAGE to 10.1.0.1:2300: ours does not send it: no player or group has this id\n",
		"after message 12, frame ", ", ADDFORWARDACK to 10.1.0.1:2300: only ours sends it",
	} {
		assert.Contains(t, text, says)
	}
}

// An id that the machine has from the capture stands for itself: another one is a difference, not a mapping.
func TestWrongID(t *testing.T) {
	m := newMadeUp(t)
	joins(m)
	m.say(hostIP, joinerIP, &wire.Ping{From: system, Tick: 5})
	m.say(joinerIP, hostIP, &wire.PingReply{From: ann, Tick: 6}) // its system player, and the same tick
	j := parties(t, m.capture(), Options{})[joinerIP+":2300"]
	require.Len(t, j.Differences, 2)
	assert.Equal(t, "IDFrom", j.Differences[0].Field)
	assert.Equal(t, ann.String(), j.Differences[0].Recorded)
	assert.Equal(t, joiner.String(), j.Differences[0].Ours)
	assert.Equal(t, "TickCount", j.Differences[1].Field)
}

// A host that has members from before the capture cannot be replayed, nor a machine whose join is missing.
func TestNotPlayed(t *testing.T) {
	m := newMadeUp(t)
	m.say(hostIP, joinerIP, &wire.SuperEnumPlayersReply{Desc: desc,
		Players: []wire.SuperPackedPlayer{{Flags: wire.PlayerSystem, ID: 0x77, Owner: 14, SPData: spData()}}})
	m.say(joinerIP, hostIP, &wire.DeletePlayer{Player: ann})
	c := m.capture()
	r, err := c.Run(context.Background(), Options{})
	require.NoError(t, err)
	assert.False(t, r.Equal())
	all := parties(t, c, Options{})
	assert.Contains(t, all[hostIP+":2300"].NotPlayed, "0x00000077")
	assert.Contains(t, all[joinerIP+":2300"].NotPlayed, "not in the capture")

	m = newMadeUp(t)
	secure := desc
	secure.Flags |= wire.SessionSecureServer
	m.say(hostIP, joinerIP, &wire.EnumSessionsReply{Desc: secure, Name: wire.NewText("secure")})
	assert.Contains(t, parties(t, m.capture(), Options{})[hostIP+":2300"].NotPlayed, dpsp.ErrFlags.Error())
}

// A machine that stood still is told by the pings that waited for it (captures/migration/frozen-host), a host whose end
// a machine knew by what it answers (killed-modern).
func TestHidden(t *testing.T) {
	opt := Options{Config: dpsp.Config{Period: 500 * time.Millisecond, Probes: 3}}
	p := parties(t, open(t, "migration/frozen-host.pcapng"), opt)["127.0.3.10:2300"]
	require.Len(t, p.StoodStill, 1)
	assert.Greater(t, p.StoodStill[0].Until-p.StoodStill[0].From, 1500*time.Millisecond)
	onlyConnections(t, p)
	p = parties(t, open(t, "migration/killed-modern.pcapng"), opt)["127.0.3.12:2300"]
	assert.Positive(t, p.Commands["a connection ends"])
	onlyConnections(t, p)
}

// onlyConnections checks that a party differs at most in the messages that depend on the moment in which a connection ends or begins.
func onlyConnections(t *testing.T, p Party) {
	t.Helper()
	assert.NotZero(t, p.Equal)
	for _, d := range p.Differences {
		assert.Contains(t, []string{"PING", "EXTENSION ARRIVED", "EXTENSION HELLO"}, d.Message)
	}
}

// The same capture gives the same report, and Watch is told of every message.
func TestDeterminism(t *testing.T) {
	c := open(t, "interop/ourhost-third-machine.pcap")
	once, err := c.Run(context.Background(), Options{})
	require.NoError(t, err)
	steps, equal := map[netip.AddrPort]int{}, 0
	again, err := c.Run(context.Background(), Options{Watch: func(p *Party, s Step) {
		steps[p.Address]++
		if s.Equal {
			equal++
		}
	}})
	require.NoError(t, err)
	assert.Equal(t, once, again)
	compared := 0
	for _, p := range once.Parties {
		assert.Equal(t, p.Compared+p.Missing+p.Extra, steps[p.Address])
		compared += p.Equal
	}
	assert.Equal(t, compared, equal)
}

func TestProgressEnds(t *testing.T) {
	c := open(t, "lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap")
	enough := errors.New("enough")
	_, err := c.Run(context.Background(), Options{Progress: func(time.Duration) error { return enough }})
	assert.ErrorIs(t, err, enough)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = c.Run(ctx, Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

// Files that are none, and files that are too large, are refused; one that is cut short is taken up to there.
func TestRead(t *testing.T) {
	_, err := Read(context.Background(), strings.NewReader("no capture at all, really"), captures.Options{})
	assert.Error(t, err)
	_, err = Read(context.Background(), &endless{}, captures.Options{})
	assert.ErrorIs(t, err, ErrTooLarge)
	m := newMadeUp(t)
	joins(m)
	require.NoError(t, m.w.Close())
	c, err := Read(context.Background(), bytes.NewReader(m.b.Bytes()[:m.b.Len()-700]), captures.Options{})
	require.NoError(t, err)
	assert.Less(t, len(c.messages), 9)
	assert.NotEmpty(t, c.messages)
}

// endless is a file that does not end.
type endless struct{}

func (*endless) Read(p []byte) (int, error) { return len(p), nil }

// FuzzReplay replays whatever a file holds: no panic, no hang, and counts that agree.
func FuzzReplay(f *testing.F) {
	for _, name := range []string{"lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap", "lab/09-rzhost-group-w10join.pcap",
		"lab/11b-loopback-rzhost-asis-rawjoiner.pcap"} {
		f.Add(octetsOf(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(context.Background(), bytes.NewReader(b), captures.Options{})
		if err != nil {
			return
		}
		r, err := c.Run(context.Background(), Options{})
		require.NoError(t, err)
		for i := range r.Parties {
			p := &r.Parties[i]
			assert.LessOrEqual(t, p.Equal, p.Compared)
			assert.LessOrEqual(t, p.Compared+p.Missing, len(c.messages))
			AppendParty(nil, p, true)
		}
		l, err := c.Live(netip.AddrPort{}, 2300, 2350)
		for err == nil {
			a, more := l.Next()
			if !more {
				break
			}
			if !a.Send && a.Fits(a.Transport, a.message.raw) {
				l.Take(&a, a.message.raw)
			}
		}
	})
}

// Names, the password and chat are replayed octet for octet: in 8 bits, odd ones, and none at all, as Windows programs
// send them that give no long name.
func TestTextOctets(t *testing.T) {
	for name, text := range map[string]func(string) wire.Text{
		"8 bits": wire.NewText8,
		"UTF-16": wire.NewText,
		"none":   func(string) wire.Text { return nil },
		"odd":    func(s string) wire.Text { return append(append(wire.Text(s), 1), make([]byte, 2+(len(s)+1)%2)...) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMadeUp(t)
			say, d := m.say, desc
			if text("x") != nil {
				d.Flags |= wire.SessionPasswordRequired
			}
			say(joinerIP, hostIP, &wire.EnumSessions{Application: d.Application, Flags: wire.EnumAll, Password: text("sesame")})
			say(hostIP, joinerIP, &wire.EnumSessionsReply{Desc: d, Name: wire.NewText8("Castle")})
			say(joinerIP, hostIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
			say(hostIP, joinerIP, &wire.RequestPlayerReply{ID: joiner})
			say(joinerIP, hostIP, &wire.AddForwardRequest{Player: joiner, Password: text("sesame"), Reserved1: d.Reserved1,
				Info: wire.PackedPlayer{
					Flags: wire.PlayerSystem | wire.PlayerLocal, ID: joiner, System: joiner, Version: uint32(wire.DX9), SPData: spData()}})
			newcomer := wire.SPData{Stream: wire.SockAddr{Family: 2, Port: 2300, Addr: [4]byte{10, 1, 0, 2}},
				Datagram: wire.SockAddr{Family: 2, Port: 2350, Addr: [4]byte{10, 1, 0, 2}}}
			say(hostIP, joinerIP, &wire.SuperEnumPlayersReply{Desc: d, Name: wire.NewText8("Castle"), Password: text("sesame"),
				Players: []wire.SuperPackedPlayer{
					{Flags: wire.PlayerSystem | wire.PlayerInGroup, ID: joiner, Owner: uint32(wire.DX9), SPData: newcomer.Append(nil)},
					{Flags: wire.PlayerSystem | wire.PlayerInGroup | wire.PlayerNameServer | wire.PlayerLocal, ID: system,
						Owner: uint32(wire.DX9), SPData: spData()},
				}})
			say(joinerIP, hostIP, &wire.RequestPlayerID{Flags: wire.PlayerLocal})
			say(hostIP, joinerIP, &wire.RequestPlayerReply{ID: ann})
			say(joinerIP, hostIP, &wire.CreatePlayer{Player: ann, Info: wire.PackedPlayer{
				Flags: wire.PlayerLocal, ID: ann, System: joiner, Version: uint32(wire.DX9), ShortName: text("Anna"), SPData: spData()}})
			say(joinerIP, hostIP, &wire.PlayerNameChanged{Player: ann, LongName: text("Anna")})
			if text("x") != nil {
				say(joinerIP, hostIP, &wire.Chat{Flags: wire.ChatGuaranteed, From: ann, To: wire.IDAll, Text: text("hello")})
			}
			all := parties(t, m.capture(), Options{})
			require.Len(t, all, 2)
			for at, p := range all {
				assert.Empty(t, p.NotPlayed, at)
				assert.Empty(t, p.Differences, at)
				assert.NotZero(t, p.Compared, at)
				assert.Equal(t, p.Compared, p.Equal, at)
			}
		})
	}
}
