package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// ErrTooLarge says that a capture is beyond the limits of this package.
var ErrTooLarge = errors.New("too large to be replayed")

// A Capture is what was read of a file, ready to be replayed any number of times.
type Capture struct {
	Summary  *captures.Summary
	messages []*message
	ends     []ending
	machines []*machine

	listeners, datagrams map[netip.AddrPort]*machine // by their sockets
	at                   map[netip.Addr][]*machine
}

// An ending is a connection that the called machine ended first, by FIN or RST. Engines receive the end of their own connections.
type ending struct {
	frame  int
	caller netip.AddrPort // its end of the connection, with a port that means nothing else
	called netip.AddrPort // a listener
}

// A message is one message of a capture.
type message struct {
	n, frame  int
	at        time.Duration // since the first message
	transport captures.Transport
	src, dst  netip.AddrPort
	between   [2]captures.Machine // which it went between, as far as that was known then
	raw       []byte
	opts      wire.Options
	command   string
	err       error
	env       wire.Envelope // a value of its own; without Message for what has no readable header
	from      *machine      // nil: not known
	to        []*machine    // several for a broadcast

	conversation int
	framing
}

// difference begins a difference about a message.
func (m *message) difference(kind Kind) Difference {
	return Difference{Kind: kind, N: m.n, Frame: m.frame, At: m.at, Message: m.command, To: m.dst}
}

// Read reads a capture. The name is for errors. It fails with ErrTooLarge on one beyond the limits, and as captures.Read
// does on one that is none; one that is damaged or cut short is taken up to there.
func Read(ctx context.Context, in io.Reader, opt captures.Options) (*Capture, error) {
	octets, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(octets) > MaxFile {
		return nil, fmt.Errorf("%w: the file has more than %d octets", ErrTooLarge, MaxFile)
	}
	c := &Capture{}
	l := loader{c: c, frames: assembly{}, open: map[[2]netip.AddrPort]bool{}}
	opt.Network = l.event
	c.Summary, err = captures.Read(ctx, bytes.NewReader(octets), opt, l.take, nil)
	if err != nil && (ctx.Err() != nil || errors.Is(err, ErrTooLarge) || len(c.messages) == 0) {
		return nil, err
	}
	if err := c.assign(); err != nil {
		return nil, err
	}
	return c, nil
}

// A loader copies records into a Capture.
type loader struct {
	c      *Capture
	first  time.Time
	octets int
	frames assembly
	open   map[[2]netip.AddrPort]bool // connections, by the sockets of who called and who was called
}

func (l *loader) take(r *captures.Record) error {
	switch {
	case r.Joined && r.Frame != nil && r.Via == 0:
		return l.said(r, r.Raw)
	case r.Joined:
		return nil // the fragments are there
	case r.Frame != nil:
		return l.frame(r)
	}
	m, err := l.add(r, r.Raw)
	if err == nil {
		m.decode()
		m.command = r.Command() // that of a header whose size is wrong as well
	}
	return err
}

// event takes the beginning or the end of a connection.
func (l *loader) event(e *captures.Event) {
	out, back := [2]netip.AddrPort{e.Src, e.Dst}, [2]netip.AddrPort{e.Dst, e.Src}
	switch {
	case e.Kind == captures.ConnectionAsked && len(l.open) < MaxMessages:
		l.open[out] = true
	case e.Kind == captures.ConnectionEnded, e.Kind == captures.ConnectionBroken:
		if l.open[back] && !l.open[out] && len(l.c.ends) < MaxMessages {
			l.c.ends = append(l.c.ends, ending{e.Frame, unmapped(e.Dst), unmapped(e.Src)})
		}
		delete(l.open, out)
		delete(l.open, back)
	}
}

// add adds a message with octets of a record. It is not decoded yet.
func (l *loader) add(r *captures.Record, octets []byte) (*message, error) {
	if len(l.c.messages) == 0 {
		l.first = r.Time
	}
	l.octets += len(octets)
	if len(l.c.messages) >= MaxMessages || l.octets > MaxOctets {
		return nil, fmt.Errorf("%w: more than %d messages or %d octets in them", ErrTooLarge, MaxMessages, MaxOctets)
	}
	frame := 0
	if n := len(r.Frames); n > 0 {
		frame = r.Frames[n-1]
	}
	m := &message{
		n: r.N, frame: frame, at: min(max(0, r.Time.Sub(l.first)), maxTime), transport: r.Transport,
		src: unmapped(r.Src), dst: unmapped(r.Dst), between: [2]captures.Machine{r.From, r.To}, raw: bytes.Clone(octets),
		opts: r.Options, conversation: r.Conversation,
	}
	for i := range m.between {
		m.between[i].At = unmapped(m.between[i].At)
	}
	l.c.messages = append(l.c.messages, m)
	return m, nil
}

// malformed is what captures calls a message without a readable header.
const malformed = "MALFORMED"

// decode decodes the octets of a message.
func (m *message) decode() {
	m.env, m.err = decode(m.transport, m.raw, m.opts, nil)
	if m.command = malformed; m.env.Message != nil {
		m.command = captures.CommandName(m.env.Message)
	}
}

// bodies yields the messages of a type.
func bodies[T wire.Message](all []*message) iter.Seq2[*message, T] {
	return func(yield func(*message, T) bool) {
		for _, m := range all {
			if b, ok := m.env.Message.(T); ok && !yield(m, b) {
				return
			}
		}
	}
}

// decode decodes octets as they travelled, into a message that nothing else uses, and tells visit, which may be nil, of
// its fields.
func decode(t captures.Transport, raw []byte, opts wire.Options, visit wire.Visitor) (wire.Envelope, error) {
	d := wire.Decoder{Options: opts, Visitor: visit}
	switch t {
	case captures.UDP:
		return d.DecodeDatagram(raw)
	case inFrames:
		return d.DecodeBare(raw)
	}
	return d.DecodeStream(raw)
}
