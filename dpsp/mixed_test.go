package dpsp

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A mixedWorld is a session with legacy members, and has what is sent to these over connections.
type mixedWorld struct {
	*world
	n    []*node
	sent []string       // octets
	says []wire.Message // the same, decoded
}

// newMixed makes a session of which the machines at some places are legacy ones.
func newMixed(t *testing.T, machines int, legacy ...int) *mixedWorld {
	t.Helper()
	m := &mixedWorld{world: newWorld(t)}
	m.cut = func(_, to *node, out Outgoing) bool {
		if to == nil || !to.cfg.Legacy || out.Transport != TCP {
			return false
		}
		d := wire.Decoder{}
		env, err := d.DecodeStream(out.Data)
		require.NoError(t, err)
		assert.NotEqual(t, wire.CmdExtension, env.Message.Command())
		octets := bytes.ReplaceAll(out.Data, []byte("dplay4\x01"), []byte("dplay4\x00")) // but for the mark
		m.sent, m.says = append(m.sent, to.name+" "+hex.EncodeToString(octets)), append(m.says, env.Message)
		return false
	}
	for i := range machines {
		cfg := Config{Period: time.Second, Probes: 3, Legacy: slices.Contains(legacy, i)}
		p := m.add(string(rune('a'+i)), cfg)
		if m.n = append(m.n, p); i == 0 {
			m.must(p, Host{Application: gameGUID, Name: "Game", Flags: migrating})
		} else {
			m.join(p, m.n[0], "")
		}
		m.must(p, CreatePlayer{ShortName: Text(p.name)})
		m.run(m.now + time.Second)
	}
	return m
}

// commands returns the commands of what legacy machines got.
func (m *mixedWorld) commands() (all []wire.Command) {
	for _, x := range m.says {
		all = append(all, x.Command())
	}
	return all
}

func (m *mixedWorld) forget() { m.sent, m.says = nil, nil }

// pass lets time pass in which lost machines are noticed.
func (m *mixedWorld) pass() { m.run(m.now + 20*time.Second) }

// recorded returns the octets that legacy members got in a session before there were views.
func recorded(t *testing.T, what string, legacy []int) (all []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/legacy.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if octets, is := strings.CutPrefix(line, fmt.Sprintf("%s %v ", what, legacy)); is {
			all = append(all, strings.TrimSpace(octets))
		}
	}
	return all
}

// A legacy member gets the octets that it got before there were views while machines join and leave, whoever is host.
func TestLegacyMemberSeesTheSame(t *testing.T) {
	for _, legacy := range [][]int{{1}, {0}, {1, 3}, {3}} {
		m := newMixed(t, 5, legacy...)
		g := m.must(m.n[2], CreateGroup{ShortName: "group"})
		m.must(m.n[2], SetData{ID: g, Data: []byte("data")})
		m.must(m.n[4], Leave{})
		m.run(m.now + 5*time.Second)
		assert.Equal(t, recorded(t, "joins", legacy), m.sent, legacy)
		agree(t, m.n[:4], 4)
	}
}

// The next host is the machine with the lowest id, and a legacy member gets of it what it got before there were views.
func TestMixedHostKilled(t *testing.T) {
	for _, legacy := range [][]int{{1}, {2}, {0}, {0, 2}, {3}} {
		m := newMixed(t, 4, legacy...)
		m.pass()
		m.forget()
		want := byID(m.n[1:])[0]
		m.kill(m.n[0])
		m.pass()
		agree(t, m.n[1:], 3)
		if legacy[0] != 0 { // after a legacy host this view's leader is next, not the modern machine with the lowest id
			assert.ElementsMatch(t, recorded(t, "kill", legacy), m.sent, legacy)
		}
		if want.cfg.Legacy {
			assert.True(t, want.hosting(), legacy)
		}
		m.must(m.n[3], CreatePlayer{ShortName: "another"})
		agree(t, m.n[1:], 4)
	}
}

// A legacy host throws a member out, which leads the others' view: these go on without it.
func TestLegacyHostThrowsLeaderOut(t *testing.T) {
	m := newMixed(t, 4, 0)
	m.pass()
	require.True(t, m.n[1].views.core.Leads())
	for _, p := range m.n[1:] { // the one that it is about takes it for itself
		m.say(m.n[0], p, &wire.DeletePlayer{Player: m.n[1].self})
	}
	m.settle()
	m.pass()
	assert.Len(t, eventsOf[SessionLost](m.n[1].events), 1)
	agree(t, []*node{m.n[0], m.n[2], m.n[3]}, 3)
	assert.True(t, byID(m.n[2:])[0].views.core.Leads())
	assert.Len(t, m.n[2].views.core.Members(), 2)
}

// Modern machines of two parts come together. A legacy member of the part whose host stays hears of those who come over; one of the
// other part is told that it is dead.
func TestMixedMerge(t *testing.T) {
	for _, with := range []int{0, 2} { // the legacy member is in the part of this machine
		m := newMixed(t, 5, 1)
		m.pass()
		watch := m.cut
		apart := func(p *node) bool { return slices.Contains(m.n[2:], p) || p == m.n[1] && with == 2 }
		m.cut = func(from, to *node, out Outgoing) bool {
			return to != nil && apart(from) != apart(to) || watch(from, to, out)
		}
		m.run(m.now + 30*time.Second)
		assert.True(t, m.n[0].hosting() && m.n[4].hosting(), with)
		m.cut = watch
		m.forget()
		m.run(m.now + 60*time.Second)
		modern := append([]*node{m.n[0]}, m.n[2:]...)
		if slices.Contains(m.commands(), wire.CmdYouAreDead) {
			assert.Len(t, eventsOf[SessionLost](m.n[1].events), 1, with)
			agree(t, modern, 4)
			continue
		}
		assert.Contains(t, m.commands(), wire.CmdAddForward, with)
		assert.Contains(t, m.commands(), wire.CmdCreatePlayer, with)
		agree(t, m.n, 5)
	}
}
