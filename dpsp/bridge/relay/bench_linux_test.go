package relay

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// asRelay has this test program be a relay, in a process of its own that can be measured: it holds the port.
const asRelay = "DPLAY_TEST_RELAY"

func TestMain(m *testing.M) {
	port, err := strconv.ParseUint(os.Getenv(asRelay), 10, 16)
	if err != nil {
		os.Exit(m.Run())
	}
	c := Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: uint16(port), Secret: code.OpenSecret,
		Limits: DefaultLimits()}
	c.Limits.Rate, c.Limits.AddressRate = 1<<30, 1<<30
	_, err = Open(c)
	fmt.Println(err)
	bufio.NewReader(os.Stdin).ReadString('\n') //nolint:errcheck // the end of the test
}

// A process is a relay in one of its own.
type process struct {
	target
	pid int
}

// beginProcess begins one.
func beginProcess(t testing.TB) process {
	t.Helper()
	port, _ := freePorts(t)
	program := exec.Command("/proc/self/exe")
	program.Env = append(os.Environ(), asRelay+"="+strconv.Itoa(int(port)))
	in, err := program.StdinPipe()
	require.NoError(t, err)
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		in.Close()
		assert.NoError(t, program.Wait())
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "<nil>\n", said)
	return process{target{at: netip.AddrPortFrom(here, port), secret: code.OpenSecret, public: here}, program.Process.Pid}
}

// memory returns the resident memory in octets.
func (p process) memory(t testing.TB) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(b), "VmRSS:")
	kilo, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return kilo << 10
}

// busy returns the time of processors that it took.
func (p process) busy(t testing.TB) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(after)
	ticks := 0
	for _, s := range f[11:13] {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// TestCost: a thousand sessions that do nothing take less than 200 MB, and one of eight machines that play less than 5 % of a core; on
// a machine that does other things, too, once of three times.
func TestCost(t *testing.T) {
	if os.Getenv("DPLAY_LONG") == "" || raced {
		t.Skip("it takes half a minute: make long runs it")
	}
	const most, tries = 5, 3 // % of a core
	least := func(measure func(testing.TB) float64) float64 {
		core := measure(t)
		for range tries - 1 {
			if core >= most {
				core = min(core, measure(t))
			}
		}
		return core
	}
	core := least(func(t testing.TB) float64 {
		memory, core := idle(t)
		assert.Less(t, memory, 200.0)
		return core
	})
	assert.Less(t, core, 1.0)
	assert.Less(t, least(func(t testing.TB) float64 {
		core, lost := play(t)
		assert.Less(t, lost, 1.0)
		return core
	}), float64(most))
}

// BenchmarkIdle gives what sessions take that do nothing.
func BenchmarkIdle(b *testing.B) {
	memory, core := idle(b)
	b.ReportMetric(memory, "MB")
	b.ReportMetric(core, "%core")
	b.ReportMetric(0, "ns/op")
}

// idle has sessions that do nothing: eight machines each, and the address where newcomers knock. It returns the memory of the relay's
// process in MB, and the part of a core that it takes in percent.
func idle(t testing.TB) (memory, core float64) {
	const sessions, machines = 1000, 8
	p := beginProcess(t)
	p.fill(t, sessions*(machines+1))
	memory = float64(p.memory(t)) / 1e6
	before := p.busy(t)
	pass(10 * time.Second)
	return memory, 100 * (p.busy(t) - before).Seconds() / 10
}

// fill makes allocations with permissions, nine at each address.
func (p process) fill(t testing.TB, n int) {
	var g sync.WaitGroup
	numbers := make(chan int)
	for range 8 {
		g.Go(func() {
			for i := range numbers {
				home := p.target // of a session each
				home.from = netip.AddrFrom4([4]byte{127, 1, byte(i / 9 >> 8), byte(i / 9)})
				c := home.plain(t, "udp", p.credential(fmt.Sprintf("a%016x", i)))
				assert.Zero(t, failure(c.signed(allocateRequest, transportUDP)))
				assert.Zero(t, failure(c.signed(permissionRequest, peerAddress(netip.AddrPortFrom(here, 9)))))
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	g.Wait()
}

// pass waits.
func pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
}

// BenchmarkGame gives what a session takes that plays.
func BenchmarkGame(b *testing.B) {
	core, lost := play(b)
	b.ReportMetric(core, "%core")
	b.ReportMetric(lost, "%lost")
	b.ReportMetric(0, "ns/op")
}

// play has eight machines that each send 60 messages a second to each of the others, all over the relay. It returns the part of a core
// that the relay's process takes, and what is lost, in percent.
func play(t testing.TB) (core, lost float64) {
	const machines, perSecond, seconds, octets = 8, 60, 10, 150
	p := beginProcess(t)
	var all [machines]machine
	for i := range all {
		all[i] = p.member(t, "udp", "")
	}
	for i := range all {
		for k := range all {
			talk(t, all[i], all[k], "ready")
		}
	}
	heard := make([]int, machines)
	var g sync.WaitGroup
	for i := range all {
		require.NoError(t, all[i].SetReadDeadline(time.Now().Add((seconds+1)*time.Second)))
		g.Go(func() {
			var data [2000]byte
			for {
				if _, _, err := all[i].ReadFrom(data[:]); err != nil {
					return
				}
				heard[i]++
			}
		})
	}
	before := p.busy(t)
	beat := time.NewTicker(time.Second / perSecond)
	defer beat.Stop()
	for range seconds * perSecond {
		<-beat.C
		for i := range all {
			for k := range all {
				if i != k {
					all[i].WriteTo(make([]byte, octets), all[k].LocalAddr()) //nolint:errcheck // counted on the other side
				}
			}
		}
	}
	core = 100 * (p.busy(t) - before).Seconds() / seconds
	g.Wait()
	sum := 0
	for _, n := range heard {
		sum += n
	}
	const sent = seconds * perSecond * machines * (machines - 1)
	return core, 100 * float64(sent-sum) / sent
}

// BenchmarkThroughput gives how much one machine can send to another one, and what it costs the relay.
func BenchmarkThroughput(b *testing.B) {
	const octets, seconds = 1200, 3
	p := beginProcess(b)
	from, to := p.member(b, "udp", ""), p.member(b, "udp", "")
	talk(b, from, to, "ready")
	got := 0
	require.NoError(b, to.SetReadDeadline(time.Now().Add(seconds*time.Second)))
	end := time.Now().Add(seconds * time.Second)
	go func() {
		for time.Now().Before(end) {
			from.WriteTo(make([]byte, octets), to.LocalAddr()) //nolint:errcheck // counted on the other side
		}
	}()
	before := p.busy(b)
	var data [2000]byte
	for {
		n, _, err := to.ReadFrom(data[:])
		if err != nil {
			break
		}
		got += n
	}
	b.ReportMetric(float64(got)/seconds/1e6, "MB/s")
	b.ReportMetric(100*(p.busy(b)-before).Seconds()/seconds, "%core")
	b.ReportMetric(0, "ns/op")
}
