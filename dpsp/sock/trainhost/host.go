package trainhost

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// Options say what a host hosts, and what its network loses. The zero value is what was recorded.
type Options struct {
	Port        uint16    // its own and everybody's, TCP and UDP; 0: 31415
	Application wire.GUID // zero: Lego Loco
	Name        string    // of the session; "": that of the captures

	// LoseIn and LoseOut say whether the n-th frame to the host, or from it, is lost, counted from 1 over all joiners; nil: none.
	LoseIn, LoseOut func(n int) bool

	Network network.Network // that it is in; nil: the system's
}

// A Host is at work from Open to Close.
type Host struct {
	opt      Options
	at       netip.Addr
	desc     wire.SessionDesc
	start    time.Time
	search   network.Datagrams
	listener net.Listener
	frames   network.Datagrams
	group    sync.WaitGroup

	mu        sync.Mutex
	players   map[wire.PlayerID]*player
	joiners   map[netip.Addr]*joiner
	delivered []Message
	news      chan struct{} // closed when something is delivered, and made anew
	in, out   int           // frames so far
	closed    bool
}

// A player of the session, system players included.
type player struct {
	wire.SuperPackedPlayer // as the list of players has it
	system                 wire.PlayerID
}

// maxMessage is what the host reads at a time, from any socket.
const maxMessage = 2048

// legoLoco is {f9cd2546-577f-11d2-9426-00a0244bda7a} as it is on the wire.
var legoLoco = wire.GUID{0x46, 0x25, 0xCD, 0xF9, 0x7F, 0x57, 0xD2, 0x11, 0x94, 0x26, 0x00, 0xA0, 0x24, 0x4B, 0xDA, 0x7A}

// Open hosts a session at an address.
func Open(at netip.Addr, o Options) (*Host, error) {
	o.Port = cmp.Or(o.Port, 31415)
	o.Name = cmp.Or(o.Name, "LEGO International Train Server")
	o.Application = cmp.Or(o.Application, legoLoco)
	o.Network = cmp.Or[network.Network](o.Network, network.System{})
	h := &Host{opt: o, at: at, start: time.Now(), players: map[wire.PlayerID]*player{},
		joiners: map[netip.Addr]*joiner{}, news: make(chan struct{})}
	h.desc = wire.SessionDesc{
		Application: o.Application, MaxPlayers: 10, Flags: wire.SessionDirectPlayProtocol | wire.SessionOptimizeLatency,
	}
	for i := range h.desc.Instance {
		h.desc.Instance[i] = 1
	}
	own := h.add(0, wire.PlayerSystem|wire.PlayerNameServer|wire.PlayerLocal)
	own.SPData = wire.SPData{Stream: h.sockAddr(), Datagram: h.sockAddr()}.Append(nil)
	var err error
	if h.search, err = o.Network.ListenDatagrams(netip.AddrPortFrom(at, wire.EnumPort)); err != nil {
		return nil, err
	}
	session := netip.AddrPortFrom(at, o.Port)
	if h.listener, err = o.Network.ListenStream(session); err != nil {
		h.search.Close()
		return nil, err
	}
	if h.frames, err = o.Network.ListenDatagrams(session); err != nil {
		h.search.Close()
		h.listener.Close()
		return nil, err
	}
	h.group.Go(func() { h.receive(h.search, h.searched) })
	h.group.Go(func() { h.receive(h.frames, h.framed) })
	h.group.Go(h.accept)
	return h, nil
}

// Close ends everything.
func (h *Host) Close() {
	h.search.Close()
	h.listener.Close()
	h.frames.Close()
	h.mu.Lock()
	h.closed = true
	for _, j := range h.joiners {
		j.close()
	}
	h.mu.Unlock()
	h.group.Wait()
}

// receive hands the datagrams of a socket to take, under mu, until it is closed.
func (h *Host) receive(c network.Datagrams, take func(from netip.AddrPort, b []byte)) {
	b := make([]byte, maxMessage)
	for {
		n, _, _, from, err := c.ReadMsgUDPAddrPort(b, nil)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err == nil:
			h.mu.Lock()
			take(netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), b[:n])
			h.mu.Unlock()
		}
	}
}

// searched takes a datagram that came to the port for searches.
func (h *Host) searched(from netip.AddrPort, b []byte) { h.message(h.joiner(from.Addr()), b) }

// accept takes the joiners' connections. A joiner has one: the newest.
func (h *Host) accept() {
	network.Accept(h.listener, nil, func(c network.Stream) {
		from, _ := c.RemoteAddr().(*net.TCPAddr)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.closed {
			c.Close()
		}
		j := h.joiner(from.AddrPort().Addr().Unmap())
		if j.in != nil {
			j.in.Close()
		}
		j.in = c
		h.group.Go(func() { h.read(j, c) })
	})
}

// read takes one message from each segment of a connection. Its end is the joiner's departure, unless there is a newer one.
func (h *Host) read(j *joiner, c net.Conn) {
	defer c.Close()
	b := make([]byte, maxMessage)
	for {
		n, err := c.Read(b)
		h.mu.Lock()
		if j.in != c {
			h.mu.Unlock()
			return
		}
		if err != nil {
			j.close()
			h.remove(j)
			h.mu.Unlock()
			return
		}
		h.message(j, b[:n])
		h.mu.Unlock()
	}
}

// sockAddr is where the host listens, and as it thinks everybody else: at an address that others are to see for themselves.
func (h *Host) sockAddr() wire.SockAddr {
	return wire.SockAddr{Family: wire.FamilyINet, Port: h.opt.Port}
}
