package sim

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// laterFaults are those that a seed did not draw at first, each with the kind of moment that stands on the timeline for it.
var laterFaults = map[Faults]string{
	Breaks: "break", Pairs: "partition", NoUDP: "partition", NoTCP: "partition", ThreeWay: "partition", Timeout: "timeout",
	Strike: "strike", CrashLoop: "crashloop", Sharing: "sharing", Outdated: "older",
}

// alone returns options of a run with one fault, which happens often.
func alone(f Faults, seed uint64) Options {
	o := drawFirst(seed)
	o.Members, o.Legacy, o.Rule, o.Faults, o.Older = 5, 0, Modern, f, 2
	o.Flags = wire.SessionMigrateHost | wire.SessionKeepAlive
	o.Period, o.Probes, o.Between, o.Time = 2*time.Second, 2, 5*time.Second, 0
	o.Complete()
	o.Time = o.Bounds.Converge + 5*time.Minute
	return o
}

// TestEachFault has each fault happen alone: it stands on the timeline, does the same twice, and is over when the faults end. It
// takes over 2 s because it computes whole sessions.
func TestEachFault(t *testing.T) {
	t.Parallel()
	assert.Len(t, laterFaults, len(FaultNames())-14)
	without, err := Run(alone(NoFaults, 3))
	require.NoError(t, err)
	for f, kind := range laterFaults {
		t.Run(f.String(), func(t *testing.T) {
			o := alone(f, 3)
			first, err := Run(o)
			require.NoError(t, err)
			again, err := Run(o)
			require.NoError(t, err)
			assert.Equal(t, first, again)
			assert.NotEqual(t, without.Hash, first.Hash)
			assert.Contains(t, kinds(first.Timeline), kind)

			w := newWorld(o)
			w.plan()
			for _, l := range w.lanes {
				w.at(l.firstStart, func() { w.boot(l) })
			}
			w.loop(o.FaultsEnd())
			w.endFaults()
			at := len(w.res.Timeline)
			w.loop(o.FaultsEnd() + time.Second)
			for _, m := range w.res.Timeline[at:] {
				assert.NotContains(t, []string{"crash", "power", "break", "partition", "freeze"}, m.Kind)
			}
			for i, l := range w.lanes {
				assert.False(t, l.frozen || l.asleep)
				for j := range w.lanes {
					assert.Zero(t, w.cut[i][j])
					assert.Zero(t, w.blocked[i][j])
				}
			}
		})
	}
}

// kinds returns the kinds of moments that there are.
func kinds(timeline []Moment) map[string]int {
	n := map[string]int{}
	for _, m := range timeline {
		n[m.Kind]++
	}
	return n
}

// TestDrawKeepsFirst checks that a seed draws its first options as before, and how often it draws what came later.
func TestDrawKeepsFirst(t *testing.T) {
	t.Parallel()
	all, frames, full, later := EveryFault, 0, 0, 0
	for seed := range uint64(3000) {
		first, now := drawFirst(seed), Draw(seed)
		require.Zero(t, first.Faults&^FirstFaults)
		require.Equal(t, first.Faults, now.Faults&FirstFaults)
		require.Equal(t, first.Flags, now.Flags&^wire.SessionDirectPlayProtocol)
		require.NoError(t, now.Check())
		if all &= ^now.Faults; now.Faults != first.Faults {
			later++
		}
		if now.Flags != first.Flags {
			frames++
		}
		if now.Members == maxMembers {
			full++
		} else {
			require.Equal(t, first.Members, now.Members)
			require.Equal(t, first.Time, now.Time)
		}
	}
	assert.Zero(t, all, "each fault is drawn")
	assert.InDelta(t, 1000, frames, 100)
	assert.InDelta(t, 1400, later, 150)
	assert.InDelta(t, 8, full, 7)
}

// bothWays reports whether packets of a protocol get through both ways.
func bothWays(w *World, a, b *process, by dpsp.Transport) bool {
	return w.reach(a.l, b.l, by) && w.reach(b.l, a.l, by)
}

// TestOneProtocol blocks UDP alone, and TCP alone.
func TestOneProtocol(t *testing.T) {
	for _, tcp := range []bool{false, true} {
		w, p := quietly(t, nil)
		w.now = time.Minute
		only := map[bool]string{false: "UDP", true: "TCP"}[tcp]
		w.sever(Cut{Senders: []int{0}, Others: []int{1}, Both: true, Only: only}, 5*time.Second)
		say(w, p[0], p[1], tcp)
		w.loop(w.now + time.Second)
		assert.Zero(t, w.res.Messages, only)
		say(w, p[0], p[1], !tcp)
		say(w, p[0], p[2], tcp)
		w.loop(w.now + time.Second)
		assert.Equal(t, 2, w.res.Messages, only)
		assert.Equal(t, tcp, w.lanes[0].silent > 0, "a machine that UDP alone does not reach answers")
		w.loop(w.now + 4*time.Second)
		say(w, p[1], p[0], tcp)
		w.loop(w.now + 20*time.Second)
		want := 3
		if tcp {
			want = 4 // TCP tries again
		}
		assert.Equal(t, want, w.res.Messages, only)
		assert.Contains(t, w.res.Timeline[0].Text, "no "+only+" goes A <-> B")
	}
}

// TestBlockDraws checks that the fault blocks its protocol, and that one alone.
func TestBlockDraws(t *testing.T) {
	w, p := bare(t, 4)
	w.block("TCP")
	require.Len(t, w.res.Cuts, 1)
	blocked := 0
	for i, a := range p {
		for _, b := range p[i+1:] {
			assert.True(t, bothWays(w, a, b, dpsp.UDP))
			if !bothWays(w, a, b, dpsp.TCP) {
				blocked++
			}
		}
	}
	assert.Positive(t, blocked)
}

// TestPairs cuts pairs: who is in one reaches the others.
func TestPairs(t *testing.T) {
	most := 0
	for seed := range uint64(30) {
		w, p := bare(t, 6)
		w.chaos = source(seed, forFaults)
		w.cutPairs()
		apart := 0
		for i, a := range p {
			for _, b := range p[i+1:] {
				if !bothWays(w, a, b, dpsp.UDP) {
					apart++
					assert.False(t, bothWays(w, a, b, dpsp.TCP))
				}
			}
		}
		assert.Positive(t, apart)
		assert.LessOrEqual(t, apart, len(w.res.Cuts))
		for _, c := range w.res.Cuts {
			assert.Len(t, c.Senders, 1)
			assert.Len(t, c.Others, 1)
			assert.True(t, c.Both)
		}
		most = max(most, apart)
	}
	assert.Equal(t, 3, most)
}

// TestThreeWay checks that the parts come together in every order.
func TestThreeWay(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(60) {
		w, _ := bare(t, 6)
		w.chaos = source(seed, forFaults)
		w.threeWay()
		if len(w.res.Cuts) == 0 {
			continue // a part without machines
		}
		require.Len(t, w.res.Cuts, 3)
		all := 0
		order := ""
		for i, c := range w.res.Cuts {
			all += len(c.Senders)
			next := w.res.Cuts[(i+1)%3]
			assert.Equal(t, c.Others, next.Senders)
			order += fmt.Sprint(c.To < next.To)
		}
		assert.Equal(t, len(w.lanes), all)
		orders[order] = true
		w.loop(w.opt.FaultsEnd())
		for i := range w.lanes {
			for j := range w.lanes {
				assert.Zero(t, w.cut[i][j])
			}
		}
	}
	assert.Len(t, orders, 6)
}

// TestBreaks checks that connections break several at once, in both directions, repeatedly, and at an event.
func TestBreaks(t *testing.T) {
	atOnce, both, repeated, atEvent := 0, 0, 0, 0
	for seed := range uint64(60) {
		w, p := quietly(t, nil)
		w.chaos = source(seed, forFaults)
		talk := func() {
			for _, a := range p {
				for _, b := range p {
					if a != b {
						say(w, a, b, true)
					}
				}
			}
		}
		talk()
		w.loop(100 * time.Millisecond)
		require.Len(t, p[0].l.out, 2)
		w.breakMany()
		if len(w.watches) > 0 {
			require.Zero(t, w.res.Stats.Breaks)
			w.noticed(p[1], dpsp.Message{})
			require.Len(t, w.watches, 1, "that is nothing to wait for")
			w.noticed(p[1], dpsp.PeerJoined{})
			require.Empty(t, w.watches)
			atEvent++
		}
		for w.now < 10*time.Second {
			w.loop(w.now + 100*time.Millisecond)
			talk()
		}
		byTime := map[time.Duration]map[string]bool{}
		for _, m := range w.res.Timeline {
			if m.Kind == "break" {
				if byTime[m.At] == nil {
					byTime[m.At] = map[string]bool{}
				}
				var to string
				_, err := fmt.Sscanf(m.Text, "its connection to %s breaks", &to)
				require.NoError(t, err)
				byTime[m.At][w.res.Names[m.Lane]+to] = true
			}
		}
		for _, some := range byTime {
			if len(some) > 1 {
				atOnce++
			}
			if some["AB"] && some["BA"] || some["AC"] && some["CA"] {
				both++
			}
		}
		if len(byTime) > 1 {
			repeated++
		}
	}
	for _, n := range []int{atOnce, both, repeated, atEvent} {
		assert.Greater(t, n, 5)
	}
}

// TestTimeout checks that the silence begins with a ping and lasts whole periods, by the pinger's clock, give or take a trip.
func TestTimeout(t *testing.T) {
	kinds, offs := map[string]bool{}, map[time.Duration]bool{}
	for seed := range uint64(80) {
		w, p := quietly(t, func(o *Options) { o.Period, o.Probes = 4*time.Second, 3 })
		w.chaos = source(seed, forFaults)
		p[0].l.rate = 2
		w.timeout()
		require.NotNil(t, w.aimed)
		to := w.aimed.at
		if to == p[0].l {
			continue
		}
		w.loop(time.Second)
		w.send(p[0], &dpsp.Outgoing{Transport: dpsp.UDP, To: addrOf(to, datagramPort), Data: encoded(t, &wire.Ping{From: 100})})
		require.Nil(t, w.aimed)
		w.loop(w.now + 1)
		assert.True(t, to.frozen != w.isCut(to))
		var begin, end time.Duration
		w.loop(time.Minute)
		for _, m := range w.res.Timeline {
			switch m.Kind {
			case "timeout":
				begin = m.At
			case "thaw", "connected":
				kinds[m.Kind], end = true, m.At
			}
		}
		assert.Equal(t, time.Second, begin)
		d := end - begin
		periods := d.Round(time.Second) / (2 * time.Second) // 4 s by a clock that runs twice as fast
		assert.Contains(t, []time.Duration{2, 3, 4}, periods)
		offs[d-periods*2*time.Second] = true
	}
	assert.Len(t, kinds, 2)
	for _, off := range []time.Duration{0, 1, -1, 10 * time.Millisecond, -10 * time.Millisecond} {
		assert.Contains(t, offs, off)
	}
}

// encoded returns the octets of a system message.
func encoded(t *testing.T, m wire.Message) []byte {
	t.Helper()
	b, err := (&wire.Envelope{HasSP: true, Version: wire.DX61A, Message: m}).Append(nil)
	require.NoError(t, err)
	return b
}

// TestTimeoutUnpinged has nobody ping the machine: it is silent all the same.
func TestTimeoutUnpinged(t *testing.T) {
	w, _ := quietly(t, nil)
	w.timeout()
	w.loop(2*w.opt.Period + time.Second)
	assert.Equal(t, 1, w.res.countOf("timeout"))
	assert.Nil(t, w.aimed)
}

// countOf counts the moments of a kind.
func (r *Result) countOf(kind string) int { return kinds(r.Timeline)[kind] }

// TestStrike checks who dies when a cut is mended.
func TestStrike(t *testing.T) {
	died := map[string]int{}
	for seed := range uint64(120) {
		w, p := bare(t, 3)
		w.opt.Faults = Strike
		w.chaos = source(seed, forFaults)
		w.mended()
		w.loop(2 * time.Second)
		switch {
		case p[0].gone:
			died["host"]++
			continue
		case len(w.watches) == 0:
			continue
		}
		require.False(t, p[1].gone || p[2].gone)
		w.noticed(p[1], dpsp.MigrationStarted{Candidate: p[2].told.self})
		w.loop(4 * time.Second)
		if p[2].gone {
			died["candidate"]++
			continue
		}
		w.noticed(p[2], dpsp.SessionSplit{})
		w.loop(6 * time.Second)
		if p[2].gone {
			died["comes over"]++
			continue
		}
		w.noticed(p[1], dpsp.HostChanged{Hosting: true})
		w.loop(8 * time.Second)
		require.True(t, p[1].gone)
		died["new host"]++
	}
	assert.Len(t, died, 4, "%v", died)
}

// TestCrashLoop checks that one program ends and starts again several times, and runs in the end.
func TestCrashLoop(t *testing.T) {
	for seed := range uint64(10) {
		w, p := quietly(t, nil)
		w.chaos = source(seed, forFaults)
		w.crashLoop()
		for _, q := range p {
			q.program.looking = false
		}
		w.loop(10 * time.Minute)
		crashes := map[int]int{}
		for _, m := range w.res.Timeline {
			if m.Kind == "crash" {
				crashes[m.Lane]++
			}
		}
		require.Len(t, crashes, 1)
		for i, n := range crashes {
			assert.GreaterOrEqual(t, n, 3)
			assert.NotNil(t, w.lanes[i].proc)
		}
	}
}

// TestSharing checks that programs at one address have ports of their own, and take each other's when they start again.
func TestSharing(t *testing.T) {
	o := alone(Sharing, 3)
	w := newWorld(o)
	var mates []*lane
	for _, l := range w.lanes {
		if len(l.mates) > len(mates) {
			mates = l.mates
		}
	}
	require.GreaterOrEqual(t, len(mates), 2)
	var other *lane
	for _, l := range w.lanes {
		if l.addr != mates[0].addr {
			other = l
		}
		w.boot(l)
	}
	ports := map[netip.AddrPort]bool{}
	for _, l := range w.lanes {
		ports[l.stream()] = true
		assert.Same(t, l, w.programAt(l.stream()))
		assert.Same(t, l, w.programAt(addrOf(l, l.proc.datagramPort())))
	}
	assert.Len(t, ports, len(w.lanes))
	assert.Equal(t, addrOf(mates[0], streamPort), mates[0].stream())
	assert.Equal(t, addrOf(mates[0], streamPort+1), mates[1].stream())

	// What was sent to the second one's ports comes to who has them when it arrives.
	last := mates[1].proc
	w.end(mates[0], crash)
	w.end(mates[1], crash)
	w.boot(mates[1])
	w.boot(mates[0])
	assert.Equal(t, addrOf(mates[0], streamPort), mates[1].stream(), "it has the port that the first one had")
	assert.Same(t, mates[0], w.programAt(addrOf(last.l, last.streamPort())))

	// The whole machine loses power, and is cut off.
	some := w.withMates([]int{mates[1].i})
	assert.Equal(t, indices(mates), some)
	w.powerOff(mates[1])
	for _, l := range mates {
		assert.False(t, l.on)
	}
	assert.True(t, other.on)

	swapped := false
	for seed := range uint64(20) {
		w := newWorld(o)
		w.chaos = source(seed, forFaults)
		for _, l := range w.lanes {
			w.boot(l)
		}
		w.swapPorts()
		w.loop(11 * time.Second)
		for _, l := range w.lanes {
			require.NotNil(t, l.proc)
			swapped = swapped || len(l.mates) > 1 && l == l.mates[0] && l.proc.slot != 0
		}
	}
	assert.True(t, swapped)
}

// TestOutdated has a machine of an older release send its own service provider data, and those of another port.
func TestOutdated(t *testing.T) {
	o := alone(Outdated, 1)
	o.Members, o.Older = 3, 1
	o.Complete()
	w := newWorld(o)
	for _, l := range w.lanes {
		w.boot(l)
		assert.Equal(t, l.i == 2, l.older, l.name)
		assert.Equal(t, l.i != 2, w.extended(l), l.name)
	}
	p := w.lanes[2].proc
	for i := range uint16(2) {
		d := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet}, Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: p.datagramPort() + i}}
		b := append([]byte("before"), d.Append(nil)...)
		p.marksOlder(b)
		d, ok := wire.ParseSPData(b[len("before"):])
		assert.True(t, ok)
		assert.Equal(t, i == 0, d.MarkedOlder())
		assert.False(t, d.Marked())
	}
}

// TestFull runs a session of 64 machines, for a moment.
func TestFull(t *testing.T) {
	t.Parallel()
	o := alone(Partition, 1)
	o.Members, o.Objects, o.Think = maxMembers, 0, 20*time.Second
	o.Complete()
	o.Time = o.Bounds.Converge + time.Minute
	w := newWorld(o)
	for _, l := range w.lanes {
		w.at(l.firstStart/8, func() { w.boot(l) })
	}
	w.loop(20 * time.Second)
	in := 0
	for _, l := range w.lanes {
		if l.proc != nil && l.proc.told.in {
			in++
		}
	}
	assert.Greater(t, in, 40)
}

// A machine that loses power is asleep no more: the program that starts there afterwards would miss its messages and timers.
func TestPowerEndsSleep(t *testing.T) {
	w, p := bare(t, 3)
	l := p[2].l
	l.mates = []*lane{p[1].l, l}
	p[1].l.mates = l.mates
	w.sleepFor(l, time.Minute, false)
	w.powerOff(p[1].l)
	assert.Nil(t, l.proc)
	assert.False(t, l.asleep)
}
