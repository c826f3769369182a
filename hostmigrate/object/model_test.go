package object_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// A world says what is tried: machines with the ids 1 to n, what their programs do, and what may go wrong. Every
// order is tried in which this can happen: what a machine does when, relative to the others; which of the messages
// that are on their way arrives next (those over one stream in order, datagrams in any order, or not at all, or
// twice); when a machine learns that another one died or came.
type world struct {
	name     string
	machines int
	acts     []act
	losses   int    // datagrams that may get lost
	doubles  int    // datagrams that may arrive twice
	early    int    // how often timers may run although something is on its way
	foul     bool   // the host announces migrations, see post
	only     string // if not empty: only violations that begin so count
	oneEnd   bool   // the state at the end has to be the same in all orders, not only at all machines
}

// An act is something that happens once, as soon as when holds or any time later.
type act struct {
	name string
	at   int // the machine
	when func(t *object.Table) bool
	do   func(t *object.Table, now time.Duration) error
	dies bool // the machine is gone from then on
	come bool // the machine comes; before it is not there
	may  bool // it need not happen, or succeed
}

// The number of orders needs more than 64 bits.
type count struct{ hi, lo uint64 }

func (c count) add(d count) count {
	lo, carry := bits.Add64(c.lo, d.lo, 0)
	hi, over := bits.Add64(c.hi, d.hi, carry)
	if over != 0 {
		panic("more orders than 128 bits can count")
	}
	return count{hi, lo}
}

func (c count) String() string {
	if c.hi == 0 {
		return fmt.Sprint(c.lo)
	}
	return fmt.Sprintf("%.3g", float64(c.hi)*18446744073709551616+float64(c.lo))
}

// A node is a state of the whole world. Tables and messages are numbered, so a node is a few octets.
type node struct {
	now                    uint8
	losses, doubles, early uint8
	done                   uint32 // acts, one bit each
	here                   uint8  // machines in the session
	tables                 [5]int32
	news                   [5]uint16 // by machine: of whom it has not heard yet that they came (low) or went (high)
	streams                [25]string
	datagrams              [25]string
}

func (n *node) key(b []byte) []byte {
	b = append(b, n.now, n.losses, n.doubles, n.early, n.here)
	b = binary.LittleEndian.AppendUint32(b, n.done)
	for i := range n.tables {
		b = binary.AppendUvarint(b, uint64(n.tables[i]))
		b = binary.AppendUvarint(b, uint64(n.news[i]))
	}
	for i := range n.streams {
		if n.streams[i] != "" || n.datagrams[i] != "" {
			b = append(b, byte(i), byte(len(n.streams[i])), byte(len(n.datagrams[i])))
			b = append(append(b, n.streams[i]...), n.datagrams[i]...)
		}
	}
	return b
}

// A label says what one step of a world is.
type label struct {
	kind kind
	a, b uint8  // machines, or the number of an act
	code uint16 // of a letter
}

type kind uint8

const (
	acting  kind = iota // act a happens
	coming              // a hears that b came
	going               // a hears that b is gone
	going1              // and a is host from now on
	arrival             // a letter of a arrives at b
	again               // and stays on its way
	losing              // it gets lost
	ticking             // the clock goes on
)

// A memo is what a table was and what happened to it; an outcome what came of it.
type memo struct {
	table int32
	label label
	now   uint8
}

type outcome struct {
	table int32
	posts []post
	host  bool // says that it is host
}

type post struct {
	to       uint8
	reliable bool
	op       wire.ExtensionKind
	code     string
	foul     string // what the host of the foul variant says instead
}

// An explorer walks all orders of a world.
type explorer struct {
	world
	t       *testing.T
	tables  []*object.Table
	numbers map[string]int32
	letters []*wire.ExtensionObject // nil: the word that its sender is host
	codes   map[string]uint16
	steps   map[memo]outcome
	seen    map[string]count
	ends    map[string]bool
	path    []label
	wrong   string // the first violation, with the order that led there
	deepest int
	buf     []byte
}

// tick is the grid of the model's time. Tombstones outlive every run: when they may go is not what is tried here.
const (
	tick      = 100 * time.Millisecond
	patience  = 10 * tick
	tombstone = 1 << 20 * tick
)

func (w world) explore(t *testing.T) *explorer {
	e := &explorer{world: w, t: t, numbers: map[string]int32{}, codes: map[string]uint16{}, steps: map[memo]outcome{},
		seen: map[string]count{}, ends: map[string]bool{}, letters: []*wire.ExtensionObject{nil}}
	n := node{losses: uint8(w.losses), doubles: uint8(w.doubles), early: uint8(w.early)}
	for i := range w.machines {
		if !slices.ContainsFunc(w.acts, func(a act) bool { return a.come && a.at == i }) {
			n.here |= 1 << i
		}
	}
	for i := range w.machines {
		table := object.New(object.Config{Self: id(i), Resend: tick, Patience: patience, Tombstone: tombstone})
		for j := range w.machines {
			if i != j && n.here>>i&1 == 1 && n.here>>j&1 == 1 {
				table.Join(0, id(j))
			}
		}
		table.SetHost(0, id(0))
		n.tables[i] = e.number(table)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // all that is seen is kept: there is little to collect
	begin := time.Now()
	total := e.walk(&n)
	if e.wrong == "" {
		t.Logf("%v orders, %d states of the world, %d of a machine, %d ends, longest order %d steps, %v", total, len(e.seen),
			len(e.tables), len(e.ends), e.deepest, time.Since(begin).Round(time.Millisecond))
	}
	return e
}

func id(i int) wire.PlayerID { return wire.PlayerID(i + 1) }

// number returns a table's number: the same for tables that go on alike.
func (e *explorer) number(t *object.Table) int32 {
	k := t.Key()
	n, ok := e.numbers[k]
	if !ok {
		n = int32(len(e.tables))
		e.numbers[k] = n
		e.tables = append(e.tables, t)
		if s := t.Check(); s != "" {
			e.fail("%s", s)
		}
	}
	return n
}

// letter returns a message's number.
func (e *explorer) letter(m *wire.ExtensionObject) uint16 {
	b, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(m.Owner, m))
	require.NoError(e.t, err)
	c, ok := e.codes[string(b)]
	if !ok {
		c = uint16(len(e.letters))
		e.codes[string(b)] = c
		e.letters = append(e.letters, m)
	}
	return c
}

func code(c uint16) string { return string([]byte{byte(c >> 8), byte(c)}) }

func number(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

// fail keeps the first violation and how it came about.
func (e *explorer) fail(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); e.wrong == "" && strings.HasPrefix(text, e.only) {
		e.wrong = text
		for i, l := range e.path {
			e.wrong += fmt.Sprintf("\n  %2d. %s", i+1, e.show(l))
		}
	}
}

func (e *explorer) show(l label) string {
	m := "is host"
	if l.code != 0 {
		o := e.letters[l.code]
		m = fmt.Sprintf("%v owner %d counter %d sequence %d %q", o.Op, o.Owner, o.Counter, o.Sequence, o.State)
	}
	switch l.kind {
	case acting:
		return e.acts[l.a].name
	case coming:
		return fmt.Sprintf("%d hears that %d came", l.a+1, l.b+1)
	case going, going1:
		return fmt.Sprintf("%d hears that %d is gone", l.a+1, l.b+1)
	case arrival:
		return fmt.Sprintf("%d -> %d: %s", l.a+1, l.b+1, m)
	case again:
		return fmt.Sprintf("%d -> %d: %s, and will come again", l.a+1, l.b+1, m)
	case losing:
		return fmt.Sprintf("%d -> %d: %s, lost", l.a+1, l.b+1, m)
	}
	return "the clock goes on"
}

// walk returns the number of orders from a node to the end.
func (e *explorer) walk(n *node) count {
	e.buf = n.key(e.buf[:0])
	if c, ok := e.seen[string(e.buf)]; ok || e.wrong != "" {
		return c
	}
	k := string(e.buf)
	e.deepest = max(e.deepest, len(e.path))
	var c count
	steps := 0
	e.moves(n, func(l label, next *node) {
		steps++
		e.path = append(e.path, l)
		if e.run(next, l) {
			c = c.add(e.walk(next))
		}
		e.path = e.path[:len(e.path)-1]
	})
	if steps == 0 && e.wrong == "" {
		e.end(n)
		c = count{lo: 1}
	}
	e.seen[k] = c
	return c
}

// end checks what holds when nothing happens any more: all machines know the same objects with the same owner,
// counter and state, the owners are there, and they know that everybody has the newest.
func (e *explorer) end(n *node) {
	var want []object.Object
	first := true
	for i := range e.machines {
		if n.here>>i&1 == 0 {
			continue
		}
		t := e.tables[n.tables[i]]
		got := t.Objects()
		if first {
			want, first = got, false
		}
		if !slices.EqualFunc(want, got, same) {
			e.fail("machine %d ends with %v, another one with %v", i+1, got, want)
		}
		if l := t.Lacking(); l != nil {
			e.fail("machine %d does not know that %v have the newest", i+1, l)
		}
		for _, o := range got {
			if n.here>>(o.Owner-1)&1 == 0 {
				e.fail("%v ends with an owner that is gone", o.ID)
			}
		}
	}
	for i, a := range e.acts {
		if n.done>>i&1 == 0 && !a.may {
			e.fail("%s did not happen", a.name)
		}
	}
	e.ends[fmt.Sprint(want)] = true
	if e.oneEnd && len(e.ends) > 1 {
		e.fail("more than one end: %v", e.ends)
	}
}

func same(a, b object.Object) bool {
	return a.ID == b.ID && a.Owner == b.Owner && a.Counter == b.Counter && a.Sequence == b.Sequence &&
		string(a.State) == string(b.State)
}
