package nat

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrMissing says that there can be no such internet here: no root, no namespaces, or a program is missing.
var ErrMissing = errors.New("no namespaces here")

// A Machine is a set of namespaces. It has the files of this machine.
type Machine struct {
	name  string
	addr  netip.Addr
	first *exec.Cmd // its first process: the machine lives as long
	stdin io.Closer // whose end ends it
}

//go:embed machine.sh
var machineScript string

// namespaces are those that every machine has of its own.
const namespaces = syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWUTS

func startMachine(ctx context.Context, name string) (*Machine, error) {
	cmd := exec.Command("/bin/sh", "-c", machineScript, "machine.sh", name)
	cmd.Env = []string{"PATH=" + toolPath}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Setpgid: true}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: machine %s: %w", ErrMissing, name, err)
	}
	m := &Machine{name: name, first: cmd, stdin: stdin}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if !stop() {
		err = ctx.Err()
	}
	if err == nil && line != "ready\n" {
		err = fmt.Errorf("it said %q", line)
	}
	if err != nil {
		m.close()
		return nil, fmt.Errorf("machine %s did not start: %w: %s", name, err, &stderr)
	}
	return m, nil
}

// Name returns the machine's host name.
func (m *Machine) Name() string { return m.name }

// Addr returns the machine's IPv4 address: behind a router it is one of the home's own.
func (m *Machine) Addr() netip.Addr { return m.addr }

// pid names the machine's namespaces.
func (m *Machine) pid() int { return m.first.Process.Pid }

// Command returns a program that will run in the machine. Its environment is empty but for PATH. It is killed with what it
// started when ctx ends, and when the machine goes.
func (m *Machine) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return enter(ctx, m.pid(), []string{"--net", "--pid", "--uts", "--mount"}, program, args...)
}

// enter makes a command of nsenter, as a process group of its own.
func enter(ctx context.Context, pid int, how []string, program string, args ...string) *exec.Cmd {
	nsenter, err := lookTool("nsenter")
	if err != nil {
		nsenter = "nsenter" // New checked; Start will say the same
	}
	how = append([]string{"--target", strconv.Itoa(pid)}, how...)
	cmd := exec.CommandContext(ctx, nsenter, append(append(how, "--", program), args...)...)
	cmd.Env = []string{"PATH=" + toolPath}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	cmd.WaitDelay = 5 * time.Second // for pipes that a grandchild holds open
	return cmd
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
	cmd := enter(ctx, pid, []string{"--net"}, program, args...)
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
		out, err := enter(ctx, m.pid(), []string{"--net"}, "ip", "-d", "-o", "link", "show", port).CombinedOutput()
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
func (m *Machine) close() {
	_ = m.stdin.Close()
	_ = m.first.Process.Kill()
	_ = m.first.Wait() // it was killed: that is the error it would give
}

// toolPath is where the programs are, in machines too.
const toolPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// lookTool finds a program. Those of root are not always on the path.
func lookTool(name string) (string, error) {
	for _, dir := range strings.Split(toolPath, ":") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: there is no program %s", ErrMissing, name)
}

// check returns the reason for which there can be no such internet.
func check() error {
	if os.Getuid() != 0 {
		return fmt.Errorf("%w: they need root", ErrMissing)
	}
	for _, tool := range []string{"sh", "mount", "ip", "nft", "nsenter"} {
		if _, err := lookTool(tool); err != nil {
			return err
		}
	}
	return nil
}
