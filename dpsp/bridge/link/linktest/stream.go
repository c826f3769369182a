package linktest

import (
	"io"
	"sync"

	"dplay4/dpsp/bridge/link"
)

// A stream is one side's end of a stream.
type stream struct {
	side    *side
	in, out *half
	once    sync.Once
	tell    *stream // the other side's end, of which it does not know yet; nil if it began the stream
}

// begin tells the other side of the stream.
func (t *stream) begin() {
	t.once.Do(func() {
		if t.tell == nil {
			return
		}
		peer := t.side.peer
		peer.keep(t.tell)
		if !link.Offer[link.Stream](peer.streams, t.tell) { // as where the other side takes no more streams
			t.tell.Reset()
		}
	})
}

// Read returns what the other side wrote.
func (t *stream) Read(b []byte) (int, error) { return t.in.read(b) }

// Write waits while the other side does not read.
func (t *stream) Write(b []byte) (int, error) {
	t.begin()
	return t.out.write(b)
}

// CloseWrite ends our half.
func (t *stream) CloseWrite() error {
	t.begin()
	return t.out.close()
}

// Reset ends both halves.
func (t *stream) Reset() {
	t.begin()
	t.in.fail(true, link.ErrClosed)
	t.in.fail(false, link.ErrReset)
	t.out.fail(false, link.ErrClosed)
	t.out.fail(true, link.ErrReset)
	t.side.forget(t)
}

// fail ends what this side reads and writes.
func (t *stream) fail(err error) {
	t.in.fail(true, err)
	t.out.fail(false, err)
}

// A half carries octets one way.
type half struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []byte
	ended   bool
	reads   error // what the reader gets
	writes  error // what the writer gets
}

func newHalf() *half {
	h := new(half)
	h.changed = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for len(b) > 0 && len(h.waiting) == 0 && !h.ended && h.reads == nil {
		h.changed.Wait()
	}
	switch {
	case h.reads != nil:
		return 0, h.reads
	case len(b) > 0 && len(h.waiting) == 0:
		return 0, io.EOF
	}
	n := copy(b, h.waiting)
	h.waiting = h.waiting[n:]
	h.changed.Broadcast()
	return n, nil
}

func (h *half) write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := 0
	for {
		if h.writes != nil {
			return done, h.writes
		}
		n := min(len(b)-done, window-len(h.waiting))
		h.waiting = append(h.waiting, b[done:done+n]...)
		done += n
		h.changed.Broadcast()
		if done == len(b) {
			return done, nil
		}
		h.changed.Wait()
	}
}

func (h *half) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.writes != nil {
		return h.writes
	}
	h.ended, h.writes = true, link.ErrClosed
	h.changed.Broadcast()
	return nil
}

// fail gives the reader, or the writer, an error from now on, if it has none yet.
func (h *half) fail(reader bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	which := &h.writes
	if reader {
		which = &h.reads
		if h.ended && len(h.waiting) == 0 {
			return // the reader has all there is
		}
	}
	if *which == nil {
		*which = err
	}
	h.changed.Broadcast()
}
