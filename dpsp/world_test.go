package dpsp

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"dplay4/wire"
)

// A world is machines on a network without delay or loss, all in one thread and on one clock.
type world struct {
	t     testing.TB
	now   time.Duration
	nodes []*node
	queue []packet
	cut   func(from, to *node, out Outgoing) bool // drops what it is true for
}

type node struct {
	*Engine
	name    string
	addr    netip.Addr
	events  []Event
	dialled uint16           // its connections have other ports after it dialled anew
	anew    map[*node]uint16 // likewise that to another one
	closed  bool
	wake    time.Duration
	program follower
}

type packet struct {
	from *node
	to   netip.AddrPort
	udp  bool
	data []byte
}

func newWorld(t testing.TB) *world { return &world{t: t} }

// add puts a machine into the world, 10.0.0.1 and so on, with TCP port 2300 and UDP port 2350.
func (w *world) add(name string, cfg Config) *node {
	n := &node{name: name, addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(len(w.nodes) + 1)}), wake: Never}
	cfg.Seed[0] = byte(len(w.nodes) + 1)
	cfg.Stream = netip.AddrPortFrom(netip.IPv4Unspecified(), 2300)
	cfg.Datagram = netip.AddrPortFrom(netip.IPv4Unspecified(), 2350)
	n.Engine = New(cfg)
	w.nodes = append(w.nodes, n)
	return n
}

func (n *node) stream() netip.AddrPort   { return netip.AddrPortFrom(n.addr, 2300) }
func (n *node) datagram() netip.AddrPort { return netip.AddrPortFrom(n.addr, 2350) }

// step feeds an engine and takes in what it answers.
func (w *world) step(n *node, in Input) {
	n.program.begin(n.Engine)
	out := n.Step(w.now, in)
	if out.Wake <= w.now {
		w.t.Fatalf("%s wants to wake at %v, and it is %v", n.name, out.Wake, w.now)
	}
	n.wake = out.Wake
	n.events = append(n.events, out.Events...)
	w.follow(n, out.Events)
	for _, e := range out.Events {
		if c, ok := causeOf(e); ok && !documented[c] {
			w.t.Fatalf("%s: %T with cause %q", n.name, e, c)
		}
	}
	for _, s := range out.Sends {
		if w.cut != nil && w.cut(n, w.at(s.To), s) {
			continue
		}
		w.queue = append(w.queue, packet{n, s.To, s.Transport != TCP, append([]byte(nil), s.Data...)})
	}
}

func (w *world) at(a netip.AddrPort) *node {
	for _, n := range w.nodes {
		if n.addr == a.Addr() {
			return n
		}
	}
	return nil
}

// settle delivers until nothing is under way.
func (w *world) settle() {
	for i := 0; len(w.queue) > 0; i++ {
		if i > 1_000_000 {
			w.t.Fatal("the machines never fall silent")
		}
		p := w.queue[0]
		w.queue = w.queue[1:]
		for _, n := range w.nodes {
			if n.closed || p.to.Addr() != n.addr && p.to != broadcast {
				continue
			}
			from := netip.AddrPortFrom(p.from.addr, 40000+p.from.dialled+100*p.from.anew[n])
			if p.udp {
				w.step(n, Input{Kind: Datagram, From: netip.AddrPortFrom(p.from.addr, 2350), Data: p.data})
			} else {
				w.step(n, Input{Kind: Stream, From: from, Data: p.data})
			}
		}
	}
}

// hold keeps back what it is true for, until it is told to let it go. What else is said overtakes it. Of two, the later one is
// let go first.
func (w *world) hold(slow func(from, to *node, out Outgoing) bool) (letGo func()) {
	var held []packet
	before := w.cut
	w.cut = func(from, to *node, out Outgoing) bool {
		if !slow(from, to, out) {
			return before != nil && before(from, to, out)
		}
		held = append(held, packet{from, out.To, out.Transport != TCP, append([]byte(nil), out.Data...)})
		return true
	}
	return func() {
		w.cut = before
		w.queue = append(w.queue, held...)
		w.settle()
	}
}

// do has a machine do something and settles. It gives the answer.
func (w *world) do(n *node, c Command) Done {
	w.step(n, Input{Kind: Request, Command: c, Token: 77})
	w.settle()
	for i := len(n.events) - 1; i >= 0; i-- {
		if d, ok := n.events[i].(Done); ok && d.Token == 77 {
			return d
		}
	}
	w.t.Fatalf("%s: %T is not answered", n.name, c)
	return Done{}
}

// must is do for what has to work.
func (w *world) must(n *node, c Command) wire.PlayerID {
	w.t.Helper()
	d := w.do(n, c)
	if d.Err != nil {
		w.t.Fatalf("%s: %T: %v", n.name, c, d.Err)
	}
	return d.ID
}

// run lets time pass.
func (w *world) run(until time.Duration) {
	for {
		next := until
		for _, n := range w.nodes {
			if !n.closed {
				next = min(next, n.wake)
			}
		}
		w.now = next
		if next >= until {
			return
		}
		for _, n := range w.nodes {
			if !n.closed && n.wake <= w.now {
				w.step(n, Input{})
			}
		}
		w.settle()
	}
}

// take returns the events of one type that a machine had, and forgets all of its events.
func take[T Event](n *node) []T {
	var all []T
	for _, e := range n.events {
		if t, ok := e.(T); ok {
			all = append(all, t)
		}
	}
	n.events = nil
	return all
}

var gameGUID = wire.GUID{1, 2, 3}

// session makes a host and n machines that joined it, each with a player named after it.
func session(t testing.TB, flags wire.SessionFlags, n int, cfg Config) (*world, []*node, []wire.PlayerID) {
	t.Helper()
	w := newWorld(t)
	h := w.add("host", cfg)
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: flags, MaxPlayers: 0})
	all := []*node{h}
	for i := range n {
		p := w.add(fmt.Sprintf("peer%d", i+1), cfg)
		w.join(p, h, "")
		all = append(all, p)
	}
	var ids []wire.PlayerID
	for _, p := range all {
		c := CreatePlayer{ShortName: Text(p.name)}
		if flags&wire.SessionClientServer != 0 && p == h {
			c.Flags = wire.PlayerServerPlayer
		}
		ids = append(ids, w.must(p, c))
	}
	return w, all, ids
}

// join has a machine find the host's session and join it.
func (w *world) join(p, h *node, password Text) {
	w.t.Helper()
	p.events = nil
	w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll | wire.EnumPasswordRequired})
	for _, f := range take[SessionFound](p) {
		if f.Host.Addr() == h.addr {
			w.must(p, Join{Host: f.Host, Desc: f.Desc, Name: f.Name, Encoding: f.Encoding, Password: password})
			return
		}
	}
	w.t.Fatalf("%s does not find the session of %s", p.name, h.name)
}
