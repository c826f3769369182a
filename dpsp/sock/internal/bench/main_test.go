package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// game is the application of our sessions.
var game = wire.GUID{0xBE, 0x7C, 0x5E, 0x55}

// asChild is set, to what it has to do, in the environment of a process with hosts, which is this program again.
const asChild = "DPLAY_BENCH_CHILD"

// TestMain begins a process with hosts as well.
func TestMain(m *testing.M) {
	duty, child := os.LookupEnv(asChild)
	if !child {
		os.Exit(m.Run())
	}
	what, args, _ := strings.Cut(duty, " ")
	do := map[string]func(string, io.Reader, io.Writer) error{"memory": holdHosts, "migration": serve}[what]
	if err := do(args, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A child is a process with hosts, to which one talks in lines.
type child struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

// start starts a child and waits until its hosts are ready. It is killed when ctx ends, whether it is stopped or not, and ends
// by itself when we do.
func start(ctx context.Context, duty string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{Cmd: exec.CommandContext(ctx, self)}
	c.Env, c.Stderr = append(os.Environ(), asChild+"="+duty), os.Stderr
	if c.in, err = c.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if line, err := c.out.ReadString('\n'); err != nil || line != "ready\n" {
		c.end()
		return nil, errors.New("the process with hosts does not host")
	}
	return c, nil
}

// end ends a child, if it has not ended yet.
func (c *child) end() {
	c.Process.Kill() //nolint:errcheck // it ended, as a rule
	c.Wait()         //nolint:errcheck // what is wrong with it, it said itself
}

// open hosts a session whose events nobody reads.
func open(opt sock.Options, h dpsp.Host) (*sock.Session, error) {
	s, err := sock.Open(opt)
	if err != nil {
		return nil, err
	}
	if err := s.Host(context.Background(), h); err != nil {
		s.Close()
		return nil, err
	}
	go drain(s)
	return s, nil
}

// join enters the session that is hosted at an address. What is found there at first is kept for who comes next.
func join(ctx context.Context, opt sock.Options, at netip.Addr, found *sock.Found) (*sock.Session, error) {
	s, err := sock.Open(opt)
	if err != nil {
		return nil, err
	}
	if !found.From.IsValid() {
		*found, err = s.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{at}})
	}
	if err == nil {
		err = s.Join(ctx, *found, "")
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// drain reads events until the session is closed.
func drain(s *sock.Session) {
	for range s.Events() {
	}
}

func system() string {
	return fmt.Sprintf("%s %s/%s, %d processors", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}
