package relay

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// asRelay has this test program be a relay, in a process of its own that can be measured: it holds the address.
const asRelay = "DPLAY_TEST_RELAY"

func TestMain(m *testing.M) {
	at, err := netip.ParseAddr(os.Getenv(asRelay))
	if err != nil {
		os.Exit(m.Run())
	}
	c := Config{Public: []netip.Addr{at}, Listen: []netip.Addr{at}, Port: DefaultPort, Secret: code.OpenSecret,
		Limits: DefaultLimits()}
	c.Limits.Rate, c.Limits.AddressRate = 1<<30, 1<<30
	SaveMemory()
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
	at := testkit.Addr(t)
	program := exec.Command("/proc/self/exe")
	program.Env = append(os.Environ(), asRelay+"="+at.String())
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
	return process{target{at: netip.AddrPortFrom(at, DefaultPort), secret: code.OpenSecret, public: at}, program.Process.Pid}
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

// busy returns the time of processors that it took, in seconds.
func (p process) busy(t testing.TB) float64 {
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
	return float64(ticks) / 100
}

// BenchmarkCost measures what a relay takes: for a thousand sessions at rest, and for one of eight machines that play.
func BenchmarkCost(b *testing.B) {
	b.Run("idle", func(b *testing.B) {
		memory, core, packets := idle(b)
		b.ReportMetric(memory, "MB")
		b.ReportMetric(packets, "packets/s")
		b.ReportMetric(core, "%core")
		b.ReportMetric(0, "ns/op")
		assert.Less(b, memory, mostMemory)
	})
	b.Run("game", func(b *testing.B) {
		core, lost := play(b)
		b.ReportMetric(core, "%core")
		b.ReportMetric(lost, "%lost")
		b.ReportMetric(0, "ns/op")
	})
}

// mostMemory is the limit of what a thousand sessions at rest take, in MB. The other figures depend on the machine.
const mostMemory = 200.0

// idle has sessions of eight machines that do nothing but see whether their ways are good, and of each an address where newcomers
// knock. One link of four has no direct way. It returns the memory of the relay's process in MB, the part of a core that it takes in
// percent, and how many packets it relays in a second.
func idle(t testing.TB) (memory, core, packets float64) {
	const sessions, seconds, perSecond = 1000, 10, 100
	p := beginProcess(t)
	only, spare := p.fill(t, sessions)
	before, began, sent := p.busy(t), time.Now(), 0
	for n := range seconds * perSecond {
		beat(t, began, n, perSecond)
		sent += say(only, n, perSecond/2)     // a question of mine each second, and an answer to yours
		sent += say(spare, n, 20*perSecond/2) // where there is a better way
	}
	took := time.Since(began).Seconds()
	return float64(p.memory(t)) / 1e6, 100 * (p.busy(t) - before) / took, float64(sent) / took
}

// beat waits until the n-th beat, of so many a second.
func beat(t testing.TB, began time.Time, n, perSecond int) {
	testkit.Until(t, func() bool { return time.Since(began).Seconds() >= float64(n)/float64(perSecond) }, "a beat")
}

// A probe is what a machine sends to another one over the relay to see whether it is there.
type probe struct {
	from   *plain
	packet []byte
}

// say sends the n-th part of the probes, of so many.
func say(all []probe, n, of int) (sent int) {
	for i := n % of; i < len(all); i += of {
		all[i].from.conn.WriteTo(all[i].packet, all[i].from.to) //nolint:errcheck // like any other that is lost
		sent++
	}
	return sent
}

// fill makes sessions, and returns the probes of links that have no other way than the relay, and of those that have.
func (p process) fill(t testing.TB, sessions int) (only, spare []probe) {
	var g sync.WaitGroup
	var mu sync.Mutex
	numbers := make(chan int)
	for range 8 {
		g.Go(func() {
			for n := range numbers {
				o, s := p.session(t, n)
				mu.Lock()
				only, spare = append(only, o...), append(spare, s...)
				mu.Unlock()
			}
		})
	}
	for n := range sessions {
		numbers <- n
	}
	close(numbers)
	g.Wait()
	return only, spare
}

// session makes one, whose machines have one address.
func (p process) session(t testing.TB, number int) (only, spare []probe) {
	const machines, octets = 8, 137
	p.from = testkit.Addr(t)
	var all [machines + 1]*plain
	var at [machines + 1]peerAddress
	for i := range all {
		all[i] = p.plain(t, "udp", p.credential(""))
		a := all[i].signed(allocateRequest, transportUDP)
		require.Zero(t, failure(a))
		var x stun.XORMappedAddress
		require.NoError(t, x.GetFromAs(a, stun.AttrXORRelayedAddress))
		at[i] = peerAddress(addrPort(&net.UDPAddr{IP: x.IP, Port: x.Port}))
		require.Zero(t, failure(all[i].signed(permissionRequest, at[i])))
	}
	for i, from := range all[:machines] {
		for k := range machines {
			if k == i {
				continue
			}
			number := 0x4000 + uint16(k)
			require.Zero(t, failure(from.signed(channelRequest, channelNumber(number), at[k])))
			one := probe{from, appendChannelData(nil, number, make([]byte, octets))}
			if i == k+1 || k == i+1 { // 7 of 28 links
				only = append(only, one)
			} else {
				spare = append(spare, one)
			}
		}
	}
	return only, spare
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
	var heard atomic.Int64
	var g sync.WaitGroup
	for i := range all {
		g.Go(func() {
			var data [2000]byte
			for {
				if _, _, err := all[i].ReadFrom(data[:]); err != nil {
					return
				}
				heard.Add(1)
			}
		})
	}
	before := p.busy(t)
	began := time.Now()
	for n := range seconds * perSecond {
		beat(t, began, n, perSecond)
		for i := range all {
			for k := range all {
				if i != k {
					all[i].WriteTo(make([]byte, octets), all[k].LocalAddr()) //nolint:errcheck // counted on the other side
				}
			}
		}
	}
	core = 100 * (p.busy(t) - before) / seconds
	last, since := heard.Load(), time.Now()
	testkit.Until(t, func() bool {
		if n := heard.Load(); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > testkit.Moment
	}, "nothing more to come")
	for _, m := range all {
		m.Close()
	}
	g.Wait()
	const sent = seconds * perSecond * machines * (machines - 1)
	return core, 100 * float64(sent-last) / sent
}

// BenchmarkThroughput gives how much one machine can send to another one, and what it costs the relay.
func BenchmarkThroughput(b *testing.B) {
	const octets, seconds = 1200, 3
	p := beginProcess(b)
	from, to := p.member(b, "udp", ""), p.member(b, "udp", "")
	talk(b, from, to, "ready")
	got := 0
	began := time.Now()
	go func() {
		for time.Since(began).Seconds() < seconds {
			from.WriteTo(make([]byte, octets), to.LocalAddr()) //nolint:errcheck // counted on the other side
		}
		to.Close()
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
	b.ReportMetric(100*(p.busy(b)-before)/seconds, "%core")
	b.ReportMetric(0, "ns/op")
}
