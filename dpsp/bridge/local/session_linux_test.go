package local

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
)

// TestSession has four games on machines of their own play together, as if they were on one: the search at 127.0.0.1 and by
// broadcast, chat, large messages each way, the host's death, and a newcomer who finds the new one.
func TestSession(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := session(t, hub, 4)
	var games []*game
	m[2].card() // bob asks everybody there
	for i, x := range m[:3] {
		g := x.game("ours")
		assert.Equal(t, At(i), g.ports)
		games = append(games, g)
	}
	host, ann, bob := games[0], games[1], games[2]
	host.does("host")
	m[0].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	hosts := func(slots ...int) {
		for _, x := range m {
			testkit.Until(t, func() bool { return slices.Equal(slots, x.local.Hosts()) }, "the hosts %v in slot %d", slots, x.slot)
		}
	}
	hosts(0)
	ann.does("join 127.0.0.1 ann")
	m[1].reports(event(Searching{}))
	m[1].reports(event(Playing{On: true}))
	bob.does("join * bob")
	know(games, "host", "ann", "bob")
	for i, g := range games {
		g.does(fmt.Sprint("chat it is ", i))
		g.does(fmt.Sprint("send ", 60000+i))
		g.does(fmt.Sprint("throw ", 1000+i))
		for k, other := range games {
			if i != k {
				other.waits(fmt.Sprint("chat it is ", i))
				other.gets(60000 + i)
				other.gets(1000 + i)
			}
		}
	}

	host.kill()
	ann.waits("newhost true")
	bob.waits("newhost false")
	ann.waits("gone host")
	bob.waits("gone host")
	m[0].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && !h.On })
	m[1].reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	hosts(1)
	late := m[3].game("ours")
	late.does("join 127.0.0.1 late")
	ann.waits("player late")
	bob.waits("player late")
	late.does("send 5000")
	ann.gets(5000)
	bob.gets(5000)
}

// TestCutOff: the host's machine is cut off. The other games notice by their connections, at once, and one of them is host.
func TestCutOff(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	host, ann, bob := m[0].game("ours"), m[1].game("ours"), m[2].game("ours")
	host.does("host")
	ann.does("join 127.0.0.1 ann")
	bob.does("join 127.0.0.1 bob")
	ann.waits("player bob")
	m[0].net.Kill()
	ann.waits("newhost true")
	bob.waits("newhost false")
	talk([]*game{ann, bob})
}

// TestOtherGames: games that know nothing of our extension, and a session with the reliable protocol, in which datagrams are
// frames.
func TestOtherGames(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ kind, host string }{{"legacy", "host"}, {"ours", "host reliable"}, {"legacy", "host reliable"}} {
		t.Run(x.kind+" "+x.host, func(t *testing.T) {
			t.Parallel()
			m := session(t, linktest.New(), 3)
			all := []*game{m[0].game(x.kind), m[1].game(x.kind), m[2].game(x.kind)}
			all[0].does(x.host)
			all[1].does("join 127.0.0.1 ann")
			all[2].does("join 127.0.0.1 bob")
			know(all, "host", "ann", "bob")
			talk(all)
			all[0].does("send 60000")
			all[2].gets(60000)
			all[0].kill()
			lines := []string{all[1].waits("newhost"), all[2].waits("newhost")}
			assert.ElementsMatch(t, []string{"newhost true", "newhost false"}, lines) // which, the ids say
			talk(all[1:])
		})
	}
}
