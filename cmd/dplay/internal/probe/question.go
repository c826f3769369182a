package probe

import (
	"context"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Limits of what a question takes from the network.
const (
	maxAnswer      = 64 << 10        // octets of an answer
	maxAnswerers   = 64              // connections at once
	answerPatience = 2 * time.Second // how long a connection may say nothing
)

// A question asks for sessions once and hears the answers, as a joiner does: over TCP at a port of its own.
type question struct {
	bind     netip.Addr
	app      wire.GUID
	flags    wire.EnumFlags
	password wire.Text
	listener *net.TCPListener
	answers  chan doctor.LiveOffer
	done     chan struct{}
	group    sync.WaitGroup
}

// newQuestion listens on the first free port of a range.
func newQuestion(bind netip.Addr, ports wire.Ports) (*question, error) {
	q := &question{bind: bind, answers: make(chan doctor.LiveOffer), done: make(chan struct{})}
	if !q.bind.IsValid() {
		q.bind = netip.IPv4Unspecified()
	}
	var err error
	for n := int(ports.First); n <= int(ports.Last); n++ {
		q.listener, err = net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(q.bind, uint16(n))))
		if err == nil {
			q.group.Go(q.accept)
			return q, nil
		}
	}
	return nil, err
}

// port returns where answers are waited for.
func (q *question) port() uint16 {
	at, _ := q.listener.Addr().(*net.TCPAddr)
	return at.AddrPort().Port()
}

func (q *question) close() {
	close(q.done)
	q.listener.Close()
	q.group.Wait()
}

// accept takes the connections that bring answers.
func (q *question) accept() {
	slots := make(chan struct{}, maxAnswerers)
	for {
		c, err := q.listener.AcceptTCP()
		if err != nil {
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			c.Close()
			continue
		}
		q.group.Go(func() {
			stop := q.closing(c)
			q.read(c)
			stop()
			<-slots
		})
	}
}

// closing closes a connection when the question ends, or when the function that it gives is called.
func (q *question) closing(c io.Closer) (stop func()) {
	over := make(chan struct{})
	q.group.Go(func() {
		select {
		case <-over:
		case <-q.done:
		}
		c.Close()
	})
	return func() { close(over) }
}

// read takes the answers of one connection.
func (q *question) read(c *net.TCPConn) {
	from, _ := c.RemoteAddr().(*net.TCPAddr)
	b := make([]byte, 0, 1024)
	for {
		if c.SetReadDeadline(time.Now().Add(answerPatience)) != nil {
			return
		}
		b = b[:wire.SPHeaderSize]
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		h, err := wire.ParseSPHeader(b)
		if err != nil || h.Size > maxAnswer {
			return
		}
		b = slices.Grow(b, h.Size)[:h.Size]
		if _, err := io.ReadFull(c, b[wire.SPHeaderSize:]); err != nil {
			return
		}
		q.answer(b, from.AddrPort().Addr().Unmap(), captures.TCP)
	}
}

// answer takes one message.
func (q *question) answer(b []byte, from netip.Addr, t captures.Transport) {
	var d wire.Decoder
	e, err := d.DecodeStream(b)
	m, ok := e.Message.(*wire.EnumSessionsReply)
	if err != nil || !ok {
		return
	}
	if ip := netip.AddrFrom4(e.SP.SockAddr.Addr); !ip.IsUnspecified() {
		from = ip
	}
	o := doctor.LiveOffer{Host: netip.AddrPortFrom(from, e.SP.SockAddr.Port), App: m.Desc.Application, Instance: m.Desc.Instance,
		Name: m.Name.String(), Flags: m.Desc.Flags, Players: m.Desc.CurrentPlayers, Max: m.Desc.MaxPlayers,
		Version: e.Version, Transport: t}
	select {
	case q.answers <- o:
	case <-q.done:
	}
}

// ask sends the question, and gives the answers of a time: less of it once there is one. The error says why it could
// not be sent, or that the machine refused it.
func (q *question) ask(ctx context.Context, t captures.Transport, to netip.AddrPort,
	wait time.Duration) (list []doctor.LiveOffer, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	refused := make(chan error, 1)
	if t == captures.UDP {
		err = q.sendDatagram(to, refused)
	} else {
		err = q.sendStream(ctx, to)
	}
	if err != nil {
		return nil, err
	}
	for {
		select {
		case o := <-q.answers:
			if !slices.Contains(list, o) && len(list) < cli.MaxFound {
				list = append(list, o)
			}
			time.AfterFunc(cli.Others, cancel) // a machine may have several sessions
		case err = <-refused: // an answer may come all the same
		case <-ctx.Done():
			return list, err
		}
	}
}

// message returns the question's octets.
func (q *question) message() ([]byte, error) {
	m := &wire.EnumSessions{Application: q.app, Flags: q.flags, Password: q.password}
	sp := wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: q.port()}}
	e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
	return e.Append(nil)
}

// sendDatagram asks by UDP, and listens for answers that come that way, and for the news that nobody is there.
func (q *question) sendDatagram(to netip.AddrPort, refused chan<- error) error {
	b, err := q.message()
	if err != nil {
		return err
	}
	c, err := sock.DialDatagrams(q.bind, to)
	if err != nil {
		return err
	}
	stop := q.closing(c)
	if _, err := c.Write(b); err != nil {
		stop()
		return err
	}
	q.group.Go(func() {
		defer stop()
		buf := make([]byte, maxAnswer)
		for {
			n, err := c.Read(buf)
			if err != nil {
				refused <- err // there is room for it
				return
			}
			q.answer(buf[:n], to.Addr(), captures.UDP)
		}
	})
	return nil
}

// sendStream asks over TCP.
func (q *question) sendStream(ctx context.Context, to netip.AddrPort) error {
	b, err := q.message()
	if err != nil {
		return err
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: q.bind.AsSlice()}}
	c, err := d.DialContext(ctx, "tcp4", to.String())
	if err != nil {
		return err
	}
	q.closing(c) // with the question
	_, err = c.Write(b)
	return err
}
