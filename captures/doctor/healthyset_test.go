package doctor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

const (
	keeps    = wire.SessionKeepAlive
	migrates = wire.SessionKeepAlive | wire.SessionMigrateHost
	framing  = migrates | wire.SessionDirectPlayProtocol
)

// two plays a session of a host and a joiner: long enough that one half of it is a session as well.
func two(flags wire.SessionFlags, change ...func(*dpsp.Host)) func(*scene) {
	return func(s *scene) {
		h := s.open("1").hosts(flags, change...)
		require.NoError(s.t, h.plays())
		s.goesOn(h, s.open("2").joins("", ""))
	}
}

// goesOn has members play, be silent for a while, and leave.
func (s *scene) goesOn(members ...*member) {
	s.talks(10, members...)
	s.passes(40 * time.Second)
	s.talks(3, members...)
	s.leave(members...)
}

// busy has a machine take so many milliseconds until it reads each of the datagrams that come, again and again. It reads them in order.
func (s *scene) busy(m *member, takes ...time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, read := -1, time.Now()
	s.latency = func(p *packet) time.Duration {
		if p.dst.Addr() != m.addr {
			return 0
		}
		n++
		if at := time.Now().Add(takes[n%len(takes)] * time.Millisecond); at.After(read) {
			read = at
		}
		return time.Until(read)
	}
}

// withPassword asks for sessions that want the password, too.
func withPassword(a *sock.Ask) {
	a.Flags, a.Password = wire.EnumAvailable|wire.EnumPasswordRequired, "sesame"
}

// kinds are all kinds of healthy sessions. They have the machines 1, which hosts, and 2.
var kinds = map[string]func(*scene){
	"a search of the network": two(keeps),
	"no keepalive":            two(0),
	"migration, not needed":   two(migrates),
	"the reliable protocol":   two(framing),
	"client and server": func(s *scene) {
		h := s.open("1").hosts(keeps | wire.SessionClientServer)
		_, err := h.Do(s.ctx, dpsp.CreatePlayer{ShortName: "server", Flags: wire.PlayerServerPlayer})
		require.NoError(s.t, err)
		s.goesOn(h, s.open("2").joins("", ""), s.open("3").joins("", ""))
	},
	"a multicast server":       two(keeps | wire.SessionMulticastServer),
	"no data messages":         two(keeps | wire.SessionNoDataMessages),
	"no message ids":           two(keeps | wire.SessionNoMessageID),
	"room for two":             two(keeps, func(h *dpsp.Host) { h.MaxPlayers = 2 }),
	"a session without a name": two(keeps, func(h *dpsp.Host) { h.Name = "" }),
	"at an address": func(s *scene) {
		h := s.open("1").hosts(keeps)
		require.NoError(s.t, h.plays())
		s.goesOn(h, s.open("2").joins("1", ""))
	},
	"a host that does not play": func(s *scene) { s.goesOn(s.open("1").hosts(keeps), s.open("2").joins("", "")) },
	"a spectator": func(s *scene) {
		h, w := s.open("1").hosts(migrates), s.open("2")
		require.NoError(s.t, h.plays())
		f, err := w.finds("")
		require.NoError(s.t, err)
		require.NoError(s.t, w.Join(s.ctx, f, ""))
		s.goesOn(h, w)
	},
	"a password": func(s *scene) {
		h := s.open("1").hosts(keeps, func(h *dpsp.Host) { h.Password = "sesame" })
		require.NoError(s.t, h.plays())
		s.goesOn(h, s.open("2").joins("", "sesame", withPassword))
	},
	"a private session": func(s *scene) {
		h := s.open("1").hosts(keeps|wire.SessionPrivate, func(h *dpsp.Host) { h.Password = "sesame" })
		s.goesOn(h, s.open("2").joins("1", "sesame", withPassword))
	},
	"a search for any game": func(s *scene) {
		h := s.open("1").hosts(keeps)
		s.goesOn(h, s.open("2").joins("", "", func(a *sock.Ask) { a.Application = wire.GUID{} }))
	},
	"two games on one machine": func(s *scene) {
		h := s.open("1").hosts(keeps)
		other := s.open("1").hosts(keeps, func(h *dpsp.Host) { h.Application, h.Name = otherGame, "Other" })
		j := s.open("2").joins("", "", func(a *sock.Ask) { a.Application = otherGame })
		s.goesOn(h, other, j, s.open("3").joins("1", ""))
	},
	"two games on one network": func(s *scene) {
		h, j, k := s.open("1").hosts(keeps), s.open("2").joins("", ""), s.open("3").joins("", "")
		other := s.open("4").hosts(keeps, func(h *dpsp.Host) { h.Application, h.Name = otherGame, "Other" })
		s.talks(2, h, j, k)
		s.goesOn(other, s.open("5").joins("", "", func(a *sock.Ask) { a.Application = otherGame }))
		s.leave(h, j, k)
	},
	"two programs on one machine": func(s *scene) {
		h := s.open("1").hosts(migrates)
		s.goesOn(h, s.open("2").joins("", ""), s.open("2").joins("1", ""))
	},
	"a joiner on the host's machine": func(s *scene) {
		h := s.open("1").hosts(migrates)
		s.goesOn(h, s.open("1").joins("1", ""), s.open("2").joins("", ""))
	},
	"eight machines": func(s *scene) {
		all := []*member{s.open("1").hosts(migrates)}
		for _, n := range []string{"2", "3", "4", "5", "6", "7", "8"} {
			all = append(all, s.open(n).joins("", ""))
		}
		s.goesOn(all...)
	},
	"members without the extension": func(s *scene) {
		legacy := func(o *sock.Options) { o.Config.Legacy = true }
		h := s.open("1", legacy).hosts(migrates)
		require.NoError(s.t, h.plays())
		s.goesOn(h, s.open("2", legacy).joins("", ""), s.open("3", legacy).joins("", ""))
	},
	"the host leaves": func(s *scene) {
		h, a, b := s.open("1").hosts(migrates), s.open("2"), s.open("3")
		a.joins("", "")
		b.joins("", "")
		s.talks(4, h, a, b)
		s.leave(h)
		s.passes(20 * time.Second)
		c := s.open("4").joins("", "")
		s.goesOn(a, b, c)
	},
	"the host leaves the reliable protocol": func(s *scene) {
		h, a := s.open("1").hosts(framing), s.open("2").joins("", "")
		b := s.open("3").joins("", "")
		s.talks(4, h, a, b)
		s.leave(h)
		s.passes(20 * time.Second)
		s.goesOn(a, b)
	},
	"leaves and comes back": func(s *scene) {
		h, j := s.open("1").hosts(migrates), s.open("2").joins("", "")
		s.talks(4, h, j)
		s.leave(j)
		require.NoError(s.t, j.Close())
		s.passes(10 * time.Second)
		s.goesOn(h, s.open("2").joins("", ""))
	},
	"hosts after a search in vain": func(s *scene) {
		h := s.open("1")
		_, err := h.finds("")
		require.Error(s.t, err)
		h.hosts(keeps)
		require.NoError(s.t, h.plays())
		s.goesOn(h, s.open("2").joins("1", ""))
	},
	"full and then room": func(s *scene) {
		h := s.open("1").hosts(keeps, func(h *dpsp.Host) { h.MaxPlayers = 2 })
		j := s.open("2").joins("", "")
		k := s.open("3").joins("", "")
		s.talks(3, h, j, k)
		s.leave(k)
		s.goesOn(h, j, s.open("4").joins("", ""))
	},
	"closed when it begins": func(s *scene) {
		h, j := s.open("1").hosts(keeps), s.open("2").joins("", "")
		d := dpsp.SetDesc{Name: "Test", Flags: keeps | wire.SessionJoinDisabled}
		require.NoError(s.t, h.SetDesc(s.ctx, d))
		s.goesOn(h, j)
	},
	"groups and data": func(s *scene) {
		h, j := s.open("1").hosts(migrates), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		g, err := j.CreateGroup(s.ctx, "team", []byte("blue"))
		require.NoError(s.t, err)
		s.passes(time.Second)
		require.NoError(s.t, j.AddToGroup(s.ctx, j.player, g))
		require.NoError(s.t, j.SetName(s.ctx, j.player, "Ann", "Ann of the team"))
		require.NoError(s.t, j.SetData(s.ctx, j.player, []byte("red")))
		require.NoError(s.t, j.Send(s.ctx, j.player, g, []byte("to the team"), true))
		s.goesOn(h, j)
	},
	"objects": func(s *scene) {
		h, j := s.open("1").hosts(migrates), s.open("2").joins("", "")
		o, err := j.CreateObject(s.ctx, []byte("a tower"))
		require.NoError(s.t, err)
		s.passes(time.Second)
		require.NoError(s.t, j.UpdateObject(s.ctx, o, []byte("a ruin")))
		s.goesOn(h, j)
	},
	"large messages": func(s *scene) {
		h, j := s.open("1").hosts(keeps), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		s.passes(time.Second)
		for range 5 {
			require.NoError(s.t, j.Send(s.ctx, j.player, h.player, make([]byte, 60000), true))
			require.NoError(s.t, h.Send(s.ctx, h.player, j.player, make([]byte, 9000), false))
			s.passes(time.Second)
		}
		s.goesOn(h, j)
	},
	"large octets that arrive late": func(s *scene) {
		h, j := s.open("1").hosts(keeps), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		s.passes(time.Second)
		away := time.Now().Add(1200 * time.Millisecond)
		s.rule(has(late, func(p *packet) bool { return len(p.data) > 600 && time.Now().Before(away) }))
		require.NoError(s.t, h.Send(s.ctx, h.player, j.player, make([]byte, 900), true))
		for range 20 {
			require.NoError(s.t, j.Send(s.ctx, j.player, h.player, []byte("a move"), false))
			s.passes(100 * time.Millisecond)
		}
	},
	"fragments": func(s *scene) {
		small := func(o *sock.Options) { o.Config.MaxDatagram, o.Config.MaxStream = 300, 400 }
		h, j := s.open("1", small).hosts(keeps), s.open("2", small).joins("", "")
		require.NoError(s.t, h.plays())
		s.passes(time.Second)
		require.NoError(s.t, j.Send(s.ctx, j.player, h.player, make([]byte, 5000), true))
		require.NoError(s.t, h.Send(s.ctx, h.player, j.player, make([]byte, 3000), false))
		s.goesOn(h, j)
	},
	"the reliable protocol, a busy joiner": func(s *scene) {
		h, j := s.open("1").hosts(framing), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		s.busy(j, 1, 1, 2, 1, 45, 1, 1, 3, 1, 180, 1, 60)
		s.goesOn(h, j)
	},
	"searches go on": func(s *scene) {
		h, j, w := s.open("1").hosts(keeps), s.open("2").joins("", ""), s.open("3")
		for range 4 {
			_, err := w.finds("")
			require.NoError(s.t, err)
			s.talks(2, h, j)
		}
		s.goesOn(h, j)
	},
	"ports of the game's own": func(s *scene) {
		own := func(o *sock.Options) {
			o.StreamPorts, o.DatagramPorts = wire.Ports{First: 31415, Last: 31415}, wire.Ports{First: 31415, Last: 31415}
		}
		h := s.open("1", own).hosts(keeps)
		s.goesOn(h, s.open("2", own).joins("", ""))
	},
}

// tolerated are the warnings and notes that a healthy recording of a kind or form may give: they say so themselves.
var tolerated = map[string]string{
	"host behind a router":                 "address-nat", // it tells the address of its router, which is right
	"joiner behind a router":               "address-nat",
	"host, what it sent alone":             "capture-incomplete",
	"joiner, what it sent alone":           "capture-incomplete",
	"the reliable protocol, a busy joiner": "sent-again-too-early",
}

// healthySet are at least forty healthy recordings. No two of them share kind and form.
var healthySet = [][2]string{
	{"a search of the network", "network"},
	{"a search of the network", "joiner"},
	{"a search of the network", "host's own"},
	{"a search of the network", "joiner, two adapters"},
	{"a search of the network", "loopback"},
	{"a search of the network", "joiner's own"},
	{"no keepalive", "joiner, from the middle"},
	{"no keepalive", "host, private addresses"},
	{"no keepalive", "host, what it sent alone"},
	{"a search of the network", "joiner, what it sent alone"},
	{"at an address", "joiner, what it sent alone"},
	{"the reliable protocol", "host, what it sent alone"},
	{"eight machines", "host, what it sent alone"},
	{"migration, not needed", "host, from the middle"},
	{"migration, not needed", "network, each packet twice"},
	{"the reliable protocol", "network"},
	{"the reliable protocol", "joiner, from the middle"},
	{"the reliable protocol", "network, each packet twice"},
	{"the reliable protocol", "joiner, a VPN"},
	{"the reliable protocol", "host's own"},
	{"client and server", "joiner"},
	{"client and server", "host, from the middle"},
	{"a multicast server", "host"},
	{"no data messages", "joiner's own"},
	{"no message ids", "network"},
	{"no message ids", "joiner, from the middle"},
	{"room for two", "host, ends early"},
	{"a session without a name", "joiner, link-local addresses"},
	{"at an address", "joiner"},
	{"at an address", "host, another VPN"},
	{"at an address", "loopback, joiner's own"},
	{"at an address", "internet, host advertises"},
	{"at an address", "internet, joiner advertises"},
	{"at an address", "host behind a router"},
	{"at an address", "joiner behind a router"},
	{"a host that does not play", "joiner, private addresses"},
	{"a spectator", "host"},
	{"a spectator", "joiner, two adapters"},
	{"a password", "network, other IPv4 addresses"},
	{"a password", "joiner, from the middle"},
	{"a private session", "host, two adapters"},
	{"a search for any game", "joiner"},
	{"two games on one machine", "network"},
	{"two games on one machine", "joiner"},
	{"two games on one network", "joiner"},
	{"two programs on one machine", "host"},
	{"a joiner on the host's machine", "host"},
	{"a joiner on the host's machine", "loopback"},
	{"eight machines", "network"},
	{"eight machines", "joiner, from the middle"},
	{"eight machines", "third"},
	{"members without the extension", "third"},
	{"the host leaves", "third"},
	{"client and server", "third"},
	{"two programs on one machine", "third's own"},
	{"members without the extension", "network"},
	{"members without the extension", "joiner"},
	{"the host leaves", "network"},
	{"the host leaves", "joiner"},
	{"the host leaves", "host's own"},
	{"the host leaves", "joiner, from the middle"},
	{"the host leaves the reliable protocol", "joiner"},
	{"leaves and comes back", "host"},
	{"leaves and comes back", "joiner"},
	{"leaves and comes back", "network, from the middle"},
	{"hosts after a search in vain", "host"},
	{"full and then room", "network"},
	{"closed when it begins", "joiner, from the middle"},
	{"groups and data", "host"},
	{"objects", "joiner"},
	{"large messages", "network"},
	{"large messages", "joiner, from the middle"},
	{"large octets that arrive late", "host"},
	{"fragments", "host"},
	{"the reliable protocol, a busy joiner", "host"},
	{"the reliable protocol, a busy joiner", "joiner"},
	{"searches go on", "network"},
	{"searches go on", "host"},
	{"searches go on", "joiner"},
	{"ports of the game's own", "host, private addresses"},
}

// TestHealthySet examines the healthy recordings, of which none may have a finding but those that are tolerated. It takes two seconds for
// 70 sessions.
func TestHealthySet(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(healthySet), 40)
	members := map[[2]string]bool{}
	used := map[string]bool{}
	for _, m := range healthySet {
		require.False(t, members[m], "%v is in the set twice", m)
		members[m], used[m[0]], used[m[1]] = true, true, true
		t.Run(m[0]+", "+m[1], func(t *testing.T) {
			t.Parallel()
			play, ok := kinds[m[0]]
			require.True(t, ok)
			r := (&taping{kind: m[0], form: m[1], play: play}).examined(t)
			list := slices.DeleteFunc(wrong(r), func(text string) bool {
				code := tolerated[m[0]] + tolerated[m[1]]
				return code != "" && (strings.HasPrefix(text, "warning ["+code+"]") || strings.HasPrefix(text, "note ["+code+"]"))
			})
			assert.Empty(t, list)
			assert.Positive(t, r.Messages)
		})
	}
	for _, f := range faultySet {
		used[f.form] = true
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(kinds)), slices.Collect(maps.Keys(forms))) {
		assert.True(t, used[name], "%q is not in the set", name)
	}
}
