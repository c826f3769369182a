package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// asMember returns a machine as the cores of others know it.
func (n *node) asMember() wire.ViewMember {
	k := n.views.core.Members()
	for _, m := range k {
		if m.System == n.self {
			return m
		}
	}
	return wire.ViewMember{}
}

// A member that sends a PREPARE as another member, or passes one on, begins no view.
func TestViewInAnothersName(t *testing.T) {
	m := newMixed(t, true, 3)
	leader, victim, enemy := m.n[0], m.n[1], m.n[2]
	was := leader.views.core.View()
	all := leader.views.core.Members()
	require.Len(t, all, 3)
	for _, in := range []struct {
		system wire.PlayerID
		why    string
	}{{victim.self, ""}, {enemy.self, "another program than"}, {0, ""}} {
		from := victim.asMember()
		from.System = in.system
		leader.events = nil
		for _, to := range []*node{leader, victim} {
			m.say(enemy, to, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPrepare, From: from, Members: all,
				View: wire.View{Epoch: was.Epoch + 9, Leader: from.System, Incarnation: from.Incarnation}}))
			m.say(enemy, to, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPosition, From: from, View: was,
				Place: wire.View{Epoch: was.Epoch + 9, Leader: from.System, Incarnation: from.Incarnation}}))
		}
		m.settle()
		m.run(m.now + 10*time.Second)
		assert.Equal(t, was, leader.views.core.View(), in)
		if in.why != "" {
			d := eventsOf[Dropped](leader.events)
			require.NotEmpty(t, d)
			assert.Contains(t, d[0].Text, in.why)
		}
	}
	agree(t, m.n, 3)
}

// A machine whose incarnation is not known yet cannot introduce itself with that of somebody else.
func TestViewIncarnationOfAnother(t *testing.T) {
	m := newMixed(t, true, 3)
	leader, victim, enemy := m.n[0], m.n[1], m.n[2]
	p := leader.peerByID(enemy.self)
	was := p.incarnation
	p.incarnation = 0
	from := victim.asMember()
	from.System = enemy.self
	m.say(enemy, leader, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPosition, From: from, View: leader.views.core.View()}))
	m.settle()
	m.run(m.now + 10*time.Second)
	assert.Equal(t, was, p.incarnation)
	agree(t, m.n, 3)
}
