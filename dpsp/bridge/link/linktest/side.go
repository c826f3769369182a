package linktest

import (
	"bytes"
	"context"
	"sync"

	"dplay4/dpsp/bridge/link"
)

// A side is one machine's side of a link.
type side struct {
	machine   *Machine
	peer      *side
	ctx       context.Context
	cancel    context.CancelCauseFunc
	datagrams chan []byte
	streams   chan link.Stream

	mu   sync.Mutex
	open map[*stream]bool // our ends of the streams
}

func newSide(m *Machine) *side {
	s := &side{machine: m, datagrams: make(chan []byte, queue), streams: make(chan link.Stream, queue), open: map[*stream]bool{}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// ID returns the other machine's.
func (s *side) ID() link.ID { return s.peer.machine.id }

// OpenStream begins a stream, of which the other side learns with the first octets.
func (s *side) OpenStream(ctx context.Context) (link.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	there, back := newHalf(), newHalf()
	ours := &stream{side: s, in: back, out: there}
	ours.tell = &stream{side: s.peer, in: there, out: back}
	s.keep(ours)
	return ours, nil
}

// AcceptStream returns the next stream that the other side began.
func (s *side) AcceptStream(ctx context.Context) (link.Stream, error) {
	return link.Next(ctx, s.ctx, s.streams)
}

// SendDatagram hands a copy to the other side, unless it is lost or too many wait there.
func (s *side) SendDatagram(data []byte) error {
	switch {
	case len(data) > link.MaxDatagram:
		return link.ErrTooLarge
	case s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case s.machine.hub.lost():
		return nil
	}
	link.Offer(s.peer.datagrams, bytes.Clone(data))
	return nil
}

// ReceiveDatagram returns the next datagram.
func (s *side) ReceiveDatagram(ctx context.Context) ([]byte, error) {
	return link.Next(ctx, s.ctx, s.datagrams)
}

// Way returns the only way there is.
func (s *side) Way() link.Way { return way }

// Context is done when the link is down.
func (s *side) Context() context.Context { return s.ctx }

// Close ends the link.
func (s *side) Close(reason string) error {
	s.end(link.ErrClosed, &link.EndedError{Reason: reason})
	return nil
}

// end ends both sides, each for the reason that it sees.
func (s *side) end(ours, theirs error) {
	h := s.machine.hub
	h.mu.Lock()
	delete(s.machine.links, s)
	delete(s.peer.machine.links, s.peer)
	h.mu.Unlock()
	s.down(ours)
	s.peer.down(theirs)
}

// down ends one side and its streams.
func (s *side) down(reason error) {
	s.cancel(reason)
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.open {
		t.fail(context.Cause(s.ctx))
	}
	clear(s.open)
}

// keep remembers a stream for as long as the side is up.
func (s *side) keep(t *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		t.fail(context.Cause(s.ctx))
		return
	}
	s.open[t] = true
}

// forget is for streams that are reset.
func (s *side) forget(t *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, t)
}
