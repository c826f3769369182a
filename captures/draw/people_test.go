package draw

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/wire"
)

// TestLanes holds the lanes of captures: who plays where, who was host, what is no machine.
func TestLanes(t *testing.T) {
	for name, want := range map[string][]string{
		// A host whose list does not say where its players begin is host all the same, and what stands in the place of ids
		// that nobody announced is no player (captures/lab/README.md).
		"../lab/01-rzhost-asis-w10join-fails-packedoffset0.pcap": {"10.77.0.2:2300 no player", "10.77.0.1:2300 no player host", "255.255.255.255:47624 everybody"},
		"../lab/03-rzhost-rzjoin-asis.pcap":                      {"10.77.0.2:2300 no player", "10.77.0.1:2300 no player host", "255.255.255.255:47624 everybody"},
		"../lab/10-rzhost-rzjoin-asis-gamemsg-clobbered.pcap":    {"10.77.0.2:2300 no player", "10.77.0.1:2300 no player host", "255.255.255.255:47624 everybody"},
		capture02: {`10.77.0.2:2300 "W10"`, `10.77.0.1:2300 "HostGuy" host`, "255.255.255.255:47624 everybody"},
		// UDP sockets are their machines'.
		"../lab/04-rzhost-w10join-unreliable-udp.pcap": {`10.77.0.2:2300 "W10"`, `10.77.0.1:2300 "HostGuy" host`, "255.255.255.255:47624 everybody"},
		// Two machines on one computer; who is asked on port 47624 is the host.
		"../lab/11-loopback-rzhost-rawjoiner.pcap": {`127.0.0.1:2301 "Raw"`, `127.0.0.1:2300 "RZHost" host`},
		thirdMachine: {`192.0.2.4:2300 "Ann"`, `192.0.2.1:2300 "Host" host`, `192.0.2.2:2300 "a"`, `192.0.2.3:2300 "b"`, "255.255.255.255:47624 everybody"},
		killedHost: {`127.0.3.12:2300 "p2" host`, `127.0.3.10:2300 "p0" host`, `127.0.3.11:2300 "p1" host`, `127.0.3.13:2300 "p3"`,
			`127.0.3.14:2300 "p4"`, `127.0.3.15:2300 "p5"`},
	} {
		d := drawn(t, name, Options{})
		var got []string
		for i := range d.Lanes {
			l := &d.Lanes[i]
			text := l.Where() + " " + l.Who()
			if l.Host {
				text += " host"
			}
			got = append(got, text)
		}
		assert.Equal(t, want, got, name)
	}
}

// TestUDPSocket: what goes to a UDP socket goes to the machine that it later shows to be of; of two machines with one
// address that nothing tells apart, the socket stays by itself.
func TestUDPSocket(t *testing.T) {
	udp := func(n int, from, to string, m wire.Message) *captures.Record {
		r := made(n, time.Duration(n)*ms, netip.MustParseAddrPort(from), netip.MustParseAddrPort(to), m)
		r.Transport, r.Src, r.To.Sure = captures.UDP, netip.AddrPortFrom(r.Src.Addr(), 2399), false
		return r
	}
	known := udp(5, "10.0.0.1:2300", "10.0.0.2:2351", &wire.Ping{Tick: 3})
	known.To = captures.Machine{At: netip.MustParseAddrPort("10.0.0.2:2301"), Sure: true}
	b := NewBuilder(Options{})
	b.Add(made(1, 0, netip.MustParseAddrPort("10.0.0.2:2301"), alice, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 7}}))
	b.Add(made(2, 0, netip.MustParseAddrPort("10.0.0.2:2300"), alice, &wire.RequestPlayerID{}))
	b.Add(udp(3, "10.0.0.1:2300", "10.0.0.2:2351", &wire.Ping{Tick: 1}))
	b.Add(udp(4, "10.0.0.1:2300", "10.0.0.2:2350", &wire.Ping{Tick: 2}))
	b.Add(known)
	d := b.Diagram()
	assert.Equal(t, []string{"A>B CREATEPLAYER 1", "C>B REQUESTPLAYERID 1", "B>A PING 1", "B>D PING 1", "B>A PING 1"}, rows(d))
	assert.Equal(t, "10.0.0.2:2350", d.Lanes[3].Where())
}

// TestBroadcasts tells addresses of everybody from those of machines.
func TestBroadcasts(t *testing.T) {
	for to, want := range map[string]LaneKind{
		"255.255.255.255:47624": Broadcast, "10.0.0.255:47624": Broadcast, "224.0.0.1:47624": Broadcast, "10.0.0.9:47624": Machine, "10.0.0.255:2300": Machine,
	} {
		b := NewBuilder(Options{})
		r := made(1, 0, alice, netip.MustParseAddrPort(to), &wire.EnumSessions{})
		r.Transport, r.To.Sure = captures.UDP, false
		b.Add(r)
		d := b.Diagram()
		require.Len(t, d.Lanes, 2)
		assert.Equal(t, want, d.Lanes[1].Kind, to)
	}
}

// TestPlayers holds the table of players for a session in which machines die, and one in which a player changes its name.
func TestPlayers(t *testing.T) {
	text := func(d *Diagram) (list []string) {
		for i := range d.Players {
			p := &d.Players[i]
			left := ""
			if p.Until.N > 0 {
				left = fmt.Sprintf(" left in message %d", p.Until.N)
			}
			var names []string
			for _, n := range p.Names {
				names = append(names, n.Name)
			}
			list = append(list, fmt.Sprintf("%v %q %s, lane %d, from message %d%s", p.ID, names, p.Kind(), p.Lane, p.From.N, left))
		}
		return list
	}
	assert.Equal(t, []string{
		`0x000003ea [] machine's own, lane 0, from message 5`,
		`0x19a9d65b [] host's own, lane 1, from message 6`,
		`0x000003e9 ["HostGuy"] player, lane 1, from message 6`,
		`0x000003eb ["W10"] player, lane 0, from message 9`,
	}, text(drawn(t, capture02, Options{})))

	d := drawn(t, killedHost, Options{})
	gone := map[string]bool{}
	for i := range d.Players {
		if p := &d.Players[i]; p.Until.N > 0 {
			gone[p.Name] = true
			assert.Less(t, p.From.Since, p.Until.Since)
		} else {
			assert.Equal(t, d.Duration, p.Until.Since)
		}
	}
	assert.Equal(t, map[string]bool{"": true, "p0": true, "p1": true, "p2": true}, gone)
}

// TestPlayersOfSome: where only some messages are drawn, players are there from their announcement on, and all of them are.
func TestPlayersOfSome(t *testing.T) {
	b := NewBuilder(Options{Partial: true})
	read(t, capture02, func(r *captures.Record) {
		if _, ok := r.Envelope.Message.(*wire.PlayerMessage); ok {
			b.Add(r)
		}
	})
	var from []int
	for _, p := range b.Diagram().Players {
		from = append(from, p.From.N)
	}
	assert.Equal(t, []int{5, 6, 6, 9}, from)
}

// TestUnannounced: an id that nobody announced is no player once somebody was seen to join; in a capture that began
// later, it is all that there is to know.
func TestUnannounced(t *testing.T) {
	for answer, want := range map[wire.Message]string{
		nil:                           "0x42424242",
		&wire.EnumSessionsReply{}:     "0x42424242", // which says nothing of players
		&wire.RequestPlayerReply{}:    "no player",
		&wire.EnumPlayersReply{}:      "no player",
		&wire.SuperEnumPlayersReply{}: "no player",
	} {
		in := new(captures.Session)
		b := NewBuilder(Options{})
		if answer != nil {
			r := made(1, 0, bob, alice, answer)
			r.Session, r.Err = in, io.ErrUnexpectedEOF // also where it cannot be read
			b.Add(r)
		}
		r := made(2, ms, alice, bob, &wire.PlayerMessage{From: 0x42424242, To: 0x696f6a42})
		r.Session = in
		b.Add(r)
		d := b.Diagram()
		who := map[netip.AddrPort]*Lane{}
		for i := range d.Lanes {
			who[d.Lanes[i].At] = &d.Lanes[i]
		}
		assert.Equal(t, want, who[alice].Who(), "%T", answer)
		assert.Equal(t, answer != nil, who[bob].Host, "%T", answer)
		assert.Equal(t, want != "no player", len(d.Players) == 1, "%T", answer)
	}
}

// TestPlayerAddresses: players of machines that share a lane have the addresses of their own machines.
func TestPlayerAddresses(t *testing.T) {
	const machines = maxLanes + 40
	b := NewBuilder(Options{})
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), 2300)
	}
	in := new(captures.Session)
	for i := 1; i <= machines; i++ {
		r := made(i, time.Duration(i)*ms, at(i), alice, &wire.Chat{From: wire.PlayerID(i)})
		r.Session = in
		b.Add(r)
	}
	d := b.Diagram()
	require.Len(t, d.Players, machines)
	require.Len(t, d.Lanes, maxLanes)
	rest := 0
	for i := range d.Players {
		p := &d.Players[i]
		assert.Equal(t, at(int(p.ID)), p.At)
		if d.Lanes[p.Lane].Kind == Others {
			rest++
		}
	}
	assert.Equal(t, d.Lanes[maxLanes-1].Machines, rest)
	assert.Greater(t, rest, 40)
	var out bytes.Buffer
	require.NoError(t, pageTop.Execute(&out, &page{Diagram: d}))
	assert.Contains(t, out.String(), "<td data-h=\"Machine\">10.0.1.64:2300</td>")
	assert.NotContains(t, out.String(), ">41 machines</td>")
}

// TestCameBack: where the network was cut, players left and came back; each time that they were there is a row.
func TestCameBack(t *testing.T) {
	d := drawn(t, "../migration/cut-left.pcapng", Options{})
	stays := map[string][]bool{} // whether they ended
	for i := range d.Players {
		if p := &d.Players[i]; p.Name != "" {
			stays[p.Name] = append(stays[p.Name], p.Until.N > 0)
		}
	}
	assert.Equal(t, map[string][]bool{"p0": {true}, "p1": {false}, "p2": {true, false}, "p3": {true, false}, "p4": {true, false}}, stays)
	for i := range d.Lanes {
		assert.Len(t, d.Lanes[i].Players, 1)
		assert.NotContains(t, d.Lanes[i].Who(), "0x", "one name, one player")
	}
}

// TestRenamed: a player that changes its name has both, with the time of the change; only so many are kept.
func TestRenamed(t *testing.T) {
	var file bytes.Buffer
	w, err := recording.New(&file)
	require.NoError(t, err)
	say := func(at time.Duration, m wire.Message) {
		e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: 2, Port: 2300}}, Version: wire.DX9, Message: m}
		octets, err := e.Append(nil)
		require.NoError(t, err)
		w.Packet(noon.Add(at), dpsp.TCP, netip.AddrPortFrom(alice.Addr(), 40000), bob, octets)
	}
	say(0, &wire.CreatePlayer{Player: 7, Info: wire.PackedPlayer{ID: 7, Version: uint32(wire.DX9), ShortName: wire.NewText("name 0")}})
	const maxNames = 8 // of package captures
	for i := range maxNames + 3 {
		say(time.Duration(i+1)*time.Second, &wire.PlayerNameChanged{Player: 7, ShortName: wire.NewText(fmt.Sprint("name ", i+1))})
	}
	say(time.Minute, &wire.DeletePlayer{Player: 7})
	say(2*time.Minute, &wire.DeletePlayer{Player: 7})
	require.NoError(t, w.Close())
	b := NewBuilder(Options{})
	_, err = captures.Read(context.Background(), &file, captures.Options{}, func(r *captures.Record) error {
		b.Add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	d := b.Diagram()
	require.Len(t, d.Players, 1)
	p := &d.Players[0]
	require.Len(t, p.Names, maxNames)
	assert.Equal(t, captures.Naming{Name: "name 0", Moment: captures.Moment{N: 1}}, p.Names[0], "the first one is kept")
	assert.Equal(t, "name 11", p.Name)
	assert.Equal(t, time.Minute, p.Until.Since, "the first message that says so counts")
	page := &page{Diagram: d}
	assert.Contains(t, page.Names(p), `"name 0", from 5.000000 s "name 5", `)
	assert.Equal(t, [2]string{"0.0", "120.0"}, page.Bar(p, 240))
}

// TestSameNames: two players with one name are told apart by their ids.
func TestSameNames(t *testing.T) {
	b := NewBuilder(Options{})
	b.ends.add(captures.Machine{At: alice, Sure: true})
	b.ends.add(captures.Machine{At: bob, Sure: true})
	for i, at := range []netip.AddrPort{alice, bob} {
		b.players.list = append(b.players.list, &Player{Player: captures.Player{ID: wire.PlayerID(0x10 + i), Name: "Nobleman", Machine: at}})
	}
	b.Add(made(1, 0, alice, bob, &wire.Chat{}))
	d := b.Diagram()
	assert.Equal(t, `"Nobleman" 0x00000010`, d.Lanes[0].Who())
	assert.Equal(t, `"Nobleman" 0x00000011`, d.Lanes[1].Who())
}
