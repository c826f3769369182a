package link

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/pion/transport/v4/deadline"

	"dplay4/dpsp/sock"
)

// plainWaits is how many datagrams wait to be read.
const plainWaits = 256

// A plain is a UDP socket where package net has none: it gives one of package sock what else a net.UDPConn can do.
type plain struct {
	sock.DatagramSocket
	unbuffered
	in    packets
	ended context.Context
	end   context.CancelFunc
	until *deadline.Deadline
}

func newPlain(c sock.DatagramSocket) *plain {
	p := &plain{DatagramSocket: c, in: make(packets, plainWaits), until: deadline.New()}
	p.ended, p.end = context.WithCancel(context.Background())
	go p.run()
	return p
}

// run reads, until the socket is closed.
func (p *plain) run() {
	defer p.end()
	b := make([]byte, 1<<16)
	for {
		n, _, _, from, err := p.ReadMsgUDPAddrPort(b, nil)
		if err != nil {
			return
		}
		if n <= packetMost { // larger ones are none of ours
			p.in.put(b[:n], udpAddr(from))
		}
	}
}

// Close ends who reads.
func (p *plain) Close() error {
	p.end()
	return p.DatagramSocket.Close()
}

// ReadFromUDP reads a datagram.
func (p *plain) ReadFromUDP(b []byte) (int, *net.UDPAddr, error) {
	select {
	case d := <-p.in:
		return d.take(b), d.from, nil
	case <-p.ended.Done():
		return 0, nil, net.ErrClosed
	case <-p.until.Done():
		return 0, nil, &net.OpError{Op: "read", Net: "udp", Err: p.until.Err()}
	}
}

// ReadFrom reads a datagram.
func (p *plain) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, err := p.ReadFromUDP(b)
	if err != nil {
		return 0, nil, err
	}
	return n, from, nil
}

// ReadMsgUDP reads a datagram.
func (p *plain) ReadMsgUDP(b, _ []byte) (n, oobn, flags int, from *net.UDPAddr, err error) {
	n, from, err = p.ReadFromUDP(b)
	return n, 0, 0, from, err
}

// Read reads a datagram.
func (p *plain) Read(b []byte) (int, error) {
	n, _, err := p.ReadFromUDP(b)
	return n, err
}

// WriteToUDP sends a datagram.
func (p *plain) WriteToUDP(b []byte, to *net.UDPAddr) (int, error) {
	return p.WriteToUDPAddrPort(b, unmapped(to.AddrPort()))
}

// WriteTo sends a datagram.
func (p *plain) WriteTo(b []byte, to net.Addr) (int, error) {
	u, ok := to.(*net.UDPAddr)
	if !ok {
		return 0, syscall.EINVAL
	}
	return p.WriteToUDP(b, u)
}

// WriteMsgUDP sends a datagram.
func (p *plain) WriteMsgUDP(b, _ []byte, to *net.UDPAddr) (n, oobn int, err error) {
	n, err = p.WriteToUDP(b, to)
	return n, 0, err
}

// Write needs an address.
func (p *plain) Write([]byte) (int, error) { return 0, syscall.EINVAL }

// RemoteAddr returns none: the socket is for all.
func (p *plain) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(netip.AddrPort{}) }

// SetDeadline is for reading: nothing waits that writes.
func (p *plain) SetDeadline(t time.Time) error { return p.SetReadDeadline(t) }

// SetReadDeadline ends reading at the time.
func (p *plain) SetReadDeadline(t time.Time) error {
	p.until.Set(t)
	return nil
}
