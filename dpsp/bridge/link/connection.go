package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
)

const (
	quicPacket    = 1200 // octets of its largest packets
	keepAlive     = 2 * time.Second
	idleMost      = 12 * time.Second // without a packet, after which a link is down
	handshakeMost = 5 * time.Second
	streamsMost   = 1024 // that the other side can have open
	largeMost     = 32   // datagrams on their way that are larger than a packet, each way
	largeTime     = 5 * time.Second
	datagramsWait = 256     // each way
	waitMost      = 2 << 20 // octets of them that came
	reasonMost    = 200     // octets of why a link was closed
	goodbye       = 0       // the code of a connection that was closed in good order
	resetCode     = 1       // of a stream
)

// quicConfig bounds what the other side can have us keep: two streams at their windows, and large datagrams. A window of two
// MiB is enough for 10 MB/s over 200 ms. It grows as the streams are read, so who is not let in has the small ones.
func quicConfig() *quic.Config {
	return &quic.Config{
		EnableDatagrams:                true,
		InitialPacketSize:              quicPacket,
		DisablePathMTUDiscovery:        true, // paths change
		KeepAlivePeriod:                keepAlive,
		MaxIdleTimeout:                 idleMost,
		HandshakeIdleTimeout:           handshakeMost,
		MaxIncomingStreams:             streamsMost,
		MaxIncomingUniStreams:          largeMost,
		InitialStreamReceiveWindow:     128 << 10,
		MaxStreamReceiveWindow:         2 << 20,
		InitialConnectionReceiveWindow: 192 << 10,
		MaxConnectionReceiveWindow:     4 << 20,
	}
}

// A connection is a Link.
type connection struct {
	mesh    *Mesh
	quic    *quic.Conn
	id      ID
	signals *signals
	out, in chan []byte
	wanted  atomic.Bool   // datagrams are received: until then they are dropped
	waits   atomic.Int64  // octets in in
	large   chan struct{} // one for each large datagram that is being sent
	ctx     context.Context
}

// newConnection takes a QUIC connection whose other side is proved. stream is that of the signals.
func newConnection(m *Mesh, q *quic.Conn, id ID, stream io.ReadWriter) *connection {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &connection{mesh: m, quic: q, id: id, signals: &signals{stream: stream}, ctx: ctx,
		out: make(chan []byte, datagramsWait), in: make(chan []byte, datagramsWait), large: make(chan struct{}, largeMost)}
	context.AfterFunc(q.Context(), func() { cancel(reasonOf(context.Cause(q.Context()))) })
	m.done.Go(c.sendAll)
	m.done.Go(c.receiveAll)
	m.done.Go(c.receiveLarge)
	return c
}

// reasonOf says why a connection is down, as Link has it.
func reasonOf(err error) error {
	var ended *quic.ApplicationError
	var idle *quic.IdleTimeoutError
	var reset *quic.StatelessResetError
	var failed *quic.TransportError
	switch {
	case errors.As(err, &ended) && ended.Remote:
		return &EndedError{Reason: ended.ErrorMessage}
	case errors.As(err, &ended), errors.Is(err, quic.ErrTransportClosed):
		return ErrClosed
	case errors.As(err, &idle), errors.As(err, &reset):
		return ErrSilent
	case errors.As(err, &failed) && failed.ErrorCode.IsCryptoError():
		return errors.Join(ErrStranger, err)
	}
	return err
}

// reason returns why the link is down, or what err says.
func (c *connection) reason(err error) error {
	if c.quic.Context().Err() != nil {
		err = context.Cause(c.quic.Context())
	}
	return reasonOf(err)
}

// ID returns the other machine's.
func (c *connection) ID() ID { return c.id }

// OpenStream begins a stream.
func (c *connection) OpenStream(ctx context.Context) (Stream, error) {
	return c.stream(c.quic.OpenStreamSync(ctx))
}

// AcceptStream returns the next stream of the other side.
func (c *connection) AcceptStream(ctx context.Context) (Stream, error) {
	return c.stream(c.quic.AcceptStream(ctx))
}

func (c *connection) stream(s *quic.Stream, err error) (Stream, error) {
	if err != nil {
		return nil, c.reason(err)
	}
	return &stream{s, c}, nil
}

// SendDatagram leaves a datagram to be sent, or drops it where too many wait.
func (c *connection) SendDatagram(data []byte) error {
	switch {
	case len(data) > MaxDatagram:
		return ErrTooLarge
	case c.quic.Context().Err() != nil:
		return c.reason(ErrClosed)
	}
	Offer(c.out, bytes.Clone(data))
	return nil
}

// sendAll sends what waits. QUIC makes it wait while its congestion control does.
func (c *connection) sendAll() {
	for {
		d, err := Next(c.quic.Context(), c.quic.Context(), c.out)
		if err != nil {
			return
		}
		if _, large := errors.AsType[*quic.DatagramTooLargeError](c.quic.SendDatagram(d)); large {
			c.sendLarge(d)
		}
	}
}

// sendLarge sends a datagram that is larger than a packet on a stream of its own, so that it comes whole, or not at all.
func (c *connection) sendLarge(d []byte) {
	if !Offer(c.large, struct{}{}) {
		return
	}
	s, err := c.quic.OpenUniStream()
	if err != nil {
		<-c.large
		return
	}
	c.mesh.done.Go(func() {
		defer func() { <-c.large }()
		s.SetWriteDeadline(time.Now().Add(largeTime)) //nolint:errcheck // it has no errors
		if _, err := s.Write(d); err != nil || s.Close() != nil {
			s.CancelWrite(resetCode)
		}
	})
}

// receiveAll takes what comes, so that it waits here and not in QUIC, together with what is large.
func (c *connection) receiveAll() {
	for {
		d, err := c.quic.ReceiveDatagram(c.quic.Context())
		if err != nil {
			return
		}
		c.take(d)
	}
}

// receiveLarge takes large datagrams.
func (c *connection) receiveLarge() {
	for {
		s, err := c.quic.AcceptUniStream(c.quic.Context())
		if err != nil {
			return
		}
		c.mesh.done.Go(func() {
			s.SetReadDeadline(time.Now().Add(largeTime)) //nolint:errcheck // it has no errors
			d, err := io.ReadAll(io.LimitReader(s, MaxDatagram+1))
			if err != nil || len(d) > MaxDatagram {
				s.CancelRead(resetCode)
				return
			}
			c.take(d)
		})
	}
}

// take keeps a datagram until it is received. Of a machine that nobody receives any of, as it is not let in, none is kept.
func (c *connection) take(d []byte) {
	if !c.wanted.Load() {
		return
	}
	if c.waits.Add(int64(len(d))) > waitMost || !Offer(c.in, d) {
		c.waits.Add(-int64(len(d)))
	}
}

// ReceiveDatagram returns the next datagram.
func (c *connection) ReceiveDatagram(ctx context.Context) ([]byte, error) {
	c.wanted.Store(true)
	d, err := Next(ctx, c.ctx, c.in)
	c.waits.Add(-int64(len(d)))
	return d, err
}

// Way returns how packets go at the moment.
func (c *connection) Way() Way { return c.mesh.socket.way(c.id) }

// Context is done when the link is down.
func (c *connection) Context() context.Context { return c.ctx }

// Close ends the link.
func (c *connection) Close(reason string) error {
	return c.quic.CloseWithError(goodbye, reason[:min(len(reason), reasonMost)])
}

// A stream is a Stream.
type stream struct {
	quic *quic.Stream
	link *connection
}

// Read reads.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.quic.Read(b)
	return n, s.reason(err)
}

// Write writes.
func (s *stream) Write(b []byte) (int, error) {
	n, err := s.quic.Write(b)
	return n, s.reason(err)
}

// CloseWrite ends our half.
func (s *stream) CloseWrite() error { return s.reason(s.quic.Close()) }

// Reset ends both halves.
func (s *stream) Reset() {
	s.quic.CancelWrite(resetCode)
	s.quic.CancelRead(resetCode)
}

// reason turns errors of QUIC into those of this package.
func (s *stream) reason(err error) error {
	reset, is := errors.AsType[*quic.StreamError](err)
	switch {
	case err == nil || err == io.EOF:
		return err
	case !is:
		return s.link.reason(err)
	case reset.Remote:
		return ErrReset
	}
	return ErrClosed
}
