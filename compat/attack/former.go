package main

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"

	"dplay4/dpsp/sock/network"
	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A reader is the wrapper of a machine whose messages over TCP the attacker reads: INSTALL names the members of the session, with
// their incarnations and listeners.
type reader chan *wire.ExtensionView // with room for one

func (r reader) wrap(c *net.TCPConn, _ bool) network.Stream {
	out, in := io.Pipe()
	go func() {
		for s := messages(out); s.Scan(); {
			r.look(s.Bytes())
		}
		io.Copy(io.Discard, out) // what comes behind octets that are no message
	}()
	return &readableStream{c, io.TeeReader(c, in), in}
}

// A readableStream is a connection whose messages are read by two: the machine and the attacker.
type readableStream struct {
	*net.TCPConn
	both io.Reader
	copy *io.PipeWriter // to the attacker
}

func (s *readableStream) Read(b []byte) (int, error) { return s.both.Read(b) }

// Close closes the connection, and ends the attacker's goroutine.
func (s *readableStream) Close() error {
	s.copy.Close()
	return s.TCPConn.Close()
}

// look sends a message to r, if it is an INSTALL.
func (r reader) look(message []byte) {
	m := viewIn(message)
	if m == nil || m.Step != wire.ViewInstall {
		return
	}
	m.Members, m.Ops = slices.Clone(m.Members), nil
	select {
	case r <- m:
	default:
	}
}

// viewIn returns the EXTENSION VIEW that a message of TCP is; nil: it is another message.
func viewIn(message []byte) *wire.ExtensionView {
	e, err := new(wire.Decoder).DecodeStream(message)
	if x, ok := e.Message.(*wire.Extension); ok && err == nil && e.System() {
		m, _ := x.Body.(*wire.ExtensionView)
		return m
	}
	return nil
}

// enterTold makes the attacker a member that was told the members of the session.
func (x *striker) enterTold() error {
	view := make(reader, 1)
	if err := x.enterBy(view.wrap, "Attacker", ignored); err != nil {
		return err
	}
	x.desc = x.session.Info().Desc
	select {
	case x.view = <-view:
		return nil
	case <-x.ctx.Done():
		return errors.New("the session tells no view")
	}
}

// enterAndLeave makes the attacker a member that leaves once it was told the members.
func (x *striker) enterAndLeave() error {
	if err := x.enterTold(); err != nil {
		return err
	}
	defer x.session.Close()
	return x.session.Leave(x.ctx)
}

// incarnation returns that of a member, as the attacker was told it.
func (x *striker) incarnation(system wire.PlayerID) wire.Incarnation {
	for _, m := range x.view.Members {
		if m.System == system {
			return m.Incarnation
		}
	}
	return 1
}

// nobodyAt returns a member at a listener of the attacker's address.
func nobodyAt(at netip.AddrPort, system wire.PlayerID, incarnation wire.Incarnation) wire.ViewMember {
	a := wire.SockAddr{Family: wire.FamilyINet, Port: at.Port(), Addr: at.Addr().As4()}
	return wire.ViewMember{System: system, Incarnation: incarnation, Stream: a, Datagram: a}
}

// packedOps returns operations in the form of a message. The first one has the given version.
func packedOps(version uint32, all ...playerlist.Op) (ops [][]byte) {
	for i, op := range all {
		b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: version + uint32(i), Op: op})
		if err != nil {
			panic(err) // all that is sent is ours, and fits
		}
		ops = append(ops, b)
	}
	return ops
}

// systemPlayer returns the operation that adds the system player of a member.
func systemPlayer(m wire.ViewMember) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: m.System, System: m.System, Flags: wire.PlayerSystem, Dialect: uint32(wire.DX9),
		SPData: wire.SPData{Stream: m.Stream, Datagram: m.Datagram}.Append(nil)}}
}

// claimLeft sends every step of EXTENSION VIEW in the name of the attacker, of an unknown program, of the host and of the control. Nobody
// listens at the port that it names.
func (x *striker) claimLeft() error {
	at := netip.AddrPortFrom(x.at(0), 2398)
	return x.lies(at.Port(), nobodyAt(at, x.System, x.incarnation(x.System)), nobodyAt(at, 1, 0x1234),
		nobodyAt(at, x.Host.System, x.incarnation(x.Host.System)), nobodyAt(at, x.Control.System, x.incarnation(x.Control.System)))
}

// memberLies sends them as a member, from its own listener, in the name of an unknown program, of the host and of the control, who would
// be at that listener, or at their own ones.
func (x *striker) memberLies() error {
	host, control := x.incarnation(x.Host.System), x.incarnation(x.Control.System)
	return x.lies(x.Stream.Port(), nobodyAt(x.Stream, 1, 0x1234), nobodyAt(x.Stream, x.Host.System, host),
		nobodyAt(x.Stream, x.Control.System, control), nobodyAt(x.Host.Stream, x.Host.System, host),
		nobodyAt(x.Control.Stream, x.Control.System, control))
}

// lies sends every step in the name of each of some machines, both for a view that it leads and for the session's own.
func (x *striker) lies(listens uint16, froms ...wire.ViewMember) error {
	epoch := x.view.View.Epoch
	for again := true; again; again = x.pause(everyMoment) {
		epoch++
		for _, from := range froms {
			x.strikes(from, listens, x.steps(from, epoch))
		}
	}
	return nil
}

// steps returns all steps of a sender, about the view of an epoch that it leads and about that of the session.
func (x *striker) steps(from wire.ViewMember, epoch uint32) (all []*wire.ExtensionView) {
	v, mine := x.view, wire.View{Epoch: epoch, Leader: from.System, Incarnation: from.Incarnation}
	list := packedOps(v.Index+1, playerlist.SetDesc{Session: playerlist.Session{Desc: x.desc, Name: wire.NewText(intruder)}},
		systemPlayer(from))
	gone := packedOps(v.Index+1, playerlist.DeletePlayer{ID: x.Control.Player})
	members := append([]wire.ViewMember{from}, v.Members...)
	var left []wire.Incarnation
	for _, m := range v.Members {
		left = append(left, m.Incarnation)
	}
	for _, of := range []wire.View{mine, v.View} {
		for step := wire.ViewLog; step <= wire.ViewUnvouched; step++ {
			m := &wire.ExtensionView{Step: step, From: from, View: of, Place: mine, Index: v.Index + 1, Members: members, Left: left}
			switch step {
			case wire.ViewLog:
				m.Ops = gone
			case wire.ViewAck, wire.ViewState, wire.ViewInstall, wire.ViewOwn:
				m.Ops = list
			case wire.ViewJoin:
				m.Ops = list[:1]
			}
			all = append(all, m)
		}
	}
	return all
}

// strikes sends messages to host and control: over a connection to each, and positions and claims in datagrams besides.
func (x *striker) strikes(from wire.ViewMember, listens uint16, all []*wire.ExtensionView) {
	var stream []byte
	var said [][]byte
	for _, m := range all {
		b := octets(port(listens), wire.NewExtension(from.System, m))
		stream = append(stream, b...)
		if m.Step == wire.ViewPosition || m.Step == wire.ViewClaim {
			said = append(said, b)
		}
	}
	datagrams(func(u []*net.UDPConn) {
		for _, to := range []machine{x.Host, x.Control} {
			x.tell(to.Stream, stream)
			for _, b := range said {
				u[0].WriteToUDPAddrPort(b, to.Datagram)
			}
		}
	}, x.at(0))
}

// madeUp is the first id of machines that were never in the session, and of which there are as many.
const (
	madeUp   = wire.PlayerID(0x5EC70000)
	madeUpOf = 0x10000
)

// rejoinMadeUp has machines that were never in the session say that they were lost, or ask to be let in. They close each connection to them.
func (x *striker) rejoinMadeUp() error {
	at := netip.AddrPortFrom(x.at(0), 2398)
	l, err := listen(at, func(c net.Conn) { c.Close() })
	if err != nil {
		return err
	}
	defer l.Close()
	for n := wire.PlayerID(0); n < madeUpOf && (n == 0 || x.pause(everyMoment)); n++ {
		from := nobodyAt(at, madeUp+n, wire.Incarnation(madeUp+n))
		x.strikes(from, at.Port(), x.steps(from, x.view.View.Epoch+1+uint32(n)))
	}
	return nil
}

// joinLies asks to be let in with the id of the control, from a program that was never in the session. It answers PREPARE with the promise
// of a log that is newer than all others, in which all others left, and FETCH with that log.
func (x *striker) joinLies() error {
	at := netip.AddrPortFrom(x.at(0), 2398)
	me := nobodyAt(at, x.Control.System, 0x4C1E5)
	l, err := listen(at, func(c net.Conn) { go x.lieTo(c, me) })
	if err != nil {
		return err
	}
	defer l.Close()
	join := wire.NewExtension(me.System, &wire.ExtensionView{Step: wire.ViewJoin, From: me,
		Ops: packedOps(0, playerlist.SetDesc{Session: playerlist.Session{Desc: x.desc}})})
	for n := 0; n == 0 || x.pause(everyMoment); n++ {
		x.tell(x.Host.Stream, octets(port(at.Port()), join))
	}
	return nil
}

// lieTo answers PREPARE and FETCH over a connection.
func (x *striker) lieTo(c net.Conn, me wire.ViewMember) {
	defer c.Close()
	for s := messages(c); s.Scan(); {
		if m := viewIn(s.Bytes()); m != nil {
			x.lie(me, m)
		}
	}
}

// lie answers a message of the host.
func (x *striker) lie(me wire.ViewMember, m *wire.ExtensionView) {
	v := x.view
	place := wire.View{Epoch: m.View.Epoch - 1, Leader: me.System, Incarnation: me.Incarnation}
	a := &wire.ExtensionView{From: me, View: m.View, Place: place, Index: v.Index + 1<<16, Nonce: m.Nonce, Members: []wire.ViewMember{me}}
	switch m.Step {
	case wire.ViewPrepare:
		a.Step, a.Ops = wire.ViewAck, packedOps(1, systemPlayer(me))
		for _, o := range v.Members {
			if o.System != x.Host.System {
				a.Left = append(a.Left, o.Incarnation)
			}
		}
		for n := range wire.Incarnation(200) {
			a.Lost = append(a.Lost, nobodyAt(netip.AddrPortFrom(x.at(1), uint16(3000+n)), 1, 0x5000+n))
		}
	case wire.ViewFetch:
		a.Step, a.Place, a.Index = wire.ViewState, m.Place, m.Index
		a.Ops = packedOps(0, playerlist.SetDesc{Session: playerlist.Session{Desc: x.desc, Name: wire.NewText(intruder)}},
			systemPlayer(me))
	default:
		return
	}
	x.tell(x.Host.Stream, octets(port(me.Stream.Port), wire.NewExtension(me.System, a)))
}
