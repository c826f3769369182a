package main

import (
	"net"
	"net/netip"
	"os"
	"time"

	"dplay4/captures/recording"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// A record is the file of --record. Nil records nothing.
type record struct {
	file *os.File
	out  *recording.Writer
	own  map[netip.Addr]netip.Addr // our address as a peer sees it, by the peer's
}

// newRecord begins a file. It replaces one of the same name.
func newRecord(name string) (*record, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	w, err := recording.New(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &record{file: f, out: w, own: map[netip.Addr]netip.Addr{}}, nil
}

// recorder gives what package sock tells the traffic.
func (r *record) recorder() sock.Recorder {
	if r == nil {
		return nil
	}
	return r
}

// Packet takes a message. Sockets that are bound to no address in particular get the one that packets to the
// peer are sent from. It is called by one goroutine at a time: a command has one session after the other.
func (r *record) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	if from.Addr().IsUnspecified() {
		from = netip.AddrPortFrom(r.ownFor(to.Addr()), from.Port())
	} else if to.Addr().IsUnspecified() {
		to = netip.AddrPortFrom(r.ownFor(from.Addr()), to.Port())
	}
	r.out.Packet(at, transport, from, to, data)
}

// maxOwn bounds the peers for which our address is remembered.
const maxOwn = 1024

// ownFor gives our address as a peer sees it. The system's routes tell; nothing is sent.
func (r *record) ownFor(peer netip.Addr) netip.Addr {
	if own, ok := r.own[peer]; ok {
		return own
	}
	own := netip.IPv4Unspecified()
	if c, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(peer, dpsp.EnumPort))); err == nil {
		own = c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
		c.Close()
	}
	if len(r.own) < maxOwn {
		r.own[peer] = own
	}
	return own
}

// close ends the file. The first error of the whole recording is told here.
func (r *record) close() error {
	if r == nil {
		return nil
	}
	err := r.out.Close()
	if e := r.file.Close(); err == nil {
		err = e
	}
	return err
}
