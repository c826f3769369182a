package main

import (
	"net"
	"net/netip"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// These attacks on a session with views use the incarnations of the members, which INSTALL gave the attacker before it left.

// nobodyAt returns a member that listens where nobody does.
func nobodyAt(at netip.AddrPort, system wire.PlayerID, incarnation wire.Incarnation) wire.ViewMember {
	a := wire.SockAddr{Family: wire.FamilyINet, Port: at.Port(), Addr: at.Addr().As4()}
	return wire.ViewMember{System: system, Incarnation: incarnation, Stream: a, Datagram: a}
}

// packedOps returns operations as they stand in a message.
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

// claimViews sends every step of EXTENSION VIEW, both for a view that the sender leads and for the session's own. The sender is the attacker,
// then an unknown program, then each member.
func (x *striker) claimViews(nobody netip.AddrPort) error {
	v := x.former.view
	epoch := v.View.Epoch
	for again := true; again; again = x.pause(everyMoment) {
		epoch++
		froms := []wire.ViewMember{nobodyAt(nobody, x.former.System, 0), nobodyAt(nobody, 1, 0x1234)}
		for _, m := range v.Members {
			if m.System == x.former.System {
				froms[0].Incarnation = m.Incarnation
			} else {
				froms = append(froms, nobodyAt(nobody, m.System, m.Incarnation))
			}
		}
		for _, from := range froms {
			mine := wire.View{Epoch: epoch, Leader: from.System, Incarnation: from.Incarnation}
			if x.strikes(from, nobody.Port(), x.steps(from, mine, v)) {
				return nil
			}
		}
	}
	return nil
}

// steps returns all steps of somebody, about a view of its own and about that of the session.
func (x *striker) steps(from wire.ViewMember, mine wire.View, v *wire.ExtensionView) (all []*wire.ExtensionView) {
	system := playerlist.Entry{ID: from.System, System: from.System, Flags: wire.PlayerSystem, Dialect: uint32(wire.DX9),
		SPData: wire.SPData{Stream: from.Stream, Datagram: from.Datagram}.Append(nil)}
	list := packedOps(v.Index+1, playerlist.SetDesc{Session: playerlist.Session{Desc: x.former.desc, Name: wire.NewText(intruder)}},
		playerlist.AddPlayer{Entry: system})
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

// strikes sends messages to host and control, over a connection each and in datagrams, and reports whether the attack is over.
func (x *striker) strikes(from wire.ViewMember, listens uint16, all []*wire.ExtensionView) bool {
	u, err := datagrams(x.at(0))
	if err != nil {
		return false
	}
	defer u.Close()
	for _, to := range []machine{x.Host, x.Control} {
		c := x.call(x.at(0), to.Stream)
		for _, m := range all {
			b := octets(port(listens), wire.NewExtension(from.System, m))
			if c != nil {
				c.Write(b)
			}
			if m.Step == wire.ViewPosition || m.Step == wire.ViewClaim {
				u.WriteToUDPAddrPort(b, to.Datagram)
			}
		}
		if c != nil {
			c.Close()
		}
	}
	return !x.on()
}

// rejoinViews has machines that were never in the session say that they were lost, or ask to be let in, and answer nothing.
func (x *striker) rejoinViews() error {
	v := x.former.view
	at := netip.AddrPortFrom(x.at(0), 2398)
	for n := wire.PlayerID(0); n < madeUpOf && (n == 0 || x.pause(everyMoment)); n++ {
		from := nobodyAt(at, madeUp+n, wire.Incarnation(madeUp+n))
		mine := wire.View{Epoch: v.View.Epoch + 1 + uint32(n), Leader: from.System, Incarnation: from.Incarnation}
		if x.strikes(from, at.Port(), x.steps(from, mine, v)) {
			return nil
		}
	}
	return nil
}

// joinLies asks to be let in with the id of the control, from a program that was never in the session. It answers PREPARE with the promise
// of a log that is newer than all others, in which all others left, and FETCH with that log. It does so by the session's views: where it has
// none the host drops the messages.
func (x *striker) joinLies() error {
	v := x.former.view
	if v == nil {
		v = &wire.ExtensionView{}
	}
	at := netip.AddrPortFrom(x.at(0), 2398)
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return err
	}
	defer l.Close()
	me := nobodyAt(at, x.Control.System, 0x4C1E5)
	go accept(l, func(c net.Conn) {
		defer c.Close()
		readMessages(c, func(m *wire.ExtensionView) { x.lie(me, v, m) })
	})
	join := wire.NewExtension(me.System, &wire.ExtensionView{Step: wire.ViewJoin, From: me,
		Ops: packedOps(0, playerlist.SetDesc{Session: playerlist.Session{Desc: x.former.desc}})})
	for n := 0; n == 0 || x.pause(everyMoment); n++ {
		if c := x.call(x.at(0), x.Host.Stream); c != nil {
			c.Write(octets(port(at.Port()), join))
			c.Close()
		}
	}
	return nil
}

// readMessages reads the messages about views from a connection.
func readMessages(c net.Conn, take func(*wire.ExtensionView)) {
	var rest []byte
	for b := make([]byte, 1<<16); ; {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		rest = append(rest, b[:n]...)
		for len(rest) >= wire.SPHeaderSize {
			size, bad := wire.FrameSize(rest)
			if bad != nil {
				return
			}
			if size == 0 || size > len(rest) {
				break
			}
			e, err := new(wire.Decoder).DecodeStream(rest[:size])
			if x, ok := e.Message.(*wire.Extension); err == nil && e.System() && ok {
				if m, ok := x.Body.(*wire.ExtensionView); ok {
					take(m)
				}
			}
			rest = rest[size:]
		}
	}
}

// lie answers a message of the host.
func (x *striker) lie(me wire.ViewMember, v, m *wire.ExtensionView) {
	place := wire.View{Epoch: m.View.Epoch - 1, Leader: me.System, Incarnation: me.Incarnation}
	system := playerlist.Entry{ID: me.System, System: me.System, Flags: wire.PlayerSystem, Dialect: uint32(wire.DX9),
		SPData: wire.SPData{Stream: me.Stream, Datagram: me.Datagram}.Append(nil)}
	a := &wire.ExtensionView{From: me, View: m.View, Place: place, Index: v.Index + 1<<16, Nonce: m.Nonce, Members: []wire.ViewMember{me}}
	switch m.Step {
	case wire.ViewPrepare:
		a.Step, a.Ops = wire.ViewAck, packedOps(1, playerlist.AddPlayer{Entry: system})
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
		a.Ops = packedOps(0, playerlist.SetDesc{Session: playerlist.Session{Desc: x.former.desc, Name: wire.NewText(intruder)}},
			playerlist.AddPlayer{Entry: system})
	default:
		return
	}
	if c := x.call(x.at(0), x.Host.Stream); c != nil {
		c.Write(octets(port(me.Stream.Port), wire.NewExtension(me.System, a)))
		c.Close()
	}
}
