package probe

import (
	"encoding/binary"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"dplay4/captures/doctor"
)

// A watch sees the connections that a host wants to make to this machine, before a firewall of this machine does, and how they
// are answered. It takes the right to look at packets, which root has.
type watch struct {
	file *os.File
	host netip.Addr
	done sync.WaitGroup

	mu    sync.Mutex
	ports map[uint16]bool // that we listen on at the moment
	calls []call
}

// A call is one connection of the host.
type call struct {
	from, to netip.AddrPort
	refused  bool
	taken    bool
}

// maxCalls bounds the connections that are kept.
const maxCalls = 256

// watchFrom watches a host; nil where this machine does not let us.
func watchFrom(host netip.Addr) *watch {
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, int(bigEndian(syscall.ETH_P_ALL)))
	if err != nil {
		return nil
	}
	filter := onlyTCPOf(host)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program); err != nil {
		syscall.Close(fd)
		return nil
	}
	w := &watch{file: os.NewFile(uintptr(fd), "packets"), host: host, ports: map[uint16]bool{}}
	w.done.Go(w.read)
	return w
}

// bigEndian turns a number into the order of the network.
func bigEndian(n uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, n))
}

// onlyTCPOf is a filter for TCP over IPv4 from a machine or to it.
func onlyTCPOf(host netip.Addr) []unix.SockFilter {
	const (
		loadByte = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS
		loadWord = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give     = unix.BPF_RET | unix.BPF_K
	)
	b := host.As4()
	at := binary.BigEndian.Uint32(b[:])
	return []unix.SockFilter{
		{Code: loadByte, K: 0},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xF0},
		{Code: equal, K: 0x40, Jf: 6}, // IPv4
		{Code: loadByte, K: 9},
		{Code: equal, K: unix.IPPROTO_TCP, Jf: 4},
		{Code: loadWord, K: 12},
		{Code: equal, K: at, Jt: 3},
		{Code: loadWord, K: 16},
		{Code: equal, K: at, Jt: 1},
		{Code: give, K: 0},
		{Code: give, K: 120}, // the headers
	}
}

// listening notes that we listen on a port, or do so no more: who connects to another one is not our affair.
func (w *watch) listening(port uint16, yes bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ports[port] = yes
}

// read takes packets until the watch ends.
func (w *watch) read() {
	b := make([]byte, 256)
	for {
		n, err := w.file.Read(b)
		if err != nil {
			return
		}
		w.packet(b[:n])
	}
}

// packet takes one packet, from its IP header on.
func (w *watch) packet(b []byte) {
	if len(b) < 20 || int(b[0]&0xF)*4+20 > len(b) {
		return
	}
	src, dst := netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:]))
	tcp := b[int(b[0]&0xF)*4:]
	from := netip.AddrPortFrom(src, binary.BigEndian.Uint16(tcp))
	to := netip.AddrPortFrom(dst, binary.BigEndian.Uint16(tcp[2:]))
	const syn, reset, ack = 2, 4, 16
	w.mu.Lock()
	defer w.mu.Unlock()
	switch flags := tcp[13]; {
	case src == w.host && flags&(syn|ack) == syn:
		if known := w.find(from, to).from == from; w.ports[to.Port()] && !known && len(w.calls) < maxCalls {
			w.calls = append(w.calls, call{from: from, to: to})
		}
	case dst == w.host:
		c := w.find(to, from)
		c.taken = c.taken || flags&(syn|ack) == syn|ack
		c.refused = c.refused || !c.taken && flags&reset != 0
	}
}

// find returns a call by its ends, or one without ends that is not kept.
func (w *watch) find(from, to netip.AddrPort) *call {
	i := slices.IndexFunc(w.calls, func(c call) bool { return c.from == from && c.to == to })
	if i < 0 {
		return new(call)
	}
	return &w.calls[i]
}

// stop ends the watch, and tells of the calls to this machine.
func (w *watch) stop(l *doctor.Live) (list []doctor.Knock) {
	w.file.Close()
	w.done.Wait()
	for _, c := range w.calls {
		k := doctor.Knock{To: c.to.Port(), Refused: c.refused, Taken: c.taken}
		if (l.Own(c.to.Addr()) || c.to.Addr().IsLoopback()) && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}
