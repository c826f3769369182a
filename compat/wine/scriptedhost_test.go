//go:build linux

package wine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"

	"dplay4/wire"
)

// A scriptedHost gives the client what it needs to be tried, octets that compat/facts say Windows accepts, and has no
// rules: it lets everybody in who has the password, makes up ids, and returns game messages. It is no host to
// play with; it is there so that a run against a real one does not also have to prove the client.
type scriptedHost struct {
	script script
	tcp    *net.TCPListener
	udp    *net.UDPConn
	log    *json.Encoder

	mu      sync.Mutex
	next    uint32                   // makes ids
	members []wire.SuperPackedPlayer // of others, system players and players, as they came
	systems []netip.AddrPort         // where they listen
}

// A script is what the host pretends; it comes as the part's argument.
type script struct {
	Application, Instance, Name, Password string
	Full                                  bool     // refuse every player but system players
	Silent                                bool     // answer nothing
	Then                                  [][]byte // sent, with SP headers, when somebody has made a player
	Beside                                string   // the address of a machine that is in the session already
	Member                                bool     // be that machine
}

// heard is what the host says of each message, a line of JSON on standard output.
type heard struct {
	Command  string
	Source   string // address and port
	SP       uint16 // port that the SP header names; 0: there was none
	Version  uint16
	Password string
	Names    [2]string
	Data     []byte
	From, To uint32
	Octets   []byte // of ENUMSESSIONS: the whole message
}

// closed is the Command of a connection that ended.
const closed = "closed"

// The ids of the host's own.
const (
	hostSystem = wire.PlayerID(0x00010001)
	hostPlayer = wire.PlayerID(0x00010002)
	latePlayer = wire.PlayerID(0x00010003) // appears when the client has a player
	hostGroup  = wire.PlayerID(0x00010004) // hostPlayer is in it
)

// The ids of a machine beside it.
const (
	besideSystem = wire.PlayerID(0x00010011)
	besidePlayer = wire.PlayerID(0x00010012)
)

func runScriptedHost(args []string) error {
	h := &scriptedHost{log: json.NewEncoder(os.Stdout), next: 0x00020000}
	if err := json.Unmarshal([]byte(args[0]), &h.script); err != nil {
		return err
	}
	tcp, err := net.ListenTCP("tcp4", &net.TCPAddr{Port: 2300})
	if err != nil {
		return err
	}
	h.tcp = tcp
	if h.udp, err = net.ListenUDP("udp4", &net.UDPAddr{Port: 2350}); err != nil {
		return err
	}
	failed := make(chan error, 4)
	if !h.script.Member {
		enum, err := net.ListenUDP("udp4", &net.UDPAddr{Port: 47624})
		if err != nil {
			return err
		}
		go func() { failed <- h.datagrams(enum) }()
	}
	go func() { failed <- h.datagrams(h.udp) }()
	go func() { failed <- h.connections() }()
	go func() { _, err := io.Copy(io.Discard, os.Stdin); failed <- err }()
	if err := h.log.Encode(heard{Command: "ready"}); err != nil {
		return err
	}
	return <-failed
}

// datagrams answers what comes by UDP.
func (h *scriptedHost) datagrams(conn *net.UDPConn) error {
	buf := make([]byte, 1<<16)
	var d wire.Decoder
	for {
		n, source, err := conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			return err
		}
		e, err := d.DecodeDatagram(buf[:n])
		if err == nil {
			err = h.handle(&e, source, buf[:n])
		}
		if err != nil {
			return fmt.Errorf("datagram of %s: %w", source, err)
		}
	}
}

func (h *scriptedHost) connections() error {
	for {
		conn, err := h.tcp.Accept()
		if err != nil {
			return err
		}
		go h.stream(conn)
	}
}

// stream answers what comes over one connection, and notes its end.
func (h *scriptedHost) stream(conn net.Conn) {
	defer conn.Close()
	source := conn.RemoteAddr().(*net.TCPAddr).AddrPort()
	var d wire.Decoder
	for {
		b := make([]byte, wire.SPHeaderSize)
		_, err := io.ReadFull(conn, b)
		if err != nil {
			h.say(heard{Command: closed, Source: source.String()})
			return
		}
		sp, err := wire.ParseSPHeader(b)
		if err == nil {
			b = append(b, make([]byte, sp.Size-len(b))...)
			_, err = io.ReadFull(conn, b[wire.SPHeaderSize:])
		}
		var e wire.Envelope
		if err == nil {
			e, err = d.DecodeStream(b)
		}
		if err == nil {
			err = h.handle(&e, source, b)
		}
		if err != nil {
			h.say(heard{Command: "error: " + err.Error(), Source: source.String()})
			return
		}
	}
}

func (h *scriptedHost) say(s heard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.log.Encode(s) // if nobody reads the host is about to end
}

// handle answers one message.
func (h *scriptedHost) handle(e *wire.Envelope, source netip.AddrPort, raw []byte) error {
	s := heard{Command: e.Message.Command().String(), Source: source.String(), SP: e.SP.SockAddr.Port, Version: uint16(e.Version)}
	back := netip.AddrPortFrom(source.Addr(), s.SP)
	var answer []wire.Message
	var then [][]byte
	switch m := e.Message.(type) {
	case *wire.EnumSessions:
		s.Octets, s.Password = raw, m.Password.String()
		answer = []wire.Message{&wire.EnumSessionsReply{Desc: h.desc(), Name: wire.NewText(h.script.Name)}}
	case *wire.RequestPlayerID:
		answer = []wire.Message{h.assign(m)}
	case *wire.AddForwardRequest:
		s.Password = m.Password.String()
		reply, err := h.admit(m, back)
		if err != nil {
			return err
		}
		answer = []wire.Message{reply}
	case *wire.CreatePlayer:
		s.Names, s.Data = [2]string{m.Info.ShortName.String(), m.Info.LongName.String()}, m.Info.Data
		h.add(&m.Info, source.Addr())
		if h.script.Member {
			break
		}
		late := player(latePlayer, "Late", "Comer", []byte{9, 8, 7})
		answer, then = []wire.Message{&wire.CreatePlayer{Player: latePlayer, Info: late}}, h.script.Then
	case *wire.PlayerMessage:
		s.From, s.To = uint32(m.From), uint32(m.To)
		h.say(s)
		return h.echo(m, e.HasSP, back)
	}
	h.say(s)
	if h.script.Silent {
		return nil
	}
	return h.send(back, answer, then...)
}

func (h *scriptedHost) desc() wire.SessionDesc {
	var d wire.SessionDesc
	d.Application, _ = wire.ParseGUID(h.script.Application)
	d.Instance, _ = wire.ParseGUID(h.script.Instance)
	d.MaxPlayers, d.CurrentPlayers, d.Reserved1, d.User = 8, 1, 0xAABBCCDD, [4]uint32{1, 2, 3, 4}
	if h.script.Password != "" {
		d.Flags = wire.SessionPasswordRequired
	}
	return d
}

func (h *scriptedHost) assign(m *wire.RequestPlayerID) wire.Message {
	if h.script.Full && m.Flags&wire.PlayerSystem == 0 {
		return &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return &wire.RequestPlayerReply{ID: wire.PlayerID(h.next)}
}

// admit checks the password, tells those who are there of the newcomer, and gives the list of everybody.
func (h *scriptedHost) admit(m *wire.AddForwardRequest, back netip.AddrPort) (wire.Message, error) {
	if m.Password.String() != h.script.Password {
		return &wire.AddForwardReply{Error: wire.ErrInvalidPassword}, nil
	}
	newcomer := h.add(&m.Info, back.Addr())
	h.mu.Lock()
	members, systems := slices.Clone(h.members), slices.Clone(h.systems)
	h.systems = append(h.systems, back)
	h.mu.Unlock()
	info := m.Info
	info.Flags, info.SPData = wire.PlayerSystem|wire.PlayerInGroup, newcomer.SPData
	for _, to := range systems {
		if err := h.send(to, []wire.Message{&wire.AddForward{Player: m.Player, Info: info}}); err != nil {
			return nil, err
		}
	}
	host := player(hostPlayer, "Host", "The Host", []byte{1, 2, 3, 4})
	own := []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup | wire.PlayerLocal, ID: hostSystem, Owner: 14,
			SPData: host.SPData},
		{Flags: wire.PlayerLocal, ID: hostPlayer, Owner: uint32(hostSystem), ShortName: host.ShortName, LongName: host.LongName,
			Data: host.Data, SPData: host.SPData},
	}
	if h.script.Beside != "" {
		beside, err := h.beside()
		if err != nil {
			return nil, err
		}
		own = append(own, beside...)
	}
	return &wire.SuperEnumPlayersReply{Desc: h.desc(), Name: wire.NewText(h.script.Name), Players: append(own, members...),
		Groups: []wire.SuperPackedPlayer{
			{Flags: wire.PlayerGroup | wire.PlayerLocal, ID: hostGroup, Owner: uint32(hostSystem), ShortName: wire.NewText("Team"),
				LongName: wire.NewText("The Team"), SPData: host.SPData, PlayerIDs: []wire.PlayerID{hostPlayer}},
		}}, nil
}

// beside returns the players of the machine beside us.
func (h *scriptedHost) beside() ([]wire.SuperPackedPlayer, error) {
	at, err := netip.ParseAddr(h.script.Beside)
	if err != nil {
		return nil, err
	}
	data := spDataOf(at)
	return []wire.SuperPackedPlayer{
		{Flags: wire.PlayerSystem | wire.PlayerInGroup, ID: besideSystem, Owner: 14, SPData: data},
		{ID: besidePlayer, Owner: uint32(besideSystem), ShortName: wire.NewText("Beside"),
			LongName: wire.NewText("The Other"), SPData: data},
	}, nil
}

// spDataOf returns the sockets of one of our machines as others are told of it.
func spDataOf(at netip.Addr) []byte {
	sp := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2300, Addr: at.As4()},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2350, Addr: at.As4()}}
	return sp.Append(nil)
}

// add notes a player of somebody else's, with the address that its messages come from.
func (h *scriptedHost) add(p *wire.PackedPlayer, from netip.Addr) wire.SuperPackedPlayer {
	sp, _ := wire.ParseSPData(p.SPData)
	sp.Stream.Addr, sp.Datagram.Addr = from.As4(), from.As4()
	m := wire.SuperPackedPlayer{Flags: p.Flags &^ wire.PlayerLocal, ID: p.ID, Owner: uint32(p.System),
		ShortName: slices.Clone(p.ShortName),
		LongName:  slices.Clone(p.LongName), Data: slices.Clone(p.Data), SPData: sp.Append(nil)}
	if p.Flags&wire.PlayerSystem != 0 {
		m.Flags, m.Owner = wire.PlayerSystem|wire.PlayerInGroup, p.Version
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.members = append(h.members, m)
	return m
}

// player makes one of the host's players.
func player(id wire.PlayerID, short, long string, data []byte) wire.PackedPlayer {
	return wire.PackedPlayer{Flags: wire.PlayerLocal, ID: id, System: hostSystem, Version: 14, ShortName: wire.NewText(short),
		LongName: wire.NewText(long), SPData: spDataOf(netip.IPv4Unspecified()), Data: data}
}

// echo returns a game message in the way it came.
func (h *scriptedHost) echo(m *wire.PlayerMessage, guaranteed bool, back netip.AddrPort) error {
	answer := wire.PlayerMessage{From: m.To, To: m.From, Payload: m.Payload}
	if m.To == wire.IDAll {
		if answer.From = hostPlayer; h.script.Member {
			answer.From = besidePlayer
		}
	}
	if guaranteed {
		return h.send(back, []wire.Message{&answer})
	}
	h.mu.Lock()
	members := h.members
	h.mu.Unlock()
	i := slices.IndexFunc(members, func(p wire.SuperPackedPlayer) bool { return p.ID == m.From })
	if i < 0 {
		return fmt.Errorf("a game message of %s, whom nobody knows", m.From)
	}
	sp, _ := wire.ParseSPData(members[i].SPData)
	to := netip.AddrPortFrom(netip.AddrFrom4(sp.Datagram.Addr), sp.Datagram.Port)
	b, err := wire.AppendPlayerMessage(nil, &answer)
	if err != nil {
		return err
	}
	_, err = h.udp.WriteToUDPAddrPort(b, to)
	return err
}

// send returns messages over a connection of their own, as a host may (wire-facts 2.11).
func (h *scriptedHost) send(to netip.AddrPort, messages []wire.Message, then ...[]byte) error {
	var octets []byte
	for _, m := range messages {
		b, err := envelope(m)
		if err != nil {
			return err
		}
		octets = append(octets, b...)
	}
	for _, b := range then {
		octets = append(octets, b...)
	}
	if len(octets) == 0 {
		return nil
	}
	conn, err := net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(to))
	if err != nil {
		return err
	}
	_, err = conn.Write(octets)
	return errors.Join(err, conn.Close())
}

// envelope returns a message of the host as it stands in a stream.
func envelope(m wire.Message) ([]byte, error) {
	e := wire.Envelope{HasSP: true, Version: 14, Message: m}
	e.SP.SockAddr = wire.SockAddr{Family: wire.FamilyINet, Port: 2300}
	return e.Append(nil)
}
