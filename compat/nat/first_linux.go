package nat

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A First is the first process of a machine, which lives as long, with all that runs in it.
type First struct {
	cmd   *exec.Cmd
	stdin io.Closer // whose end ends it
}

// Begin starts a machine: a script in namespaces of these kinds (CLONE_NEWNET and others), which says "ready" and then reads until
// the end. It is for packages with other machines than those of an Internet.
func Begin(ctx context.Context, namespaces uintptr, script string, args ...string) (*First, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "machine.sh"}, args...)...)
	cmd.Env = []string{"PATH=" + ToolPath}
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
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
			return nil, fmt.Errorf("%w: no namespaces: %w", ErrMissing, err)
		}
		return nil, err
	}
	f := &First{cmd, stdin}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if !stop() {
		err = ctx.Err()
	}
	if err == nil && line != "ready\n" {
		err = fmt.Errorf("it said %q", line)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("it did not start: %w: %s", err, &stderr)
	}
	return f, nil
}

// PID names the machine's namespaces.
func (f *First) PID() int { return f.cmd.Process.Pid }

// Close ends the machine and what runs in it.
func (f *First) Close() error {
	_ = f.stdin.Close()
	err := f.cmd.Process.Kill()
	_ = f.cmd.Wait() // it was killed: that is the error it would give
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Enter returns a program that will run in namespaces of a process, which nsenter enters as told by its options how, in a process
// group of its own. Its environment is empty but for PATH. It is killed with what it started when ctx ends.
func Enter(ctx context.Context, pid int, how []string, program string, args ...string) *exec.Cmd {
	nsenter, err := LookTool("nsenter")
	if err != nil {
		nsenter = "nsenter" // who made the machine checked; Start will say the same
	}
	how = append([]string{"--target", strconv.Itoa(pid)}, how...)
	cmd := exec.CommandContext(ctx, nsenter, append(append(how, "--", program), args...)...)
	cmd.Env = []string{"PATH=" + ToolPath}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return Kill(cmd) }
	cmd.WaitDelay = 5 * time.Second // for pipes that a grandchild holds open
	return cmd
}

// Kill ends a command that Enter made: nsenter waits outside for the program inside, so both have to go.
func Kill(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// ToolPath is where Debian has programs, in machines too.
const ToolPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// LookTool finds a program. Those of root are not always on the path.
func LookTool(name string) (string, error) {
	for _, dir := range strings.Split(ToolPath, ":") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: there is no program %s", ErrMissing, name)
}
