package probe

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// Limits of what is heard from the network.
const (
	maxAnswer      = 64 << 10        // octets of an answer
	maxAnswerers   = 64              // connections at once
	answerPatience = 2 * time.Second // how long a connection may say nothing
)

// A hearing takes the answers to a question: over TCP at a port of its own, as a joiner does, and at others, to see whether an
// answer goes astray.
type hearing struct {
	bind      netip.Addr
	host      netip.Addr         // who is asked: at ports but the first only its answers are taken
	watch     *watch             // is told where we listen
	listeners []*net.TCPListener // the first one is where answers are wanted
	slots     chan struct{}
	answers   chan doctor.LiveOffer
	done      chan struct{}
	group     sync.WaitGroup

	others func(m wire.Message, size int) // is called with messages that are no answers to a question

	mu       sync.Mutex
	nonsense string // what is wrong with the first answer that does not decode
}

func newHearing(bind, host netip.Addr, w *watch) *hearing {
	return &hearing{bind: bind, host: host, watch: w, slots: make(chan struct{}, maxAnswerers), answers: make(chan doctor.LiveOffer),
		done: make(chan struct{}), others: func(wire.Message, int) {}}
}

// listen listens on the first free port of a range: first, or one behind it, or else one in front of it.
func (h *hearing) listen(ports wire.Ports, first uint16) error {
	_, err := cli.FirstFree(ports, first, func(port uint16) (struct{}, error) { return struct{}{}, h.listenAt(port) })
	return err
}

// listenAt listens on one more port.
func (h *hearing) listenAt(port uint16) error {
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(h.bind, port)))
	if err != nil {
		return err
	}
	h.listeners = append(h.listeners, l)
	h.watch.listening(port, true)
	stray := len(h.listeners) > 1
	h.group.Go(func() { h.accept(l, stray) })
	return nil
}

// port returns where answers are wanted.
func (h *hearing) port() uint16 { return portOf(h.listeners[0].Addr()) }

// portOf returns the port of a TCP or UDP address.
func portOf(a net.Addr) uint16 {
	if at, ok := a.(interface{ AddrPort() netip.AddrPort }); ok {
		return at.AddrPort().Port()
	}
	return 0
}

func (h *hearing) close() {
	close(h.done)
	for _, l := range h.listeners {
		h.watch.listening(portOf(l.Addr()), false)
		l.Close()
	}
	h.group.Wait()
}

// accept takes the connections that bring answers.
func (h *hearing) accept(l *net.TCPListener, stray bool) {
	for {
		c, err := l.AcceptTCP()
		if err != nil {
			return
		}
		if from, _ := c.RemoteAddr().(*net.TCPAddr); stray && from.AddrPort().Addr().Unmap() != h.host {
			c.Close()
			continue
		}
		select {
		case h.slots <- struct{}{}:
		default:
			c.Close()
			continue
		}
		h.group.Go(func() {
			stop := h.closing(c)
			h.read(c)
			stop()
			<-h.slots
		})
	}
}

// closing closes a connection when the hearing ends, or when the function that it gives is called.
func (h *hearing) closing(c io.Closer) (stop func()) {
	over := make(chan struct{})
	h.group.Go(func() {
		select {
		case <-over:
		case <-h.done:
		}
		c.Close()
	})
	return func() { close(over) }
}

// read takes the answers of one connection.
func (h *hearing) read(c *net.TCPConn) {
	from, _ := c.RemoteAddr().(*net.TCPAddr)
	b := make([]byte, 0, 1024)
	for {
		c.SetReadDeadline(time.Now().Add(answerPatience)) //nolint:errcheck // then reading fails as well
		b = b[:wire.SPHeaderSize]
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		sp, err := wire.ParseSPHeader(b)
		if err == nil && sp.Size > maxAnswer {
			err = fmt.Errorf("it says that it has %d octets", sp.Size)
		}
		if err != nil {
			h.noSense(err)
			return
		}
		b = slices.Grow(b, sp.Size)[:sp.Size]
		if _, err := io.ReadFull(c, b[wire.SPHeaderSize:]); err != nil {
			return
		}
		h.answer(b, from.AddrPort().Addr().Unmap(), portOf(c.LocalAddr()))
	}
}

// answer takes one message that came to a TCP port, or, with 0, by UDP.
func (h *hearing) answer(b []byte, from netip.Addr, at uint16) {
	var d wire.Decoder
	e, err := d.DecodeStream(b)
	if err != nil {
		h.noSense(err)
		return
	}
	m, ok := e.Message.(*wire.EnumSessionsReply)
	if !ok {
		h.others(e.Message, len(b))
		return
	}
	host := from
	if ip := netip.AddrFrom4(e.SP.SockAddr.Addr); !ip.IsUnspecified() {
		host = ip
	}
	o := doctor.LiveOffer{Host: netip.AddrPortFrom(host, e.SP.SockAddr.Port), From: from, App: m.Desc.Application, Instance: m.Desc.Instance,
		Name: m.Name.String(), Flags: m.Desc.Flags, Players: m.Desc.CurrentPlayers, Max: m.Desc.MaxPlayers,
		Version: e.Version, Transport: captures.TCP, At: at}
	if at == 0 {
		o.Transport = captures.UDP
	}
	select {
	case h.answers <- o:
	case <-h.done:
	}
}

// noSense keeps what is wrong with an answer.
func (h *hearing) noSense(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nonsense = cmp.Or(h.nonsense, err.Error())
}

// heardNonsense returns what is wrong with an answer that does not decode, "" if all did.
func (h *hearing) heardNonsense() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nonsense
}
