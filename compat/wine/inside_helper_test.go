//go:build linux

package wine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"

	"dplay4/compat/nat"
)

// insideVariable names the part of the program that is to run, in the environment of a process that Inside made.
const insideVariable = "DPLAY_WINE_INSIDE"

// The parts that this package brings along.
const (
	insidePlain  = "plain"  // turns off the offloading of the interface in the first argument
	insideRecord = "record" // records what passes the bridge in the first argument
	insideRelay  = "relay"  // carries frames between two interfaces and loses some: see relay
)

// RunInside runs the part of the program that Inside asked for, and does not return then. The program that makes a
// lab calls it before all else: a test in TestMain. A part gets Inside's arguments; its error goes to standard
// error and gives exit status 1.
func RunInside(parts map[string]func(args []string) error) {
	name := os.Getenv(insideVariable)
	if name == "" {
		return
	}
	part := parts[name]
	switch name {
	case insidePlain:
		part = plain
	case insideRecord:
		part = record
	case insideRelay:
		part = relay
	}
	err := fmt.Errorf("RunInside was not given this part")
	if part != nil {
		err = part(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Inside returns a command that runs a part of this program (see RunInside) in the machine's network and among its
// processes, but with the files of here. It is killed when ctx ends and when the machine is closed.
func (m *Machine) Inside(ctx context.Context, part string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = "/proc/self/exe" // Start will fail: that is nsenter
	}
	cmd := nat.Enter(ctx, m.first.PID(), []string{"--net", "--pid", "--ipc", "--uts"}, self, args...)
	cmd.Env = append(cmd.Env, insideVariable+"="+part)
	return cmd
}

// ethtool's request to turn off transmit checksumming, which takes segmentation offload with it (linux/ethtool.h,
// linux/sockios.h).
const (
	siocEthtool    = 0x8946
	ethtoolSetTxCS = 0x17
)

// plain makes an interface send what a wire would carry: frames of at most its MTU, with their checksums.
func plain(args []string) error {
	if len(args) != 1 || len(args[0]) >= syscall.IFNAMSIZ || strings.ContainsRune(args[0], 0) {
		return fmt.Errorf("want the name of one interface, not %q", args)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	value := struct{ command, data uint32 }{ethtoolSetTxCS, 0}
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		value unsafe.Pointer
		_     [24 - unsafe.Sizeof(uintptr(0))]byte // struct ifreq has 40 octets
	}{value: unsafe.Pointer(&value)}
	copy(request.name[:], args[0])
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), siocEthtool, uintptr(unsafe.Pointer(&request))); errno != 0 {
		return fmt.Errorf("turning off the offloading of %s: %w", args[0], errno)
	}
	return nil
}
