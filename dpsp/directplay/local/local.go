// Package local is the machine that a lobby runs on: its programs, its registry, and connections that do not leave it.
package local

import (
	"crypto/rand"
	"io"
	"net"
	"os"
	"os/exec"

	"dplay4/dpsp/directplay"
)

// Machine returns this machine, for directplay.NewLobby. Where there is no registry it has no applications.
func Machine() directplay.Machine {
	return directplay.Machine{
		Process:  uint32(os.Getpid()),
		Registry: registry(),
		Getenv:   os.Getenv,
		Start:    start,
		Listen:   listen,
		Dial:     func(place string) (io.ReadWriteCloser, error) { return net.Dial("tcp4", place) },
		Secret: func() (s directplay.Secret) {
			rand.Read(s[:]) // ends the program if there is no randomness
			return s
		},
	}
}

// maxCallers is how many connections are served at once: a launcher has few games, and one each.
const maxCallers = 64

// listen serves whoever calls from this machine for as long as the program runs.
func listen(accept func(io.ReadWriteCloser)) (place string, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		callers := make(chan struct{}, maxCallers)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			select {
			case callers <- struct{}{}:
				go func() {
					accept(conn)
					<-callers
				}()
			default:
				conn.Close()
			}
		}
	}()
	return l.Addr().String(), nil
}

// program is a program that was started.
type program struct{ cmd *exec.Cmd }

func (p program) ID() uint32 { return uint32(p.cmd.Process.Pid) }

// Wait returns when the program has ended, however it did.
func (p program) Wait() { _ = p.cmd.Wait() }

// start starts a program. What it writes goes where ours goes.
func start(c directplay.Command) (directplay.Process, error) {
	cmd := exec.Command(c.File, c.Arguments...)
	cmd.Dir, cmd.Env = c.Directory, append(os.Environ(), c.Environment...) // of two of a name the last one counts
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if c.CommandLine != "" {
		raw(cmd, c.CommandLine)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return program{cmd}, nil
}
