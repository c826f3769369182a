package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
)

// benchHosts measures hosted sessions with their sockets: the heap, stacks and buffers of a process that hosts them. What the
// members need, which would be on other machines, is in ours.
func benchHosts(b testing.TB, sessions int, out io.Writer) {
	ctx, at := testkit.Context(b), testkit.Addrs(b, sessions)
	hosts, err := start(ctx, fmt.Sprint("memory ", sessions, " ", at[0]))
	require.NoError(b, err)
	defer hosts.end()
	for i := range sessions {
		var found sock.Found
		for n := range membersEach {
			s, err := join(ctx, sock.Options{Bind: at[i]}, at[i], &found)
			require.NoError(b, err, "session %d", i)
			defer s.Close()
			go drain(s)
			_, err = s.CreatePlayer(ctx, dpsp.Text(fmt.Sprint("Player ", n+1)), make([]byte, 32))
			require.NoError(b, err, "session %d", i)
		}
	}
	fmt.Fprintln(hosts.in, "measure")
	line, err := hosts.out.ReadString('\n')
	require.NoError(b, err)
	used, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(b, err)
	fmt.Fprintf(out, "memory with sockets: %d hosted sessions with %d members each: %.1f MB, %.0f KB a session\n",
		sessions, membersEach, float64(used)/1e6, float64(used)/1e3/float64(sessions))
}

// holdHosts is the child with hosts, whose duty has their number and the first one's address: it opens them, says so, waits for the
// word, says what they take, and waits for its end.
func holdHosts(duty string, in io.Reader, out io.Writer) error {
	var n int
	var first string
	if _, err := fmt.Sscan(duty, &n, &first); err != nil {
		return err
	}
	at, err := netip.ParseAddr(first)
	if err != nil {
		return err
	}
	before := taken()
	for range n {
		h, err := open(sock.Options{Bind: at}, dpsp.Host{Application: game, Name: "Memory"})
		if err != nil {
			return err
		}
		defer h.Close()
		at = at.Next()
	}
	fmt.Fprintln(out, "ready")
	if lines := bufio.NewScanner(in); lines.Scan() {
		fmt.Fprintln(out, int64(taken()-before))
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
