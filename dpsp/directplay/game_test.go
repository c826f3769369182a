package directplay

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestMenu does what a game does in its menu: it polls with time-out 0 in the background. Every call returns at once, the
// session appears, is told again and again, and disappears when its host is gone.
func TestMenu(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		g := initialized(t, at[1], at[0].String())
		poll := func() int {
			began := time.Now()
			n := len(g.search(0, wire.EnumAvailable|wire.EnumAsync))
			assert.Zero(t, time.Since(began), "the menu stands still")
			return n
		}
		assert.Zero(t, poll())
		h := hosts(t, at[0], 0)
		eventually(t, func() bool { return poll() == 1 }, "the session appears")
		for range 20 {
			assert.Equal(t, 1, poll())
		}
		require.Equal(t, wire.OK, h.Close())
		eventually(t, func() bool { return poll() == 0 }, "it disappears")
		require.Equal(t, wire.OK, h.Open(&SessionDesc{Application: testGame}, OpenCreate))
		eventually(t, func() bool { return poll() == 1 }, "the next one appears")
		assert.Empty(t, g.search(0, wire.EnumStopAsync))
		d := SessionDesc{Instance: g.known1()}
		require.Equal(t, wire.OK, g.Open(&d, OpenJoin), "what was found can be joined")
		assert.False(t, g.Object.search.busy)
	})
}

// known1 returns the last session that was found.
func (g *game) known1() wire.GUID {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.Object.search.hits[len(g.Object.search.hits)-1].Desc.Instance
}

// TestSearchAgain: a search that is not in the background goes on for as long as what it calls says, and one more call finds
// the session of a host that is gone no more; a late answer is for the next call.
func TestSearchAgain(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		g := initialized(t, at[1], at[0].String())
		g.find()
		told, rounds := 0, 0
		require.Equal(t, wire.OK, g.EnumSessions(&SessionDesc{}, 100, func(d *SessionDesc, timeout *uint32) bool {
			if d != nil {
				told++
				return true
			}
			rounds++
			*timeout = 150
			return rounds < 3
		}, 0))
		assert.Equal(t, 3, rounds)
		assert.Positive(t, told)
		d := g.find()
		eventually(t, func() bool { return len(g.search(0, wire.EnumAsync)) == 1 }, "an answer in the background")
		assert.Empty(t, g.search(0, wire.EnumStopAsync))
		h.Release()
		g.search(100, 0) // what came since the last call
		assert.Empty(t, g.search(100, 0))
		assert.Empty(t, g.search(0, wire.EnumAsync), "it did not answer the last search that was waited for")
		assert.NotEqual(t, wire.OK, g.Open(&d, OpenJoin), "nobody is there")
	})
}

// TestSearchBounded: whoever claims to host any number of sessions takes no memory by that; the last ones are known.
func TestSearchBounded(t *testing.T) {
	t.Parallel()
	o := New(Options{})
	session := func(i int) wire.GUID { return wire.GUID{byte(i), byte(i >> 8)} }
	for i := range maxHits + 10 {
		o.hit(sock.Found{Desc: wire.SessionDesc{Instance: session(i)}})
	}
	assert.Len(t, o.search.hits, maxHits)
	assert.Equal(t, session(10), o.search.hits[0].Desc.Instance)
}

// TestLockstep plays turns of three players: each sends its turn to all, and goes on when it has those of the others. Every
// turn arrives once and intact.
func TestLockstep(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(3)
		games := []*game{hosts(t, at[0], wire.SessionKeepAlive|wire.SessionNoDataMessages)}
		games = append(games, joins(t, at[1], at[0]), joins(t, at[2], at[0]))
		var ids []wire.PlayerID
		for i, g := range games {
			ids = append(ids, g.player(fmt.Sprintf("P%d", i), 0))
		}
		for _, g := range games {
			for _, id := range ids {
				g.sees(id)
			}
			g.trace()
		}
		d := SessionDesc{MaxPlayers: 3, Flags: wire.SessionNewPlayersDisabled | wire.SessionJoinDisabled | wire.SessionKeepAlive |
			wire.SessionNoDataMessages}
		require.Equal(t, wire.OK, games[0].SetSessionDesc(&d, 0))
		for _, g := range games {
			g.awaitSystem(SysSetSessionDesc)
		}
		for i, g := range games {
			require.Equal(t, wire.OK, g.SetPlayerData(ids[i], []byte("not told of"), 11, 0))
		}
		const turns = 100
		var wg sync.WaitGroup
		for i, g := range games {
			wg.Go(func() { g.play(turns, ids[i], ids) })
		}
		wg.Wait()
	})
}

// play plays a player's turns. The n-th has n octets and some.
func (g *game) play(turns int, me wire.PlayerID, ids []wire.PlayerID) {
	have := map[wire.PlayerID]int{me: turns}
	for turn := range turns {
		data := make([]byte, 34+turn)
		binary.LittleEndian.PutUint32(data, uint32(turn))
		for i := 4; i < len(data); i++ {
			data[i] = byte(int(me) * i * turn)
		}
		if !assert.Equal(g.t, wire.OK, g.Send(me, wire.IDAll, 0, data, uint32(len(data)))) {
			return
		}
		eventually(g.t, func() bool {
			for {
				from, to, got, ok := g.received()
				if !ok {
					break
				}
				n := int(binary.LittleEndian.Uint32(got))
				assert.Equal(g.t, me, to)
				assert.Equal(g.t, have[from], n, "each once, in order")
				assert.Len(g.t, got, 34+n)
				assert.Equal(g.t, byte(int(from)*20*n), got[20])
				have[from] = n + 1
			}
			return have[ids[0]] > turn && have[ids[1]] > turn && have[ids[2]] > turn
		}, "a turn")
	}
}

// TestLeaving: a joiner lets go of the object without Close, a host calls DestroyPlayer after Close.
func TestLeaving(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		a := h.player("Ann", 0)
		j := New(Options{Config: Config{Bind: at[1]}, Network: t.network})
		host := at[0].String()
		require.Equal(t, wire.OK, j.InitializeConnection(connectionTo(ProviderTCP, &host), 0))
		jg := &game{j, t}
		jg.enter("")
		b := jg.player("Ben", 0)
		h.awaitSystem(SysCreatePlayerOrGroup)
		j.Release()
		data := h.awaitSystem(SysDestroyPlayerOrGroup)
		assert.Equal(t, uint32(b), binary.LittleEndian.Uint32(data[8:]))
		assert.Equal(t, wire.ErrNoSessions, j.Close(), "whoever calls after the end gets an answer")
		assert.Equal(t, wire.ErrInvalidPlayer, j.Send(b, a, 0, []byte("x"), 1))
		require.Equal(t, wire.OK, h.Close())
		assert.Equal(t, wire.ErrInvalidPlayer, h.DestroyPlayer(a))
		assert.Empty(t, h.trace(), "nothing waits any more")
	})
}

// TestHostProcess is a host in a process of its own, which another test kills.
func TestHostProcess(test *testing.T) {
	t := onSockets(test)
	at := os.Getenv("DIRECTPLAY_HOST")
	if at == "" {
		t.Skip("for TestHostKilled")
	}
	go func() {
		io.Copy(io.Discard, os.Stdin) //nolint:errcheck // it ends with the other process
		os.Exit(0)
	}()
	flags, err := strconv.ParseUint(os.Getenv("DIRECTPLAY_FLAGS"), 0, 32)
	require.NoError(t, err)
	h := hosts(t, netip.MustParseAddr(at), wire.SessionFlags(flags))
	fmt.Println("player", uint32(h.player("Ann", 0)))
	for {
		h.awaitSystem(SysCreatePlayerOrGroup)
	}
}

// killable starts a host in another process, and returns its player and what kills it.
func killable(t *world, at netip.Addr, flags wire.SessionFlags) (player wire.PlayerID, kill func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostProcess$")
	c.Env = append(os.Environ(), "DIRECTPLAY_HOST="+at.String(), fmt.Sprintf("DIRECTPLAY_FLAGS=%d", flags))
	_, err := c.StdinPipe() // open until this process ends
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	var id uint32
	require.NoError(t, second(fmt.Sscanf(line, "player %d", &id)))
	return wire.PlayerID(id), func() {
		require.NoError(t, c.Process.Kill())
		_ = c.Wait() // it was killed
	}
}

// TestHostKilled: without MIGRATEHOST the other players are gone first, then the session; who sends to them hears that they
// are no players; our own player and Close work, and a new session can be opened. With MIGRATEHOST we are host.
func TestHostKilled(test *testing.T) {
	test.Parallel()
	t := onSockets(test)
	at := t.lane(3)
	a, kill := killable(t, at[0], 0)
	j, k := joins(t, at[1], at[0]), joins(t, at[2], at[0])
	b, c := j.player("Ben", 0), k.player("Cid", 0)
	mine := j.player("Bob", 0)
	j.sees(c)
	group := j.group(0, 0)
	require.Equal(t, wire.OK, j.AddPlayerToGroup(group, b))
	j.trace()
	kill()
	gone := map[uint32]int{}
	for {
		_, to, data := j.await()
		kind := binary.LittleEndian.Uint32(data)
		if kind == SysSessionLost {
			assert.Len(t, data, 4)
			break
		}
		require.EqualValues(t, SysDestroyPlayerOrGroup, kind)
		if to == b {
			gone[binary.LittleEndian.Uint32(data[8:])]++
		}
	}
	assert.Equal(t, map[uint32]int{uint32(a): 1, uint32(c): 1}, gone)
	j.trace()
	assert.Equal(t, wire.ErrInvalidPlayer, j.Send(b, a, SendGuaranteed, []byte("x"), 1))
	assert.Equal(t, wire.ErrInvalidPlayer, j.Send(b, c, 0, []byte("x"), 1))
	assert.Equal(t, wire.OK, j.Send(b, mine, 0, []byte("x"), 1))
	assert.Equal(t, wire.OK, j.Send(mine, group, 0, []byte("y"), 1))
	assert.Equal(t, wire.OK, j.Send(b, wire.IDAll, 0, []byte("z"), 1))
	assert.Equal(t, "01,10,01,", j.trace(b, mine))
	assert.Equal(t, wire.OK, j.SetPlayerData(b, []byte("data"), 4, 0))
	assert.Equal(t, wire.OK, j.GetSessionDesc(&Buffer{Size: 1024}, Face{}), "what was known is still there")
	assert.Equal(t, wire.ErrSessionLost, j.CreatePlayer(new(wire.PlayerID), Making{}))
	assert.Equal(t, wire.ErrAlreadyInitialized, j.Open(&SessionDesc{}, OpenCreate))
	assert.Equal(t, wire.OK, j.DestroyPlayer(b))
	assert.Equal(t, wire.OK, j.Close())
	assert.Equal(t, wire.OK, j.Open(&SessionDesc{Application: testGame}, OpenCreate))
	k.awaitSystem(SysSessionLost)
}

// TestHostMigrates: who is next is told that it is host, after the players of the old one are gone, and lets a newcomer in.
func TestHostMigrates(test *testing.T) {
	test.Parallel()
	t := onSockets(test)
	at := t.lane(3)
	a, kill := killable(t, at[0], wire.SessionMigrateHost)
	j := joins(t, at[1], at[0])
	b := j.player("Ben", 0)
	j.sees(a)
	j.trace()
	kill()
	data := j.awaitSystem(SysDestroyPlayerOrGroup)
	assert.Equal(t, uint32(a), binary.LittleEndian.Uint32(data[8:]))
	assert.Len(t, j.awaitSystem(SysHost), 4)
	var caps Caps
	require.Equal(t, wire.OK, j.GetCaps(&caps, 0))
	assert.NotZero(t, caps.Flags&CapsIsHost)
	k := joins(t, at[2], at[1])
	k.sees(b)
	assert.Equal(t, wire.ErrInvalidPlayer, j.Send(b, a, 0, []byte("x"), 1))
}

// TestHostCloses: with MIGRATEHOST the others hear that its player is gone, and one that it is host; nothing else.
func TestHostCloses(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionMigrateHost)
		h.player("Ann", 0)
		j := joins(t, at[1], at[0])
		b := j.player("Ben", 0)
		h.sees(b)
		require.Equal(t, wire.OK, h.Close())
		assert.Empty(t, h.trace())
		assert.Len(t, j.awaitSystem(SysDestroyPlayerOrGroup), 60)
		j.awaitSystem(SysHost)
		assert.Empty(t, j.trace())
	})
}

// TestLarge sends 60,000 octets either way, and what is longer than the buffer waits.
func TestLarge(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		j.sees(a)
		h.trace()
		for _, size := range []int{9000, 60000} {
			data := make([]byte, size)
			data[size-1] = 7
			require.Equal(t, wire.OK, h.Send(a, b, SendGuaranteed, data, uint32(size)))
			var from, to wire.PlayerID
			buffer := Buffer{Size: 8192}
			eventually(t, func() bool {
				buffer.Size = 8192
				return j.Receive(&from, &to, ReceiveAll, &buffer, Face{}) == wire.ErrBufferTooSmall
			}, "too small")
			assert.EqualValues(t, size, buffer.Size)
			require.Equal(t, wire.OK, j.Receive(&from, &to, ReceiveAll, &buffer, Face{}))
			assert.Equal(t, data, buffer.Data)
		}
	})
}

// TestThreads calls from twenty goroutines at once while one of them enters the session, and leaves it, again and again:
// nobody hangs.
func TestThreads(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionMigrateHost)
		j := initialized(t, at[1], at[0].String())
		done := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					g, c := []*game{h, j}[n%2], calls[(i+n)%len(calls)]
					if g == j || c.name != "Close" { // a session that is gone is waited for
						c.call(g.Object)
					}
					nap()
				}
			})
		}
		for range 10 {
			d := SessionDesc{Instance: j.findAmong()}
			_ = j.Open(&d, OpenJoin) // another goroutine may have closed either
			var id wire.PlayerID
			if j.CreatePlayer(&id, Making{}) == wire.OK {
				j.Send(id, wire.IDAll, 0, []byte("x"), 1)
			}
			j.Close()
		}
		close(done)
		wg.Wait()
	})
}

// findAmong searches for a while, whatever the others do.
func (g *game) findAmong() (found wire.GUID) {
	g.EnumSessions(&SessionDesc{}, 100, func(d *SessionDesc, _ *uint32) bool {
		if d != nil {
			found = d.Instance
		}
		return d != nil
	}, 0)
	return found
}

// TestReleaseMeanwhile: whoever is at work in the object comes back when it is released.
func TestReleaseMeanwhile(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		o := New(Options{Config: Config{Bind: at[0]}, Network: t.network})
		nobody := at[1].String()
		require.Equal(t, wire.OK, o.InitializeConnection(connectionTo(ProviderTCP, &nobody), 0))
		back := make(chan wire.HResult)
		began := make(chan struct{})
		go func() {
			close(began)
			back <- o.EnumSessions(&SessionDesc{}, 600_000, func(*SessionDesc, *uint32) bool { return true }, 0)
		}()
		<-began
		eventually(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return o.search.stop != nil }, "it searches")
		o.Release()
		assert.Equal(t, wire.OK, <-back)
	})
}

// TestWake: a player's own function is called for what is put into its queue, from the first message on.
func TestWake(t *testing.T) {
	bubble(t, func(t *world) {
		g := hosts(t, t.lane(1)[0], 0)
		woken := make(chan struct{}, 100)
		var id wire.PlayerID
		require.Equal(t, wire.OK, g.CreatePlayer(&id, Making{Wake: func() { woken <- struct{}{} }}))
		other := g.player("", 0)
		require.Equal(t, wire.OK, g.Send(other, id, 0, []byte("x"), 1))
		assert.Len(t, woken, 2)
		require.Equal(t, wire.OK, g.Send(id, other, 0, []byte("x"), 1))
		assert.Len(t, woken, 2)
	})
}

// TestDefaultAddress: a game that names no address searches where the configuration says, by a name if need be.
func TestDefaultAddress(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		hosts(t, at[0], 0)
		for _, name := range []string{at[0].String(), "gamehost"} {
			opt := Options{Config: Config{Bind: at[1], Address: name}, Network: t.network, Resolve: resolver(at[0])}
			g := &game{New(opt), t}
			require.Equal(t, wire.OK, g.Initialize(ProviderTCP))
			g.find()
			g.Release()
		}
	})
}
