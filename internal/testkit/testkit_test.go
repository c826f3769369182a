package testkit

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asOther names the variable that makes this test binary print addresses of its own and wait.
const asOther = "DPLAY_TESTKIT_OTHER"

func TestMain(m *testing.M) {
	if os.Getenv(asOther) != "" {
		for range 3 {
			fmt.Println(Loopback())
		}
		os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // the test kills it
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestAddrsOfProcesses has three processes at once hold addresses, none of which is given twice, with every port free.
func TestAddrsOfProcesses(t *testing.T) {
	if single() {
		t.Skip("here is only 127.0.0.1")
	}
	seen := map[netip.Addr]bool{}
	add := func(a netip.Addr) {
		assert.False(t, seen[a], "%s is given twice", a)
		seen[a] = true
		c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(a, 47624)))
		require.NoError(t, err)
		c.Close()
	}
	for range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), asOther+"=1")
		_, err := c.StdinPipe() // it waits for its end
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			c.Process.Kill() //nolint:errcheck // it has printed its addresses
			c.Wait()         //nolint:errcheck // it was killed
		})
		for range 3 {
			var a string
			_, err := fmt.Fscanln(out, &a)
			require.NoError(t, err)
			add(netip.MustParseAddr(a))
		}
	}
	for range 2 * inBlock {
		add(Addr(t))
	}
	all := Addrs(t, 5)
	for i, a := range all {
		add(a)
		assert.Equal(t, all[0].As4()[3]+byte(i), a.As4()[3])
	}
}

// TestHeldBlock: another program that has the guard's port keeps its block.
func TestHeldBlock(t *testing.T) {
	if single() {
		t.Skip("here is only 127.0.0.1")
	}
	own.Lock()
	b := (os.Getpid()*7 + own.next) % blocks
	at := netip.AddrFrom4([4]byte{127, 64 + byte(b>>8), byte(b), 254})
	c, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(at, guard)))
	if err == nil { // else another process of these tests holds it, which is as good
		defer c.Close()
	}
	require.NoError(t, hold())
	assert.NotEqual(t, at, netip.AddrFrom4(own.base))
	own.Unlock()
	_, err = take(inBlock + 1)
	assert.ErrorContains(t, err, "251 addresses")
	_, err = take(0)
	assert.Error(t, err)
}

// TestOneAddress: where there is only 127.0.0.1, one test has it at a time, and its subtests share it.
func TestOneAddress(t *testing.T) {
	t.Setenv(OneAddress, "1")
	var has atomic.Int32
	names := make(chan string, 3)
	for range 3 {
		go func() {
			ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{
				{Name: fmt.Sprint("test", len(names), time.Now().UnixNano()), F: func(t *testing.T) {
					a := Addr(t)
					assert.EqualValues(t, 1, has.Add(1))
					t.Cleanup(func() { has.Add(-1) })
					t.Run("sub", func(t *testing.T) { assert.Equal(t, a, Addr(t)) })
				}},
			})
			names <- fmt.Sprint(ok)
		}()
	}
	for range 3 {
		ok, _ := Receive(t, names, "a test at 127.0.0.1")
		assert.Equal(t, "true", ok)
	}
	t.Run("many", func(t *testing.T) {
		defer func() { assert.True(t, t.Skipped()) }()
		Addrs(t, 2)
	})
}

// A failing records what a test of the waits would end with.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Helper()        {}
func (f *failing) Cleanup(func()) {}
func (f *failing) Fatalf(format string, args ...any) {
	f.text = fmt.Sprintf(format, args...)
	panic(f)
}

// TestWaitsGiveUp: a wait ends at the deadline of the binary, and says what it waited for.
func TestWaitsGiveUp(t *testing.T) {
	before := began
	defer func() { began = before }()
	began = time.Time{}.Add(time.Hour) // long ago
	if Deadline().IsZero() {
		t.Skip("go test has no -timeout")
	}
	for name, wait := range map[string]func(*failing){
		"until":   func(f *failing) { Until(f, func() bool { return false }, "%s %d", "until", 7) },
		"receive": func(f *failing) { Receive(f, make(chan int), "%s %d", "receive", 7) },
	} {
		f := &failing{TB: t}
		func() {
			defer func() { assert.Equal(t, any(f), recover(), name) }()
			wait(f)
		}()
		assert.Equal(t, "waited in vain for "+name+" 7", f.text)
	}
	assert.ErrorIs(t, Context(t).Err(), context.DeadlineExceeded)
}

// TestWaits: a wait ends with its event.
func TestWaits(t *testing.T) {
	looks := 0
	Until(t, func() bool { looks++; return looks == 3 }, "a third look")
	assert.Equal(t, 3, looks)
	c := make(chan int, 1)
	c <- 5
	v, open := Receive(t, c, "five")
	assert.Equal(t, 5, v)
	assert.True(t, open)
	close(c)
	_, open = Receive(t, c, "the end")
	assert.False(t, open)
	var cleaned context.Context
	t.Run("cleanup", func(t *testing.T) {
		cleaned = Context(t)
		t.Cleanup(func() { assert.NoError(t, cleaned.Err(), "a cleanup may still use it") })
	})
	assert.Error(t, cleaned.Err())
}
