//go:build linux

package wine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"dplay4/compat/nat"
)

// A Relay is a program that carries every frame between two machines, which have no other way to each other, and loses some of
// those with datagrams. It is a program because not every kernel has netem, and because a seed then says what is lost.
type Relay struct {
	cmd   *exec.Cmd
	stdin io.Closer
	out   *json.Decoder
}

// Relayed counts frames.
type Relayed struct {
	Carried   int // of all kinds
	Datagrams int // frames with UDP that came to the relay
	Lost      int // and those of them that it lost
}

// Relay takes two machines off the switch and puts a relay between them, which loses so many of a hundred frames with UDP in each
// direction, by the seed. What Record writes is what comes to it. Stop it, or close the lab.
func (l *Lab) Relay(ctx context.Context, a, b *Machine, percent int, seed uint64) (*Relay, error) {
	if err := l.hub.ip(ctx, "link set "+a.port+" nomaster", "link set "+b.port+" nomaster"); err != nil {
		return nil, err
	}
	r := &Relay{cmd: l.hub.Inside(context.WithoutCancel(ctx), insideRelay, a.port, b.port, strconv.Itoa(percent),
		strconv.FormatUint(seed, 10))}
	r.cmd.Stderr = os.Stderr
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.stdin, r.out = stdin, json.NewDecoder(stdout)
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	var none Relayed
	if err := r.out.Decode(&none); err != nil { // it begins
		return nil, fmt.Errorf("relay: %w", errors.Join(err, nat.Kill(r.cmd), r.cmd.Wait()))
	}
	return r, nil
}

// Stop ends the relay, and with it the way between the machines, and returns what it did.
func (r *Relay) Stop() (Relayed, error) {
	var all Relayed
	err := errors.Join(r.stdin.Close(), r.out.Decode(&all), r.cmd.Wait())
	return all, err
}

// ---- what runs inside the hub ----

// relay carries frames until its standard input ends, which it does when whoever asked for it is gone, too.
func relay(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("want two interfaces, a percentage and a seed, not %q", args)
	}
	percent, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return err
	}
	var ends [2]int
	for i, name := range args[:2] {
		if ends[i], err = cableEnd(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(Relayed{}); err != nil {
		return err
	}
	var (
		mu     sync.Mutex
		all    Relayed
		broken = make(chan error, 3)
	)
	for i := range ends {
		dice := rand.New(rand.NewPCG(seed, uint64(i)))
		go func() {
			broken <- carry(ends[i], ends[1-i], func(frame []byte) bool {
				mu.Lock()
				defer mu.Unlock()
				if isDatagram(frame) {
					all.Datagrams++
					if dice.IntN(100) < percent {
						all.Lost++
						return false
					}
				}
				all.Carried++
				return true
			})
		}()
	}
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		broken <- err
	}()
	if err := <-broken; err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	return out.Encode(all)
}

// cableEnd opens a packet socket for an interface.
func cableEnd(name string) (fd int, err error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return 0, err
	}
	const all = syscall.ETH_P_ALL&0xFF<<8 | syscall.ETH_P_ALL>>8 // in the network's order
	if fd, err = syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, all); err != nil {
		return 0, os.NewSyscallError("socket", err)
	}
	err = syscall.Bind(fd, &syscall.SockaddrLinklayer{Protocol: all, Ifindex: ifc.Index})
	return fd, os.NewSyscallError("bind", err)
}

// carry writes to one socket what comes to another one and passes. What the relay itself sent there is not what came.
func carry(from, to int, passes func(frame []byte) bool) error {
	buf := make([]byte, 1<<16)
	for {
		n, at, err := syscall.Recvfrom(from, buf, 0)
		switch {
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.ENETDOWN): // a cable was pulled
			continue
		case err != nil:
			return os.NewSyscallError("recvfrom", err)
		}
		if a, ok := at.(*syscall.SockaddrLinklayer); !ok || a.Pkttype == syscall.PACKET_OUTGOING || !passes(buf[:n]) {
			continue
		}
		if _, err := syscall.Write(to, buf[:n]); err != nil && !errors.Is(err, syscall.ENETDOWN) {
			return os.NewSyscallError("write", err)
		}
	}
}

// isDatagram reports whether an Ethernet frame holds UDP in IPv4, or a later part of a datagram.
func isDatagram(frame []byte) bool {
	return len(frame) >= 34 && frame[12] == 0x08 && frame[13] == 0x00 && frame[23] == syscall.IPPROTO_UDP
}
