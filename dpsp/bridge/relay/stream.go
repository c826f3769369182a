package relay

import (
	"bufio"
	"net"
	"net/netip"
	"time"

	"dplay4/dpsp/bridge/turnstream"
)

// A stream is the connection of one client.
type stream struct {
	conn net.Conn
	out  chan *packet // closed when nothing is read any more
}

// read takes the packets of the client.
func (one *stream) read(s *streams, at netip.AddrPort) {
	in := bufio.NewReaderSize(one.conn, 2048)
	var b [largest]byte
	for {
		wait := strangerTime
		if s.server.exchange.of(client{s.front, at}) != nil {
			wait = clientTime
		}
		if one.conn.SetReadDeadline(time.Now().Add(wait)) != nil {
			return
		}
		n, err := turnstream.Read(in, b[:])
		if err != nil {
			if err == turnstream.ErrNotTURN {
				s.server.counts.add(droppedMalformed, 1)
			}
			return
		}
		wanted, from := s.admit(at, b[:n])
		if wanted == nil {
			continue
		}
		p := s.server.store.pack(from, wanted)
		if p == nil {
			s.server.counts.add(droppedMemory, 1)
			continue
		}
		select {
		case s.inbox <- p:
		case <-s.closed.Done():
			s.server.store.unpack(p)
			return
		}
	}
}

// write sends what waits for the client, until it does not take it.
func (one *stream) write(x *store) {
	for p := range one.out {
		one.conn.SetWriteDeadline(time.Now().Add(writeTime)) //nolint:errcheck // Write says so too
		_, err := one.conn.Write(p.data[:p.size])
		x.unpack(p)
		if err != nil {
			one.conn.Close() // so that read ends
		}
	}
}
