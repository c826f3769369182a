//go:build windows && cgo

package main

/*
#cgo LDFLAGS: -lws2_32
#include <stdlib.h>
#include "datagrams.h"
*/
import "C"

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"dplay4/dpsp/sock"
)

func init() { sock.StandIn = openSocket }

// A socket is a UDP socket whose threads are those of C (datagrams.c). A thread of Go that waits for each datagram in a call of
// the system keeps others from running meanwhile, and is slow to be woken under Wine.
type socket struct {
	local *net.UDPAddr

	using  sync.RWMutex // held for reading while c is in use
	ending atomic.Bool
	closed bool
	c      *C.Socket

	// For who reads alone.
	taken *C.Datagram // what was taken together
	next  *C.Datagram // of these
}

func openSocket(at netip.AddrPort) (sock.DatagramSocket, error) {
	port, failed := C.uint16_t(at.Port()), C.int(0)
	c := C.open_socket(address(at.Addr()), &port, &failed)
	if c == nil {
		return nil, os.NewSyscallError("bind", syscall.Errno(failed))
	}
	own := net.IPv4zero
	if at.Addr().Is4() {
		own = at.Addr().AsSlice()
	}
	return &socket{c: c, local: &net.UDPAddr{IP: own.To4(), Port: int(port)}}, nil
}

// address returns an address as the network has it, 0 for none.
func address(a netip.Addr) C.uint32_t {
	if a = a.Unmap(); !a.Is4() {
		return 0
	}
	b := a.As4()
	return C.uint32_t(binary.NativeEndian.Uint32(b[:]))
}

// LocalAddr returns the address that the socket is bound to.
func (s *socket) LocalAddr() net.Addr { return s.local }

// WriteToUDPAddrPort has a datagram sent.
func (s *socket) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	if !to.Addr().Unmap().Is4() {
		return 0, syscall.EAFNOSUPPORT
	}
	s.using.RLock()
	defer s.using.RUnlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	C.post_datagram(s.c, address(to.Addr()), C.uint16_t(to.Port()), unsafe.Pointer(unsafe.SliceData(b)), C.uint32_t(len(b)))
	return len(b), nil
}

// Posts says that who writes does not wait for the system.
func (s *socket) Posts() {}

// ReadMsgUDPAddrPort waits for a datagram. It tells nothing else of it: oobn and flags are 0.
func (s *socket) ReadMsgUDPAddrPort(b, _ []byte) (n, oobn, flags int, from netip.AddrPort, err error) {
	s.using.RLock()
	defer s.using.RUnlock()
	if s.closed {
		return 0, 0, 0, from, net.ErrClosed
	}
	if s.next == nil {
		C.free_datagrams(s.taken)
		s.taken = C.take_datagrams(s.c)
		s.next = s.taken
	}
	d := s.next
	if d == nil {
		return 0, 0, 0, from, net.ErrClosed
	}
	s.next = d.next
	var a [4]byte
	binary.NativeEndian.PutUint32(a[:], uint32(d.address))
	n = copy(b, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(d), unsafe.Sizeof(*d))), int(d.size)))
	return n, 0, 0, netip.AddrPortFrom(netip.AddrFrom4(a), uint16(d.port)), nil
}

// Close sends what is to be sent, ends whoever reads, within 100 ms, and closes the socket.
func (s *socket) Close() error {
	if !s.end() {
		return net.ErrClosed
	}
	s.using.Lock()
	defer s.using.Unlock()
	s.closed = true
	C.free_datagrams(s.taken)
	C.free_socket(s.c)
	return nil
}

// end has nobody wait for datagrams any more; false if that was done before.
func (s *socket) end() bool {
	s.using.RLock()
	defer s.using.RUnlock()
	if s.closed || !s.ending.CompareAndSwap(false, true) {
		return false
	}
	C.close_socket(s.c)
	return true
}
