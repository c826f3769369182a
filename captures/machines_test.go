package captures_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/draw"
	"dplay4/captures/replay"
	"dplay4/captures/show"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// The two sides of a router that rewrites addresses, and who is on the internet.
const (
	inside  = "192.168.1.5"
	second  = "192.168.1.6"
	outside = "198.51.100.7"
	third   = "198.51.100.8" // another router
	far     = "203.0.113.1"
	open    = "0.0.0.0" // left to the receiver
)

// A joining is a machine that joins the session of far and plays, as its packets and messages tell of it.
type joining struct {
	from   string // where its packets come from, in this capture
	header string // the address in its headers
	told   string // the address that the host has of it
	called bool   // the host connects there, rather than to where the packets come from
	system wire.PlayerID
}

// write writes all that the machine and the host say to each other. The game messages by UDP have no header.
func (j joining) write(n *network) {
	ask := func(m wire.Message) []byte { return madeup.SystemOf(wire.DX9, j.header, 2300, m) }
	n.UDP(j.from+":5000", far+":47624", ask(&wire.EnumSessions{Application: wire.GUID{1}}))
	reached := j.from
	if j.called {
		reached = j.told
	}
	answers, asks := n.tcp(far+":4000", reached+":2300"), n.tcp(j.from+":4100", far+":2300")
	desc := wire.SessionDesc{Instance: wire.GUID{3}, Application: wire.GUID{1}, MaxPlayers: 8}
	answers.send(sys(2300, &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("s")}))
	asks.send(ask(&wire.RequestPlayerID{Flags: wire.PlayerSystem}))
	answers.send(sys(2300, &wire.RequestPlayerReply{ID: j.system}))
	own, told := spData("0.0.0.0:2300", "0.0.0.0:2350"), spData(j.told+":2300", j.told+":2350")
	asks.send(ask(&wire.AddForwardRequest{Player: j.system,
		Info: wire.PackedPlayer{Flags: wire.PlayerSystem, ID: j.system, System: j.system, SPData: own}}))
	list := &wire.SuperEnumPlayersReply{Desc: desc, Name: wire.NewText("s"), Players: []wire.SuperPackedPlayer{
		{ID: j.system, Flags: wire.PlayerSystem, Owner: uint32(wire.DX9), SPData: told},
		{ID: 0x101, Flags: wire.PlayerSystem | wire.PlayerNameServer, Owner: uint32(wire.DX9), SPData: own},
		{ID: 0x102, Owner: 0x101, ShortName: wire.NewText("Hal"), SPData: own},
	}}
	answers.send(sys(2300, list))
	player := wire.PackedPlayer{ID: j.system + 1, System: j.system, ShortName: wire.NewText("Ann")}
	player.SPData = own
	asks.send(ask(&wire.CreatePlayer{Player: player.ID, Info: player}))
	list.Players = append(list.Players, wire.SuperPackedPlayer{ID: player.ID, Owner: uint32(j.system),
		ShortName: player.ShortName, SPData: told})
	answers.send(sys(2300, list)) // once more, as who missed a change gets it
	n.UDP(j.from+":2350", far+":2350", bare(player.ID, 0x102, "hello"))
	n.UDP(j.from+":6000", far+":2350", bare(player.ID, 0x102, "from a socket that nobody named"))
	n.UDP(far+":2350", j.from+":2350", bare(0x102, player.ID, "hello"))
	asks.send(ask(&wire.Ping{From: j.system}))
	asks.send(ask(&wire.PlayerMessage{From: 0x909, To: 0x90A}))
	answers.send(sys(2300, &wire.YouAreDead{}))
}

// TestMachinesBehindNAT: whatever a machine's headers and the lists of others say of its address, everything that reads
// captures calls it by the one that its packets come from, and by the port in its headers.
func TestMachinesBehindNAT(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []joining
	}{
		{"no router", []joining{{from: outside, header: open, told: outside, system: 0x501}}},
		{"the header names an address of the network behind the router",
			[]joining{{from: outside, header: inside, told: outside, system: 0x501}}},
		{"and the host believes it", []joining{{from: outside, header: inside, told: inside, system: 0x501}}},
		{"two of those, in networks with the same addresses", []joining{{from: outside, header: inside, told: outside, system: 0x501},
			{from: third, header: inside, told: third, system: 0x601}}},
		{"two adapters, of which it names the other one",
			[]joining{{from: inside, header: second, told: second, called: true, system: 0x501}}},
		{"recorded behind the router", []joining{{from: inside, header: open, told: outside, system: 0x501}}},
		{"two of them", []joining{{from: inside, header: open, told: outside, system: 0x501},
			{from: second, header: open, told: second, system: 0x601}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			want := []string{far + ":2300"}
			for _, j := range c.all {
				j.write(n)
				want = append(want, j.from+":2300")
			}
			slices.Sort(want)
			assert.Equal(t, want, drawnMachines(t, n), "draw")
			assert.Equal(t, want, statisticsMachines(t, n), "show")
			assert.Equal(t, want, replayedMachines(t, n), "replay")
			text := diagnosis(t, n)
			for _, j := range c.all {
				assert.Contains(t, text, j.from+` ("Ann") sent game messages`)
				assert.Contains(t, text, far+` ("Hal") told `+j.from+` ("Ann") that it is not in the session`)
			}
		})
	}
}

// each hands the records of the capture to a function.
func (n *network) each(add func(*captures.Record)) {
	n.T.Helper()
	_, err := captures.Read(context.Background(), bytes.NewReader(n.Bytes()), captures.Options{}, func(r *captures.Record) error {
		add(r)
		return nil
	}, nil)
	require.NoError(n.T, err)
}

func drawnMachines(t *testing.T, n *network) (list []string) {
	b := draw.NewBuilder(draw.Options{})
	n.each(b.Add)
	for _, l := range b.Diagram().Lanes {
		list = append(list, l.At.String())
	}
	slices.Sort(list)
	return list
}

func statisticsMachines(t *testing.T, n *network) (list []string) {
	var s show.Stats
	n.each(s.Add)
	var got struct {
		Conversations []struct{ Ends []netip.AddrPort }
	}
	require.NoError(t, json.Unmarshal(s.AppendJSON(nil), &got))
	for _, c := range got.Conversations {
		for _, at := range c.Ends {
			if at.Port() != 47624 { // which is nobody's own
				list = append(list, at.String())
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func replayedMachines(t *testing.T, n *network) (list []string) {
	all, err := replay.Read(context.Background(), bytes.NewReader(n.Bytes()), captures.Options{})
	require.NoError(t, err)
	r, err := all.Run(context.Background(), replay.Options{})
	require.NoError(t, err)
	for _, p := range r.Parties {
		list = append(list, p.Address.String())
	}
	slices.Sort(list)
	return list
}

func diagnosis(t *testing.T, n *network) string {
	r, err := doctor.Examine(context.Background(), bytes.NewReader(n.Bytes()), doctor.Options{})
	require.NoError(t, err)
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Text)
	}
	return strings.Join(all, "\n")
}
