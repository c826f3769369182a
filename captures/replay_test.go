package captures

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// The machines of the laboratory that captures/interop was recorded in.
var (
	labHost  = netip.MustParseAddr("192.0.2.1")
	labOne   = netip.MustParseAddrPort("192.0.2.2:2300") // Wine
	labTwo   = netip.MustParseAddrPort("192.0.2.3:2300") // Wine
	labThird = netip.MustParseAddr("192.0.2.4")
)

// TestReplay feeds what our machines were sent in the recordings (captures/interop) to a fresh engine, most of it by
// clients of Wine 10. Its answers are those of the recording, octet for octet.
func TestReplay(t *testing.T) {
	app, err := wire.ParseGUID("{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}")
	require.NoError(t, err)
	ours := dpsp.Host{Application: app, Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive}
	for _, c := range []struct {
		name string
		as   string
		part part
	}{
		{"ourhost-two-w10-joiners", "host", hosting(ours, map[int]netip.AddrPort{50: labTwo})},
		{"ourhost-full-w10-joiners", "host", hosting(dpsp.Host{Application: app, Name: "small", MaxPlayers: 2}, map[int]netip.AddrPort{16: labOne})},
		{"ourhost-third-machine", "host", hosting(ours, map[int]netip.AddrPort{70: labTwo, 74: labOne})},
		{"ourhost-third-machine", "joiner", toldJoiner(app)},
		{"dplay-third-machine", "joiner", dplayJoiner()}, // the host drew its seed, which nobody knows
	} {
		t.Run(c.name+"/"+c.as, func(t *testing.T) {
			f, err := os.Open("interop/" + c.name + ".pcap")
			require.NoError(t, err)
			defer f.Close()
			p := newReplay(t, c.part)
			_, err = Read(context.Background(), f, Options{Name: c.name}, func(r *Record) error {
				if gone, ok := c.part.ends[r.N]; ok {
					p.step(dpsp.Input{Kind: dpsp.StreamClosed, From: gone})
				}
				p.record(r)
				return nil
			}, nil)
			require.NoError(t, err)
			assert.Empty(t, p.sent, "answers that the recording lacks")
			assert.Empty(t, p.then, "commands that the recording shows nothing of")
			assert.GreaterOrEqual(t, p.compared, 10)
		})
	}
}

// A part is what a recorded machine was, and what its program had it do.
type part struct {
	at          netip.Addr
	seed        [32]byte
	strict      bool
	legacy      bool                         // it did without the extension
	echo        bool                         // the program returned every game message to its sender
	first, then []func(*replay) dpsp.Command // at once; and one by one when the recording has more than answers
	ends        map[int]netip.AddrPort       // whose connections end before a message: Wine says nothing when it leaves
}

// hosting is the host of the in-process runs.
func hosting(session dpsp.Host, ends map[int]netip.AddrPort) part {
	return part{at: labHost, seed: [32]byte{1}, strict: true, legacy: true, echo: true, ends: ends, first: []func(*replay) dpsp.Command{
		func(*replay) dpsp.Command { return session },
		create("Host", "of ours", "ours"),
	}}
}

// toldJoiner is the joiner of the in-process run, which sends to a client, to everybody and to a group.
func toldJoiner(app wire.GUID) part {
	p := part{at: labThird, seed: [32]byte{1}, strict: true, legacy: true, then: []func(*replay) dpsp.Command{
		join, create("Ann", "Änn of ours", "\x01\x02\x03"), createGroup, enterGroup,
	}}
	p.first = enumerate(dpsp.Enumerate{Application: app, Flags: wire.EnumPasswordRequired})
	for i, to := range []func(*replay) wire.PlayerID{
		func(p *replay) wire.PlayerID { return p.wine },
		func(*replay) wire.PlayerID { return wire.IDAll },
		func(p *replay) wire.PlayerID { return p.group },
	} {
		for _, guaranteed := range []bool{true, false} {
			p.then = append(p.then, func(p *replay) dpsp.Command {
				return dpsp.Send{From: p.me, To: to(p), Payload: []byte{0xA0 + byte(i), 0xFF}, Guaranteed: guaranteed}
			})
		}
	}
	return p
}

// dplayJoiner is "dplay join --player Ann --echo --group team".
func dplayJoiner() part {
	return part{at: labThird, echo: true,
		first: enumerate(dpsp.Enumerate{Flags: wire.EnumAll | wire.EnumPasswordRequired, Password: "sesame"}),
		then:  []func(*replay) dpsp.Command{join, create("Ann", "", ""), createGroup, enterGroup, leave}}
}

// enumerate asks the host by UDP and TCP.
func enumerate(c dpsp.Enumerate) []func(*replay) dpsp.Command {
	at := netip.AddrPortFrom(labHost, dpsp.EnumPort)
	c.To, c.Streams = []netip.AddrPort{at}, []netip.AddrPort{at}
	return []func(*replay) dpsp.Command{func(*replay) dpsp.Command { return c }}
}

func join(p *replay) dpsp.Command {
	return dpsp.Join{Host: p.found.Host, Desc: p.found.Desc, Name: p.found.Name, Password: "sesame"}
}

func create(short, long, data string) func(*replay) dpsp.Command {
	return func(*replay) dpsp.Command {
		c := dpsp.CreatePlayer{ShortName: wire.NewText(short)}
		if long != "" {
			c.LongName = wire.NewText(long)
		}
		if data != "" {
			c.Data = []byte(data)
		}
		return c
	}
}

func leave(*replay) dpsp.Command       { return dpsp.Leave{} }
func createGroup(*replay) dpsp.Command { return dpsp.CreateGroup{ShortName: wire.NewText("team")} }
func enterGroup(p *replay) dpsp.Command {
	return dpsp.AddToGroup{Player: p.me, Group: p.group}
}

// A replay is an engine in the place of a recorded machine.
type replay struct {
	part
	t        *testing.T
	engine   *dpsp.Engine
	me       wire.PlayerID // our player
	group    wire.PlayerID // our group
	wine     wire.PlayerID // the first player of the first client
	found    dpsp.SessionFound
	sent     []sent
	compared int
}

type sent struct {
	to   netip.AddrPort
	data []byte
}

// The ports of every machine of ours.
const (
	replayStream   = 2300
	replayDatagram = 2350
)

func newReplay(t *testing.T, as part) *replay {
	any4 := netip.IPv4Unspecified()
	p := &replay{part: as, t: t, engine: dpsp.New(dpsp.Config{
		Seed: as.seed, Strict: as.strict, Legacy: as.legacy,
		Stream: netip.AddrPortFrom(any4, replayStream), Datagram: netip.AddrPortFrom(any4, replayDatagram),
	})}
	for _, c := range p.first {
		p.step(dpsp.Input{Kind: dpsp.Request, Command: c(p)})
	}
	return p
}

// step feeds the engine, and echoes game messages where the recorded machine's program did.
func (p *replay) step(in dpsp.Input) {
	out := p.engine.Step(0, in)
	for _, s := range out.Sends {
		p.sent = append(p.sent, sent{s.To, bytes.Clone(s.Data)})
	}
	for _, e := range slices.Clone(out.Events) {
		switch e := e.(type) {
		case dpsp.Done:
			require.NoError(p.t, e.Err)
		case dpsp.SessionFound:
			p.found = e
		case dpsp.PlayerCreated:
			if e.Local {
				p.me = e.ID
			} else if e.ShortName == "a" {
				p.wine = e.ID
			}
		case dpsp.GroupCreated:
			p.group = e.ID
		case dpsp.Message:
			if p.echo {
				p.step(dpsp.Input{Kind: dpsp.Request, Command: dpsp.Send{From: p.me, To: e.From, Payload: e.Payload, Guaranteed: e.Guaranteed}})
			}
		case dpsp.Dropped:
			p.t.Errorf("dropped: %+v", e)
		}
	}
}

// record takes the next message of the recording: what the machine was sent goes in, what it sent is compared.
func (p *replay) record(r *Record) {
	switch {
	case r.Src.Addr() == p.at:
		i := p.answer(r.Dst)
		if assert.GreaterOrEqual(p.t, i, 0, "message %d, %s: nothing was sent to %s", r.N, r.Command(), r.Dst) {
			assert.Equal(p.t, r.Raw, p.sent[i].data, "message %d, %s", r.N, r.Command())
			p.sent = slices.Delete(p.sent, i, i+1)
			p.compared++
		}
	case r.Dst.Addr() == p.at || r.Dst.Port() == enumPort && p.at == labHost:
		kind := dpsp.Stream
		if r.Transport == UDP {
			kind = dpsp.Datagram
		}
		p.step(dpsp.Input{Kind: kind, From: r.Src, Data: r.Raw})
	}
}

// answer finds what the engine sent to a socket, or has it do more until it sends something there. Connections are one
// for each peer: between two of them no order is kept.
func (p *replay) answer(to netip.AddrPort) int {
	for {
		i := slices.IndexFunc(p.sent, func(s sent) bool { return s.to == to })
		if i >= 0 || len(p.then) == 0 {
			return i
		}
		next := p.then[0]
		p.then = p.then[1:]
		p.step(dpsp.Input{Kind: dpsp.Request, Command: next(p)})
	}
}
