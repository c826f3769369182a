package main

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A striker is the attacker. What it sends is its own: octets of package wire on sockets of its own.
type striker struct {
	*role
	session  *sock.Session       // if it is a member
	machine                      // likewise
	sessions []*sock.Session     // of an attacker that is several machines
	others   []machine           // likewise
	breaking *breaking           // its network, if that breaks
	view     *wire.ExtensionView // with which it was let in; set by enterTold
	desc     wire.SessionDesc    // likewise
	attempts atomic.Int64

	// Guarded by role.mu.
	third   map[netip.Addr]int // connections that a machine got from others that is in no session
	watcher watcher            // of a session of its own that is to come to no harm
	conns   []net.Conn         // to be closed at the end
}

// strike is the attacker's process.
func (r *role) strike() error {
	x := &striker{role: r, third: map[netip.Addr]int{}, view: &wire.ExtensionView{}}
	if r.attack.enter != nil {
		if err := r.attack.enter(x); err != nil {
			return err
		}
	}
	told := account{}
	return r.serve(struct{}{}, func() {
		<-r.begin
		if err := r.attack.strike(x); err != nil {
			told.Failure = err.Error()
		}
	}, func() account {
		for _, n := range x.third {
			told.Third = max(told.Third, n)
		}
		for _, c := range x.conns {
			c.Close()
		}
		told.Attempts, told.Wrong = int(x.attempts.Load()), x.watcher.wrong
		return told
	})
}

// join makes a machine of the attacker a member, with a player. What happens in the session goes to see.
func (x *striker) join(o sock.Options, name string, data []byte, see func(dpsp.Event)) (*sock.Session, machine, error) {
	s, m, err := x.enter(o, name, data)
	if err == nil {
		go func() {
			for e := range s.Events() {
				see(e)
			}
		}()
	}
	return s, m, err
}

// ignored is for events that do not matter.
func ignored(dpsp.Event) {}

// enterBy makes the attacker a member whose connections are wrapped.
func (x *striker) enterBy(wrap wrapper, name string, see func(dpsp.Event)) (err error) {
	o := x.options(200)
	o.Network = &wrapped{wrap: wrap}
	x.session, x.machine, err = x.join(o, name, nil, see)
	return err
}

// enterOne makes the attacker a member.
func (x *striker) enterOne() error { return x.enterBy(asIs, "Attacker", ignored) }

// on reports whether the attack is to go on: to its end, and on a busy machine until something was tried.
func (x *striker) on() bool {
	select {
	case <-x.end:
		return x.attempts.Load() == 0 && x.ctx.Err() == nil
	default:
		return x.ctx.Err() == nil
	}
}

// pause waits a moment; false at the end.
func (x *striker) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-x.end:
		return false
	}
}

// at returns attackers' addresses, 17 and more.
func (x *striker) at(n int) netip.Addr { return x.address(200 + n) }

// call opens a connection from an address. Where it may not, the attack goes on without it.
func (x *striker) call(from netip.Addr, to netip.AddrPort) net.Conn {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from.AsSlice()}, Timeout: time.Second}
	c, err := d.DialContext(x.ctx, "tcp4", to.String())
	if err != nil {
		return nil
	}
	x.attempts.Add(1)
	c.SetWriteDeadline(time.Now().Add(x.Time + 10*time.Second))
	return c
}

// tell opens a connection, writes and closes it. Where none is to be had, the attack goes on without it.
func (x *striker) tell(to netip.AddrPort, b []byte) {
	if c := x.call(x.at(0), to); c != nil {
		c.Write(b)
		c.Close()
	}
}

// datagrams opens a UDP socket at each address, and closes them when do returns.
func datagrams(do func(from []*net.UDPConn), at ...netip.Addr) error {
	var from []*net.UDPConn
	for _, a := range at {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: a.AsSlice()})
		if err != nil {
			return err
		}
		defer c.Close()
		from = append(from, c)
	}
	do(from)
	return nil
}

// send sends a datagram.
func (x *striker) send(from *net.UDPConn, to netip.AddrPort, b []byte) {
	from.WriteToUDPAddrPort(b, to)
	x.attempts.Add(1)
}

// octets returns messages of somebody who listens somewhere.
func octets(listens netip.AddrPort, messages ...wire.Message) (b []byte) {
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: listens.Port(), Addr: listens.Addr().As4()}}
	for _, m := range messages {
		e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
		var err error
		if b, err = e.Append(b); err != nil {
			panic(err) // all that is sent is ours, and fits
		}
	}
	return b
}

// port is at 0.0.0.0, where the header says that its sender listens at the address that it comes from.
func port(n uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv4Unspecified(), n) }

func (x *striker) nothing() error { return nil }

// tellsOthers is what nobody but host or member may say. It names all that the session has.
func (x *striker) tellsOthers() []wire.Message {
	name := wire.NewText(intruder)
	const nobody = 0x7FFF0001
	sp := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2399, Addr: x.at(0).As4()},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2399, Addr: x.at(0).As4()}}.Append(nil)
	return []wire.Message{
		&wire.YouAreDead{},
		&wire.DeletePlayer{Player: x.Host.Player}, &wire.DeletePlayer{Player: x.Control.Player},
		&wire.DeletePlayer{Player: x.Host.System}, &wire.DeletePlayer{Player: x.Control.System},
		&wire.SessionDescChanged{Desc: wire.SessionDesc{Application: game, MaxPlayers: 1}, Name: name},
		&wire.IAmNameServer{Host: x.Control.System, Flags: wire.PlayerSystem | wire.PlayerNameServer, SPData: sp},
		&wire.AddForward{Player: nobody, Info: wire.PackedPlayer{Flags: wire.PlayerSystem, ID: nobody, System: nobody,
			Version: 14, SPData: sp}},
		&wire.CreatePlayer{Player: nobody, Info: wire.PackedPlayer{ID: nobody, System: x.Control.System, Version: 14,
			ShortName: name, LongName: name}},
		&wire.CreatePlayer{Player: nobody, Info: wire.PackedPlayer{ID: nobody, System: x.Host.System, Version: 14,
			ShortName: name, LongName: name}},
		&wire.PlayerNameChanged{Player: x.Host.Player, ShortName: name, LongName: name},
		&wire.PlayerNameChanged{Player: x.Control.Player, ShortName: name, LongName: name},
		x.elsewhere(x.Host.System), x.elsewhere(x.Control.System),
	}
}

// says is what a stranger may not say in a session at all.
func (x *striker) says() []wire.Message {
	return []wire.Message{
		&wire.Chat{From: x.Host.Player, To: x.Control.Player, Text: wire.NewText(intruder)},
		&wire.Chat{From: x.Control.Player, To: x.Host.Player, Text: wire.NewText(intruder)},
		&wire.PlayerMessage{From: x.Host.Player, To: x.Control.Player, Payload: []byte(intruder)},
		&wire.PlayerMessage{From: x.Control.Player, To: x.Host.Player, Payload: []byte(intruder)},
	}
}

// elsewhere sends who hears it to the attacker, in the name of somebody.
func (x *striker) elsewhere(from wire.PlayerID) wire.Message {
	at := wire.SockAddr{Family: wire.FamilyINet, Port: 2399, Addr: x.at(0).As4()}
	leader := wire.ViewMember{System: from, Incarnation: x.incarnation(from), Stream: at, Datagram: at}
	return wire.NewExtension(from, &wire.ExtensionView{Step: wire.ViewUnvouched, From: leader,
		View: wire.View{Epoch: 1000, Join: 1, Leader: from, Incarnation: leader.Incarnation}, Members: []wire.ViewMember{leader}})
}

// everyMoment is how often what needs to be said once is said.
const everyMoment = 20 * time.Millisecond

// senders are those in whose name a stranger sends: one that nobody knows, the host and the control.
func (x *striker) senders() []netip.AddrPort {
	return []netip.AddrPort{port(2399), x.Host.Stream, x.Control.Stream}
}

func (x *striker) strangeDatagrams() error {
	return datagrams(func(from []*net.UDPConn) {
		for x.pause(everyMoment) {
			for _, m := range append(x.tellsOthers(), x.says()...) {
				for _, as := range x.senders() {
					x.send(from[0], x.Host.Datagram, octets(as, m))
					x.send(from[0], x.Control.Datagram, octets(as, m))
				}
			}
		}
	}, x.at(0))
}

func (x *striker) strangeStreams() error {
	for x.pause(everyMoment) {
		for _, as := range x.senders() {
			b := octets(as, append(x.tellsOthers(), x.says()...)...)
			x.tell(x.Host.Stream, b)
			x.tell(x.Control.Stream, b)
		}
	}
	return nil
}

// forgedDatagrams come from an address of a member. What a datagram may say of it, such as a game message, is left out:
// that cannot be told from its own.
func (x *striker) forgedDatagrams() error {
	return datagrams(func(from []*net.UDPConn) {
		for x.pause(everyMoment) {
			for _, m := range x.tellsOthers() {
				x.send(from[0], x.Control.Datagram, octets(port(x.Host.Stream.Port()), m))
				x.send(from[1], x.Host.Datagram, octets(port(x.Control.Stream.Port()), m))
			}
		}
	}, x.address(1), x.address(2))
}

func (x *striker) rejoinStranger() error {
	var b []byte
	for _, as := range []netip.AddrPort{port(x.Host.Stream.Port()), x.Host.Stream, x.Control.Stream} {
		b = append(b, octets(as, x.elsewhere(x.Host.System), x.elsewhere(x.Control.System), x.elsewhere(1))...)
	}
	for x.pause(everyMoment) {
		x.tell(x.Host.Stream, b)
		x.tell(x.Control.Stream, b)
	}
	return nil
}

func (x *striker) rejoinMember() error {
	var b []byte
	for _, as := range []netip.AddrPort{port(x.Stream.Port()), x.Host.Stream} {
		b = append(b, octets(as, x.elsewhere(x.Host.System), x.elsewhere(x.System))...)
	}
	for x.pause(everyMoment) {
		x.tell(x.Control.Stream, b)
	}
	return nil
}
