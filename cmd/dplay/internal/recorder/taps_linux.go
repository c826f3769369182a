package recorder

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"
	"golang.org/x/net/bpf"

	"dplay4/wire"
)

// A packet is one that an adapter saw.
type packet struct {
	tap  *tap
	ci   gopacket.CaptureInfo
	data []byte
}

// A tap is a raw socket at one adapter. Its handle is closed by the goroutine that reads it, and by nobody else: a read that
// waits cannot be interrupted.
type tap struct {
	adapter
	id     int // in the file
	index  int // the system's
	mu     sync.Mutex
	handle *pcapgo.EthernetHandle // nil: closed
	lost   int
}

// taps are those of a recording.
type taps struct {
	only     []string // names that are wanted; none: all
	list     []*tap
	adapters []adapter
	names    []string // of them
	skipped  []string // what is said of adapters that cannot be recorded
	packets  chan packet
	done     chan struct{}
	sieve    sieve
	ports    []wire.Ports
}

// mostTaps bounds them: a machine with containers has many.
const mostTaps = 256

// openTaps opens a socket at each adapter that is up, or at those that are named.
func openTaps(only []string, ports []wire.Ports) (*taps, error) {
	t := &taps{only: only, packets: make(chan packet, 4096), done: make(chan struct{}), ports: ports, sieve: newSieve(ports)}
	found, err := adaptersHere()
	if err != nil {
		return nil, err
	}
	names := namesOf(found)
	for _, name := range only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no network adapter %q; those that are up: %s", name, strings.Join(names, ", "))
		}
	}
	for _, n := range found {
		if err := t.open(n); err != nil {
			t.close()
			return nil, err
		}
	}
	if len(t.list) == 0 {
		return nil, fmt.Errorf("no network adapter can be recorded. %s", strings.Join(t.skipped, ". "))
	}
	return t, nil
}

// open opens a socket at an adapter if that is wanted, possible, and not done.
func (t *taps) open(n netAdapter) error {
	if len(t.only) > 0 && !slices.Contains(t.only, n.name) || len(t.list) >= mostTaps {
		return nil
	}
	f, ok := framings[n.kind]
	if !ok {
		if text := n.name + " is a kind of adapter that cannot be recorded"; !slices.Contains(t.skipped, text) {
			t.skipped = append(t.skipped, text)
		}
		return nil
	}
	h, err := pcapgo.NewEthernetHandle(n.name)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), syscall.EPERM.Error()): // the package keeps no more of it than the text
		return noRight()
	default:
		return nil // it went down meanwhile
	}
	p := &tap{adapter: adapter{n.name, f}, id: len(t.adapters), index: n.index, handle: h}
	if err := errors.Join(h.SetCaptureLength(wholePacket), p.setProgram(program(f, t.ports))); err != nil {
		h.Close()
		return fmt.Errorf("%s: %w", n.name, err)
	}
	t.list, t.adapters, t.names = append(t.list, p), append(t.adapters, p.adapter), append(t.names, n.name)
	go p.read(t.packets, t.done)
	return nil
}

// setProgram has the kernel hand over what a program takes only.
func (p *tap) setProgram(list []bpf.Instruction) error {
	raw, err := bpf.Assemble(list)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.handle == nil {
		return nil
	}
	return p.handle.SetBPF(raw)
}

// read reads until the adapter is gone, or the recording is over and one more packet came.
func (p *tap) read(out chan<- packet, done <-chan struct{}) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.countLost()
		p.handle.Close()
		p.handle = nil
	}()
	for {
		data, ci, err := p.handle.ReadPacketData()
		switch {
		case err == nil:
		case strings.Contains(err.Error(), syscall.EINTR.Error()):
			continue
		default:
			return
		}
		select {
		case out <- packet{p, ci, data}:
		case <-done:
			return
		}
	}
}

// countLost adds what the kernel had no room for; under mu.
func (p *tap) countLost() {
	if p.handle == nil {
		return
	}
	if s, err := p.handle.Stats(); err == nil {
		p.lost += int(s.Drops)
	}
}

// lost returns how many packets the kernel had no room for.
func (t *taps) lost() (n int) {
	for _, p := range t.list {
		p.mu.Lock()
		p.countLost()
		n += p.lost
		p.mu.Unlock()
	}
	return n
}

// record writes a packet, unless it came before the filter.
func (t *taps) record(p packet, to *tape) error {
	if !t.sieve.takes(p.tap.framing, p.data) {
		return nil
	}
	p.ci.InterfaceIndex = p.tap.id
	p.ci.Length = max(p.ci.Length, len(p.data))
	return to.packet(p.ci, p.data)
}

// rest writes what came and was not yet taken.
func (t *taps) rest(to *tape) error {
	end := time.After(lastPackets)
	for {
		select {
		case p := <-t.packets:
			if err := t.record(p, to); err != nil {
				return err
			}
		case <-end:
			return nil
		}
	}
}

// widen has more ports recorded.
func (t *taps) widen(ports []wire.Ports) error {
	t.ports, t.sieve = ports, newSieve(ports)
	for _, p := range t.list {
		if err := p.setProgram(program(p.framing, ports)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// lookForMore opens adapters that are new, such as that of a VPN, and those that went down and are up again.
func (t *taps) lookForMore(to *tape, tell func(string)) error {
	found, _ := adaptersHere() // none beside an error: then they are found the next time
	t.list = slices.DeleteFunc(t.list, func(p *tap) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.handle == nil
	})
	for _, n := range found {
		if slices.ContainsFunc(t.list, func(p *tap) bool { return p.index == n.index }) {
			continue
		}
		before := len(t.adapters)
		if err := t.open(n); err != nil {
			return err
		}
		if len(t.adapters) > before {
			if err := to.add(t.adapters[before]); err != nil {
				return err
			}
			tell("recording at " + n.name + " as well")
		}
	}
	return nil
}

// close ends the recording. A reader that waits ends with the next packet, of whatever protocol.
func (t *taps) close() {
	close(t.done)
	for _, p := range t.list {
		p.setProgram([]bpf.Instruction{bpf.RetConstant{Val: 1}}) //nolint:errcheck // it ends with the program
	}
}

// A netAdapter is a network adapter as the kernel describes it.
type netAdapter struct {
	name  string
	index int
	kind  uint16 // of its link, ARPHRD_... in the kernel's words
}

// framings has how packets begin at the kinds of adapters that can be recorded.
var framings = map[uint16]framing{
	syscall.ARPHRD_ETHER:    ethernet,
	syscall.ARPHRD_LOOPBACK: loopback,
	0xfffe:                  bareIP, // ARPHRD_NONE: tun, WireGuard and other VPN adapters
	syscall.ARPHRD_TUNNEL:   bareIP,
	syscall.ARPHRD_SIT:      bareIP,
}

// adaptersHere returns the adapters that are up, by number. The kernel is asked by netlink: what stands in /sys may be about
// another network namespace.
func adaptersHere() ([]netAdapter, error) {
	all, err := net.Interfaces()
	kinds, unknown := linkKinds()
	if err := cmp.Or(err, unknown); err != nil {
		return nil, fmt.Errorf("the network adapters of this machine: %w", err)
	}
	var list []netAdapter
	for _, n := range all {
		if n.Flags&net.FlagUp != 0 {
			list = append(list, netAdapter{n.Name, n.Index, kinds[n.Index]})
		}
	}
	return list, nil
}

// linkKinds returns the kind of each adapter's link, by its number.
func linkKinds() (map[int]uint16, error) {
	answer, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseNetlinkMessage(answer)
	if err != nil {
		return nil, err
	}
	kinds := map[int]uint16{}
	for _, m := range messages {
		if m.Header.Type == syscall.RTM_NEWLINK && len(m.Data) >= syscall.SizeofIfInfomsg { // family, kind, number
			kinds[int(binary.NativeEndian.Uint32(m.Data[4:]))] = binary.NativeEndian.Uint16(m.Data[2:])
		}
	}
	return kinds, nil
}

func namesOf(list []netAdapter) (names []string) {
	for _, n := range list {
		names = append(names, n.name)
	}
	return names
}
