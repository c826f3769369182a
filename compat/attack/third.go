package main

import (
	"bufio"
	"io"
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// listen calls each with every connection to an address until the listener is closed.
func listen(at netip.AddrPort, each func(net.Conn)) (net.Listener, error) {
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	if err != nil {
		return nil, err
	}
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			each(c)
		}
	}()
	return l, nil
}

// thirdAddr is the address of a machine that is in no session.
func (x *striker) thirdAddr() netip.Addr { return x.address(180) }

// beThird has that machine take connections at some ports, and counts those of each machine but the attacker's.
func (x *striker) beThird(first, ports int) error {
	for p := range ports {
		_, err := listen(netip.AddrPortFrom(x.thirdAddr(), uint16(first+p)), func(c net.Conn) {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.conns = append(x.conns, c)
			if from := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap(); from != x.at(0) {
				x.third[from]++
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	thirdOf    = 25 // newcomers
	thirdEvery = 50 * time.Millisecond
)

// thirdByNewcomers has machines join that say that they listen at ports of the third one. They leave once all are in, so that no
// address has to try the ports for two machines.
func (x *striker) thirdByNewcomers() error {
	if err := x.beThird(int(wire.StreamPorts.First), thirdOf); err != nil {
		return err
	}
	for n := range uint16(thirdOf) {
		o := x.options(200)
		o.Advertise = x.thirdAddr()
		o.StreamPorts = wire.Ports{First: wire.StreamPorts.First + n, Last: wire.StreamPorts.First + n}
		if s, _, err := x.join(o, "Attacker", nil, ignored); err == nil {
			x.attempts.Add(1)
			defer s.Close()
		}
		if !x.pause(thirdEvery) {
			break
		}
	}
	return nil
}

const (
	thirdPort = 10000 // the first one of those in the list
	thirdList = 400
)

// thirdByList hosts a session whose list is made up, and has a machine join it.
func (x *striker) thirdByList() error {
	if err := x.beThird(thirdPort, thirdList); err != nil {
		return err
	}
	host := netip.AddrPortFrom(x.at(0), wire.StreamPorts.First)
	l, err := listen(host, func(c net.Conn) { go x.hostile(c, host) })
	if err != nil {
		return err
	}
	defer l.Close()
	s, err := sock.Open(x.options(150)) // which is nobody of the attacker's
	if err != nil {
		return err
	}
	go func() {
		for range s.Events() {
		}
	}()
	at := sock.Found{Host: host, From: x.at(0), Desc: x.hostileDesc()}
	if err := s.Join(x.ctx, at, ""); err != nil {
		return err
	}
	x.attempts.Add(1)
	if _, err := s.CreatePlayer(x.ctx, "Victim", nil); err != nil {
		return err
	}
	for x.pause(everyMoment) { // it has something to say to all of them
		s.Chat(x.ctx, s.Players()[0].ID, wire.IDAll, dpsp.Text("hello"), true)
	}
	return nil
}

func (x *striker) hostileDesc() wire.SessionDesc {
	return wire.SessionDesc{Application: game, Instance: wire.GUID{1}, Flags: wire.SessionMigrateHost, MaxPlayers: 500}
}

// The ids in the made-up session.
const (
	hostileHost = wire.PlayerID(0x10000 + iota)
	hostileVictim
	hostilePlayer
	hostileOthers
)

// hostile answers what comes over a connection, as a host does on the way into its session.
func (x *striker) hostile(c net.Conn, at netip.AddrPort) {
	defer c.Close()
	var d wire.Decoder
	var answers net.Conn
	say := func(to netip.AddrPort, m wire.Message) {
		if answers == nil {
			answers = x.call(at.Addr(), to)
		}
		if answers != nil {
			answers.Write(octets(port(at.Port()), m))
		}
	}
	for s := messages(c); s.Scan(); {
		e, err := d.DecodeStream(s.Bytes())
		if err != nil {
			continue
		}
		to := netip.AddrPortFrom(c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr(), e.SP.SockAddr.Port)
		switch m := e.Message.(type) {
		case *wire.RequestPlayerID:
			id := hostilePlayer
			if m.Flags&wire.PlayerSystem != 0 {
				id = hostileVictim
			}
			say(to, &wire.RequestPlayerReply{ID: id})
		case *wire.AddForwardRequest:
			say(to, x.hostileList(at, m.Info.SPData))
		}
	}
}

// hostileList is a list of the host, the newcomer, and machines at the ports of the third one.
func (x *striker) hostileList(at netip.AddrPort, newcomer []byte) *wire.SuperEnumPlayersReply {
	entry := func(id wire.PlayerID, f wire.PlayerFlags, sp []byte) wire.SuperPackedPlayer {
		return wire.SuperPackedPlayer{Flags: f | wire.PlayerSystem, ID: id, Owner: uint32(wire.DX9), SPData: sp}
	}
	listens := func(a netip.AddrPort) []byte {
		s := wire.SockAddr{Family: wire.FamilyINet, Port: a.Port(), Addr: a.Addr().As4()}
		d := wire.SPData{Stream: s, Datagram: s}
		d.Mark()
		return d.Append(nil)
	}
	m := &wire.SuperEnumPlayersReply{Desc: x.hostileDesc(), Name: wire.NewText("Hostile"), Players: []wire.SuperPackedPlayer{
		entry(hostileHost, wire.PlayerNameServer, listens(at)), entry(hostileVictim, 0, newcomer),
	}}
	for n := range thirdList {
		at := netip.AddrPortFrom(x.thirdAddr(), uint16(thirdPort+n))
		m.Players = append(m.Players, entry(hostileOthers+wire.PlayerID(n), 0, listens(at)))
	}
	return m
}

// messages returns a scanner of the messages in a stream.
func messages(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, wire.MaxMessage)
	s.Split(wire.SplitStream)
	return s
}
