package nat

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// ErrMissing says that there can be no machines here: no root, no namespaces, or a program is missing.
var ErrMissing = errors.New("it cannot be had here")

// A Machine is a set of namespaces. It has the files of this machine.
type Machine struct {
	name  string
	addr  netip.Addr
	first *First
}

//go:embed machine.sh
var machineScript string

// namespaces are those that every machine has of its own.
const namespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS

func startMachine(ctx context.Context, name string) (*Machine, error) {
	first, err := Begin(ctx, namespaces, machineScript, name)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", name, err)
	}
	return &Machine{name: name, first: first}, nil
}

// Name returns the machine's host name.
func (m *Machine) Name() string { return m.name }

// Addr returns the machine's IPv4 address: behind a router it is one of the home's own.
func (m *Machine) Addr() netip.Addr { return m.addr }

// pid names the machine's namespaces.
func (m *Machine) pid() int { return m.first.PID() }

// Command returns a program that will run in the machine. Its environment is empty but for PATH. It is killed with what it
// started when ctx ends, and when the machine goes.
func (m *Machine) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return Enter(ctx, m.pid(), []string{"--net", "--pid", "--uts", "--mount"}, program, args...)
}

// ip runs commands of the program ip in the network of a process.
func ip(ctx context.Context, pid int, commands ...string) error {
	return feed(ctx, pid, strings.Join(commands, "\n")+"\n", "ip", "-batch", "-")
}

// nft has the firewall of a machine take rules.
func (m *Machine) nft(ctx context.Context, rules string) error {
	return feed(ctx, m.pid(), rules, "nft", "-f", "-")
}

// feed runs a program with standard input in the network of a process.
func feed(ctx context.Context, pid int, text, program string, args ...string) error {
	cmd := Enter(ctx, pid, []string{"--net"}, program, args...)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s of %s", program, err, bytes.TrimSpace(out), text)
	}
	return nil
}

// set sets a value of the kernel in the machine's network.
func (m *Machine) set(ctx context.Context, key, value string) error {
	cmd := m.Command(ctx, "sh", "-c", `echo "$1" >"/proc/sys/net/$0"`, key, value)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("machine %s: %s: %w: %s", m.name, key, err, out)
	}
	return nil
}

// Resolves has the machine ask a DNS server at an address.
func (m *Machine) Resolves(ctx context.Context, server netip.Addr) error {
	const script = `f=$(mktemp) && echo "nameserver $0" >"$f" && mount --bind "$f" /etc/resolv.conf && rm "$f"`
	if out, err := m.Command(ctx, "sh", "-c", script, server.String()).CombinedOutput(); err != nil {
		return fmt.Errorf("machine %s: resolv.conf: %w: %s", m.name, err, out)
	}
	return nil
}

// carries waits until an interface carries packets: Linux takes some milliseconds to notice that both ends of a cable are up.
func (m *Machine) carries(ctx context.Context, port string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := Enter(ctx, m.pid(), []string{"--net"}, "ip", "-d", "-o", "link", "show", port).CombinedOutput()
		if err != nil {
			return fmt.Errorf("machine %s: ip: %w: %s", m.name, err, out)
		}
		if s := string(out); strings.Contains(s, " state UP ") && (!strings.Contains(s, " bridge_slave ") || strings.Contains(s, " state forwarding ")) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("machine %s: %s carries nothing: %w: %s", m.name, port, ctx.Err(), out)
		}
	}
}

// close ends the machine and what runs in it.
func (m *Machine) close() { _ = m.first.Close() }

// check returns the reason for which there can be no such internet.
func check() error {
	if os.Getuid() != 0 {
		return fmt.Errorf("%w: namespaces need root", ErrMissing)
	}
	for _, tool := range []string{"sh", "mount", "ip", "nft", "nsenter"} {
		if _, err := LookTool(tool); err != nil {
			return err
		}
	}
	return nil
}
