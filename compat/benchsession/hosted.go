package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// hostsOnly is the argument that makes this program hold the hosts whose memory is measured: what the members need, which
// would be on other machines, is in the process that started it.
const hostsOnly = "hosts"

// hosted measures hosted sessions with their sockets: the heap, stacks and buffers of a process that hosts them.
func hosted(sessions int, out io.Writer) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, hostsOnly, fmt.Sprint(sessions))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	reader, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		in.Close() // it ends by that
		if e := cmd.Wait(); err == nil {
			err = e
		}
	}()
	lines := bufio.NewScanner(reader)
	if !lines.Scan() {
		return fmt.Errorf("the process with the hosts did not begin: %v", lines.Err())
	}
	for i := range sessions {
		leave, err := visit(hostAddress(i))
		if err != nil {
			return fmt.Errorf("session %d: %w", i, err)
		}
		defer leave()
	}
	fmt.Fprintln(in, "measure")
	if !lines.Scan() {
		return fmt.Errorf("the process with the hosts says nothing: %v", lines.Err())
	}
	var used uint64
	if _, err := fmt.Sscan(lines.Text(), &used); err != nil {
		return fmt.Errorf("the process with the hosts says %q: %w", lines.Text(), err)
	}
	fmt.Fprintf(out, "memory with sockets: %d hosted sessions with %d members each: %.1f MB, %.0f KB a session\n",
		sessions, membersEach, float64(used)/1e6, float64(used)/1e3/float64(sessions))
	return nil
}

// hostAddress is where the i-th host is.
func hostAddress(i int) netip.Addr { return netip.AddrFrom4([4]byte{127, 40, byte(i >> 8), byte(i)}) }

// visit joins the session at an address with as many machines as memory does, each with a player.
func visit(at netip.Addr) (leave func(), err error) {
	ctx := context.Background()
	var all []*sock.Session
	leave = func() {
		for _, s := range all {
			s.Close()
		}
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	var found sock.Found
	for i := range membersEach {
		s, err := sock.Open(sock.Options{Bind: at})
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		go func() {
			for range s.Events() {
			}
		}()
		if i == 0 {
			if found, err = s.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{at}}); err != nil {
				return nil, err
			}
		}
		if err := s.Join(ctx, found, ""); err != nil {
			return nil, err
		}
		if _, err := s.CreatePlayer(ctx, dpsp.Text(fmt.Sprint("Player ", i+1)), make([]byte, 32)); err != nil {
			return nil, err
		}
	}
	return leave, nil
}

// beHosts is the process with the hosts: it opens them, says so, waits for the word and says what they take.
func beHosts(sessions int, in io.Reader, out io.Writer) error {
	before := taken()
	for i := range sessions {
		h, err := sock.Open(sock.Options{Bind: hostAddress(i)})
		if err != nil {
			return err
		}
		defer h.Close()
		go func() {
			for range h.Events() {
			}
		}()
		if err := h.Host(context.Background(), dpsp.Host{Application: game, Name: "Memory"}); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "ready")
	if lines := bufio.NewScanner(in); lines.Scan() {
		fmt.Fprintln(out, taken()-before)
		lines.Scan() // until the members have gone
	}
	return nil
}

// taken returns the octets that Go's runtime has from the system and uses.
func taken() uint64 {
	runtime.GC() // a pool gives up what nobody used between two collections
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
