package object_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crowd is a session with a bad network: streams of any delay, datagrams that get lost, come twice and in any
// order.
type crowd struct {
	*rand.Rand
	t         *testing.T
	now       time.Duration
	tables    []*object.Table
	streams   map[[2]int][]wire.ExtensionObject
	datagrams []object.Send
	from      []int // of datagrams
	lossy     bool
}

func newCrowd(t *testing.T, seed byte, n int) *crowd {
	c := &crowd{Rand: rand.New(rand.NewChaCha8([32]byte{seed})), t: t, streams: map[[2]int][]wire.ExtensionObject{}, lossy: true}
	for i := range n {
		c.tables = append(c.tables, object.New(object.Config{Self: id(i), Resend: 100 * time.Millisecond, Patience: time.Second}))
	}
	for i, t := range c.tables {
		for j := range n {
			t.Join(0, id(j))
		}
		t.SetHost(0, id(0))
		c.collect(i)
	}
	return c
}

func (c *crowd) collect(at int) {
	require.Empty(c.t, c.tables[at].Check())
	for _, s := range c.tables[at].Take().Sends {
		to := int(s.To) - 1
		if c.tables[to] == nil {
			continue
		}
		if s.Reliable {
			c.streams[[2]int{at, to}] = append(c.streams[[2]int{at, to}], s.Message)
			continue
		}
		for n := c.IntN(3); n > 0 || !c.lossy; n-- {
			c.datagrams, c.from = append(c.datagrams, s), append(c.from, at)
			if !c.lossy {
				break
			}
		}
	}
}

// deliver lets one message arrive. It gives false if there is none.
func (c *crowd) deliver() bool {
	if n := len(c.datagrams); n > 0 && c.IntN(2) == 0 {
		i := c.IntN(n)
		s, from := c.datagrams[i], c.from[i]
		c.datagrams[i], c.from[i] = c.datagrams[n-1], c.from[n-1]
		c.datagrams, c.from = c.datagrams[:n-1], c.from[:n-1]
		if to := c.tables[s.To-1]; to != nil && c.tables[from] != nil {
			_ = to.Receive(c.now, id(from), &s.Message)
			c.collect(int(s.To) - 1)
		}
		return true
	}
	n := len(c.tables)
	for k, start := 0, c.IntN(n*n); k < n*n; k++ {
		q := [2]int{(start + k) % (n * n) / n, (start + k) % n}
		if s := c.streams[q]; len(s) > 0 {
			c.streams[q] = s[1:]
			_ = c.tables[q[1]].Receive(c.now, id(q[0]), &s[0])
			c.collect(q[1])
			return true
		}
	}
	return len(c.datagrams) > 0
}

// die lets a machine die; the others hear it, and who is host, at once. What it sent and has not arrived is lost.
func (c *crowd) die(who int) {
	c.tables[who] = nil
	host := -1
	for i, t := range c.tables {
		delete(c.streams, [2]int{who, i})
		delete(c.streams, [2]int{i, who})
		if t != nil && host < 0 {
			host = i
		}
	}
	for i, t := range c.tables {
		if t != nil {
			t.Leave(c.now, id(who))
			t.SetHost(c.now, id(host))
			c.collect(i)
		}
	}
}

// part splits the session in two, or joins what was split. Messages between the halves are lost; the lowest machine
// of each is host.
func (c *crowd) part(split bool) {
	half := func(i int) int { return i % 2 }
	for i, t := range c.tables {
		for j := range c.tables {
			switch {
			case half(i) == half(j):
			case split:
				delete(c.streams, [2]int{i, j})
				t.Leave(c.now, id(j))
			default:
				t.Join(c.now, id(j))
			}
		}
		if split {
			t.SetHost(c.now, id(half(i)))
		} else {
			t.SetHost(c.now, id(0))
		}
	}
	if split {
		c.datagrams, c.from = nil, nil
	}
	for i := range c.tables {
		c.collect(i)
	}
}

// TestRandomSplit plays random games in sessions that fall apart and come together again.
func TestRandomSplit(t *testing.T) {
	for seed := range testkit.Part(byte(100)) {
		c := newCrowd(t, seed, 4)
		for k := range 2000 {
			switch n := c.IntN(20); {
			case k%500 == 250 || k%500 == 499:
				c.part(k%500 == 250)
			case n < 3:
				c.play()
			case n == 3:
				c.now += time.Duration(c.IntN(200)) * time.Millisecond
				for i, t := range c.tables {
					t.Look(c.now)
					c.collect(i)
				}
			default:
				c.deliver()
			}
		}
		c.settle()
		for i, table := range c.tables {
			require.Equal(t, c.tables[0].Objects(), table.Objects(), "seed %d machine %d", seed, i+1)
			require.Empty(t, table.Lacking(), "seed %d machine %d", seed, i+1)
		}
	}
}

// play lets the program of a random machine do something random. Refusals are part of the game.
func (c *crowd) play() {
	at := c.IntN(len(c.tables))
	t := c.tables[at]
	if t == nil {
		return
	}
	all := t.Objects()
	state := make([]byte, c.IntN(9))
	for i := range state {
		state[i] = byte(c.Uint32())
	}
	switch k := c.IntN(12); {
	case k == 0 || len(all) == 0:
		_, err := t.Create(c.now, state)
		require.NoError(c.t, err)
	case k == 1:
		_ = t.Destroy(c.now, all[c.IntN(len(all))].ID)
	case k == 2:
		t.Balance(c.now)
	case k < 6:
		_ = t.Migrate(c.now, all[c.IntN(len(all))].ID, id(c.IntN(len(c.tables))))
	default:
		_ = t.Update(c.now, all[c.IntN(len(all))].ID, state)
	}
	c.collect(at)
}

// settle lets everything arrive, and time go on until nobody waits for anything but tombstones.
func (c *crowd) settle() {
	c.lossy = false
	for end := c.now + time.Minute; c.now < end; c.now += 50 * time.Millisecond {
		for c.deliver() {
		}
		for i, t := range c.tables {
			if t != nil && t.Next() <= c.now {
				t.Look(c.now)
				c.collect(i)
			}
		}
	}
}

// TestRandomTraffic plays random games over a bad network, with machines that die one after the other, and requires
// that all agree in the end and that every object has an owner that is there.
func TestRandomTraffic(t *testing.T) {
	for seed := range testkit.Part(byte(200)) {
		c := newCrowd(t, seed, 5)
		for range 3000 {
			switch k := c.IntN(400); {
			case k < 40:
				c.play()
			case k == 40 && seed%2 == 1 && c.now > 20*time.Second:
				if who := c.IntN(5); c.tables[who] != nil && who != 4 {
					c.die(who)
				}
			case k < 80:
				c.now += time.Duration(c.IntN(200)) * time.Millisecond
				for i, t := range c.tables {
					if t != nil {
						t.Look(c.now)
						c.collect(i)
					}
				}
			default:
				c.deliver()
			}
		}
		c.settle()
		want := c.tables[4].Objects()
		for i, table := range c.tables {
			if table == nil {
				continue
			}
			require.Equal(t, want, table.Objects(), "seed %d machine %d", seed, i+1)
			require.Empty(t, table.Lacking(), "seed %d machine %d", seed, i+1)
			n, _ := table.Pending()
			assert.Zero(t, n, "seed %d machine %d", seed, i+1)
		}
		for _, o := range want {
			require.NotNil(t, c.tables[o.Owner-1], "seed %d: %v", seed, o)
		}
	}
}

// FuzzReceive feeds a host that owns objects of its own, and others, messages as they may come off the wire. The
// table must keep its own books straight, bounded, whatever comes.
func FuzzReceive(f *testing.F) {
	for op := wire.KindObjectCreate; op <= wire.KindObjectInstruct; op++ {
		var b []byte
		for _, m := range []wire.ExtensionObject{
			{Op: op, Object: wire.ObjectID{Creator: 1}, Owner: 2, Counter: 1, Sequence: 1, State: []byte("x")},
			{Op: op, Object: wire.ObjectID{Creator: 2}, Owner: 2, State: []byte("y")},
		} {
			b, _ = wire.AppendMessage(b, wire.DX9, wire.NewExtension(2, &m))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table := object.New(object.Config{Self: 1})
		table.Join(0, 2)
		table.Join(0, 3)
		table.SetHost(0, 1)
		_, err := table.Create(0, []byte("mine"))
		require.NoError(t, err)
		now := time.Duration(0)
		for len(data) > 0 { // a message takes what it needs; the octets after it are the next one
			_, m, err := new(wire.Decoder).DecodeMessage(data)
			if err != nil {
				break
			}
			x, ok := m.(*wire.Extension)
			o, isObject := (*wire.ExtensionObject)(nil), false
			if ok {
				o, isObject = x.Body.(*wire.ExtensionObject)
			}
			if !isObject {
				break
			}
			data = data[40+len(o.State):]
			_ = table.Receive(now, x.From, o)
			require.Empty(t, table.Check())
			now += time.Second
			table.Look(now)
			require.Greater(t, table.Next(), now)
			require.LessOrEqual(t, len(table.Objects()), object.MaxObjects)
			table.Take()
		}
		table.Leave(now, 2)
		table.SetHost(now, 3)
		table.Look(now + time.Hour)
		require.Empty(t, table.Check())
		require.Zero(t, table.Tombstones())
	})
}
