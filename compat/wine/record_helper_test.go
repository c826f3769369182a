//go:build linux

package wine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"dplay4/compat/nat"
)

// A Recording is the traffic of a lab's switch on its way into a file.
type Recording struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
	begun  chan struct{} // closed when the recorder listens
	done   chan struct{} // closed when it has ended
	err    error         // then
	stop   sync.Once
}

// Record writes every frame that passes the switch to w from now on, as a pcap file (Ethernet, microseconds).
func (l *Lab) Record(ctx context.Context, w io.Writer) (*Recording, error) {
	r := &Recording{begun: make(chan struct{}), done: make(chan struct{})}
	r.cmd = l.hub.Inside(context.WithoutCancel(ctx), insideRecord, bridge)
	r.cmd.Stdout = &firstWrite{w: w, begun: r.begun}
	r.cmd.Stderr = &r.stderr
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r.stdin = stdin
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	go func() {
		defer close(r.done)
		if err := r.cmd.Wait(); err != nil {
			r.err = fmt.Errorf("recorder: %w: %s", err, &r.stderr)
		}
	}()
	select {
	case <-r.begun: // the file's header
		return r, nil
	case <-r.done:
		return nil, errors.Join(r.err, errors.New("the recorder did not begin"))
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), nat.Kill(r.cmd))
	}
}

// Stop ends the recording: when it returns without an error, everything that passed before is in the file.
func (r *Recording) Stop(ctx context.Context) error {
	r.stop.Do(func() { _ = r.stdin.Close() })
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return errors.Join(ctx.Err(), nat.Kill(r.cmd))
	}
}

// firstWrite closes begun at the first write.
type firstWrite struct {
	w     io.Writer
	begun chan struct{}
	once  sync.Once
}

func (f *firstWrite) Write(b []byte) (int, error) {
	f.once.Do(func() { close(f.begun) })
	return f.w.Write(b)
}

// ---- what runs inside the hub ----

// A tap is a packet socket that sees every frame of a network namespace.
type tap struct {
	file   *os.File
	conn   syscall.RawConn
	copy   int // of the socket, for what waits once file is closed
	bridge int // its index; frames that it gets come from a port, where they were seen
	out    *pcapgo.Writer
	buf    [1 << 17]byte
	oob    [256]byte
	lost   uint32 // frames for which there was no room, as the kernel counts them
	err    error  // of take
}

// record records until its standard input ends, which it does when whoever asked for it is gone, too.
func record(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want the name of the bridge, not %q", args)
	}
	t, err := newTap(args[0])
	if err != nil {
		return err
	}
	defer t.file.Close()
	if err := t.out.WriteFileHeader(uint32(len(t.buf)), layers.LinkTypeEthernet); err != nil {
		return err
	}
	var ended atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		ended.Store(true)
		_ = t.file.Close() // ends the Read; the copy of the socket stays
	}()
	if err := t.conn.Read(t.frames); t.err != nil || !ended.Load() {
		return errors.Join(t.err, err)
	}
	if err := t.take(t.copy); err != nil {
		return err
	}
	if t.lost > 0 {
		return fmt.Errorf("%d frames are missing in the recording", t.lost)
	}
	return nil
}

func newTap(bridge string) (*tap, error) {
	ifc, err := net.InterfaceByName(bridge)
	if err != nil {
		return nil, err
	}
	all := uint16(syscall.ETH_P_ALL)
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, int(all<<8|all>>8))
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "packets")
	options := []struct{ name, value int }{
		{syscall.SO_RCVBUFFORCE, 64 << 20},
		{syscall.SO_TIMESTAMPNS, 1},
		{syscall.SO_RXQ_OVFL, 1},
	}
	for _, o := range options {
		if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, o.name, o.value); err != nil {
			return nil, errors.Join(os.NewSyscallError("setsockopt", err), file.Close())
		}
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	fd, err = syscall.Dup(fd)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("dup", err), file.Close())
	}
	return &tap{file: file, conn: conn, copy: fd, bridge: ifc.Index, out: pcapgo.NewWriter(os.Stdout)}, nil
}

// frames writes the frames that are there. It gives false to be called again when there are more.
func (t *tap) frames(fd uintptr) bool {
	t.err = t.take(int(fd))
	return t.err != nil
}

// take writes frames until there is none. Frames on their way out are left alone: each was seen on its way in.
func (t *tap) take(fd int) error {
	for {
		n, noob, _, from, err := syscall.Recvmsg(fd, t.buf[:], t.oob[:], 0)
		switch {
		case errors.Is(err, syscall.EAGAIN):
			return nil
		case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.ENETDOWN): // a cable was pulled
			continue
		case err != nil:
			return os.NewSyscallError("recvmsg", err)
		}
		when := t.control(t.oob[:noob])
		at, ok := from.(*syscall.SockaddrLinklayer)
		if !ok || at.Pkttype == syscall.PACKET_OUTGOING || at.Ifindex == t.bridge {
			continue
		}
		if err := t.out.WritePacket(gopacket.CaptureInfo{Timestamp: when, CaptureLength: n, Length: n}, t.buf[:n]); err != nil {
			return err
		}
	}
}

// control returns the kernel's time of a frame, and notes how many frames it lost.
func (t *tap) control(oob []byte) (when time.Time) {
	when = time.Now()
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return when
	}
	for _, m := range messages {
		switch {
		case m.Header.Level != syscall.SOL_SOCKET:
		case m.Header.Type == syscall.SO_TIMESTAMPNS && len(m.Data) >= 16:
			when = time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		case m.Header.Type == syscall.SO_RXQ_OVFL && len(m.Data) >= 4:
			t.lost = binary.NativeEndian.Uint32(m.Data)
		}
	}
	return when
}
