package bench

import (
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
)

// membersEach is how many machines are in each session beside the host, with a player each.
const membersEach = 8

// benchEngines measures the heap of hosted sessions. The hosts stay; the members, which would be on other machines, are
// let go before it is measured.
func benchEngines(b testing.TB, sessions int, out io.Writer) {
	before := heap()
	hosts := make([]*dpsp.Engine, sessions)
	for i := range hosts {
		hosts[i] = fill(b, i)
	}
	used := heap() - before
	fmt.Fprintf(out, "memory: %d hosted sessions with %d members each: %.1f MB of heap, %.1f KB a session\n",
		sessions, membersEach, float64(used)/1e6, float64(used)/1e3/float64(sessions))
	runtime.KeepAlive(hosts)
}

// heap returns the octets that are in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one only finalizes
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A cable is machines on a network without delay or loss, 10.0.0.1 and so on; the first one hosts.
type cable struct {
	engines []*dpsp.Engine
	events  []dpsp.Event // of the machine that was told to do something
	queue   []packet
}

type packet struct {
	to int
	in dpsp.Input
}

// fill returns the host of a session with members.
func fill(b testing.TB, seed int) *dpsp.Engine {
	var c cable
	for i := range membersEach + 1 {
		c.engines = append(c.engines, dpsp.New(dpsp.Config{
			Stream:   netip.AddrPortFrom(netip.IPv4Unspecified(), 2300),
			Datagram: netip.AddrPortFrom(netip.IPv4Unspecified(), 2350),
			Seed:     [32]byte{byte(i), byte(seed), byte(seed >> 8), byte(seed >> 16), 1},
		}))
	}
	c.do(b, 0, dpsp.Host{Application: game, Name: "Memory"})
	for i := 1; i <= membersEach; i++ {
		c.do(b, i, dpsp.Enumerate{Application: game, To: []netip.AddrPort{netip.AddrPortFrom(address(0), dpsp.EnumPort)}})
		at := slices.IndexFunc(c.events, func(e dpsp.Event) bool { _, ok := e.(dpsp.SessionFound); return ok })
		require.GreaterOrEqual(b, at, 0, "member %d does not find it", i)
		f := c.events[at].(dpsp.SessionFound)
		c.do(b, i, dpsp.Join{Host: f.Host, From: f.From, Desc: f.Desc, Name: f.Name})
		c.do(b, i, dpsp.CreatePlayer{ShortName: dpsp.Text(fmt.Sprint("Player ", i)), Data: make([]byte, 32)})
	}
	require.Len(b, c.engines[0].Players(), membersEach)
	return c.engines[0]
}

func address(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}) }

// do has a machine do something and delivers until nothing is under way.
func (c *cable) do(b testing.TB, i int, command dpsp.Command) {
	c.events = nil
	c.step(i, i, dpsp.Input{Kind: dpsp.Request, Command: command, Token: 1})
	for len(c.queue) > 0 {
		p := c.queue[0]
		c.queue = c.queue[1:]
		c.step(p.to, i, p.in)
	}
	at := slices.IndexFunc(c.events, func(e dpsp.Event) bool { d, ok := e.(dpsp.Done); return ok && d.Token == 1 })
	require.GreaterOrEqual(b, at, 0, "%T is not answered", command)
	require.NoError(b, c.events[at].(dpsp.Done).Err)
}

// step feeds a machine. Events are of interest from one of them.
func (c *cable) step(i, interest int, in dpsp.Input) {
	out := c.engines[i].Step(0, in)
	if i == interest {
		c.events = append(c.events, out.Events...)
	}
	for _, s := range out.Sends {
		in := dpsp.Input{Kind: dpsp.Datagram, From: netip.AddrPortFrom(address(i), 2350), Data: append([]byte(nil), s.Data...)}
		if s.Transport == dpsp.TCP {
			in.Kind, in.From = dpsp.Stream, netip.AddrPortFrom(address(i), 40000)
		}
		if to := int(s.To.Addr().As4()[3]) - 1; to >= 0 && to < len(c.engines) {
			c.queue = append(c.queue, packet{to: to, in: in})
		}
	}
}
