package recorder

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"sync"

	"github.com/google/gopacket"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

// A tape takes packets: it writes them, and has the doctor read along.
type tape struct {
	files   *files
	reading *section // what the doctor reads
	pipe    *io.PipeWriter
	packets int
	ended   chan *doctor.Report

	mu       sync.Mutex
	ports    *ports
	messages int
	sessions map[wire.GUID]bool
	machines map[netip.AddrPort]bool
	learnt   chan struct{} // has one if there are more ports
}

// Bounds of what is counted for the line of progress.
const mostCounted = 10000

func newTape(f *files, p *ports, game func(wire.GUID) string) (*tape, error) {
	if err := f.next(); err != nil {
		return nil, err
	}
	t := &tape{files: f, ports: p, ended: make(chan *doctor.Report, 1), sessions: map[wire.GUID]bool{},
		machines: map[netip.AddrPort]bool{}, learnt: make(chan struct{}, 1)}
	in, out := io.Pipe()
	t.pipe = out
	go func() {
		opt := doctor.Options{Game: game, Record: t.message}
		r, err := doctor.Examine(context.Background(), in, opt)
		in.CloseWithError(err) // nobody waits for a reader that has ended
		t.ended <- r
	}()
	var err error
	t.reading, err = newSection(out, f.adapters)
	return t, err
}

// message takes a message that the doctor has read.
func (t *tape) message(r *captures.Record) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages++
	if s := r.Session; s != nil && !s.Instance.IsZero() && len(t.sessions) < mostCounted {
		t.sessions[s.Instance] = true
	}
	if len(t.machines) < mostCounted {
		t.machines[r.From.At] = true
	}
	if t.ports.learn(r) {
		select {
		case t.learnt <- struct{}{}:
		default:
		}
	}
	return nil
}

// wanted returns the ports that are recorded now.
func (t *tape) wanted() []wire.Ports {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ports.list
}

// add takes in a further adapter.
func (t *tape) add(a adapter) error {
	if err := t.files.add(a); err != nil {
		return err
	}
	return t.reading.add(a)
}

// packet takes one. What the doctor cannot read does not matter: the file has it.
func (t *tape) packet(ci gopacket.CaptureInfo, data []byte) error {
	t.packets++
	t.reading.packet(ci, data) //nolint:errcheck // as said
	return t.files.packet(ci, data)
}

// end ends the file, and returns what the doctor says.
func (t *tape) end() (*doctor.Report, error) {
	t.pipe.Close()
	return <-t.ended, t.files.close()
}

// seen says what was recorded so far.
func (t *tape) seen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := count(t.packets, "packet")
	if t.messages == 0 {
		return text + ", nothing of DirectPlay 4"
	}
	text += ", " + count(t.messages, "message") + " of DirectPlay 4"
	if n := len(t.sessions); n > 0 {
		text += ", " + count(n, "session")
	}
	return text + ", " + count(len(t.machines), "sender")
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
