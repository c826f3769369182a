package object_test

import (
	"testing"

	"dplay4/hostmigrate/object"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryArrival walks, one by one, the orders in which one observer can hear three owners: each stream in order,
// each UPDATE at any time, at most twice, or never. Here owners send UPDATEs whether they are acknowledged or not,
// so some come early. All orders end with what the last owner said.
func TestEveryArrival(t *testing.T) {
	c0, m1 := message(wire.KindObjectCreate, ben, 0, 0, "c0"), message(wire.KindObjectMigrate, cid, 1, 1, "m1")
	m2, d2 := message(wire.KindObjectMigrate, 4, 2, 2, "m2"), message(wire.KindObjectDestroy, 4, 2, 0, "")
	d1 := message(wire.KindObjectDestroy, cid, 1, 0, "")
	m3 := message(wire.KindObjectMigrate, ben, 3, 3, "m3")
	u0, u1 := message(wire.KindObjectUpdate, ben, 0, 1, "u0"), message(wire.KindObjectUpdate, cid, 1, 2, "u1")
	u2 := message(wire.KindObjectUpdate, 4, 2, 3, "u2")
	type stream []*wire.ExtensionObject
	for _, w := range []struct {
		name      string
		streams   []stream
		datagrams stream
		end       object.Rank // but for the sequence, which depends on what was lost
	}{
		{"C_0 | M_1 D_1", []stream{{c0}, {m1, d1}}, stream{u0, u0, u1, u1}, object.Rank{Counter: 1, Owner: cid, Dead: true}},
		{"C_0 | M_1 | M_2 D_2", []stream{{c0}, {m1}, {m2, d2}}, stream{u0, u1, u2}, object.Rank{Counter: 2, Owner: 4, Dead: true}},
		{"C_0 | M_1 | M_2", []stream{{c0}, {m1}, {m2}}, stream{u0, u1, u2, u2}, object.Rank{Counter: 2, Owner: 4}},
		{"C_0 M_3 | M_1 | M_2", []stream{{c0, m3}, {m1}, {m2}}, stream{u0, u1, u2}, object.Rank{Counter: 3, Owner: ben, Seq: 3}},
		{"C_0 M_3 | M_1 | M_2, dies", []stream{{c0, m3}, {m1}, {m2, message(wire.KindObjectDestroy, 4, 2, 0, "")}}, stream{u1},
			object.Rank{Counter: 3, Owner: ben, Seq: 3}},
	} {
		orders := 0
		var walk func(table *object.Table, streams []stream)
		walk = func(table *object.Table, streams []stream) {
			over := true
			for i, s := range streams {
				if len(s) == 0 {
					continue
				}
				over = false
				rest := append([]stream(nil), streams...)
				rest[i] = s[1:]
				next := table.Clone()
				_ = next.Receive(0, s[0].Owner, s[0])
				walk(next, rest)
			}
			if !over {
				return
			}
			orders++
			got := table.Ranks()[stone]
			if w.end.Seq == 0 && !w.end.Dead {
				assert.GreaterOrEqual(t, got.Seq, uint32(2))
				got.Seq = 0
			}
			require.Equal(t, w.end, got)
			require.Equal(t, !w.end.Dead, table.Len() == 1)
		}
		for lost := range 1 << len(w.datagrams) {
			streams := append([]stream(nil), w.streams...)
			for i, u := range w.datagrams {
				if lost>>i&1 == 0 {
					streams = append(streams, stream{u})
				}
			}
			walk(table(ann, ben, cid, 4), streams)
		}
		t.Logf("%s: %d orders for one observer, %.3g for three that hear each for itself", w.name, orders,
			float64(orders)*float64(orders)*float64(orders))
	}
}
