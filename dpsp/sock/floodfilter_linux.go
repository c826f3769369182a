package sock

import (
	"cmp"
	"encoding/binary"
	"net"
	"syscall"

	"golang.org/x/net/bpf"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// A dropFilter has the kernel drop datagrams before they take room in the receive buffer of a socket.
type dropFilter struct {
	raw   syscall.RawConn
	batch *ipv4.PacketConn
}

// newDropFilter returns the filter of a socket, nil if there can be none. It has the kernel report with each datagram how many it dropped.
func newDropFilter(s DatagramSocket) *dropFilter {
	c, ok := s.(*net.UDPConn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	f := &dropFilter{raw, ipv4.NewPacketConn(c)}
	if f.option(unix.SO_RXQ_OVFL, 1) != nil {
		return nil
	}
	return f
}

// option sets an option of the socket.
func (f *dropFilter) option(name, value int) (err error) {
	failed := f.raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, name, value) })
	return cmp.Or(failed, err)
}

// dropped returns how many datagrams the kernel had dropped when the one came with which it reported this. The number wraps.
func dropped(told []byte) uint32 {
	at := unix.CmsgLen(0)
	if len(told) < at+4 {
		return 0 // none so far
	}
	return binary.NativeEndian.Uint32(told[at:])
}

// set replaces the rules.
func (f *dropFilter) set(rules []dropRule) error {
	if len(rules) == 0 {
		return f.option(unix.SO_DETACH_FILTER, 0)
	}
	p, err := bpf.Assemble(program(rules))
	if err != nil {
		return err
	}
	return f.batch.SetBPF(p)
}

// program returns the filter that the kernel runs for each datagram. The first rule that matches decides; without one the datagram passes.
func program(rules []dropRule) []bpf.Instruction {
	address := bpf.LoadAbsolute{Off: 0xFFF00000 + 12, Size: 4} // in the header of IP, which begins at SKF_NET_OFF
	p := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 2}, bpf.TAX{}, address}
	for _, r := range rules {
		body := []bpf.Instruction{
			bpf.LoadExtension{Num: bpf.ExtRand},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 1<<16 - 1},
			bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: r.pass, SkipTrue: 1},
			bpf.RetConstant{Val: largest},
			bpf.RetConstant{Val: 0},
		}
		if port := r.from.Port(); port != 0 {
			body = append([]bpf.Instruction{
				bpf.TXA{}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(port), SkipTrue: 2}, address, bpf.Jump{Skip: uint32(len(body))},
			}, body...)
		}
		at := r.from.Addr().As4()
		p = append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: binary.BigEndian.Uint32(at[:]), SkipTrue: uint8(len(body))})
		p = append(p, body...)
	}
	return append(p, bpf.RetConstant{Val: largest})
}
