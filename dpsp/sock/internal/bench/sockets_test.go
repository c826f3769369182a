package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

var errLate = errors.New("guaranteed messages do not come")

// rawRate measures the sockets alone: one writer that writes each message by itself, and a reader a member that
// only finds where messages end.
func rawRate(ctx context.Context, at netip.Addr, guaranteed bool, members int, d time.Duration) (float64, error) {
	var group sync.WaitGroup
	defer group.Wait()
	m := newMeter(members)
	var send []func([]byte) error
	for i := range members {
		var s func([]byte) error
		var stop func()
		var err error
		if guaranteed {
			s, stop, err = rawStream(at, m, i, &group)
		} else {
			s, stop, err = rawDatagrams(at, m, i, &group)
		}
		if err != nil {
			return 0, err
		}
		defer stop()
		send = append(send, s)
	}
	b := make([]byte, payloadSize+ids)
	if guaranteed {
		b = make([]byte, payloadSize+overhead)
		binary.LittleEndian.PutUint32(b, uint32(len(b)))
	}
	return m.run(ctx, guaranteed, d, func() error {
		for _, s := range send {
			if err := s(b); err != nil {
				return err
			}
		}
		return nil
	})
}

func rawStream(at netip.Addr, m *meter, member int, group *sync.WaitGroup) (send func([]byte) error, stop func(), err error) {
	ln, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
	if err != nil {
		return nil, nil, err
	}
	defer ln.Close()
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, 0))}
	c, err := d.Dial("tcp4", ln.Addr().String())
	if err != nil {
		return nil, nil, err
	}
	in, err := ln.Accept()
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	group.Go(func() {
		defer in.Close()
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			head, err := r.Peek(4)
			if err != nil {
				return
			}
			if _, err := r.Discard(int(binary.LittleEndian.Uint32(head))); err != nil {
				return
			}
			m.count(member)
		}
	})
	return func(b []byte) error { _, err := c.Write(b); return err }, func() { c.Close() }, nil
}

func rawDatagrams(at netip.Addr, m *meter, member int, group *sync.WaitGroup) (send func([]byte) error, stop func(), err error) {
	in, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
	if err != nil {
		return nil, nil, err
	}
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	group.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			if _, _, err := in.ReadFromUDPAddrPort(buf); err != nil {
				return
			}
			m.count(member)
		}
	})
	to := in.LocalAddr().(*net.UDPAddr).AddrPort()
	return func(b []byte) error { _, err := c.WriteToUDPAddrPort(b, to); return err }, func() { c.Close(); in.Close() }, nil
}
