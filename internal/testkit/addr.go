package testkit

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// OneAddress names the variable that has tests do as on a system whose loopback has 127.0.0.1 alone, such as macOS.
const OneAddress = "DPLAY_ONE_ADDRESS"

// single reports whether 127.0.0.1 is the only address.
func single() bool {
	return runtime.GOOS != "linux" && runtime.GOOS != "windows" || os.Getenv(OneAddress) != ""
}

// guard is the port of the socket that holds a block for this process. The system frees it however the process ends.
const guard = 47623

// A block is 127.x.y.0 to 127.x.y.255 with x from 64 to 127. Other programs are not expected there.
const blocks = 64 << 8

// inBlock is how many addresses of a block are given out, from 127.x.y.1 on. Its guard is at 127.x.y.254.
const inBlock = 250

// own are the blocks of this process: what is left of the last one.
var own struct {
	sync.Mutex
	held  []net.Listener
	base  [4]byte
	given int
	next  int // the block to try, counted from the one that the process id points at
}

// Addr returns a loopback address that no other test has, of this process or another one in the same network. All its ports
// are free, 47624 included.
//
// Where 127.0.0.1 is the only loopback address, it is that one. The call then returns once no other test has it, and the test keeps it to its end.
func Addr(t testing.TB) netip.Addr { t.Helper(); return Addrs(t, 1)[0] }

// Addrs returns n loopback addresses as Addr does, in ascending order without gaps; n is at most 250. It skips the test where there are not so many.
func Addrs(t testing.TB, n int) []netip.Addr {
	t.Helper()
	if single() {
		if n > 1 {
			t.Skipf("the test takes %d loopback addresses, and here is only 127.0.0.1", n)
		}
		alone(t)
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	}
	all, err := take(n)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Loopback is Addr for examples, which have no testing.TB and run after the tests of their binary. It panics where no address is left.
func Loopback() netip.Addr {
	if single() {
		keepGuard()
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	all, err := take(1)
	if err != nil {
		panic(err)
	}
	return all[0]
}

// take returns the next n addresses of this process.
func take(n int) ([]netip.Addr, error) {
	if n < 1 || n > inBlock {
		return nil, fmt.Errorf("%d addresses: a block has from 1 to %d", n, inBlock)
	}
	own.Lock()
	defer own.Unlock()
	if len(own.held) == 0 || own.given+n > inBlock {
		if err := hold(); err != nil {
			return nil, err
		}
	}
	all := make([]netip.Addr, n)
	for i := range all {
		own.given++
		all[i] = netip.AddrFrom4([4]byte{own.base[0], own.base[1], own.base[2], byte(own.given)})
	}
	return all, nil
}

// hold takes the next block that no other process holds. The process id says where to begin, so that processes seldom meet.
func hold() error {
	for ; own.next < blocks; own.next++ {
		b := (os.Getpid()*7 + own.next) % blocks
		base := [4]byte{127, 64 + byte(b>>8), byte(b), 254}
		l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.AddrFrom4(base), guard)))
		if err != nil {
			continue
		}
		own.held, own.base, own.given = append(own.held, l), base, 0
		own.next++
		return nil
	}
	return fmt.Errorf("all %d blocks of loopback addresses are held by other test processes", blocks)
}

// turn is whose test has 127.0.0.1 where it is the only address.
var turn = struct {
	sync.Mutex
	ended *sync.Cond
	name  string
	uses  int
	guard net.Listener
}{}

func init() { turn.ended = sync.NewCond(&turn.Mutex) }

// alone returns once the test has 127.0.0.1 for itself: in this process, and on the machine.
func alone(t testing.TB) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/") // subtests share their parent's turn
	turn.Lock()
	defer turn.Unlock()
	for turn.uses > 0 && turn.name != name {
		turn.ended.Wait()
	}
	turn.name = name
	turn.uses++
	t.Cleanup(func() {
		turn.Lock()
		defer turn.Unlock()
		if turn.uses--; turn.uses > 0 {
			return
		}
		if turn.guard != nil {
			turn.guard.Close()
		}
		turn.ended.Broadcast()
	})
	if turn.uses > 1 {
		return
	}
	Until(t, listens, "127.0.0.1, which the tests of another process hold")
}

// listens opens turn.guard, and reports whether no other process has it open.
func listens() bool {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", guard))
	turn.guard = l
	return err == nil
}

// keepGuard returns once this process has 127.0.0.1 for itself, to its end.
var keepGuard = sync.OnceFunc(func() {
	turn.Lock()
	defer turn.Unlock()
	if !await(listens) {
		panic("waited in vain for 127.0.0.1, which the tests of another process hold")
	}
})
