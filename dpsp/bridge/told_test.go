package bridge

import (
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/bridge/plan"
)

// TestTwins: of machines with one name it is told that there are others, also of one that has just left.
func TestTwins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 2)
		for _, name := range []string{"m1", "", ""} {
			c, err := start(t, hub, all[0].code(), Options{Name: name})
			require.NoError(t, err)
			all = append(all, c)
		}
		pass(time.Second)
		twins := func() (list []bool) {
			for _, m := range all[0].session.Members() {
				list = append(list, m.Twin)
			}
			return list
		}
		assert.Equal(t, []bool{false, true, true, false, false}, twins())
		assert.True(t, told[Joined](all[0])[1].Member.Twin)
		end(all[2:3])
		pass(time.Second)
		assert.True(t, told[Left](all[0])[0].Member.Twin)
		assert.Equal(t, make([]bool, 4), twins())
		end(all)
	})
}

// TestGameHosts has games of other machines be host, and of this one.
func TestGameHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 3)
		c := all[0]
		say := func(slots ...int) (hosts []bool) {
			c.mu.Lock()
			c.hosts = slots
			c.mu.Unlock()
			pass(time.Second)
			for _, m := range c.session.Members() {
				hosts = append(hosts, m.Hosts)
			}
			return hosts
		}
		assert.Equal(t, []bool{false, true, false}, say(1))
		assert.Equal(t, []bool{true, true, false}, say(0, 1))
		assert.Equal(t, []bool{true, false, false}, say(0))
		assert.Equal(t, []bool{false, false, true}, say(2))
		var list []string
		for _, e := range told[GameHosts](c) {
			list = append(list, e.Member.Name, map[bool]string{true: "on", false: "off"}[e.Member.Hosts])
		}
		assert.Equal(t, []string{"m1", "on", "m1", "off", "m2", "on"}, list)
		end(all)
	})
}

// TestRelaysTold has relays answer, or not, at first and later.
func TestRelaysTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 1)
		require.Len(t, told[RelayFound](all[0]), 1)
		up := func(name string) link.Relay {
			return link.Relay{Name: name, Transport: "udp", Relayed: netip.MustParseAddrPort("192.0.2.1:1")}
		}
		down := func(name string) link.Relay { return link.Relay{Name: name, Err: errors.New("silence")} }
		for _, now := range [][]link.Relay{
			{up("a"), {Name: "b"}, {Name: "c"}}, {up("a"), down("b"), up("c")}, {down("a"), down("b"), up("c")},
			{up("a"), down("b"), down("c")}, {down("a"), down("b"), down("c")}, {up("a"), up("b"), down("c")},
		} {
			all[0].mu.Lock()
			all[0].relays = now
			all[0].mu.Unlock()
			pass(time.Second)
		}
		assert.Equal(t, []RelayFound{{"a", "udp", false}, {"c", "udp", false}, {"a", "udp", true}, {"a", "udp", true},
			{"b", "udp", true}}, told[RelayFound](all[0])[1:])
		assert.Equal(t, []RelayLost{{"b", false, 2, "silence"}, {"a", true, 1, "silence"}, {"c", true, 1, "silence"},
			{"a", true, 0, "silence"}}, told[RelayLost](all[0]))
		end(all)
	})
}

// TestFailure says why a session cannot be had.
func TestFailure(t *testing.T) {
	up := link.Relay{Name: "up", Relayed: netip.MustParseAddrPort("192.0.2.1:1")}
	down := link.Relay{Name: "down", Err: errors.New("silence")}
	for _, c := range []struct {
		end    plan.End
		relays []link.Relay
		is     error
		text   string
	}{
		{plan.End{Reason: plan.Nobody}, []link.Relay{up}, ErrEmpty, "nobody of the session answers any more, though the relay does"},
		{plan.End{Reason: plan.Nobody}, []link.Relay{up, down}, link.ErrNobody, "nobody of the session answers: relay down: silence"},
		{plan.End{Reason: plan.Nobody, Text: "odd"}, []link.Relay{up}, link.ErrNobody, "nobody of the session answers: odd"},
		{plan.End{Reason: plan.Refused}, nil, ErrNotLetIn, "this machine was not let in: somebody in the session said no"},
		{plan.End{Reason: plan.Refused, Text: "nobody said yes"}, nil, ErrNotLetIn, "this machine was not let in: nobody said yes"},
		{plan.End{Reason: plan.Cut, Text: "x"}, nil, ErrNotLetIn, "this machine was not let in"},
		{plan.End{Reason: plan.Kicked, Text: "be nice"}, nil, ErrSentAway, "this machine was sent away: be nice"},
		{plan.End{Reason: plan.Kicked}, nil, ErrSentAway, "this machine was sent away"},
		{plan.End{Reason: plan.Full}, nil, ErrFull, ErrFull.Error()},
		{plan.End{Reason: plan.Later}, nil, ErrLater, ErrLater.Error()},
		{plan.End{Reason: plan.Left}, nil, link.ErrClosed, link.ErrClosed.Error()},
	} {
		l := &loop{net: &network{c: &computer{relays: c.relays}}}
		err := l.failure(c.end)
		assert.ErrorIs(t, err, c.is)
		assert.EqualError(t, err, c.text)
	}
}
