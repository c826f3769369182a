package local

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
)

// A pipe is a connection of our game with that of a slot: a TCP connection here, a stream to there. It ends there as it does
// here, and the other way round.
type pipe struct {
	n          *neighbour
	conn       *net.TCPConn
	stream     link.Stream
	ours       netip.AddrPort // our game's end, as it is recorded
	theirs     netip.AddrPort
	once       sync.Once
	mu         sync.Mutex
	halfClosed *time.Timer // set when one half has ended
}

// halfIdle is how long a connection of which one half has ended may say nothing.
const halfIdle = 2 * time.Minute

// pieceSize is how many octets are passed on at a time.
const pieceSize = 32 << 10

// pieces is memory for those.
var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

// run passes on what comes, until both halves have ended or it is reset.
func (p *pipe) run() {
	defer p.conn.Close()
	stop := context.AfterFunc(p.n.ctx, p.abort)
	defer stop()
	closed := context.AfterFunc(p.n.l.ctx, p.abort)
	defer closed()
	var up sync.WaitGroup
	up.Go(func() { p.half(p.up) })
	p.half(p.down)
	up.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halfClosed != nil {
		p.halfClosed.Stop()
	}
}

// half passes on what comes one way.
func (p *pipe) half(pass func(*[pieceSize]byte) error) {
	b := pieces.Get().(*[pieceSize]byte)
	defer pieces.Put(b)
	if err := pass(b); err != nil {
		p.abort()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halfClosed == nil {
		p.halfClosed = time.AfterFunc(halfIdle, p.abort)
	}
}

// alive says that something was passed on.
func (p *pipe) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halfClosed != nil {
		p.halfClosed.Reset(halfIdle)
	}
}

// abort ends both ends at once.
func (p *pipe) abort() {
	p.once.Do(func() {
		p.stream.Reset()
		reset(p.conn)
	})
}

// up passes on what our game says. Where it is translated, it is as messages, otherwise as it comes.
func (p *pipe) up(b *[pieceSize]byte) error {
	var messages *filter.Stream
	if p.n.l.translation().Changes() {
		messages = filter.NewTranslator(p.n.l.translation).Stream()
	}
	watch := filter.Watch(p.n.says)
	var watched, translated []byte
	for {
		size, err := p.conn.Read(b[:])
		said := b[:size]
		watched, _ = watch.Pass(watched[:0], said) // what is no message passes all the same
		if messages != nil {
			var failed error
			if translated, failed = messages.Pass(translated[:0], said); failed != nil {
				return p.cut(failed)
			}
			said = translated
		}
		if len(said) > 0 {
			p.n.l.record(dpsp.TCP, p.ours, p.theirs, said)
			if _, err := p.stream.Write(said); err != nil {
				return err
			}
		}
		p.alive()
		switch {
		case errors.Is(err, io.EOF):
			return p.stream.CloseWrite()
		case err != nil:
			return err
		}
	}
}

// down passes on to our game what the slot's says and may.
func (p *pipe) down(b *[pieceSize]byte) error {
	l := p.n.l
	var words *filter.Translator
	if l.translation().Changes() {
		words = filter.NewTranslator(l.translation)
	}
	messages := filter.NewStream(p.n.rule(), words)
	var checked []byte
	var held int
	defer func() { p.n.hold(-held) }() //nolint:errcheck // it is less
	for {
		size, err := p.stream.Read(b[:])
		var failed error
		checked, failed = messages.Pass(checked[:0], b[:size])
		if failed == nil {
			failed = p.n.hold(messages.Held() - held)
			held = messages.Held()
		}
		if len(checked) > 0 {
			l.record(dpsp.TCP, p.theirs, p.ours, checked)
			if _, err := p.conn.Write(checked); err != nil {
				return err
			}
		}
		if cap(checked) > 2*pieceSize {
			checked = nil
		}
		p.alive()
		switch {
		case failed != nil:
			return p.cut(failed)
		case errors.Is(err, io.EOF):
			if err := messages.End(); err != nil {
				return p.cut(err)
			}
			return p.conn.CloseWrite()
		case err != nil:
			return err
		}
	}
}

// cut says that the connection was ended here, and why.
func (p *pipe) cut(why error) error {
	p.n.cut(why)
	return why
}
