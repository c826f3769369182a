package probe

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// An inquiry asks one host in one way after the other, each for answers at a port of its own: what was answered is then clear, and
// a host that keeps the connection of an answer, as those with Windows do, does not write to one that is closed.
type inquiry struct {
	*Probe
	live *doctor.Live
	at   netip.AddrPort
	next uint16 // where the next answers are wanted: the first free port from here

	packets *watch // nil: this machine does not let us
}

// askHost asks a host for its sessions, all of them, also those that take nobody; first as games do, then in other ways as far as
// that leaves something open.
func (o *Probe) askHost(ctx context.Context, l *doctor.Live) {
	q := &inquiry{o, l, netip.AddrPortFrom(l.Host, wire.EnumPort), o.TCP.First, nil}
	if !q.itself() {
		q.packets = watchFrom(l.Host)
	}
	defer func() {
		if l.Watched = q.packets != nil; l.Watched {
			l.Knocks = q.packets.stop(l)
		}
	}()
	udp := q.ask(ctx, doctor.Way{Transport: captures.UDP}, o.question(o.App))
	tcp := q.ask(ctx, doctor.Way{Transport: captures.TCP}, o.question(o.App))
	if udp.Fault == doctor.NoFault && len(udp.Offers) == 0 && len(tcp.Offers) > 0 {
		// Was it UDP that did not get there, or did the answer not get to the first port here?
		q.ask(ctx, doctor.Way{Transport: captures.UDP}, o.question(o.App))
	}
	if !l.Answered() && (udp.Fault != doctor.Refused || tcp.Fault != doctor.Refused) {
		q.askEvery(ctx, tcp.Taken)
	}
	if !l.Answered() && udp.Fault == doctor.NoFault && tcp.Fault == doctor.Refused {
		l.Closed = q.tryClosed(ctx)
	}
	q.tryKeys(ctx)
	q.tryDoors(ctx)
	q.tryDatagrams(ctx)
}

// tryClosed sends an empty datagram to a UDP port at which nothing listens, so that it is known what it means that nothing comes
// back from the one where hosts are asked: a machine that refuses what nobody listens for has somebody there.
func (q *inquiry) tryClosed(ctx context.Context) doctor.Fault {
	c, err := sock.DialDatagrams(q.Bind, netip.AddrPortFrom(q.at.Addr(), wire.EnumPort+1))
	if err != nil {
		return fault(err)
	}
	ctx, cancel := context.WithTimeout(ctx, q.Timeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	defer c.Close()
	if _, err = c.Write(nil); err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	return cmp.Or(fault(err), doctor.Silence)
}

// itself reports whether a machine asks itself: then it must not listen where it is asked, and each of its own connections is one of
// the host's.
func (q *inquiry) itself() bool {
	if q.Bind.IsValid() {
		return q.Bind == q.live.Host
	}
	return q.live.Host.IsLoopback() || q.live.Own(q.live.Host)
}

// question is what a host is asked for the sessions of a game.
func (o *Probe) question(app wire.GUID) wire.EnumSessions {
	m := wire.EnumSessions{Application: app, Flags: cli.EnumFlags(true)}
	if o.Password != "" {
		m.Password = o.Text.Of(app).Text(o.Password)
	}
	return m
}

// ask asks in one way, and keeps it.
func (q *inquiry) ask(ctx context.Context, w doctor.Way, texts ...wire.EnumSessions) doctor.Way {
	w.To = q.at
	q.put(ctx, &w, texts...)
	q.live.Ways = append(q.live.Ways, w)
	return w
}

// put asks in one way.
func (q *inquiry) put(ctx context.Context, w *doctor.Way, texts ...wire.EnumSessions) {
	x, err := q.newQuestion(w, q.next, q.packets, texts...) // a port that had an answer before is better than none: a bridge leaves but one
	if err != nil {
		w.Err = reason(err)
		return
	}
	if !q.itself() {
		x.strays()
	}
	x.ask(ctx, q.Timeout)
	x.close()
	if q.next = w.At + 1; w.At == q.TCP.Last {
		q.next = q.TCP.First
	}
}

// askEvery asks for every game, and for each that is known by its GUID: some hosts answer only who asks for their own.
func (q *inquiry) askEvery(ctx context.Context, streams bool) {
	var texts []wire.EnumSessions
	if !q.App.IsZero() {
		texts = append(texts, q.question(wire.GUID{}))
	}
	for _, g := range gamelist.Games() {
		if !g.GUID.IsZero() && g.GUID != q.App {
			texts = append(texts, q.question(g.GUID))
		}
	}
	texts = texts[:min(len(texts), maxGames)]
	w := q.ask(ctx, doctor.Way{Transport: captures.UDP, Any: true}, texts...)
	if streams && len(w.Offers) == 0 {
		q.ask(ctx, doctor.Way{Transport: captures.TCP, Any: true}, texts...)
	}
}

// maxGames bounds the games that a host is asked for one by one.
const maxGames = 32

// tryKeys tries the password that was given: a host shows a session that wants one to who asks without saying that such a session
// will do only if the password is right.
func (q *inquiry) tryKeys(ctx context.Context) {
	if q.Password == "" {
		return
	}
	for _, w := range q.live.Ways {
		for _, o := range w.Offers {
			tried := func(k doctor.Key) bool { return k.Session == o.Instance }
			if o.Flags&wire.SessionPasswordRequired == 0 || len(q.live.Keys) >= maxKeys || slices.ContainsFunc(q.live.Keys, tried) {
				continue
			}
			m := q.question(o.App)
			m.Flags = wire.EnumAll
			again := doctor.Way{Transport: w.Transport, To: q.at}
			q.put(ctx, &again, m)
			same := func(x doctor.LiveOffer) bool { return x.Instance == o.Instance }
			q.live.Keys = append(q.live.Keys, doctor.Key{Session: o.Instance, Fits: slices.ContainsFunc(again.Offers, same)})
		}
	}
}

// maxKeys bounds the sessions whose password is tried.
const maxKeys = 4

// tryDoors connects to where the sessions that were told of are to be joined, or to where hosts listen as a rule.
func (q *inquiry) tryDoors(ctx context.Context) {
	q.offeredDoors(ctx, q.live)
	if !q.live.Answered() && !q.live.ThroughBridge() { // whose doors are always open
		q.live.Doors = q.connect(ctx, []doctor.Door{{At: netip.AddrPortFrom(q.live.Host, q.TCP.First)}})
	}
}

// offeredDoors connects to where the sessions that were told of are to be joined.
func (o *Probe) offeredDoors(ctx context.Context, l *doctor.Live) {
	var doors []doctor.Door
	known := map[netip.AddrPort]bool{}
	for _, x := range l.Offers() {
		wanted := cmp.Or(o.App, x.App) == x.App && x.Transport == captures.TCP && x.Host.Port() != 0 && !ownPort(x.App)
		if wanted && !known[x.Host] {
			known[x.Host] = true
			doors = append(doors, doctor.Door{At: x.Host, Offered: true, Session: x.Name, From: x.From})
		}
	}
	l.Doors = o.connect(ctx, doors[:min(len(doors), maxDoors)])
}

// maxDoors bounds the sessions that are connected to.
const maxDoors = 16

// ownPort reports whether a game has a port of its own: its hosts may know a machine by nothing but its address, as those of Lego
// Loco do, and take the end of any connection from it for the departure of its player.
func ownPort(app wire.GUID) bool {
	g, ok := gamelist.Games().ByGUID(app)
	return ok && g.StreamPorts.First != 0
}

// connect connects to each door at once, says nothing, and hangs up. To a host that is a joiner which has not begun to speak.
func (o *Probe) connect(ctx context.Context, doors []doctor.Door) []doctor.Door {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	var group sync.WaitGroup
	for i := range doors {
		group.Go(func() { o.knock(ctx, &doors[i]) })
	}
	group.Wait()
	return doors
}

// knock connects to one door.
func (o *Probe) knock(ctx context.Context, door *doctor.Door) {
	c, err := o.dial(ctx, door.At)
	if err == nil {
		c.Close()
		return
	}
	door.Err, door.Fault = reason(err), cmp.Or(fault(err), doctor.Silence)
}

// dial connects by the network card that is used.
func (o *Probe) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: o.bound().AsSlice()}}
	return d.DialContext(ctx, "tcp4", to.String())
}
