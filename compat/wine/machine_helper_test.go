//go:build linux

package wine

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"dplay4/compat/nat"
)

// A Machine is a set of namespaces with an address on the lab's switch.
type Machine struct {
	name string
	root string // the folder that is its root; "": the same files as here
	addr netip.Addr
	hub  *Machine // where its cable ends
	port string   // and in which interface

	first *nat.First
	close func() error // first's, once
}

//go:embed machine.sh
var machineScript string

// namespaces are those that every machine has of its own.
const namespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

func startMachine(ctx context.Context, name, root string) (*Machine, error) {
	first, err := nat.Begin(ctx, namespaces, machineScript, name, root)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	return &Machine{name: name, root: root, first: first, close: sync.OnceValue(first.Close)}, nil
}

// connect gives the machine a cable to the hub, an address, and the route without which Wine's broadcast fails
// (DPERR_UNAVAILABLE). It turns off offloading, so that what is recorded has checksums and the size of frames.
func (m *Machine) connect(ctx context.Context) error {
	err := m.hub.ip(ctx,
		fmt.Sprintf("link add %s type veth peer name eth0 netns %d", m.port, m.first.PID()),
		fmt.Sprintf("link set %s master %s up", m.port, bridge))
	if err != nil {
		return err
	}
	a := m.addr.As4()
	err = m.ip(ctx,
		fmt.Sprintf("link set eth0 address 02:00:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3]), // recordings look alike
		fmt.Sprintf("addr add %s/24 broadcast 192.0.2.255 dev eth0", m.addr),
		"link set eth0 up",
		"route add 255.255.255.255 dev eth0")
	if err != nil {
		return err
	}
	out, err := m.Inside(ctx, insidePlain, "eth0").CombinedOutput()
	if err != nil {
		return fmt.Errorf("machine %s: %w: %s", m.name, err, out)
	}
	return m.carries(ctx)
}

// carries waits until the cable carries packets: Linux takes some milliseconds to notice that both ends are up. Each look is two
// programs, which takes as long as a pause would.
func (m *Machine) carries(ctx context.Context) error {
	for {
		here, err := m.show(ctx, "eth0")
		if err != nil {
			return err
		}
		there, err := m.hub.show(ctx, m.port)
		if err != nil {
			return err
		}
		if strings.Contains(here, " state UP ") && strings.Contains(there, " state forwarding ") {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("machine %s: its cable carries nothing: %w: %s%s", m.name, ctx.Err(), here, there)
		}
	}
}

// show returns what the program ip shows of an interface.
func (m *Machine) show(ctx context.Context, interfaceName string) (string, error) {
	out, err := nat.Enter(ctx, m.first.PID(), []string{"--net"}, "ip", "-d", "-o", "link", "show", interfaceName).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("machine %s: ip: %w: %s", m.name, err, out)
	}
	return string(out), nil
}

// Addr returns the machine's address.
func (m *Machine) Addr() netip.Addr { return m.addr }

// Name returns the machine's host name.
func (m *Machine) Name() string { return m.name }

// ip runs commands of the program ip in the machine's network.
func (m *Machine) ip(ctx context.Context, commands ...string) error {
	cmd := nat.Enter(ctx, m.first.PID(), []string{"--net"}, "ip", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("machine %s: ip: %w: %s", m.name, err, out)
	}
	return nil
}

// Command returns a program that will run in the machine, with the machine's files. Its environment is empty but for
// PATH, and HOME in a Wine machine. It is killed with what it started when ctx ends, and when the machine is closed.
func (m *Machine) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	how := []string{"--net", "--pid", "--ipc", "--uts", "--mount"}
	if m.root == "" {
		return nat.Enter(ctx, m.first.PID(), how, program, args...)
	}
	cmd := nat.Enter(ctx, m.first.PID(), append(how, "--root", "--wd"), program, args...)
	cmd.Env = append(cmd.Env, "HOME="+wineHome)
	return cmd
}

// writeFile writes a file in the machine. The name is absolute.
func (m *Machine) writeFile(name string, data []byte) error {
	return os.WriteFile(filepath.Join("/proc", strconv.Itoa(m.first.PID()), "root", name), data, 0o755)
}

// Unplug pulls the machine's cable: nobody is told, packets just stop.
func (m *Machine) Unplug(ctx context.Context) error {
	return m.hub.ip(ctx, "link set "+m.port+" down")
}

// PlugIn puts the cable back, and waits until it carries packets.
func (m *Machine) PlugIn(ctx context.Context) error {
	if err := m.hub.ip(ctx, "link set "+m.port+" up"); err != nil {
		return err
	}
	return m.carries(ctx)
}

// Close switches the machine off: its processes are killed and its cable is gone. It may be called twice.
func (m *Machine) Close() error { return m.close() }
