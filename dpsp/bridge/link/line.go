package link

import (
	"net"
	"sync"
	"time"
)

const (
	lineBuffer = 64 << 10               // octets that the system keeps to send: what waits there is late
	lineWaits  = 128                    // packets that wait for it
	lineEnds   = 300 * time.Millisecond // for what waits when the line is closed
)

// A line is a TCP connection to a relay whose Write does not wait: packets that it has no room for are lost, as they would be
// over UDP.
type line struct {
	net.Conn
	waits  chan []byte
	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

func newLine(c net.Conn) *line {
	l := &line{Conn: c, waits: make(chan []byte, lineWaits), done: make(chan struct{})}
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

// Write takes a whole packet.
func (l *line) Write(b []byte) (int, error) {
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
