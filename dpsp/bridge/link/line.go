package link

import (
	"bufio"
	"net"
	"sync"
	"time"

	"dplay4/dpsp/bridge/turnstream"
)

const (
	lineBuffer = 64 << 10               // octets that the system keeps to send: what waits there is late
	lineWaits  = 128                    // packets that wait for it
	lineEnds   = 300 * time.Millisecond // for what waits when the line is closed
)

// A line is a TCP connection to a relay, as a socket for packets. Sending does not wait: packets that it has no room for are lost,
// as they would be over UDP.
type line struct {
	net.Conn
	in     *bufio.Reader
	waits  chan []byte
	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

func newLine(c net.Conn) *line {
	l := &line{Conn: c, in: bufio.NewReader(c), waits: make(chan []byte, lineWaits), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *line) run() {
	defer close(l.done)
	defer l.Conn.Close()
	for b := range l.waits {
		if _, err := l.Conn.Write(b); err != nil {
			return
		}
	}
}

// ReadFrom reads a packet. It fails for good where the relay sends what is none.
func (l *line) ReadFrom(b []byte) (int, net.Addr, error) {
	n, err := turnstream.Read(l.in, b)
	return n, l.Conn.RemoteAddr(), err
}

// WriteTo takes a whole packet, which is for the relay.
func (l *line) WriteTo(b []byte, _ net.Addr) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, net.ErrClosed
	}
	select {
	case <-l.done:
		return 0, net.ErrClosed
	case l.waits <- append([]byte(nil), b...):
	default:
	}
	return len(b), nil
}

// Close ends the connection when what waits is sent, but soon.
func (l *line) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return net.ErrClosed
	}
	l.closed = true
	l.mu.Unlock()
	close(l.waits)
	err := l.Conn.SetWriteDeadline(time.Now().Add(lineEnds))
	<-l.done
	return err
}
