package sock

import (
	"errors"
	"net"
	"sync"
	"syscall"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// A reader takes datagrams off a socket, all that are there at a time, up to a set. It has memory for them only while some
// are there: a process may have many sockets, and each that waits would hold on to the largest datagram there can be.
type reader struct {
	raw   syscall.RawConn
	batch *ipv4.PacketConn
	plain *plainReader // of a socket that is none of the system's; otherwise nil
}

// A set is memory for the datagrams of one read. All sockets of the process share the few that are in use at a time.
type set [8]ipv4.Message

var sets = sync.Pool{New: func() any {
	s := new(set)
	for i := range s {
		s[i].Buffers = [][]byte{make([]byte, largest)}
		s[i].OOB = make([]byte, toldMost)
	}
	return s
}}

func newReader(s DatagramSocket) (*reader, error) {
	c, ok := s.(*net.UDPConn)
	if !ok {
		return &reader{plain: newPlainReader(s)}, nil
	}
	raw, err := c.SyscallConn()
	return &reader{raw: raw, batch: ipv4.NewPacketConn(c)}, err
}

// read waits until datagrams are there and hands them over, which are valid during the call.
func (r *reader) read(hand func(datagram)) error {
	if r.plain != nil {
		return r.plain.read(hand)
	}
	if err := r.wait(); err != nil {
		return err
	}
	s := sets.Get().(*set)
	defer sets.Put(s)
	n, err := r.batch.ReadBatch(s[:], 0)
	if err != nil {
		return err
	}
	for i := range s[:n] {
		m := &s[i]
		hand(datagram{addrPort(m.Addr), m.Buffers[0][:m.N], m.OOB[:m.NN]})
		m.Addr = nil
	}
	return nil
}

// wait waits until there is something to read.
func (r *reader) wait() error {
	var failed error
	err := r.raw.Read(func(fd uintptr) bool {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			if !errors.Is(err, unix.EINTR) {
				failed = err
				return n != 0
			}
		}
	})
	return errors.Join(err, failed)
}
