package probe

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A question asks one machine for its sessions, and hears the answers.
type question struct {
	*hearing
	probe   *Probe
	way     *doctor.Way
	texts   []wire.EnumSessions // one message each
	others  time.Duration       // how long to wait for more answers after the first one
	refused chan error          // that a datagram was
}

// newQuestion listens for the answers to a question, at the TCP port first or another one of the range.
func (o *Probe) newQuestion(w *doctor.Way, first uint16, packets *watch, texts ...wire.EnumSessions) (*question, error) {
	h := newHearing(o.bound(), w.To.Addr(), packets)
	if err := h.listen(o.TCP, first); err != nil {
		return nil, err
	}
	w.At = h.port()
	q := &question{hearing: h, probe: o, way: w, texts: texts, others: cli.Others, refused: make(chan error, 1)}
	if o.First {
		q.others = 0
	}
	return q, nil
}

// strays listens where answers go that go astray as well: where hosts of some games answer whatever port they are told, and where
// hosts are asked themselves. A port that is taken is left out.
func (q *question) strays() {
	ports := []uint16{wire.EnumPort}
	for _, g := range gamelist.Games() {
		if p := g.StreamPorts.First; p != 0 && !slices.Contains(ports, p) {
			ports = append(ports, p)
		}
	}
	for _, p := range ports[:min(len(ports), maxStrays)] {
		if p != q.port() {
			q.listenAt(p) //nolint:errcheck // then it is not known whether an answer comes there
		}
	}
}

// maxStrays bounds the ports that are listened at for answers that go astray: a user may have named many games.
const maxStrays = 8

// again is when a datagram is sent a second time: one may be lost.
const again = 500 * time.Millisecond

// ask sends the question, and puts the answers of a time into its way: less of it once there is one.
func (q *question) ask(ctx context.Context, wait time.Duration) {
	ctx, cancel := q.probe.within(ctx, q.way, wait)
	defer cancel()
	defer func() { q.way.Nonsense = q.heardNonsense() }()
	send := q.sendStream
	if q.way.Transport == captures.UDP {
		send = q.sendDatagrams
	}
	var repeat func()
	messages, err := q.messages()
	if err == nil {
		repeat, err = send(ctx, messages)
	}
	if err != nil {
		q.failed(err)
		return
	}
	late := time.NewTimer(again)
	defer late.Stop()
	for {
		select {
		case o := <-q.answers:
			if !slices.Contains(q.way.Offers, o) && len(q.way.Offers) < cli.MaxFound {
				q.way.Offers = append(q.way.Offers, o)
			}
			late.Stop()
			time.AfterFunc(q.others, cancel) // a machine may have several sessions
		case err := <-q.refused: // an answer may come all the same
			if q.failed(err); q.probe.hasty {
				return
			}
		case <-late.C:
			repeat()
		case <-ctx.Done():
			return
		}
	}
}

// failed notes why the question could not be asked, or that it was refused.
func (q *question) failed(err error) { q.way.Err, q.way.Fault = reason(err), fault(err) }

// messages returns the octets of the question.
func (q *question) messages() (list [][]byte, err error) {
	for i := range q.texts {
		sp := wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: q.port()}}
		e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: &q.texts[i]}
		b, err := e.Append(nil)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// sendDatagrams asks by UDP, and listens for answers that come that way, for those over TCP to the port that it asks from, and
// for the news that nobody is there.
func (q *question) sendDatagrams(_ context.Context, messages [][]byte) (repeat func(), err error) {
	c, err := sock.DialDatagrams(q.bind, q.way.To)
	if err != nil {
		return nil, err
	}
	stop := q.closing(c)
	if q.way.From = portOf(c.LocalAddr()); q.way.From != 0 {
		q.listenAt(q.way.From) //nolint:errcheck // as in strays
	}
	for _, b := range messages {
		if _, err := c.Write(b); err != nil {
			stop()
			return nil, err
		}
	}
	q.group.Go(func() {
		defer stop()
		buf := make([]byte, maxAnswer)
		for {
			n, err := c.Read(buf)
			if err != nil {
				q.refused <- err // there is room for it
				return
			}
			q.answer(buf[:n], q.way.To.Addr(), 0)
		}
	})
	return func() {
		for _, b := range messages {
			c.Write(b) //nolint:errcheck // it went well before
		}
	}, nil
}

// sendStream asks over TCP, a connection for each message: some hosts read one and no more.
func (q *question) sendStream(ctx context.Context, messages [][]byte) (repeat func(), err error) {
	for _, b := range messages {
		c, err := q.probe.dial(ctx, q.way.To)
		if err != nil {
			return nil, err
		}
		q.way.Taken = true
		q.closing(c) // with the question
		if _, err := c.Write(b); err != nil {
			return nil, err
		}
	}
	return func() {}, nil // it got there
}

// hostedBy returns the name of a session that is hosted at an address of this machine, "" if nobody answers there in time.
func (o *Probe) hostedBy(ctx context.Context, at netip.Addr, wait time.Duration) string {
	w := doctor.Way{Transport: captures.UDP, To: netip.AddrPortFrom(at, wire.EnumPort)}
	q, err := o.newQuestion(&w, o.TCP.First, nil, wire.EnumSessions{Flags: cli.EnumFlags(true)})
	if err != nil {
		return ""
	}
	defer q.close()
	q.ask(ctx, wait)
	if len(w.Offers) == 0 {
		return ""
	}
	return cmp.Or(w.Offers[0].Name, "a session without a name")
}
