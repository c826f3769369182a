package sock

import (
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// fill sends more datagrams than a socket has memory for.
func fill(t testing.TB, from, to *net.UDPConn) {
	t.Helper()
	at := addrPort(to.LocalAddr())
	for range 5_000 {
		_, err := from.WriteToUDPAddrPort([]byte("flood"), at)
		require.NoError(t, err)
	}
}

// nextText reads a datagram.
func nextText(t testing.TB, c *net.UDPConn) (string, netip.AddrPort) {
	t.Helper()
	b := make([]byte, 100)
	n, from, err := c.ReadFromUDPAddrPort(b)
	require.NoError(t, err)
	return string(b[:n]), from
}

// TestDropFilter: datagrams that the filter drops take no room in a socket that nobody reads. Another port of the address, and another
// address, get through.
func TestDropFilter(t *testing.T) {
	c, flood, other := mailbox(t), mailbox(t), mailbox(t)
	at := addrPort(c.LocalAddr())
	f := newDropFilter(c)
	require.NotNil(t, f)
	source := addrPort(flood.LocalAddr())
	beside, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(source.Addr(), 0)))
	require.NoError(t, err)
	t.Cleanup(func() { beside.Close() })

	require.NoError(t, f.set([]dropRule{{from: source}}))
	fill(t, flood, c)
	for _, s := range []*net.UDPConn{beside, other} {
		_, err := s.WriteToUDPAddrPort([]byte("hello"), at)
		require.NoError(t, err)
		text, from := nextText(t, c)
		assert.Equal(t, "hello", text)
		assert.Equal(t, addrPort(s.LocalAddr()), from)
	}

	rules := []dropRule{{from: netip.AddrPortFrom(source.Addr(), 0)}}
	for n := range byte(maxDropRules - 1) { // as many as there can be
		rules = append([]dropRule{{from: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), 7)}}, rules...)
	}
	require.NoError(t, f.set(rules))
	fill(t, flood, c)
	fill(t, beside, c)
	_, err = other.WriteToUDPAddrPort([]byte("hello"), at)
	require.NoError(t, err)
	text, _ := nextText(t, c)
	assert.Equal(t, "hello", text)

	require.NoError(t, f.set([]dropRule{{from: source, pass: passAll / 2}}))
	const sent = 150
	for n := range sent {
		_, err := flood.WriteToUDPAddrPort([]byte(strconv.Itoa(n)), at)
		require.NoError(t, err)
	}
	require.NoError(t, f.set(nil))
	_, err = flood.WriteToUDPAddrPort([]byte("all"), at)
	require.NoError(t, err)
	came := 0
	for text, _ := nextText(t, c); text != "all"; text, _ = nextText(t, c) {
		came++
	}
	assert.Greater(t, came, 0)
	assert.Less(t, came, sent)
}

// TestFloodIsFiltered: datagrams that overflow the buffer make a rule for their sender.
func TestFloodIsFiltered(t *testing.T) {
	c, flood, other := mailbox(t), mailbox(t), mailbox(t)
	m := newMail(newDropFilter(c))
	r, err := newReader(c)
	require.NoError(t, err)
	fill(t, flood, c)
	for last := false; !last; { // what the socket had room for, and one that came after the others were dropped
		require.NoError(t, r.read(func(d datagram) {
			m.came(d)
			last = string(d.data) == "hello"
		}))
		if m.lost == 0 {
			_, err := other.WriteToUDPAddrPort([]byte("hello"), addrPort(c.LocalAddr()))
			require.NoError(t, err)
		}
	}
	require.Positive(t, m.lost)
	require.True(t, m.look(m.looked.Add(detectEvery)))
	require.Len(t, m.floods.rules, 1)
	assert.Equal(t, addrPort(flood.LocalAddr()), m.floods.rules[0].from)
}

// TestFilteredIsNotLost: the kernel counts as lost what its filter drops. That makes no rule for another fast sender, while the buffer
// has room.
func TestFilteredIsNotLost(t *testing.T) {
	c, flood, other := mailbox(t), mailbox(t), mailbox(t)
	at := addrPort(c.LocalAddr())
	m := newMail(newDropFilter(c))
	r, err := newReader(c)
	require.NoError(t, err)
	m.floods.rules = []dropRule{{from: addrPort(flood.LocalAddr()), pass: passAll / 16}}
	require.NoError(t, m.filter.set(m.floods.rules))
	const fast = 120 // in the time between two looks
	for range 1000 {
		_, err := flood.WriteToUDPAddrPort([]byte("flood"), at)
		require.NoError(t, err)
	}
	for range fast {
		_, err := other.WriteToUDPAddrPort([]byte("hello"), at)
		require.NoError(t, err)
	}
	for came := 0; came < fast; {
		require.NoError(t, r.read(func(d datagram) {
			m.came(d)
			if string(d.data) == "hello" {
				came++
			}
		}))
	}
	require.Positive(t, m.lost)
	m.look(m.looked.Add(detectEvery))
	require.Len(t, m.floods.rules, 1)
	assert.Equal(t, addrPort(flood.LocalAddr()), m.floods.rules[0].from)
}

// TestFilterEnds: once a flood is over, all datagrams of its sender come, and no goroutine is left.
func TestFilterEnds(t *testing.T) {
	c, flood := mailbox(t), mailbox(t)
	l := &loop{quit: t.Context()}
	m := newMail(newDropFilter(c))
	from := addrPort(flood.LocalAddr())
	testkit.Until(t, func() bool { // unless the machine stood still meanwhile
		for range floodRate {
			m.came(datagram{from: from})
		}
		m.mu.Lock()
		m.lost = floodRate
		m.mu.Unlock()
		return l.watchFloods(m)
	}, "the flood to be found")
	l.group.Wait()
	assert.Empty(t, m.floods.rules)
	_, err := flood.WriteToUDPAddrPort([]byte("hello"), addrPort(c.LocalAddr()))
	require.NoError(t, err)
	text, _ := nextText(t, c)
	assert.Equal(t, "hello", text)
}

// A controlTest is a socket of which only options are set.
type controlTest struct {
	syscall.RawConn
	control func()
}

func (c controlTest) Control(func(uintptr)) error {
	c.control()
	return nil
}

// TestFilterInOrder: rules that were made later are set later, because no other look runs meanwhile.
func TestFilterInOrder(t *testing.T) {
	t.Parallel()
	var m *mail
	set := 0
	m = newMail(&dropFilter{raw: controlTest{control: func() {
		set++
		assert.False(t, m.mu.TryLock(), "another look can run")
	}}})
	m.floods.rules = []dropRule{{from: netip.MustParseAddrPort("10.0.0.1:2350"), pass: passAll / 2, less: easeLooks - 1}}
	assert.False(t, m.look(m.looked.Add(detectEvery)))
	assert.Equal(t, 1, set)
}
