package dpsp

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/internal/frame"
	"dplay4/wire"
)

// An Engine is one machine's part in one session. It does no input or output and has no clock: tell it what
// happened with Step and do what it answers. It is for one goroutine.
type Engine struct {
	// The engine has three layers, and none can reach a higher one. sessionState answers questions. sender sends, and tells the program. The
	// methods of Engine and of views change the list, decide who is host, and begin and end sessions: TestReach counts these.
	sender
	views views // of the session. It points back here: no copy of an engine works
}

// New returns an engine in no session.
func New(cfg Config) *Engine {
	cfg = cfg.withDefaults()
	e := &Engine{sender: sender{sessionState: newState(cfg), reports: reports{}}}
	s := &e.sender
	s.admission, s.join, s.liveness = admission{s, &s.reserved}, joining{s, &s.way}, liveness{s, &s.signs}
	s.migration, s.requests, s.search = migration{s, &s.election}, requests{s, &s.wanted}, search{s, &s.searching}
	s.views = viewSender{s, &s.viewing}
	e.views = views{e, &s.views}
	e.framing.links = frame.New(frame.Config{Options: cfg.Readings.Options, MaxFrame: min(maxFrame, cfg.MaxDatagram), Rand: e.rng})
	e.reset()
	return e
}

// reset forgets the session.
func (e *Engine) reset() {
	e.frames().Leave()
	e.framing.links.Reset()
	e.framing.inside = nil
	e.sessionState.reset()
	e.arrivals, e.fragments = newArrivals(&e.sender), fragments{}
	e.dec.Options = wire.Options{}
}

// Step tells the engine what happened at a time and gives what it wants done. now is any clock: a time before one that
// was passed earlier counts as that one, and one beyond endOfTime as endOfTime, so any will do. The Output is valid
// until the next Step. Nothing that comes over the network makes Step fail: what cannot be used is dropped, with an
// event that says why.
func (e *Engine) Step(now time.Duration, in Input) *Output {
	e.now = max(e.now, min(now, endOfTime))
	e.out.Sends, e.out.Close, e.out.Events = e.out.Sends[:0], e.out.Close[:0], nil
	e.out.buf = e.out.buf[:0]
	switch in.Kind {
	case Stream:
		e.stream(in)
	case Datagram:
		e.datagram(in)
	case StreamEnded:
		e.arrivals.broke(e.now, e.peers.byListener[in.From], in.From, false)
		e.join.streamEnded(in.From, in.Err)
		e.liveness.streamEnded(in.From, in.Err, in.Lost)
	case StreamClosed:
		if !in.Anew { // nobody told of its end, or it is the one before
			e.arrivals.broke(e.now, e.peers.byListener[in.From], in.From, true)
		}
		e.streamClosed(in.From, in.Anew)
	case Request:
		e.command(in.Command, in.Token)
	}
	e.flushFrames()
	e.releaseEarly()
	e.timers()
	e.views.work()
	if x := e.leaving; x.until != 0 && (x.until <= e.now || !e.arrivals.waits(e.peers.all)) {
		e.leaving = leaving{}
		_ = e.leave(x.token, false) // it fails in no session
	}
	e.objects.Work(e.now, objectTransport{&e.sender})
	e.flushFrames()
	e.carry()
	if e.out.Wake = e.wake(); e.out.Wake > endOfTime {
		e.out.Wake = Never
	}
	return &e.out.Output
}

// An origin is where a message came from.
type origin struct {
	from     netip.AddrPort // the remote end of the connection, or the source of the datagram
	listener netip.AddrPort // where its sender listens, by its header; invalid without one
	udp      bool
	framed   bool // it came in frames: from is its sender's UDP socket
	loose    bool // and without guarantee
}

// guaranteed reports whether its sender wanted it to arrive.
func (o origin) guaranteed() bool { return !o.udp && !o.loose }

// originOf reads an origin from a header. Address 0.0.0.0 is where the packet came from (facts, 1.8).
func originOf(from netip.AddrPort, sp *wire.SPHeader, udp bool) origin {
	return origin{from: from, listener: resolve(sp.SockAddr, from.Addr()), udp: udp}
}

// resolve returns the socket that an address in a message means.
func resolve(a wire.SockAddr, ip netip.Addr) netip.AddrPort {
	if at := netip.AddrFrom4(a.Addr); !at.IsUnspecified() {
		ip = at
	}
	return netip.AddrPortFrom(ip.Unmap(), a.Port)
}

// direct returns the origin with the listener at the address that the packet came from, whatever its header says.
// Answers to strangers go there (3.2.5.3), or anybody could have us call a third machine.
func (o origin) direct() origin {
	o.listener = netip.AddrPortFrom(o.from.Addr().Unmap(), o.listener.Port())
	return o
}

// sameSender reports whether two messages have one sender, as far as that can be seen.
func (o origin) sameSender(p origin) bool {
	return o.listener == p.listener && o.from.Addr() == p.from.Addr()
}

// stream takes a message that came over TCP.
func (e *Engine) stream(in Input) {
	env, err := e.dec.DecodeStream(in.Data)
	o := originOf(in.From, &env.SP, false)
	if !e.arrivals.reads(e.now, e.peers.byListener[o.listener], e.views.kept, o, in.Data) {
		return
	}
	if err != nil {
		err = quoted(err, &env, in.Data)
		e.malformed(o, &env, err)
		return
	}
	e.envelope(o, &env)
}

// quoted adds to an error how much there was of a message that is not whole, or how octets begin that are another
// protocol's text.
func quoted(err error, env *wire.Envelope, octets []byte) error {
	if n := len(octets); wire.LooksLikeSPHeader(octets) && env.SP.Size > n {
		return fmt.Errorf("%w, %d octets of it came", err, n)
	}
	b := octets[:min(len(octets), wire.SPHeaderSize)]
	if env.Message != nil || len(b) < 4 || slices.ContainsFunc(b[:4], func(c byte) bool { return c < ' ' || c > '~' }) {
		return err
	}
	return fmt.Errorf("%w; it begins with %q", err, b)
}

// datagram takes a datagram.
func (e *Engine) datagram(in Input) {
	if e.takesFrame(in) {
		return
	}
	env, err := e.dec.DecodeDatagram(in.Data)
	o := origin{from: in.From, udp: true}
	if env.HasSP {
		o = originOf(in.From, &env.SP, true)
	}
	if err != nil {
		e.malformed(o, &env, err)
		return
	}
	e.envelope(o, &env)
}

func (e *Engine) envelope(o origin, env *wire.Envelope) {
	e.heard(o)
	if !env.System() {
		game := env.Message.(*wire.PlayerMessage)
		e.cameUnframed(o, game)
		e.receive(o, game, o.guaranteed())
		return
	}
	e.system(o, env.Version, env.Message)
}

func (e *Engine) malformed(o origin, env *wire.Envelope, err error) {
	name := ""
	if env.Message != nil {
		name = env.Message.Command().String()
	}
	e.drop(o, name, Malformed, err.Error())
	e.nonsense(o, env.Message, err)
}

// system takes a message with a header: by its rule, and if that is for members, by where we stand.
func (e *Engine) system(o origin, version wire.Dialect, m wire.Message) {
	switch r := ruleOf(m); {
	case o.udp && !r.datagram:
		e.drop(o, nameOf(m), NotAllowed, "it does not come in a datagram")
	case whole(m):
		e.unwrap(o, m)
	case r.take == nil:
		e.drop(o, nameOf(m), Unsupported, "secure sessions and voice are not supported")
	case r.outside:
		e.handle(r, o, version, m)
	case e.state == joinState && (r.repeats || e.join.hold(o, version, m)):
	case e.state != member && m.Command() == wire.CmdExtension: // it was under way when we left
	case e.state != member:
		e.drop(o, nameOf(m), OutOfTurn, "we are in no session")
	case e.holdEarly(o, version, m):
	default:
		e.hearText(o, m)
		e.handle(r, o, version, m)
	}
}

// inner takes a message that came inside another one.
func (e *Engine) inner(o origin, in *wire.Inner) {
	switch m := in.Message.(type) {
	case nil:
	case *wire.PlayerMessage:
		e.receive(o, m, o.guaranteed())
	default:
		e.system(o, in.Version, m)
	}
}
