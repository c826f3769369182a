package view_test

import (
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packed returns an operation as it stands in a message.
func packed(t *testing.T, version uint32, op playerlist.Op) []byte {
	t.Helper()
	b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: version, Op: op})
	require.NoError(t, err)
	return b
}

// An enemy is a program that means a session ill, at no address of the world.
type enemy struct {
	t  *testing.T
	w  *world
	at *program // that it talks to
	me wire.ViewMember
}

// newEnemy returns an enemy of a session of some programs, that talks to their leader. It states the listener of an address.
func newEnemy(t *testing.T, programs, listener int) *enemy {
	t.Helper()
	w := newWorld(28, options{programs: programs})
	require.NoError(t, w.wrong)
	return &enemy{t, w, w.leader(), wire.ViewMember{System: 0x77770000, Incarnation: 0x7777, Stream: address(listener), Datagram: address(listener)}}
}

// tell sends a message, over the connection of via, and returns what its receiver sends then.
func (x *enemy) tell(via wire.PlayerID, m wire.ExtensionView) (sent []view.Send) {
	x.t.Helper()
	if m.From.Incarnation == 0 {
		m.From = x.me
	}
	x.w.noticed = func(p *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && p == x.at {
			sent = append(sent, s)
		}
	}
	x.at.core.Handle(x.w.now, via, &m)
	x.at.after()
	x.w.noticed = nil
	require.NoError(x.t, x.w.wrong)
	return sent
}

// run lets time pass.
func (x *enemy) run(d time.Duration) {
	x.t.Helper()
	x.w.run(x.w.now + d)
	require.NoError(x.t, x.w.wrong)
}

// join asks to be let in, and returns the PREPARE with which the leader begins a view.
func (x *enemy) join() *wire.ExtensionView {
	x.t.Helper()
	s := x.at.list.Session()
	for _, m := range x.tell(0, wire.ExtensionView{Step: wire.ViewJoin, Ops: [][]byte{packed(x.t, 0, playerlist.SetDesc{Session: s})}}) {
		if m.Message.Step == wire.ViewPrepare && m.To.Incarnation == x.me.Incarnation {
			return m.Message
		}
	}
	require.Fail(x.t, "no PREPARE")
	return nil
}

// ack returns its promise, with its system player.
func (x *enemy) ack(p *wire.ExtensionView) wire.ExtensionView {
	e := systemEntry(x.me.System, number(x.me.Stream))
	e.System = x.me.System
	return wire.ExtensionView{Step: wire.ViewAck, View: p.View, Nonce: p.Nonce, Ops: [][]byte{packed(x.t, 1, playerlist.AddPlayer{Entry: e})}}
}

// TestEvict: who states the listener of somebody else takes nobody's place; who answers there does.
func TestEvict(t *testing.T) {
	for _, answers := range []bool{false, true} {
		x := newEnemy(t, 3, 1)
		victim := x.w.at[1].self
		m := x.ack(x.join())
		if !answers {
			m.Nonce++
		}
		x.tell(0, m)
		x.run(time.Second)
		_, in := x.at.core.List().Look(victim)
		assert.Equal(t, !answers, in)
	}
}
