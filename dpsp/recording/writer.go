package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
)

// ErrClosed says that a packet came after Close.
var ErrClosed = errors.New("the recording is closed")

// A Writer writes a pcapng file, packet by packet. It is a recorder for package dpsp/sock. The first error pins
// it: nothing is written after it, and Close gives it. Its methods may be called by several goroutines, such as
// those of two sessions that are recorded into one file.
type Writer struct {
	mu      sync.Mutex
	out     io.Writer
	block   []byte    // what is to be written next
	packet  []byte    // the last one, for its room
	last    time.Time // of the packet written last
	packets int
	ids     uint16 // the identification of the next IPv4 packet
	conns   map[ends]*conn
	order   []ends // of conns, oldest first
	opened  uint32 // connections so far
	err     error
	closed  bool
}

// New begins a file on w: one Ethernet interface, nanoseconds. Each packet has reached w when Packet returns, so
// what was recorded is readable however the program ends. The caller closes w, after Close.
func New(w io.Writer) (*Writer, error) {
	const comment = "Messages, times and addresses are real. Ethernet addresses, TCP handshakes, sequence numbers and " +
		"acknowledgements are made up: they were recorded by a program that takes part, not off a wire."
	if _, err := w.Write(appendHeader(nil, comment)); err != nil {
		return nil, err
	}
	return &Writer{out: w, conns: map[ends]*conn{}}, nil
}

// Packet writes one message. Over TCP that is a segment or more from one end of a connection to the other, which
// begins here if it is new; otherwise a datagram. Data is not kept. Addresses have to be IPv4.
func (w *Writer) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	from, to = unmap(from), unmap(to)
	switch {
	case w.closed:
		w.err = ErrClosed
		return
	case !from.Addr().Is4() || !to.Addr().Is4():
		w.fail(fmt.Errorf("from %s to %s: only IPv4 can be recorded", from, to))
		return
	}
	w.last = at
	if transport == dpsp.TCP {
		w.stream(from, to, data)
	} else {
		w.datagram(from, to, data)
	}
	w.flush()
}

// Packets returns the number of packets written so far, made up ones included.
func (w *Writer) Packets() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.packets
}

// Err returns the first error that there was, nil if there was none. Nothing was written after it.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Close ends all connections and gives the first error that there was. It may be called more than once.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		for _, k := range w.order {
			w.end(w.conns[k])
		}
		w.conns, w.order = nil, nil
		w.flush()
	}
	return w.err
}

func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// flush writes what was put together, at once: a file that is cut off ends between packets.
func (w *Writer) flush() {
	if w.err == nil && len(w.block) > 0 {
		_, w.err = w.out.Write(w.block)
	}
	w.block = w.block[:0]
}

// fail notes an error and says whether there is one.
func (w *Writer) fail(err error) bool {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("packet %d: %w", w.packets+1, err)
	}
	return w.err != nil
}

// datagram writes a UDP datagram.
func (w *Writer) datagram(from, to netip.AddrPort, data []byte) {
	if len(data) > maxDatagram {
		w.fail(fmt.Errorf("a datagram of %d octets: at most %d are possible", len(data), maxDatagram))
		return
	}
	header := binary.BigEndian.AppendUint16(nil, from.Port())
	header = binary.BigEndian.AppendUint16(header, to.Port())
	header = binary.BigEndian.AppendUint16(header, uint16(udpSize+len(data)))
	w.frame(from.Addr(), to.Addr(), protocolUDP, append(header, 0, 0), 6, data)
}
