package dpsp

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

const framed = wire.SessionDirectPlayProtocol

// deaf has datagrams to some machines, and from them, lost.
func (w *world) deaf(all ...*node) {
	w.cut = func(from, to *node, out Outgoing) bool {
		for _, n := range all {
			if out.Transport == UDP && (from == n || to == n) {
				return true
			}
		}
		return false
	}
}

// What was sent is told of once, whomever it was for, in all kinds of session.
func TestDelivered(t *testing.T) {
	for _, f := range []wire.SessionFlags{0, framed, wire.SessionMulticastServer, framed | wire.SessionMulticastServer,
		framed | wire.SessionNoPreserveOrder, framed | wire.SessionNoMessageID} {
		w, n, ids := session(t, f, 2, Config{})
		second := w.must(n[2], CreatePlayer{ShortName: "second"})
		ours := w.must(n[1], CreatePlayer{ShortName: "ours"})
		g := w.must(n[1], CreateGroup{})
		for _, id := range []wire.PlayerID{ids[0], ids[2], second, ours} {
			w.must(n[1], AddToGroup{Player: id, Group: g})
		}
		empty := w.must(n[1], CreateGroup{})
		n[1].events = nil
		var want []Delivered
		for _, guaranteed := range []bool{true, false} {
			for _, to := range []wire.PlayerID{ids[0], ids[2], g, empty, ours, ids[1], wire.IDAll} {
				token := uint64(len(want) + 1)
				w.must(n[1], Send{From: ids[1], To: to, Guaranteed: guaranteed, Payload: []byte("played"), Notify: token})
				w.run(w.now + time.Second)
				want = append(want, Delivered{Notify: token})
			}
		}
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("nobody wants to know")})
		w.run(w.now + time.Second)
		assert.Equal(t, want, told(n[1]), f)
		assert.Empty(t, n[1].reports, f)
	}
}

// What waits for the host to pass it on is delivered when the host has it.
func TestDeliveredToTheHost(t *testing.T) {
	w, n, ids := session(t, framed|wire.SessionMulticastServer, 2, Config{})
	w.run(w.now + time.Second)
	w.deaf(n[0])
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("x"), Notify: 7})
	w.run(w.now + time.Second)
	assert.Empty(t, take[Delivered](n[1]))
	w.cut = nil
	w.run(w.now + 5*time.Second)
	assert.Equal(t, []Delivered{{Notify: 7}}, told(n[1]))
}

// One of two addressees acknowledges nothing, and is lost: the message is, too, told once.
func TestNotDelivered(t *testing.T) {
	for name, end := range map[string]func(*world, []*node){
		"closed":  func(w *world, n []*node) { w.step(n[1], Input{Kind: StreamClosed, From: n[2].stream()}) },
		"silent":  func(w *world, n []*node) {},
		"left":    func(w *world, n []*node) { w.must(n[2], Leave{}) },
		"we left": func(w *world, n []*node) { w.step(n[1], Input{Kind: Request, Command: Leave{}, Token: 5}) },
	} {
		w, n, ids := session(t, framed, 2, Config{})
		w.run(w.now + time.Second)
		w.deaf(n[2])
		if name == "left" { // its goodbye is heard, our message is not
			w.cut = func(from, to *node, out Outgoing) bool {
				return out.Transport == UDP && from == n[1] && to == n[2] && len(out.Data) > 500
			}
		}
		n[1].events = nil
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: make([]byte, 1000), Notify: 7})
		w.run(w.now + 100*time.Millisecond)
		assert.Empty(t, eventsOf[Delivered](n[1].events), name)
		assert.Len(t, take[Message](n[0]), 1, name)
		end(w, n)
		w.run(w.now + 2*time.Minute)
		assert.Equal(t, []Delivered{{Notify: 7, Err: reliable.ErrLost}}, told(n[1]), name)
		assert.Empty(t, n[1].reports, name)
	}
}

// told takes what a machine was told of its messages, but for how long they took.
func told(n *node) []Delivered {
	all := take[Delivered](n)
	for i := range all {
		all[i].Took = 0
	}
	return all
}

// How long a message took is told: from when it was sent to when the last one is known to have it.
func TestDeliveredTook(t *testing.T) {
	w, n, ids := session(t, framed, 2, Config{})
	w.run(w.now + time.Second)
	w.deaf(n[2])
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("x"), Notify: 7})
	w.run(w.now + time.Second)
	w.cut = nil
	w.run(w.now + 10*time.Second)
	took := take[Delivered](n[1])[0].Took
	assert.True(t, time.Second <= took && took < 5*time.Second, "%v", took)
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("x"), Notify: 7})
	w.run(w.now + 10*time.Second)
	assert.Less(t, take[Delivered](n[1])[0].Took, time.Second)
}

// Who leaves sees to it that what it said arrives, and is told so.
func TestDeliveredThenLeft(t *testing.T) {
	w, n, ids := session(t, framed, 2, Config{})
	w.run(w.now + time.Second)
	w.deaf(n[2])
	n[1].events = nil
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("last"), Notify: 7})
	w.step(n[1], Input{Kind: Request, Command: Leave{}, Token: 5})
	w.cut = nil
	w.settle()
	w.run(w.now + 10*time.Second)
	assert.Equal(t, []Delivered{{Notify: 7}}, told(n[1]))
	assert.Len(t, take[Message](n[2]), 1)
}

// A command that fails says so, and nothing else does.
func TestNothingToDeliver(t *testing.T) {
	w, n, ids := session(t, framed, 1, Config{})
	n[1].events = nil
	assert.ErrorIs(t, w.do(n[1], Send{From: ids[1], To: 99, Notify: 7}).Err, ErrNoID)
	assert.ErrorIs(t, w.do(n[1], Send{From: ids[1], To: ids[0], Payload: make([]byte, MaxPayload+1), Notify: 7}).Err, ErrTooBig)
	w.run(w.now + time.Minute)
	assert.Empty(t, take[Delivered](n[1]))
	assert.ErrorIs(t, w.do(n[1], Cancel{Notify: 7}).Err, ErrNoMessage)
}

// full sends what fills the windows of all links, to machines that hear nothing.
func (w *world) full(n *node, from, to wire.PlayerID) {
	for range reliable.Window {
		w.must(n, Send{From: from, To: to, Guaranteed: true, Payload: []byte("first")})
	}
}

// Messages that wait go by their priority, and in order within one. Some are cancelled, some too late.
func TestPriorityTimeoutCancel(t *testing.T) {
	w, n, ids := session(t, framed, 2, Config{})
	w.run(w.now + time.Second)
	w.deaf(n[0])
	w.full(n[1], ids[1], ids[0])
	n[0].events, n[1].events = nil, nil
	say := func(token uint64, priority int, timeout time.Duration) {
		w.must(n[1], Send{From: ids[1], To: ids[0], Guaranteed: true, Payload: fmt.Append(nil, priority, "/", token), Notify: token,
			Priority: priority, Timeout: timeout})
	}
	for i, p := range []int{5, 0, MaxPriority + 9, 5, -1, MaxPriority} {
		say(uint64(i+1), p, 0)
	}
	say(10, 7, time.Second)
	say(11, 7, time.Hour)
	say(12, 7, 0)
	say(13, 1, 0)
	say(14, 2, 0)
	for _, id := range ids { // to several, one of whom has it already
		if id != ids[1] {
			w.must(n[1], Send{From: ids[1], To: id, Guaranteed: true, Payload: []byte("x"), Notify: 20})
		}
	}
	w.must(n[1], Cancel{Notify: 12})
	assert.ErrorIs(t, w.do(n[1], Cancel{Notify: 12}).Err, ErrNoMessage, "once")
	w.must(n[1], Cancel{Notify: 20})
	w.must(n[1], Cancel{Priority: 1}) // 2, 5 and 13
	w.run(w.now + 2*time.Second)
	canceled, late := reliable.ErrCanceled, reliable.ErrTimeout
	assert.ElementsMatch(t, []Delivered{{Notify: 12, Err: canceled}, {Notify: 20, Err: canceled}, {Notify: 2, Err: canceled},
		{Notify: 5, Err: canceled}, {Notify: 13, Err: canceled}, {Notify: 10, Err: late}}, told(n[1]))
	assert.ErrorIs(t, w.do(n[1], Cancel{Priority: 1}).Err, ErrNoMessage)
	w.must(n[1], SetData{ID: ids[1], Data: []byte("system")}) // not cancelled with them
	w.must(n[1], Cancel{Priority: 2})                         // 14
	assert.Equal(t, []Delivered{{Notify: 14, Err: canceled}}, told(n[1]))
	w.cut = nil
	w.run(w.now + 10*time.Second)
	var heard []string
	for _, m := range eventsOf[Message](n[0].events)[reliable.Window:] {
		heard = append(heard, string(m.Payload))
	}
	assert.Equal(t, []string{"65544/3", "65535/6", "7/11", "5/1", "5/4"}, heard)
	assert.Len(t, eventsOf[PlayerChanged](n[0].events), 1)
	assert.ElementsMatch(t, []Delivered{{Notify: 1}, {Notify: 3}, {Notify: 4}, {Notify: 6}, {Notify: 11}}, told(n[1]))
	assert.Empty(t, n[1].reports)
}

// A queue that takes no more: the message is lost, and told of once, also where it is for several.
func TestDeliveredFull(t *testing.T) {
	w, n, ids := session(t, framed, 2, Config{})
	w.run(w.now + time.Second)
	w.deaf(n[0], n[2])
	payload := make([]byte, 1<<20-100)
	var full []Delivered
	for i := 1; i < 100 && len(full) == 0; i++ {
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: payload, Notify: uint64(i)})
		full = eventsOf[Delivered](n[1].events)
	}
	require.Len(t, full, 1)
	assert.ErrorIs(t, full[0].Err, reliable.ErrFull)
}

// Without frames a message is handed to connections at once, and there is nothing to cancel.
func TestCancelWithoutFrames(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	w.must(n[1], Send{From: ids[1], To: ids[0], Guaranteed: true, Notify: 7, Priority: 3, Timeout: time.Nanosecond})
	assert.Equal(t, []Delivered{{Notify: 7}}, told(n[1]))
	assert.ErrorIs(t, w.do(n[1], Cancel{Notify: 7}).Err, ErrNoMessage)
	assert.ErrorIs(t, w.do(n[1], Cancel{Priority: 9}).Err, ErrNoMessage)
}

// A message that is refused is not reported as delivered, because its Done has the error.
func TestRefusedIsNotDelivered(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{MaxStream: 256})
	w.cut = func(_, to *node, _ Outgoing) bool { return to == n[1] }
	large := Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: make([]byte, 400)}
	for n[0].fragments.out.Room(1) {
		w.must(n[0], large)
	}
	n[0].events = nil
	large.Notify = 7
	assert.Equal(t, ErrBusy, w.do(n[0], large).Err)
	assert.Empty(t, take[Delivered](n[0]))
	assert.Empty(t, n[0].reports)
}
