package view_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/hostmigrate/view"
	"dplay4/internal/testkit"
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
	w.at = append(w.at, make([]*program, 100)...) // addresses at which nobody is
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

// TestJoinerIsNoPart: a program that is let in, or that only asked, is no part of the session that was apart.
func TestJoinerIsNoPart(t *testing.T) {
	for _, answers := range []bool{false, true} {
		x := newEnemy(t, 3, 7)
		p := x.join()
		var installs []view.Install
		notice := func(_ *program, e view.Effect) {
			if i, ok := e.(view.Install); ok {
				installs = append(installs, i)
			}
		}
		if answers {
			m := x.ack(p)
			m.From, m.Place = x.me, wire.View{Epoch: 1, Leader: x.me.System, Incarnation: x.me.Incarnation}
			x.at.core.Handle(x.w.now, 0, &m)
		}
		x.w.noticed = notice
		x.at.after()
		x.run(time.Second)
		require.Len(t, installs, 3)
		for _, i := range installs {
			assert.Equal(t, answers, slices.ContainsFunc(i.Members, func(m wire.ViewMember) bool { return m.Incarnation == x.me.Incarnation }))
			assert.False(t, i.Merged)
		}
	}
}

// TestOwnNobody: a member that says a player of its own has the id of nobody makes none.
func TestOwnNobody(t *testing.T) {
	x := newEnemy(t, 3, 7)
	member, v := x.w.at[1], x.at.core.View()
	before, _ := x.at.list.Len()
	e := playerlist.Entry{ID: wire.IDAll, System: member.self}
	x.tell(member.self, wire.ExtensionView{Step: wire.ViewOwn, From: member.member(), View: v, Index: 1, Ops: [][]byte{
		packed(t, 1, playerlist.AddPlayer{Entry: systemEntry(member.self, member.n)}),
		packed(t, x.at.list.Version()+1, playerlist.AddPlayer{Entry: e})}})
	after, _ := x.at.list.Len()
	assert.Equal(t, before, after)
	assert.Equal(t, v, x.at.core.View())
}

// lists returns a message of the enemy with a list of its own, which it leads.
func (x *enemy) list(m wire.ExtensionView) wire.ExtensionView {
	x.t.Helper()
	s := x.at.list.Session()
	s.Name = wire.NewText("theirs")
	e := systemEntry(x.me.System, number(x.me.Stream))
	e.System = x.me.System
	m.Ops = [][]byte{packed(x.t, 0, playerlist.SetDesc{Session: s}), packed(x.t, 1, playerlist.AddPlayer{Entry: e})}
	return m
}

// TestInstallToNewcomer: a program without a view gets one from its host, or from a program that it asked, and not from others.
func TestInstallToNewcomer(t *testing.T) {
	for _, from := range []string{"stranger", "member", "host", "asked"} {
		x := newEnemy(t, 3, 7)
		p := x.w.start(0)
		e := systemEntry(0x5000, p.n)
		x.at.do(playerlist.AddPlayer{Entry: e})
		p.begin(reload(x.at.list), e.ID)
		p.core.Join(x.w.now, e.ID)
		host, via := x.at.list.Host(), wire.PlayerID(0)
		x.at = p
		me := p.member()
		switch from {
		case "member":
			via = x.me.System
		case "host":
			x.me.System, via = host, host
		case "asked":
			p.core.AskIn(x.w.now, x.me)
		}
		v := wire.View{Epoch: 3, Leader: x.me.System, Incarnation: x.me.Incarnation}
		m := x.list(wire.ExtensionView{Step: wire.ViewInstall, View: v, Place: v, Index: 2, Members: []wire.ViewMember{x.me, me}})
		m.Ops = append(m.Ops, packed(t, 2, playerlist.AddPlayer{Entry: e}))
		p.core.Handle(x.w.now, via, &wire.ExtensionView{Step: m.Step, From: x.me, View: m.View, Place: m.Place, Index: m.Index, Members: m.Members, Ops: m.Ops})
		assert.Equal(t, from == "host" || from == "asked", p.core.View() == v, from)
	}
}

// TestInstallOfAnother: a program that promised to the leader of another part takes its view from that leader alone.
func TestInstallOfAnother(t *testing.T) {
	w := newWorld(3, options{programs: 6})
	w.split(func(n int) int { return n % 2 })
	w.run(w.now + 30*time.Second)
	w.mend()
	forged := 0
	w.noticed = func(p *program, e view.Effect) {
		s, ok := e.(view.Send)
		if !ok || s.Message.Step != wire.ViewInstall {
			return
		}
		q := w.at[number(s.To.Stream)]
		for _, m := range q.core.Members() {
			if m.Incarnation == p.inc {
				return
			}
		}
		was := q.core.View()
		m := *s.Message
		m.Nonce++
		q.core.Handle(w.now, 0, &m)
		assert.Equal(t, was, q.core.View())
		forged++
	}
	w.run(w.now + calm)
	w.whole()
	require.NoError(t, w.wrong)
	assert.Positive(t, forged)
}

// TestJoinerSaysNothingOfOthers: the log, the index and the lists of a program that asks to be let in do not count.
func TestJoinerSaysNothingOfOthers(t *testing.T) {
	x := newEnemy(t, 3, 7)
	before, members := x.at.core.List(), x.at.core.Members()
	p := x.join()
	m := x.ack(p)
	m.Place = wire.View{Epoch: p.View.Epoch - 1, Leader: x.me.System, Incarnation: x.me.Incarnation}
	m.Index = before.Version() + 50000
	m.Members = []wire.ViewMember{x.me}
	for n := range 9 {
		m.Lost = append(m.Lost, wire.ViewMember{System: 1, Incarnation: wire.Incarnation(0x9000 + n), Stream: address(50 + n), Datagram: address(50 + n)})
	}
	m.Members = append(m.Members, m.Lost...)
	for _, other := range members {
		m.Left = append(m.Left, other.Incarnation)
	}
	for _, s := range x.tell(0, m) {
		assert.NotEqual(t, wire.ViewFetch, s.Message.Step)
	}
	x.run(time.Second)
	assert.Equal(t, p.View, x.at.core.View())
	assert.Len(t, x.at.core.Members(), 4)
	for _, lost := range x.at.core.Lost() {
		assert.Less(t, lost.Incarnation, wire.Incarnation(0x9000))
		assert.Less(t, number(lost.Stream), 8)
	}
	assert.Less(t, x.at.core.List().Version(), m.Index)
	assert.Equal(t, "views", x.at.core.List().Session().Name.String())
}

// TestMemberSaysNothingOfOthers: a member that does not lead its view tells nobody who left and who was lost.
func TestMemberSaysNothingOfOthers(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar, other := x.w.at[1], x.w.at[2]
	p := x.join()
	m := wire.ExtensionView{Step: wire.ViewAck, From: liar.member(), View: p.View, Place: liar.core.View(), Index: liar.core.List().Version(),
		Members: liar.core.Members(), Left: []wire.Incarnation{other.inc},
		Lost: []wire.ViewMember{{System: 1, Incarnation: 0x9000, Stream: address(50), Datagram: address(50)}}}
	e := systemEntry(liar.self, 1)
	e.System = liar.self
	m.Ops = [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: e})}
	x.tell(liar.self, m)
	x.tell(0, x.ack(p))
	x.run(time.Second)
	assert.Equal(t, p.View, x.at.core.View())
	assert.Len(t, x.at.core.Members(), 5)
	for _, lost := range x.at.core.Lost() {
		assert.NotEqual(t, wire.Incarnation(0x9000), lost.Incarnation)
	}
}

// TestTakesNoMembersID: a program that states the id of a member, and leaves out its system player, is not let in. It gets nothing of that
// member's. Neither does a member that states such an id.
func TestTakesNoMembersID(t *testing.T) {
	const player = wire.PlayerID(0x80000001)
	for _, member := range []bool{false, true} {
		x := newEnemy(t, 4, 7)
		victim, liar := x.w.at[1], x.w.at[2]
		require.True(t, victim.do(playerlist.AddPlayer{Entry: playerlist.Entry{ID: player, System: victim.self}}))
		x.run(3 * period)
		v, via := x.at.core.View(), wire.PlayerID(0)
		if x.me.System = victim.self; member {
			x.me, via = liar.member(), liar.self
		}
		var p *wire.ExtensionView
		x.w.noticed = func(q *program, e view.Effect) {
			if s, ok := e.(view.Send); ok && q == x.at && s.Message.Step == wire.ViewPrepare && s.To.Incarnation == x.me.Incarnation {
				p = s.Message
			}
		}
		if member {
			x.at.core.Handle(x.w.now, via, &wire.ExtensionView{Step: wire.ViewPosition, From: x.me, View: v, Place: wire.View{Epoch: v.Epoch + 1, Leader: 1, Incarnation: 2}})
			x.at.after()
			require.NotNil(t, p)
			x.me.System = victim.self
		} else {
			p = x.join()
		}
		own := playerlist.Entry{ID: player, System: victim.self, ShortName: []byte("theirs")}
		x.tell(via, wire.ExtensionView{Step: wire.ViewAck, View: p.View, Nonce: p.Nonce, Ops: [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: own})}})
		x.w.run(x.w.now + 2*time.Second)
		e, there := x.at.core.List().Look(player)
		assert.True(t, there)
		assert.Empty(t, e.ShortName)
		for _, m := range x.at.core.Members() {
			assert.Equal(t, m.Incarnation == victim.inc, m.System == victim.self, "member %v", member)
		}
	}
}

// TestNewestLog: a member that states more of the leader's log than the leader has does not replace the leader's list.
func TestNewestLog(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar := x.w.at[1].member()
	v := x.at.core.View()
	var p *wire.ExtensionView
	fetches := 0
	x.w.noticed = func(q *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && q == x.at {
			if s.Message.Step == wire.ViewPrepare && s.To.Incarnation == liar.Incarnation {
				p = s.Message
			}
			fetches += min(1, count([]view.Send{s}, wire.ViewFetch))
		}
	}
	noticed := x.w.noticed
	x.at.core.Handle(x.w.now, liar.System, &wire.ExtensionView{Step: wire.ViewPosition, From: liar, View: v, Place: wire.View{Epoch: v.Epoch + 1, Leader: 1, Incarnation: 2}})
	x.at.after()
	require.NotNil(t, p)
	m := wire.ExtensionView{Step: wire.ViewAck, From: liar, View: p.View, Nonce: p.Nonce, Place: v, Index: x.at.core.List().Version() + 1, Members: x.at.core.Members(),
		Ops: [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: systemEntry(liar.System, 1)})}}
	x.w.noticed = nil
	x.at.core.Handle(x.w.now, liar.System, &m)
	x.w.noticed = noticed
	x.at.after()
	x.run(2 * time.Second)
	assert.Zero(t, fetches)
}

// TestNumbersDoNotEnd: a view whose index is far above the list's is not installed, because no operation could follow it.
func TestNumbersDoNotEnd(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar := x.w.at[1].member()
	x.at = x.w.at[2]
	was := x.at.core.View()
	mine := wire.View{Epoch: was.Epoch + 1, Leader: liar.System, Incarnation: liar.Incarnation}
	all := x.at.core.Members()
	var ack *wire.ExtensionView
	for _, s := range x.tell(liar.System, wire.ExtensionView{Step: wire.ViewPrepare, From: liar, View: mine, Members: all}) {
		if s.Message.Step == wire.ViewAck {
			ack = s.Message
		}
	}
	require.NotNil(t, ack)
	state := x.at.core.List().State()
	for _, far := range []uint32{1 << 21, 1} {
		m := wire.ExtensionView{Step: wire.ViewInstall, From: liar, View: mine, Place: was, Nonce: ack.Base, Members: all, Index: state.Version + far}
		for i, e := range state.Entries {
			m.Ops = append(m.Ops, packed(t, uint32(i+1), playerlist.AddPlayer{Entry: e}))
		}
		x.at.core.Handle(x.w.now, liar.System, &m)
		assert.Equal(t, far == 1, x.at.core.View() == mine, far)
	}
}

// TestStrangersLeaveRoom: strangers that send UNVOUCHED, or ask from many addresses, do not use up what members may ask for.
func TestStrangersLeaveRoom(t *testing.T) {
	x := newEnemy(t, 4, 7)
	for n := range 10000 {
		at := wire.SockAddr{Family: 2, Port: 2300, Addr: [4]byte{10, 9, byte(n >> 8), byte(n)}}
		for _, step := range []wire.ViewStep{wire.ViewUnvouched, wire.ViewAsk} {
			x.at.core.Handle(x.w.now, 0, &wire.ExtensionView{Step: step, From: wire.ViewMember{Incarnation: wire.Incarnation(0x10000 + n), Stream: at}, Nonce: 1})
		}
		x.at.core.Take()
	}
	member := x.w.at[1].member()
	sent := x.tell(member.System, wire.ExtensionView{Step: wire.ViewBehind, From: member, View: x.at.core.View()})
	assert.Equal(t, 1, count(sent, wire.ViewInstall))
}

// TestAskTellsLittle: a program that asks is told of members if it is one, or if this part of the session lost somebody, and a few times in a
// period.
func TestAskTellsLittle(t *testing.T) {
	for _, lost := range []bool{false, true} {
		x := newEnemy(t, 4, 7)
		if lost {
			x.w.kill(x.w.at[3])
			x.run(10 * period)
			require.Len(t, x.at.core.Lost(), 1)
		}
		answers := 0
		for range 100 {
			for _, s := range x.tell(0, wire.ExtensionView{Step: wire.ViewAsk, Nonce: 5}) {
				answers++
				assert.Equal(t, lost, len(s.Message.Members) > 1)
			}
		}
		assert.Equal(t, 64, answers)
	}
}

// TestPassesOnLittle: a member passes on few messages of a stranger, and none with what the step has no meaning for.
func TestPassesOnLittle(t *testing.T) {
	x := newEnemy(t, 4, 7)
	leader := x.at
	x.at = x.w.at[1]
	passed := func(n int, m wire.ExtensionView) (to int) {
		for range n {
			for _, s := range x.tell(0, m) {
				if s.To.Incarnation == leader.inc {
					to++
				}
			}
		}
		return to
	}
	desc := packed(t, 0, playerlist.SetDesc{Session: x.at.list.Session()})
	claim := wire.ExtensionView{Step: wire.ViewClaim, View: wire.View{Epoch: 9}, Members: []wire.ViewMember{x.me}}
	assert.Zero(t, passed(1, wire.ExtensionView{Step: wire.ViewJoin, Ops: [][]byte{desc, desc}}))
	claim.Ops = [][]byte{desc}
	assert.Zero(t, passed(1, claim))
	claim.Ops = nil
	assert.Equal(t, 64, passed(100, claim))
	assert.Equal(t, 64, passed(100, wire.ExtensionView{Step: wire.ViewJoin, Ops: [][]byte{desc}}))
}

// TestPassedJoins: joins that a member passes on change the view a few times, although it makes up another address for each.
func TestPassedJoins(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar := x.w.at[1].self
	desc := packed(t, 0, playerlist.SetDesc{Session: x.at.list.Session()})
	views, began := 0, x.w.now
	for n := range 60 {
		from := wire.ViewMember{Incarnation: wire.Incarnation(0x10000 + n), System: 1, Stream: address(7 + n)}
		views += min(1, count(x.tell(liar, wire.ExtensionView{Step: wire.ViewJoin, From: from, Ops: [][]byte{desc}}), wire.ViewPrepare))
		x.run(2 * probe)
	}
	assert.LessOrEqual(t, views, 16+1+int((x.w.now-began)/(8*period)))
	assert.Greater(t, views, 10)
}

// TestMemberBarsNoLost: a member that names itself as leader of another view does not bar those that the candidate lost, nor push them out.
func TestMemberBarsNoLost(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar, dead := x.w.at[1].member(), x.w.at[3].member()
	x.w.kill(x.w.at[3])
	x.run(10 * period)
	require.Len(t, x.at.core.Lost(), 1)
	p := x.join()
	m := wire.ExtensionView{Step: wire.ViewAck, From: liar, View: p.View, Nonce: p.Nonce, Place: wire.View{Epoch: 1, Join: 99, Leader: liar.System, Incarnation: liar.Incarnation},
		Left: []wire.Incarnation{dead.Incarnation}, Members: x.at.core.Members()}
	for n := range 256 {
		m.Lost = append(m.Lost, wire.ViewMember{System: 1, Incarnation: wire.Incarnation(0x10000 + n), Stream: address(50), Datagram: address(50)})
	}
	e := systemEntry(liar.System, 1)
	e.System = liar.System
	m.Ops = [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: e})}
	x.tell(liar.System, m)
	x.tell(0, x.ack(p))
	x.run(time.Second)
	require.Equal(t, p.View, x.at.core.View())
	assert.Contains(t, x.at.core.Lost(), dead)
}

// TestJoinTakesNoID: a program that asks to be let in gets an id of its own, whichever it states.
func TestJoinTakesNoID(t *testing.T) {
	x := newEnemy(t, 3, 7)
	legacy := systemEntry(0x5000, 5)
	x.at.do(playerlist.AddPlayer{Entry: legacy})
	x.at.do(playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x5001, System: 0x5000}})
	x.me.System = legacy.ID
	m := x.ack(x.join())
	m.Ops = append(m.Ops, packed(t, 2, playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x5001, System: 0x5000, Data: []byte("theirs")}}))
	x.tell(0, m)
	x.run(time.Second)
	k := 0
	for _, n := range x.at.core.Members() {
		if n.Incarnation == x.me.Incarnation {
			k++
			assert.NotEqual(t, legacy.ID, n.System)
		}
	}
	assert.Equal(t, 1, k)
	e, ok := x.at.core.List().Look(0x5001)
	assert.True(t, ok)
	assert.Equal(t, legacy.ID, e.System)
	assert.Empty(t, e.Data)
}

// TestParts: only who is to send a list is kept parts of, and not more of than a list takes. Parts that no others follow go in time.
func TestParts(t *testing.T) {
	x := newEnemy(t, 40, 90)
	steps := []wire.ViewStep{wire.ViewAck, wire.ViewState, wire.ViewInstall, wire.ViewOwn}
	big := [][]byte{packed(t, 1, playerlist.SetData{ID: 1, Data: make([]byte, 1<<17)})}
	v := x.at.core.View()
	kept := func() int { return x.at.core.Kept()["octets"] }
	part := func(from wire.ViewMember, via wire.PlayerID, step wire.ViewStep, n uint16) {
		x.tell(via, wire.ExtensionView{Step: step, From: from, View: v, Place: v, Part: n, Parts: 60, Ops: big})
	}
	for _, step := range steps { // of a stranger, or of what nobody waits for
		part(x.me, 0, step, 1)
		part(x.w.at[1].member(), x.w.at[1].self, wire.ViewState, 1)
		assert.Zero(t, kept(), step)
	}
	most := 0
	for _, p := range x.w.at[1:40] {
		for n := range uint16(60) {
			part(p.member(), p.self, wire.ViewOwn, n+1)
			most = max(most, kept())
			require.LessOrEqual(t, kept(), view.Bounds["octets"])
			if n == 6 {
				break
			}
		}
		part(p.member(), p.self, wire.ViewOwn, 1)
		require.Positive(t, kept())
		for n := range uint16(20) {
			before := kept()
			part(p.member(), p.self, wire.ViewOwn, n+2)
			require.Less(t, kept()-before, 1<<18)
		}
	}
	assert.Greater(t, most, 1<<19)
	for _, p := range x.w.at[1:40] {
		for n := range uint16(7) {
			part(p.member(), p.self, wire.ViewOwn, n+1)
		}
	}
	assert.LessOrEqual(t, kept(), view.Bounds["octets"])
	assert.Greater(t, kept(), view.Bounds["octets"]*3/4)
	x.run(2 * patience)
	assert.Zero(t, kept())
}

// TestRoom: what a member says that is its own is within what it may have, in an OWN as in an ACK.
func TestRoom(t *testing.T) {
	x := newEnemy(t, 3, 7)
	x.w.room = func(*playerlist.List) func(playerlist.Op) bool {
		return func(op playerlist.Op) bool {
			switch o := op.(type) {
			case playerlist.AddPlayer:
				return len(o.Entry.Data) < 5
			case playerlist.SetData:
				return len(o.Data) < 5
			case playerlist.SetName:
				return len(o.ShortName) < 20
			case playerlist.AddMember:
				return o.Group != 0x9003
			}
			return true
		}
	}
	liar := x.w.at[1]
	own := func(self wire.PlayerID, n int, id wire.PlayerID) [][]byte {
		e := systemEntry(self, n)
		e.System = self
		at := x.at.core.List().Version() + 1
		player := func(id wire.PlayerID, data string) []byte {
			return packed(t, at, playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: self, Data: []byte(data)}})
		}
		return [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: e}), player(id, "much too much"), player(id+1, "few")}
	}
	has := func(id wire.PlayerID) (ok bool) { _, ok = x.at.core.List().Look(id); return ok }
	m := wire.ExtensionView{Step: wire.ViewOwn, From: liar.member(), View: liar.core.View(), Index: x.at.core.List().Version(), Ops: own(liar.self, 1, 0x9000)}
	for id := wire.PlayerID(0x9002); id <= 0x9003; id++ {
		m.Ops = append(m.Ops, packed(t, m.Index+1, playerlist.AddGroup{Entry: playerlist.Entry{ID: id, System: liar.self}}))
	}
	x.tell(liar.self, m)
	assert.False(t, has(0x9000))
	require.True(t, has(0x9001))
	require.True(t, has(0x9002))
	e := playerlist.Entry{ID: 0x9001, System: liar.self, ShortName: wire.NewText("a name that is too long"), Data: []byte("too much")}
	m = wire.ExtensionView{Step: wire.ViewOwn, From: liar.member(), View: liar.core.View(), Index: x.at.core.List().Version(), Base: 2}
	system := systemEntry(liar.self, 1)
	system.System = liar.self
	m.Ops = [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: system}), packed(t, 2, playerlist.AddPlayer{Entry: e}),
		packed(t, 3, playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x9002, System: liar.self}}),
		packed(t, 4, playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x9003, System: liar.self}}),
		packed(t, 0, playerlist.AddMember{Group: 0x9002, Player: 0x9001}), packed(t, 0, playerlist.AddMember{Group: 0x9003, Player: 0x9001})}
	x.tell(liar.self, m)
	e, _ = x.at.core.List().Look(0x9001)
	assert.Empty(t, e.ShortName)
	assert.Equal(t, "few", string(e.Data))
	assert.True(t, x.at.core.List().IsMember(0x9002, 0x9001))
	require.True(t, has(0x9003))
	assert.False(t, x.at.core.List().IsMember(0x9003, 0x9001))

	a := x.ack(x.join())
	a.Ops = own(x.me.System, 7, 0xA000)
	x.tell(0, a)
	x.run(time.Second)
	assert.Equal(t, a.View, x.at.core.View())
	assert.False(t, has(0xA000))
	assert.True(t, has(0xA001))
}

// made returns a message of a step with all its fields made up: of those of messages that were seen, or at random.
func (w *world) made(step wire.ViewStep, seen []*wire.ExtensionView) *wire.ExtensionView {
	r := w.r
	pick := func() *wire.ExtensionView { return seen[r.IntN(len(seen))] }
	number := func(some ...uint32) uint32 {
		some = append(some, 0, 1, 1<<31, math.MaxUint32-1, math.MaxUint32, r.Uint32())
		return some[r.IntN(len(some))]
	}
	sometimes := func(in []wire.ViewMember) []wire.ViewMember {
		if r.IntN(2) == 0 {
			return nil
		}
		return append(slices.Clone(in), pick().Members...)
	}
	o := pick()
	m := &wire.ExtensionView{Step: step, View: pick().View, Place: pick().Place, Index: number(o.Index, o.Index+1), Base: number(o.Base, o.Index),
		Nonce: number(), Members: sometimes(o.Members), Lost: sometimes(o.Members), Renamed: o.Renamed}
	if r.IntN(2) == 0 {
		m.View = o.View
		m.Index = o.Index
	}
	if w.chance(20) {
		m.View.Epoch = number(o.View.Epoch+1, o.View.Epoch+2)
	}
	if w.chance(20) {
		m.Place.Epoch = number(o.Place.Epoch + 1)
	}
	for range r.IntN(3) {
		m.Left = append(m.Left, pick().From.Incarnation)
	}
	for range r.IntN(4) {
		m.Ops = append(m.Ops, pick().Ops...)
	}
	if w.chance(30) {
		m.Part, m.Parts = uint16(r.IntN(4)), uint16([]int{0, 1, 2, 3, 65535}[r.IntN(5)])
	}
	if w.chance(5) {
		for n := range 300 {
			m.Lost = append(m.Lost, wire.ViewMember{System: wire.PlayerID(n), Incarnation: wire.Incarnation(r.Uint64()), Stream: address(200 + n)})
		}
	}
	return m
}

// hostile is a session in which a program left and another one was killed, with all that was sent in it.
func hostile(t *testing.T, seed uint64) (w *world, seen []*wire.ExtensionView, former, dead wire.ViewMember) {
	t.Helper()
	w = newWorld(seed, options{programs: 6})
	w.noticed = func(_ *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && len(seen) < 3000 {
			m := *s.Message
			seen = append(seen, &m)
		}
	}
	w.options = options{programs: 6, cuts: true, breaks: true}
	for range 40 {
		w.act()
		w.run(w.now + 300*time.Millisecond)
	}
	w.mend()
	all := w.in()
	former, dead = all[3].member(), all[4].member()
	all[3].leave()
	w.kill(all[4])
	w.run(w.now + calm)
	w.whole()
	w.noticed = nil
	require.NoError(t, w.wrong, "seed %d", seed)
	require.NotEmpty(t, seen)
	return w, seen, former, dead
}

// hand gives a program a message, and returns how many messages it sends then. What it keeps stays within its bounds.
func (w *world) hand(t *testing.T, p *program, via wire.PlayerID, m *wire.ExtensionView) (sent int) {
	t.Helper()
	w.noticed = func(q *program, e view.Effect) {
		if _, ok := e.(view.Send); ok && p == q {
			sent++
		}
	}
	p.core.Handle(w.now, via, m)
	p.after()
	w.noticed = nil
	for what, n := range p.core.Kept() {
		if most, ok := view.Bounds[what]; ok {
			require.LessOrEqual(t, n, most, what)
		}
	}
	require.NoError(t, w.wrong)
	return sent
}

// TestHostile has strangers, a program that left, and programs that speak as members and as others that were lost send the members of a
// session every step, with all fields made up. None of it changes anything, and each message costs few.
func TestHostile(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300) / 60) {
		w, seen, former, dead := hostile(t, seed)
		w.closed = true
		was := map[*program]*playerlist.List{}
		v, members := w.leader().core.View(), w.leader().core.Members()
		for _, p := range w.in() {
			was[p] = reload(p.list)
		}
		total, most, given := 0, 0, 0
		for range 300 {
			for step := range wire.ViewUnvouched + 2 {
				p := w.in()[w.r.IntN(len(w.in()))]
				m := w.made(step, seen)
				o := members[w.r.IntN(len(members))]
				froms := []wire.ViewMember{{System: o.System, Incarnation: wire.Incarnation(1 + w.r.IntN(9))}, {Incarnation: wire.Incarnation(w.r.Uint64())},
					former, dead, o}
				m.From = froms[w.r.IntN(len(froms))]
				m.From.Stream = address(6 + w.r.IntN(60)) // where the others are it cannot be
				if m.From.System == 0 || w.chance(30) {
					m.From.System = []wire.PlayerID{o.System, former.System, 0x123}[w.r.IntN(3)]
				}
				if w.chance(30) {
					m.Members = append(m.Members, m.From, p.member())
					m.View.Incarnation, m.View.Leader = m.From.Incarnation, m.From.System
				}
				n := w.hand(t, p, 0, m)
				total, most, given = total+n, max(most, n), given+1
				require.LessOrEqual(t, n, 2, "%v", m)
			}
			w.run(w.now + time.Duration(w.r.IntN(400))*time.Millisecond)
			require.NoError(t, w.wrong, "seed %d", seed)
		}
		assert.Less(t, total, given)
		w.run(w.now + calm)
		w.whole()
		require.NoError(t, w.wrong, "seed %d", seed)
		assert.Equal(t, v, w.leader().core.View(), "seed %d", seed)
		assert.Equal(t, members, w.leader().core.Members(), "seed %d", seed)
		for _, p := range w.in() {
			assert.Empty(t, playerlist.Diff(was[p], p.list), "seed %d", seed)
		}
		t.Logf("seed %d: %d messages cost %d, one at most %d", seed, given, total, most)
	}
}

// TestHostileMember has a member send every step, with all fields made up, for itself and as if it passed them on. It may have another view
// begin, rarely. Nobody else leaves the session, and what the others said stands. It does not say that it leads: a leader may do anything.
func TestHostileMember(t *testing.T) {
	for seed := range uint64(testkit.Number(t, "DPLAY_VIEW_SEEDS", 300) / 60) {
		w, seen, former, dead := hostile(t, seed)
		var liar *program
		for _, p := range w.in() {
			if !p.core.Leads() {
				liar = p
			}
		}
		w.liar = liar
		epoch, began := w.leader().core.View().Epoch, w.now
		for range 300 {
			for step := range wire.ViewUnvouched + 2 {
				m := w.made(step, seen)
				m.From = liar.member()
				if w.chance(30) && view.Passes(step) {
					o := []wire.ViewMember{former, dead, {Incarnation: wire.Incarnation(1 + w.r.IntN(9))}, w.leader().member()}
					m.From = o[w.r.IntN(len(o))]
					m.From.Stream = address(6 + w.r.IntN(60))
				}
				if w.chance(50) {
					m.View = liar.core.View()
				}
				if m.View.Incarnation == liar.inc {
					m.View.Incarnation++
				}
				p := w.in()[w.r.IntN(len(w.in()))]
				if p == liar {
					continue
				}
				n := w.hand(t, p, p.peer(liar), m)
				require.LessOrEqual(t, n, 6*1024, "%v", m)
			}
			w.run(w.now + time.Duration(w.r.IntN(400))*time.Millisecond)
			require.NoError(t, w.wrong, "seed %d", seed)
		}
		changes := int(w.leader().core.View().Epoch - epoch)
		assert.LessOrEqual(t, changes, 3*16+int((w.now-began)/(2*period)), "seed %d", seed)
		w.run(w.now + calm)
		w.whole()
		require.NoError(t, w.wrong, "seed %d", seed)
		assert.Len(t, w.leader().core.Members(), 4, "seed %d", seed)
		t.Logf("seed %d: %d epochs", seed, changes)
	}
}

// count returns how many of some messages are of a step.
func count(all []view.Send, step wire.ViewStep) (n int) {
	for _, s := range all {
		if s.Message.Step == step {
			n++
		}
	}
	return n
}

// TestRates: however often a member or a stranger asks, a core changes its view, sends its list and asks others a few times.
func TestRates(t *testing.T) {
	x := newEnemy(t, 4, 7)
	leader, liar := x.at, x.w.at[1]
	v := leader.core.View()
	var sent []view.Send
	ask := func(n int, m wire.ExtensionView, next func(int, *wire.ExtensionView)) []view.Send {
		sent = nil
		m.From = liar.member()
		for i := range n {
			if next != nil {
				next(i, &m)
			}
			sent = append(sent, x.tell(liar.self, m)...)
		}
		return sent
	}
	assert.Equal(t, 8, count(ask(100, wire.ExtensionView{Step: wire.ViewBehind, View: v}, nil), wire.ViewInstall))
	x.run(2 * period)
	own := wire.ExtensionView{Step: wire.ViewOwn, View: v, Index: leader.core.List().Version()}
	e := systemEntry(liar.self, 1)
	e.System = liar.self
	own.Ops = [][]byte{packed(t, 1, playerlist.AddPlayer{Entry: e})}
	assert.Equal(t, 8, count(ask(100, own, nil), wire.ViewLog))

	x.at = x.w.at[2]
	storm := ask(200, wire.ExtensionView{Step: wire.ViewPrepare, Members: leader.core.Members()}, func(i int, m *wire.ExtensionView) {
		m.View = wire.View{Epoch: v.Epoch + 10 + uint32(i), Leader: liar.self, Incarnation: liar.inc}
	})
	assert.Equal(t, 16, count(storm, wire.ViewAck))

	x = newEnemy(t, 4, 7)
	liar = x.w.at[1]
	p := x.join()
	sent = ask(200, wire.ExtensionView{Step: wire.ViewRefuse, View: p.View}, func(_ int, m *wire.ExtensionView) {
		if k := count(sent, wire.ViewPrepare); k > 0 {
			m.View = sent[len(sent)-1].Message.View
		}
		m.Place = m.View
		m.Place.Epoch++
	})
	assert.LessOrEqual(t, count(sent, wire.ViewPrepare), 16*4)
	assert.Positive(t, count(sent, wire.ViewPrepare))

	x = newEnemy(t, 3, 7)
	began, joins := x.w.now, 0
	for range 100 {
		s := x.at.list.Session()
		joins += min(1, count(x.tell(0, wire.ExtensionView{Step: wire.ViewJoin, Ops: [][]byte{packed(t, 0, playerlist.SetDesc{Session: s})}}), wire.ViewPrepare))
		x.run(2 * probe)
	}
	assert.LessOrEqual(t, joins, 16+1+int((x.w.now-began)/(8*period)))
	assert.Greater(t, joins, 10)
}

// TestProofs: strangers have few programs asked, and are not in the way of a member that was lost.
func TestProofs(t *testing.T) {
	x := newEnemy(t, 4, 7)
	dead := x.w.at[3]
	x.w.kill(dead)
	x.run(10 * time.Second)
	require.Len(t, x.at.core.Lost(), 1)
	asks := 0
	for n := range 200 {
		x.me.Incarnation = wire.Incarnation(0x1000 + n)
		asks += count(x.tell(0, wire.ExtensionView{Step: wire.ViewClaim, View: wire.View{Epoch: 9}, Members: []wire.ViewMember{x.w.at[1].member()}}), wire.ViewAsk)
	}
	assert.Equal(t, 16, asks)
	claim := x.tell(0, wire.ExtensionView{Step: wire.ViewClaim, From: dead.member(), View: wire.View{Epoch: 9}, Members: []wire.ViewMember{dead.member()}})
	assert.Equal(t, 1, count(claim, wire.ViewAsk))
}

// TestClaims: a leader that lost many sends few of them a CLAIM at once, and all of them one in time.
func TestClaims(t *testing.T) {
	x := newEnemy(t, 30, 90)
	for _, p := range x.w.in()[2:] {
		if p != x.at {
			x.w.kill(p)
		}
	}
	at, of := map[time.Duration]int{}, map[wire.Incarnation]bool{}
	x.w.noticed = func(p *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && p == x.at && s.Message.Step == wire.ViewClaim {
			at[x.w.now]++
			of[s.To.Incarnation] = true
		}
	}
	x.run(calm)
	for _, n := range at {
		assert.LessOrEqual(t, n, 16)
	}
	assert.Len(t, of, len(x.at.core.Lost()))
	assert.Greater(t, len(of), 16)
}

// TestSuspicionStays: a member that passes on a message as that of a leader which does not answer does not make it answer.
func TestSuspicionStays(t *testing.T) {
	x := newEnemy(t, 4, 7)
	leader := x.at.member()
	x.at = x.w.at[1]
	x.at.core.Suspect(x.w.now, leader.System)
	x.at.core.Take()
	x.tell(x.w.at[2].self, wire.ExtensionView{Step: wire.ViewClaim, From: leader, View: x.at.core.View()})
	x.tell(x.w.at[2].self, wire.ExtensionView{Step: wire.ViewUnvouched, From: leader, View: x.at.core.View()})
	assert.Equal(t, 1, x.at.core.Kept()["suspected"])
}

// TestFollowersAreTold: a leader that was let into another part tells who still follows it, and nobody else.
func TestFollowersAreTold(t *testing.T) {
	x := newEnemy(t, 4, 7)
	leader, follower := x.at.member(), x.w.at[1].member()
	old := x.at.core.View()
	x.at.core.AskIn(x.w.now, x.me)
	mine := wire.View{Epoch: old.Epoch + 5, Leader: x.me.System, Incarnation: x.me.Incarnation}
	both := []wire.ViewMember{x.me, leader}
	var ack *wire.ExtensionView
	for _, s := range x.tell(0, wire.ExtensionView{Step: wire.ViewPrepare, View: mine, Members: both}) {
		if s.Message.Step == wire.ViewAck {
			ack = s.Message
		}
	}
	require.NotNil(t, ack)
	m := x.list(wire.ExtensionView{Step: wire.ViewInstall, View: mine, Place: mine, Index: 2, Nonce: ack.Base, Members: both})
	e := systemEntry(leader.System, x.at.n)
	e.System = leader.System
	m.Ops = append(m.Ops, packed(t, 2, playerlist.AddPlayer{Entry: e}))
	m.From = x.me
	x.at.core.Handle(x.w.now, 0, &m)
	require.Equal(t, mine, x.at.core.View())
	x.at.core.Take()
	for _, from := range []wire.ViewMember{follower, {System: 1, Incarnation: 0x99, Stream: address(50)}} {
		x.at.core.Handle(x.w.now, 0, &wire.ExtensionView{Step: wire.ViewPosition, From: from, View: old, Index: 1})
		told := 0
		for _, e := range x.at.core.Take() {
			if s, ok := e.(view.Send); ok && s.Message.Step == wire.ViewUnvouched {
				told++
				assert.Equal(t, follower, s.To)
				assert.Equal(t, x.me.Incarnation, s.Message.From.Incarnation)
			}
		}
		assert.Equal(t, from == follower, told == 1)
	}
}

// TestAnswersAtAMember: who states the listener of a member has the member asked, at most eight times in a period. The member stays unless
// another program returns the nonce, which only the listener was sent.
func TestAnswersAtAMember(t *testing.T) {
	for name, c := range map[string]struct {
		nonce uint32 // added to the one that was sent
		stays bool
	}{"guesses": {1, true}, "has the listener": {0, false}} {
		x := newEnemy(t, 3, 1)
		victim := x.w.at[1].self
		asks := 0
		for range 20 {
			for _, s := range x.tell(0, wire.ExtensionView{Step: wire.ViewPosition}) {
				require.Equal(t, wire.ViewAsk, s.Message.Step)
				assert.Equal(t, victim, s.To.System)
				x.tell(0, wire.ExtensionView{Step: wire.ViewAnswer, Nonce: s.Message.Nonce + c.nonce})
				asks++
			}
		}
		assert.Contains(t, []int{1, 8}, asks, name)
		x.run(time.Second)
		_, in := x.at.core.List().Look(victim)
		assert.Equal(t, c.stays, in, name)
		assert.Equal(t, c.stays, asks == 8, name)
		assert.Empty(t, x.at.core.Lost(), name)
	}
}

// TestMistaken: a program that is addressed like a member tells where it is, at most eight times in a period.
func TestMistaken(t *testing.T) {
	x := newEnemy(t, 3, 7)
	told := 0
	for _, m := range []wire.ExtensionView{{Step: wire.ViewLog}, {Step: wire.ViewPrepare}} {
		for range 20 {
			for _, s := range x.tell(0, m) {
				require.Equal(t, wire.ViewPosition, s.Message.Step)
				assert.Equal(t, x.me.Stream, s.To.Stream)
				told++
			}
		}
	}
	assert.Equal(t, 8, told)
	assert.Empty(t, x.tell(0, wire.ExtensionView{Step: wire.ViewPosition}), "nobody answers an answer")
}

// TestMembersAnswerLeaders: a member names its leader to one that sends it a CLAIM, but not to a member of another session, which would name
// its own in turn.
func TestMembersAnswerLeaders(t *testing.T) {
	x := newEnemy(t, 2, 60)
	leads := x.at
	x.at = slices.DeleteFunc(x.w.in(), func(p *program) bool { return p == leads })[0]
	other := wire.ViewMember{System: 0x66660000, Incarnation: 0x6666, Stream: address(61), Datagram: address(61)}
	for _, leader := range []wire.ViewMember{x.me, other} {
		answers := 0
		for _, m := range x.tell(0, wire.ExtensionView{Step: wire.ViewClaim, Members: []wire.ViewMember{leader, x.me},
			View: wire.View{Epoch: 1, Leader: leader.System, Incarnation: leader.Incarnation}}) {
			if m.Message.From.Incarnation == x.at.inc {
				assert.Equal(t, x.me.Incarnation, m.To.Incarnation)
				answers++
			} else {
				assert.Equal(t, leads.inc, m.To.Incarnation, "it is passed on")
			}
		}
		assert.Equal(t, leader == x.me, answers == 1)
	}
}

// TestDeletedAfterPromise: a player that a member deletes after its promise does not come back with the view.
func TestDeletedAfterPromise(t *testing.T) {
	x := newEnemy(t, 3, 60)
	x.w.mended = true
	maker := slices.DeleteFunc(x.w.in(), func(p *program) bool { return p == x.at })[0]
	const id = wire.PlayerID(0x80000010)
	require.True(t, maker.do(playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: maker.self}}))
	x.run(3 * period)
	view := x.join()
	x.run(probe / 4)
	require.True(t, maker.core.Frozen())
	require.True(t, maker.do(playerlist.DeletePlayer{ID: id}))
	x.run(probe / 4)
	lists := func() bool { _, there := x.at.list.Look(id); return there }
	require.False(t, lists())
	x.tell(0, x.ack(view))
	require.Equal(t, view.View, x.at.core.View())
	assert.False(t, lists())
}

// TestPromisesNameStrangers: a member whose promise names programs that nobody knows delays a view a few times, and not for ever.
func TestPromisesNameStrangers(t *testing.T) {
	x := newEnemy(t, 4, 7)
	liar := x.w.at[1].member()
	last := x.join()
	views := map[wire.View]bool{}
	noticed := func(p *program, e view.Effect) {
		if s, ok := e.(view.Send); ok && p == x.at && s.Message.Step == wire.ViewPrepare && s.To.Incarnation == liar.Incarnation {
			last = s.Message
		}
	}
	for last != nil && len(views) < 100 {
		p := last
		views[p.View], last = true, nil
		m := wire.ExtensionView{Step: wire.ViewAck, From: liar, View: p.View, Nonce: p.Nonce,
			Place: wire.View{Epoch: 1, Leader: liar.System, Incarnation: liar.Incarnation}}
		for k := range 100 {
			k += 100 * len(views)
			m.Members = append(m.Members, wire.ViewMember{System: wire.PlayerID(0x1000000 + k), Incarnation: wire.Incarnation(0x10000 + k), Stream: address(70)})
		}
		strangers := 0
		for _, s := range x.tell(liar.System, m) {
			noticed(x.at, s)
			if s.To.System&0xff000000 == 0x1000000 && s.Message.Step == wire.ViewPrepare {
				strangers++
			}
		}
		assert.LessOrEqual(t, strangers, 16*len(views))
		x.w.noticed = noticed
		for n := 0; n < 20 && last == nil; n++ {
			x.run(probe / 10)
		}
		x.w.noticed = nil
	}
	assert.Greater(t, len(views), 10)
	assert.Less(t, len(views), 20)
}

// TestRefusesAlways: a member that refuses every PREPARE, because it states that its leader answers, delays the next leader a few times, and
// not for ever.
func TestRefusesAlways(t *testing.T) {
	x := newEnemy(t, 3, 7)
	x.w.kill(x.at)
	x.at = x.w.at[1]
	liar := x.w.at[2]
	refused := 0
	x.w.noticed = func(p *program, e view.Effect) {
		s, ok := e.(view.Send)
		switch {
		case ok && p == x.at && s.Message.Step == wire.ViewPrepare:
			refused++
			m := &wire.ExtensionView{Step: wire.ViewRefuse, From: liar.member(), View: s.Message.View, Index: 1}
			x.w.after(probe/10, func() { p.core.Handle(x.w.now, liar.self, m); p.after() })
			s.Message.Step = 0
		case ok && p == liar:
			s.Message.Step = 0
		}
	}
	for began := x.w.now; !x.at.core.Leads() && x.w.now < began+500*period; {
		x.w.run(x.w.now + period)
		x.w.wrong = nil // the liar throws out the others
	}
	assert.True(t, x.at.core.Leads())
	assert.Greater(t, refused, 10)
	assert.Less(t, refused, 40)
}

// TestLostChangesViews: a program that was lost, and answers, has the view changed a few times if it promises nothing. It counts for all that
// it names as its leaders.
func TestLostChangesViews(t *testing.T) {
	x := newEnemy(t, 4, 7)
	dead := x.w.at[3].member()
	x.w.kill(x.w.at[3])
	x.run(10 * period)
	require.Len(t, x.at.core.Lost(), 1)
	began, views := x.w.now, 0
	for n := range 60 {
		leader := wire.ViewMember{System: 0x66660000, Incarnation: wire.Incarnation(0x6666 + n), Stream: address(61)}
		v := wire.View{Epoch: 1, Join: 99, Leader: leader.System, Incarnation: leader.Incarnation}
		asked := x.tell(0, wire.ExtensionView{Step: wire.ViewClaim, From: dead, View: v, Members: []wire.ViewMember{leader, dead}})
		for _, from := range []wire.ViewMember{dead, leader} {
			require.Equal(t, 1, count(asked, wire.ViewAsk))
			asked = x.tell(0, wire.ExtensionView{Step: wire.ViewAnswer, From: from, Nonce: asked[0].Message.Nonce, View: v, Members: []wire.ViewMember{leader, dead}})
		}
		views += min(1, count(asked, wire.ViewPrepare))
		x.run(2 * probe)
	}
	assert.LessOrEqual(t, views, 16+1+int((x.w.now-began)/(8*period)))
	assert.Greater(t, views, 10)
	assert.Len(t, x.at.core.Members(), 3)
}

// TestManyAreLost: a leader keeps nothing of members that were lost long ago, although the view is the same.
func TestManyAreLost(t *testing.T) {
	x := newEnemy(t, 2, 7)
	core, now, v := x.at.core, x.w.now, x.at.core.View()
	for n := range 300 {
		m := wire.ViewMember{System: wire.PlayerID(0x1000000 + n), Incarnation: wire.Incarnation(0x10000 + n), Stream: address(70)}
		m.Stream.Port += uint16(n)
		e := systemEntry(m.System, 70)
		e.System = m.System
		core.Did(now, m.System, playerlist.AddPlayer{Entry: e})
		core.Meet(now, m)
		core.Suspect(now, m.System)
		core.Did(now, x.at.self, playerlist.DeletePlayer{ID: m.System})
		now += period
		core.Tick(now)
		core.Take()
	}
	require.Equal(t, v, core.View())
	kept := core.Kept()
	assert.Equal(t, 256, kept["lost"])
	assert.Equal(t, 256, kept["claims"])
	assert.Less(t, kept["suspected"], 10)
}

// TestOwnListener: a leader that knows its listener removes another machine that is listed there, because no other program is there.
func TestOwnListener(t *testing.T) {
	x := newEnemy(t, 3, 7)
	x.w.kill(x.at)
	x.run(10 * period)
	x.at = x.w.leader()
	const former = wire.PlayerID(0x5000)
	x.at.core.Did(x.w.now, former, playerlist.AddPlayer{Entry: systemEntry(former, x.at.n)})
	x.at.core.Take()
	x.at.core.Tick(x.w.now + period)
	assert.Contains(t, x.at.core.Take(), view.Effect(view.Lose{ID: former, Reason: "its program began anew", Anew: true}))
}
