package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

// A tape takes packets: it writes them, and has the doctor read along.
type tape struct {
	files   *files
	reading *pcapgo.NgWriter // what the doctor reads
	pipe    *io.PipeWriter
	packets int
	ended   chan *doctor.Report

	mu       sync.Mutex
	ports    *ports
	messages int
	sessions some[wire.GUID]
	machines some[netip.AddrPort]
	learnt   chan struct{} // has one if there are more ports
}

// some is a set that is counted for the line of progress. Its size has a bound.
type some[K comparable] map[K]bool

func (s some[K]) add(k K) {
	const most = 10000
	if len(s) < most {
		s[k] = true
	}
}

func newTape(f *files, p *ports, game func(wire.GUID) string) (*tape, error) {
	if err := f.next(); err != nil {
		return nil, err
	}
	t := &tape{files: f, ports: p, ended: make(chan *doctor.Report, 1), sessions: some[wire.GUID]{},
		machines: some[netip.AddrPort]{}, learnt: make(chan struct{}, 1)}
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
	if s := r.Session; s != nil && !s.Instance.IsZero() {
		t.sessions.add(s.Instance)
	}
	t.machines.add(r.From.At)
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
	_, err := t.reading.AddInterface(describe(a))
	return errors.Join(err, t.files.add(a))
}

// packet takes one. What the doctor cannot read does not matter: the file has it.
func (t *tape) packet(ci gopacket.CaptureInfo, data []byte) error {
	t.packets++
	writePacket(t.reading, ci, data) //nolint:errcheck // as said
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
