package local

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestHalves: each half of a connection ends by itself, and the other one goes on.
func TestHalves(t *testing.T) {
	t.Parallel()
	for _, ending := range []int{0, 1} {
		_, first, second := two(t)
		ends := []*net.TCPConn{first, second}
		early, late := ends[ending], ends[1-ending]
		passes(t, early, late, message(ending, "the last words"))
		require.NoError(t, early.CloseWrite())
		isEnded(t, late)
		passes(t, late, early, message(1-ending, "go on"))
		require.NoError(t, late.CloseWrite())
		isEnded(t, early)
	}
}

// TestResets: a connection that is reset at one end is at the other one.
func TestResets(t *testing.T) {
	t.Parallel()
	for _, which := range []int{0, 1} {
		_, first, second := two(t)
		ends := []*net.TCPConn{first, second}
		passes(t, second, first, message(1, "hello"))
		reset(ends[which])
		isReset(t, ends[1-which])
	}
}

// TestNobody: where no game listens, where nobody is in a slot, and where the machine is gone, connections are reset.
func TestNobody(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	m[1].refused(At(0).TCP)
	m[1].refused(At(7).TCP)
	l, _ := m[0].plays(At(0))
	c := m[1].dials(At(0).TCP)
	there := accepts(t, l)
	passes(t, c, there, message(1, "hello"))
	m[1].local.Drop(0)
	isReset(t, c)
	isReset(t, there)
	m[1].refused(At(0).TCP)
	c = m[2].dials(At(0).TCP)
	there = accepts(t, l)
	passes(t, c, there, message(2, "hello"))
	m[2].net.Kill()
	isReset(t, there)
	isReset(t, c)
}

// TestCut: what is before a message with an address outside the plan arrives, nothing of that message does, and the connection
// is reset.
func TestCut(t *testing.T) {
	t.Parallel()
	m, first, second := two(t)
	bad := message(1, "play\x16\x00\x0e\x00 and the rest")
	copy(bad[8:], []byte{10, 0, 0, 1})
	good := message(1, "good")
	passes(t, second, first, good)
	_, err := second.Write(bad)
	require.NoError(t, err)
	m[0].reports(func(e Event) bool {
		c, ok := e.(Cut)
		var v *filter.Violation
		return ok && c.Slot == 1 && errors.As(c.Err, &v) && v.At == int64(len(good)) && v.Offset == 4
	})
	got, err := io.ReadAll(first)
	assert.Error(t, err)
	assert.Empty(t, got)
	isReset(t, second)
}

// TestEndsInside: a connection that ends inside a system message is reset, and nothing of it arrives.
func TestEndsInside(t *testing.T) {
	t.Parallel()
	m, first, second := two(t)
	_, err := second.Write(message(1, "play\x16\x00\x0e\x00 and the rest")[:30])
	require.NoError(t, err)
	require.NoError(t, second.CloseWrite())
	got, err := io.ReadAll(first)
	assert.Error(t, err)
	assert.Empty(t, got)
	m[0].reports(event(Cut{1, io.ErrUnexpectedEOF}))
}

// TestBackPressure: who does not read holds the other side back, and all arrives once it reads.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	_, first, second := two(t)
	said := bytes.Repeat(message(1, string(make([]byte, 99_980))), 400)
	var sent atomic.Int64
	written := make(chan error, 1)
	go func() {
		for b := range slices.Chunk(said, 10_000) {
			if _, err := second.Write(b); err != nil {
				written <- err
				return
			}
			sent.Add(int64(len(b)))
		}
		written <- second.CloseWrite()
	}()
	last, since := int64(0), time.Now()
	testkit.Until(t, func() bool {
		if n := sent.Load(); n != last {
			last, since = n, time.Now()
		}
		return last > 0 && time.Since(since) > testkit.Moment
	}, "nothing more to be sent for a moment")
	assert.Less(t, last, int64(len(said)), "nobody held it back")
	got, err := io.ReadAll(first)
	require.NoError(t, err)
	err, _ = testkit.Receive(t, written, "the end")
	require.NoError(t, err)
	assert.True(t, bytes.Equal(said, got), "%d of %d octets", len(got), len(said))
}

// TestManyConnections: a slot has no more than its share of connections at a time, and others after some of those have ended.
func TestManyConnections(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	l, _ := m[0].plays(At(0))
	second := m[1].dials(At(0).TCP)
	first := accepts(t, l)
	for range maxConnections { // one of which is reset, perhaps before it is there
		m[1].tries(At(0).TCP)
	}
	m[1].reports(event(Cut{0, errMany}))
	passes(t, second, first, message(1, "still there"))
	first.Close()
	second.Close()
	for _, x := range m {
		n := x.local.neighbours()[0]
		testkit.Until(t, func() bool { return n.connections() < maxConnections }, "room for a connection in slot %d", x.slot)
	}
	another := make(chan struct{})
	go func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 1)); err == nil { // those before it say nothing
					close(another)
				}
			}()
		}
	}()
	_, err := m[1].dials(At(0).TCP).Write(message(1, "another one"))
	require.NoError(t, err)
	testkit.Receive(t, another, "another connection")
}

// connections returns how many connections there are with the machine.
func (n *neighbour) connections() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open
}

// TestHungGame: a game that accepts no connections does not hold up the bridge. Calls for it end after a while, or with the machine
// that they come from.
func TestHungGame(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]time.Duration{"for long": 1000 * usual.connect, "not for long": usual.connect / 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hub, with := linktest.New(), quick
			with.connect = connect
			m := []*machine{newMachine(t, hub, 0).open(Options{times: with}), newMachine(t, hub, 1).open(Options{})}
			m[0].meets(m[1])
			m[0].hangs(At(0).TCP)
			for range 2 { // the system accepts as many for it
				m[0].dials(At(0).TCP)
			}
			m[0].binds(At(0).UDP)
			m[0].looks()
			var calls []*net.TCPConn
			for range threads - 2 {
				c, err := m[1].tries(At(0).TCP)
				if connect > usual.connect {
					require.NoError(t, err)
				}
				if err == nil { // else it has ended
					calls = append(calls, c)
				}
			}
			if connect > usual.connect {
				n := m[0].local.neighbours()[0]
				testkit.Until(t, func() bool { return n.connections() == len(calls) }, "all calls")
				m[0].local.Drop(1)
			}
			for _, c := range calls {
				isReset(t, c)
			}
		})
	}
}

// TestHeldMessages: a machine that begins large messages on many connections, and ends none, has no more than its share of
// memory.
func TestHeldMessages(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	l, _ := m[0].plays(At(0))
	begun := message(1, "play\x2e\x00\x0e\x00"+string(make([]byte, wire.MaxMessage-100)))
	for range 5 {
		c := m[1].dials(At(0).TCP)
		accepts(t, l)
		_, err := c.Write(begun[:len(begun)-1])
		require.NoError(t, err)
	}
	m[0].reports(event(Cut{1, errMuch}))
	m[1].local.Drop(0)
	testkit.Until(t, func() bool {
		n := m[0].local.neighbours()
		if len(n) == 0 {
			return true
		}
		n[0].mu.Lock()
		defer n[0].mu.Unlock()
		return n[0].held == 0 && n[0].open == 0
	}, "the memory to be given back")
}

// TestDatagrams: datagrams come from the port of their slot, the largest as well, and what may not come is dropped and told of.
func TestDatagrams(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	_, first := m[0].plays(At(0))
	_, second := m[1].plays(At(1))
	for _, b := range [][]byte{[]byte("hello"), {0}, make([]byte, 65507), message(1, "play\x16\x00\x0e\x00\x00\x00\x00\x00\x00\x00\x00\x00")} {
		_, err := second.WriteToUDPAddrPort(b, here(At(0).UDP))
		require.NoError(t, err)
		assert.Equal(t, b, datagramFrom(t, first, At(1).UDP))
	}
	bad := message(1, "play\x16\x00\x0e\x00")
	copy(bad[8:], []byte{10, 0, 0, 1})
	for _, b := range [][]byte{bad, []byte("after it")} {
		_, err := second.WriteToUDPAddrPort(b, here(At(0).UDP))
		require.NoError(t, err)
	}
	assert.Equal(t, "after it", string(datagramFrom(t, first, At(1).UDP)))
	m[0].reports(func(e Event) bool { d, ok := e.(Dropped); return ok && d.Slot == 1 && d.Count == 1 })
}

// TestLoopbackOnly: the sockets that stand for others answer nobody else.
func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, 0).open(Options{})
	m.card()
	var err error
	m.within(func() { _, err = net.Dial("tcp4", "192.0.2.7:2301") })
	assert.Error(t, err)
	assert.True(t, m.local.own(loopback))
	assert.True(t, m.local.own(here(0).Addr().Next()))
	for at, own := range map[string]bool{"192.0.2.7": true, "192.0.2.8": false} {
		ip, err := net.ResolveIPAddr("ip4", at)
		require.NoError(t, err)
		assert.Equal(t, own, m.local.own((&net.TCPAddr{IP: ip.IP}).AddrPort().Addr().Unmap()), at)
	}
}
