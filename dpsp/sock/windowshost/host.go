package windowshost

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"

	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// streamPort is where the first session listens.
const streamPort = 2300

// A Manner is how a host talks. The zero Manner is that of Windows.
type Manner struct {
	Hangs    bool       // it closes the connection of its ENUMSESSIONSREPLY
	Each     bool       // it opens a connection for each message, and closes it
	Together bool       // it says two messages in one write
	Dribbles bool       // it writes SP headers octet by octet
	EightBit bool       // its names are in 8 bits
	Twice    bool       // it says the list of players twice
	Tail     []byte     // stray octets that end each message, and that its size counts
	From     netip.Addr // where its connections come from, if not from the address that it listens at
	Deaf     int        // so many REQUESTPLAYERID of newcomers it does not hear
	Late     bool       // it answers the first REQUESTPLAYERID of a newcomer when the second one is there: both, with an id each

	Instead  map[wire.Command][]byte // octets that it says in place of its own
	HangsOn  wire.Command            // it closes the connection that this came by, without an answer; 0: nothing
	Sessions []string                // their names; none: one called "Windows"

	Network network.Network // that it is in; nil: the system's
}

// A Host is at work from Open to Close.
type Host struct {
	manner      Manner
	at          netip.Addr
	application wire.GUID
	search      network.Datagrams
	sessions    []*session
	group       sync.WaitGroup

	mu     sync.Mutex
	conns  map[netip.AddrPort]net.Conn // its own, by the listener that they lead to
	taken  map[net.Conn]bool           // that came to it
	heard  []wire.Message
	says   map[wire.Command]wire.Message // in place of what it would say
	opened int                           // connections of its own so far
	nextID wire.PlayerID
	closed bool
}

// A session is one of a host's, with a listener of its own.
type session struct {
	name     string
	listener net.Listener
	desc     wire.SessionDesc
	host     wire.PlayerID // system player
	player   wire.PlayerID // the host's
	later    [][]byte      // what is to be said when it is asked again
	asked    bool          // for an id for a newcomer
}

// Open hosts sessions of an application at an address.
func Open(at netip.Addr, application wire.GUID, m Manner) (*Host, error) {
	if len(m.Sessions) == 0 {
		m.Sessions = []string{"Windows"}
	}
	m.Network = cmp.Or[network.Network](m.Network, network.System{})
	h := &Host{manner: m, at: at, application: application, nextID: 0x00B0C001,
		conns: map[netip.AddrPort]net.Conn{}, taken: map[net.Conn]bool{}, says: map[wire.Command]wire.Message{}}
	var err error
	if h.search, err = m.Network.ListenDatagrams(netip.AddrPortFrom(at, wire.EnumPort)); err != nil {
		return nil, err
	}
	for i, name := range m.Sessions {
		ln, err := m.Network.ListenStream(netip.AddrPortFrom(at, uint16(streamPort+i)))
		if err != nil {
			h.Close()
			return nil, err
		}
		s := &session{name: name, listener: ln, host: h.id(), player: h.id()}
		s.desc = wire.SessionDesc{Instance: wire.GUID{0x57, byte(i)}, Application: application, CurrentPlayers: 1, Reserved1: 0x1234567}
		h.sessions = append(h.sessions, s)
	}
	h.group.Go(h.answerSearches)
	for _, s := range h.sessions {
		h.group.Go(func() { h.accept(s) })
	}
	return h, nil
}

// Close ends everything.
func (h *Host) Close() {
	h.search.Close()
	for _, s := range h.sessions {
		s.listener.Close()
	}
	h.mu.Lock()
	h.closed = true
	for _, c := range h.conns {
		c.Close()
	}
	for c := range h.taken {
		c.Close()
	}
	h.mu.Unlock()
	h.group.Wait()
}

// Heard gives how many messages of a kind came over TCP.
func (h *Host) Heard(c wire.Command) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.heard {
		if x.Command() == c {
			n++
		}
	}
	return n
}

// Last gives the last message of a kind that came over TCP, nil if none did.
func (h *Host) Last(c wire.Command) wire.Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range slices.Backward(h.heard) {
		if x.Command() == c {
			return x
		}
	}
	return nil
}

// Commands gives the kinds of all messages that came over TCP, in order.
func (h *Host) Commands() (all []wire.Command) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.heard {
		all = append(all, x.Command())
	}
	return all
}

// Answer has it say a message in place of what it would say of a kind; nil takes that back.
func (h *Host) Answer(c wire.Command, m wire.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.says[c] = m
}

// Tell has it say a message of its own accord, to everybody it has a connection to.
func (h *Host) Tell(m wire.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for to := range h.conns {
		h.say(h.sessions[0], to, m)
	}
}

// Opened gives how many connections it has made.
func (h *Host) Opened() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened
}

// id gives a new id.
func (h *Host) id() wire.PlayerID {
	h.nextID++
	return h.nextID
}

// answerSearches answers ENUMSESSIONS until the socket is closed.
func (h *Host) answerSearches() {
	buf := make([]byte, 1<<16)
	var d wire.Decoder
	for {
		n, _, _, from, err := h.search.ReadMsgUDPAddrPort(buf, nil)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		e, err := d.DecodeDatagram(buf[:n])
		m, ok := e.Message.(*wire.EnumSessions)
		if err != nil || !ok || !m.Application.IsZero() && m.Application != h.application {
			continue
		}
		h.mu.Lock()
		to := netip.AddrPortFrom(from.Addr().Unmap(), e.SP.SockAddr.Port)
		for _, s := range h.sessions {
			h.say(s, to, &wire.EnumSessionsReply{Desc: s.desc, Name: h.text(s.name)})
		}
		if h.manner.Hangs {
			h.hangUp(to)
		}
		h.mu.Unlock()
	}
}

func (h *Host) accept(s *session) {
	network.Accept(s.listener, nil, func(c network.Stream) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.closed {
			c.Close()
		}
		h.taken[c] = true
		h.group.Go(func() { h.read(s, c) })
	})
}

// read takes messages off a connection.
func (h *Host) read(s *session, c net.Conn) {
	defer func() {
		c.Close()
		h.mu.Lock()
		delete(h.taken, c)
		h.mu.Unlock()
	}()
	from := c.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
	var d wire.Decoder
	messages := bufio.NewScanner(c)
	messages.Buffer(nil, wire.MaxMessage)
	messages.Split(wire.SplitStream)
	for messages.Scan() {
		e, err := d.DecodeStream(bytes.Clone(messages.Bytes()))
		if err != nil {
			return
		}
		h.mu.Lock()
		h.heard = append(h.heard, e.Message)
		if h.manner.HangsOn != 0 && h.manner.HangsOn == e.Message.Command() {
			h.mu.Unlock()
			return
		}
		h.take(s, netip.AddrPortFrom(from, e.SP.SockAddr.Port), e.Message)
		h.mu.Unlock()
	}
}
