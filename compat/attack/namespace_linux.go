package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// inside is set in the environment of the process in the namespace.
const inside = "DPLAY_ATTACK_NAMESPACE"

// isolated reports whether we are in a network namespace of our own.
func isolated() bool { return os.Getenv(inside) != "" }

// inNamespace runs the command in a network namespace, if we may make one; done if it did.
func inNamespace(ctx context.Context, args []string, out io.Writer) (done bool, err error) {
	if isolated() || os.Getuid() != 0 {
		return false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return true, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return false, nil // it is not allowed here: loopback addresses will do
	}
	err = cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = exitError(exit.ExitCode())
	}
	return true, err
}

// loopbackUp switches the namespace's only interface on.
func loopbackUp() error {
	if !isolated() {
		return nil
	}
	out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip link set lo up: %w: %s", err, out)
	}
	return nil
}

// usageOf returns a process's resident memory in MB, the most so far, and how many descriptors it has open.
func usageOf(pid int) (rss, descriptors int) {
	dir := "/proc/" + strconv.Itoa(pid)
	if all, err := os.ReadDir(dir + "/fd"); err == nil {
		descriptors = len(all)
	}
	f, err := os.Open(dir + "/status")
	if err != nil {
		return 0, descriptors
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if kb, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(kb, "kB")))
			rss = n / 1000
		}
	}
	return rss, descriptors
}
