package doctor_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/gopacket/layers"

	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// A world is a network in memory with a log of every packet that was sent on it. Sessions of package sock play on it in a bubble of
// testing/synctest. Rules may lose, refuse or rewrite packets, as firewalls, routers and programs of another make do.
type world struct {
	t     testing.TB
	net   *socktest.Network
	began time.Time

	mu      sync.Mutex
	log     []*packet
	ends    map[[2]netip.AddrPort]*tapped // ends of TCP connections, by their own socket and the other one
	rules   []func(*packet) fate
	latency func(*packet) time.Duration // how long a program takes to read a datagram; nil: no time
	routes  map[netip.Addr]netip.Addr   // addresses that a router passes on to a machine
}

// A packet is a datagram or a TCP segment on its way.
type packet struct {
	at       time.Time
	src, dst netip.AddrPort
	udp      bool
	tcp      layers.TCP // its flags and numbers
	data     []byte
	lost     bool // the receiver does not see it
}

// A fate is what becomes of a packet.
type fate int

const (
	passes  fate = iota
	lost         // it leaves the sender, and does not arrive
	refused      // likewise, and the receiver refuses the connection
	kept         // it does not leave the sender
	held         // likewise, until its fate is another one; a datagram or SYN is lost
	late         // TCP alone: lost, and sent again until its fate is another one
)

func newWorld(t testing.TB) *world {
	return &world{t: t, net: socktest.New(), began: time.Now(), ends: map[[2]netip.AddrPort]*tapped{}, routes: map[netip.Addr]netip.Addr{}}
}

// rule adds a rule. The first one that does not pass a packet decides.
func (w *world) rule(r func(*packet) fate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules = append(w.rules, r)
}

// judge returns the fate of a packet; under mu.
func (w *world) judge(p *packet) fate {
	for _, r := range w.rules {
		if f := r(p); f != passes {
			return f
		}
	}
	return passes
}

// put logs a packet, as segments of which none is too large; under mu.
func (w *world) put(p *packet) {
	p.at = time.Now()
	if p.udp || len(p.data) <= madeup.MaxSegment {
		w.log = append(w.log, p)
		return
	}
	for data := range slices.Chunk(p.data, madeup.MaxSegment) {
		piece := *p
		piece.data = data
		w.log = append(w.log, &piece)
		p.tcp.Seq += uint32(len(data))
	}
}

// A plug is the network as one machine has it: a network.Network.
type plug struct {
	w    *world
	addr netip.Addr
}

// A tapper wraps the connections that a listener takes.
type tapper struct {
	net.Listener
	w *world
}

// ListenStream opens a TCP listener.
func (p plug) ListenStream(at netip.AddrPort) (net.Listener, error) {
	l, err := p.w.net.ListenStream(at)
	if err != nil {
		return nil, err
	}
	return tapper{l, p.w}, nil
}

// Accept waits for a connection.
func (l tapper) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.end(c.(network.Stream)), nil
}

// end returns the tapped end of a connection; under mu.
func (w *world) end(c network.Stream) *tapped {
	t := w.endAt(portOf(c.LocalAddr()), portOf(c.RemoteAddr()))
	t.Stream = c
	return t
}

// endAt returns the end between two sockets; under mu.
func (w *world) endAt(local, remote netip.AddrPort) *tapped {
	k := [2]netip.AddrPort{local, remote}
	if w.ends[k] == nil {
		w.ends[k] = &tapped{w: w, key: k, local: local, remote: remote, seq: 0x10000000, got: 0x10000000}
	}
	return w.ends[k]
}

// route returns the socket that a router passes on to; under mu.
func (w *world) route(to netip.AddrPort) netip.AddrPort {
	if a, ok := w.routes[to.Addr()]; ok {
		return netip.AddrPortFrom(a, to.Port())
	}
	return to
}

func portOf(a net.Addr) netip.AddrPort { return netip.MustParseAddrPort(a.String()) }

// DialStream connects to a TCP listener. A SYN that is lost is sent again, as Linux does.
func (p plug) DialStream(ctx context.Context, _ netip.Addr, to netip.AddrPort) (network.Stream, error) {
	w := p.w
	from := netip.AddrPortFrom(p.addr, w.port())
	syn := func() fate {
		w.mu.Lock()
		defer w.mu.Unlock()
		s := &packet{src: from, dst: to, tcp: layers.TCP{SYN: true, Seq: 0x0fffffff}}
		f := w.judge(s)
		if f == held {
			f = lost
		}
		s.lost = f == lost
		if f != kept && f != passes {
			w.put(s)
		}
		if f == refused {
			w.put(&packet{src: to, dst: from, tcp: layers.TCP{RST: true, ACK: true}})
		}
		return f
	}
	wait := time.Second
	for {
		switch syn() {
		case passes:
			return p.connect(ctx, to)
		case refused:
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
		case lost, kept:
			select {
			case <-pause(wait):
				wait *= 2
			case <-ctx.Done():
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
			}
		}
	}
}

// port returns a port for a connection that does not come about.
func (w *world) port() uint16 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return uint16(61000 + len(w.log)%4000)
}

// connect makes a connection that no rule is against.
func (p plug) connect(ctx context.Context, to netip.AddrPort) (network.Stream, error) {
	w := p.w
	w.mu.Lock()
	routed := w.route(to)
	w.mu.Unlock()
	c, err := w.net.DialStream(ctx, p.addr, routed)
	if err != nil {
		from := netip.AddrPortFrom(p.addr, w.port())
		w.mu.Lock()
		defer w.mu.Unlock()
		w.put(&packet{src: from, dst: to, tcp: layers.TCP{SYN: true, Seq: 0x0fffffff}})
		if ctx.Err() == nil {
			w.put(&packet{src: to, dst: from, tcp: layers.TCP{RST: true, ACK: true}})
		}
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.end(c)
	t.remote = to
	w.endAt(routed, t.local).local = to
	w.put(&packet{src: t.local, dst: to, tcp: layers.TCP{SYN: true, Seq: t.seq - 1}})
	w.put(&packet{src: to, dst: t.local, tcp: layers.TCP{SYN: true, ACK: true, Seq: t.seq - 1, Ack: t.seq}})
	w.put(&packet{src: t.local, dst: to, tcp: layers.TCP{ACK: true, Seq: t.seq, Ack: t.seq}})
	return t, nil
}

// A tapped is an end of a TCP connection whose segments are logged. Its numbers are under the mu of the world.
type tapped struct {
	network.Stream
	w             *world
	key           [2]netip.AddrPort // its sockets
	local, remote netip.AddrPort    // as they are on the wire
	seq, got      uint32            // behind what it sent, and behind what arrived of that
	ended, closed bool
	hard          bool // it ends with RST
}

// other returns the other end, nil if nobody has it yet; under mu.
func (c *tapped) other() *tapped { return c.w.ends[[2]netip.AddrPort{c.key[1], c.key[0]}] }

// segment logs a segment; under mu.
func (c *tapped) segment(h layers.TCP, p *packet) {
	h.Seq, h.Ack = c.seq, 0x10000000
	if o := c.other(); o != nil {
		h.Ack = o.got
	}
	p.src, p.dst, p.tcp = c.local, c.remote, h
	whole := c.got == c.seq && !p.lost
	c.seq += uint32(len(p.data))
	if h.FIN {
		c.seq++
	}
	if whole {
		c.got = c.seq
	}
	c.w.put(p)
}

// Write sends octets. Those that a rule loses or keeps do not arrive, and the program is not told.
func (c *tapped) Write(b []byte) (int, error) {
	p := &packet{src: c.local, dst: c.remote, data: bytes.Clone(b)}
	c.w.mu.Lock()
	f := c.w.judge(p)
	for f == held && !c.closed {
		c.w.mu.Unlock()
		<-pause(time.Second)
		c.w.mu.Lock()
		f = c.w.judge(p)
	}
	again := 200 * time.Millisecond
	for ; f == late && !c.closed; again *= 2 {
		h := layers.TCP{ACK: true, PSH: true, Seq: c.seq}
		c.w.put(&packet{src: c.local, dst: c.remote, tcp: h, data: p.data, lost: true})
		c.w.mu.Unlock()
		<-pause(again)
		c.w.mu.Lock()
		f = c.w.judge(p)
	}
	p.lost = f == lost
	data := p.data
	if f != kept && !c.ended {
		seq := c.seq
		c.segment(layers.TCP{ACK: true, PSH: true}, p)
		if f == lost {
			c.repeats(seq, data[:min(len(data), madeup.MaxSegment)])
		}
		if o := c.other(); o != nil && o.closed {
			o.segment(layers.TCP{RST: true, ACK: true}, &packet{})
		} else if o != nil && f == passes {
			o.segment(layers.TCP{ACK: true}, &packet{})
		}
	}
	c.w.mu.Unlock()
	if f != passes {
		return len(b), nil
	}
	if _, err := c.Stream.Write(data); err != nil {
		return 0, err
	}
	return len(b), nil
}

// repeats logs a segment that is lost again and again, as Linux sends it; under mu.
func (c *tapped) repeats(seq uint32, data []byte) {
	for i := range 5 {
		later(200*time.Millisecond<<i, func() {
			c.w.mu.Lock()
			defer c.w.mu.Unlock()
			if !c.closed {
				h := layers.TCP{ACK: true, PSH: true, Seq: seq}
				c.w.put(&packet{src: c.local, dst: c.remote, tcp: h, data: data, lost: true})
			}
		})
	}
}

// finish logs the end of what is sent.
func (c *tapped) finish(closes bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.ended {
		c.ended = true
		c.segment(layers.TCP{FIN: !c.hard, RST: c.hard, ACK: true}, &packet{})
	}
	c.closed = c.closed || closes
}

// CloseWrite ends what is sent.
func (c *tapped) CloseWrite() error { c.finish(false); return c.Stream.CloseWrite() }

// Close ends the connection.
func (c *tapped) Close() error { c.finish(true); return c.Stream.Close() }

// SetLinger has Close reset the connection if seconds is 0.
func (c *tapped) SetLinger(seconds int) error {
	c.w.mu.Lock()
	c.hard = seconds == 0
	c.w.mu.Unlock()
	return c.Stream.SetLinger(seconds)
}

// Look does as the Stream does.
func (c *tapped) Look() (octets, ended bool) { return c.Stream.(network.Looker).Look() }

// Acknowledged does as the Stream does.
func (c *tapped) Acknowledged() bool { return c.Stream.(network.Looker).Acknowledged() }

// A mailbox is a UDP socket whose datagrams are logged.
type mailbox struct {
	network.Datagrams
	w  *world
	at netip.AddrPort
}

// ListenDatagrams opens a UDP socket.
func (p plug) ListenDatagrams(at netip.AddrPort) (network.Datagrams, error) {
	d, err := p.w.net.ListenDatagrams(at)
	if err != nil {
		return nil, err
	}
	return &mailbox{d, p.w, netip.AddrPortFrom(p.addr, portOf(d.LocalAddr()).Port())}, nil
}

// Posts says that one sends without waiting.
func (d *mailbox) Posts() {}

// WriteToUDPAddrPort sends a datagram.
func (d *mailbox) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	p := &packet{src: d.at, dst: to, udp: true, data: bytes.Clone(b)}
	d.w.mu.Lock()
	f := d.w.judge(p)
	p.lost = f == lost || f == held
	late := time.Duration(0)
	if d.w.latency != nil {
		late = d.w.latency(p)
	}
	if f != kept {
		d.w.put(p)
	}
	routed := d.w.route(to)
	d.w.mu.Unlock()
	switch {
	case f != passes:
		return len(b), nil
	case late > 0:
		later(late, func() { d.Datagrams.WriteToUDPAddrPort(p.data, routed) }) //nolint:errcheck // it gets lost
		return len(b), nil
	}
	if _, err := d.Datagrams.WriteToUDPAddrPort(p.data, routed); err != nil {
		return 0, err
	}
	return len(b), nil
}

// A view is what a recording has of a world.
type view struct {
	at    netip.Addr                       // the machine that it was made on; invalid: it is of the whole network
	sent  bool                             // of this machine, what it sent alone
	after time.Duration                    // it begins so long after the world
	until time.Duration                    // and ends then; 0: with the world
	both  bool                             // of an adapter and of "any": each packet is in it twice
	card  func(*packet) int                // the interface, 0 or 1; nil: 0
	inner map[netip.Addr]netip.Addr        // addresses that a router changes: from outside to inside
	drop  func(number int, p *packet) bool // packets that the recording lacks
}

// file returns a recording.
func (w *world) file(v view) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := madeup.NewInterfaces(w.t, "eth0", "eth1")
	n.Step = time.Microsecond
	inside := func(s netip.AddrPort) string {
		if a, ok := v.inner[s.Addr()]; ok {
			s = netip.AddrPortFrom(a, s.Port())
		}
		return s.String()
	}
	for i, p := range w.log {
		out, in := p.src.Addr() == v.at, !p.lost && (p.dst.Addr() == v.at || p.dst.Addr() == everybody)
		late := p.at.Sub(w.began)
		switch {
		case v.at.IsValid() && !out && (!in || v.sent), late < v.after, v.until > 0 && late > v.until, v.drop != nil && v.drop(i, p):
			continue
		}
		if at := madeup.Began.Add(late); at.After(n.Now) {
			n.Now = at
		}
		n.Interface = 0
		if v.card != nil {
			n.Interface = v.card(p)
		}
		for range 1 + flag(v.both) {
			if p.udp {
				n.UDP(inside(p.src), inside(p.dst), p.data)
			} else {
				n.TCP(inside(p.src), inside(p.dst), p.tcp, p.data)
			}
			n.Interface = 1 - n.Interface
		}
	}
	return n.Bytes()
}

// everybody is the address of all.
var everybody = netip.AddrFrom4([4]byte{255, 255, 255, 255})

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// messages calls a function for each message of DirectPlay in the octets of a packet, and puts what it returns in its place; nil
// leaves the message out.
func (p *packet) messages(change func(wire.Envelope, []byte) []byte) {
	var all []byte
	for rest := p.data; len(rest) > 0; {
		size := len(rest)
		if sp, err := wire.ParseSPHeader(rest); err == nil && sp.Size <= len(rest) && !p.udp {
			size = sp.Size
		}
		var d wire.Decoder
		e, err := d.DecodeStream(rest[:size])
		if err != nil {
			all = append(all, rest[:size]...)
		} else {
			all = append(all, change(e, rest[:size])...)
		}
		rest = rest[size:]
	}
	p.data = all
}
