package doctor_test

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// A faulty is a recording with one fault, and the finding that has to come first.
type faulty struct {
	code       doctor.Code
	kind, form string
	play       func(*scene)
}

// ---- rules for packets ----

// between fits packets of one machine to another one; an invalid address stands for any.
func between(from, to netip.Addr) func(*packet) bool {
	return func(p *packet) bool {
		return (!from.IsValid() || p.src.Addr() == from) && (!to.IsValid() || p.dst.Addr() == to)
	}
}

// dialling fits attempts to connect to a machine's ports.
func dialling(from, to netip.Addr, ports wire.Ports) func(*packet) bool {
	fits := between(from, to)
	return func(p *packet) bool {
		return !p.udp && p.tcp.SYN && fits(p) && p.dst.Port() >= ports.First && p.dst.Port() <= ports.Last
	}
}

// datagrams fits those of one machine to another one, but for questions.
func datagramsOf(from, to netip.Addr) func(*packet) bool {
	fits := between(from, to)
	return func(p *packet) bool { return p.udp && p.dst.Port() != wire.EnumPort && fits(p) }
}

// has decides the fate of packets that fit.
func has(f fate, fits func(*packet) bool) func(*packet) fate {
	return func(p *packet) fate {
		if fits(p) {
			return f
		}
		return passes
	}
}

// silences keeps the messages of one command that a machine would send.
func silences(from netip.Addr, c wire.Command) func(*packet) fate {
	return rewrites(from, c, func([]byte) []byte { return nil })
}

// rewrites changes the messages of one command that a machine sends; nil keeps them.
func rewrites(from netip.Addr, c wire.Command, change func([]byte) []byte) func(*packet) fate {
	return func(p *packet) fate {
		if p.src.Addr() != from || len(p.data) == 0 {
			return passes
		}
		p.messages(func(e wire.Envelope, b []byte) []byte {
			if e.Message == nil || e.Message.Command() != c {
				return b
			}
			return change(b)
		})
		if len(p.data) == 0 {
			return kept
		}
		return passes
	}
}

// ---- scenes ----

// asked has the host 1 host, and the joiner 2 look for it at its address and join, in vain or not, with rules in between.
func asked(flags wire.SessionFlags, rules ...func(*scene) func(*packet) fate) func(*scene) {
	return func(s *scene) {
		for _, r := range rules {
			s.rule(r(s))
		}
		h := s.open("1").hosts(flags)
		h.plays() //nolint:errcheck // not in a session that takes no players
		j := s.open("2")
		j.enters("1", "") //nolint:errcheck // that is what it is about
		s.talks(4, h, j)
		s.passes(3 * time.Second)
	}
}

// refusing has the host refuse a joiner.
func refusing(h dpsp.Host, password string) func(*scene) {
	return func(s *scene) {
		h.Application, h.Name = thisGame, "Test"
		m := s.open("1")
		require.NoError(s.t, m.Host(s.ctx, h))
		m.plays() //nolint:errcheck // not in a session that takes no players
		err := s.open("2").enters("1", password, func(a *sock.Ask) { a.Flags = wire.EnumAll | wire.EnumPasswordRequired })
		require.Error(s.t, err)
	}
}

// inSession has three machines in a session before something happens.
func inSession(flags wire.SessionFlags, happens func(s *scene, all []*member), change ...func(*sock.Options)) func(*scene) {
	return func(s *scene) {
		all := []*member{s.open("1", change...).hosts(flags)}
		require.NoError(s.t, all[0].plays())
		for _, n := range []string{"2", "3"} {
			all = append(all, s.open(n, change...).joins("", ""))
		}
		s.talks(4, all...)
		happens(s, all)
	}
}

// unreachable has a newcomer that cannot connect to a member.
func unreachable(f fate) func(*scene) {
	return func(s *scene) {
		h := s.open("1").hosts(migrates)
		require.NoError(s.t, h.plays())
		j := s.open("2").joins("", "")
		s.rule(has(f, dialling(s.at("3"), j.addr, wire.StreamPorts)))
		k := s.open("3")
		k.enters("", "") //nolint:errcheck // perhaps in vain
		s.talks(10, h, j, k)
	}
}

// oneWay loses the datagrams of one machine to another one, from the join on.
func oneWay(from, to string) func(*scene) {
	return func(s *scene) {
		h, j := s.open("1").hosts(migrates), s.open("2")
		require.NoError(s.t, h.plays())
		s.rule(has(lost, datagramsOf(s.at(from), s.at(to))))
		j.joins("1", "")
		s.talks(4, h, j)
		s.passes(time.Minute)
	}
}

// blackHole loses large packets from one machine to another one, and what follows them on their connection.
func blackHole(from, to netip.Addr, octets int) func(*packet) fate {
	stuck := map[[2]netip.AddrPort]bool{}
	return func(p *packet) fate {
		k := [2]netip.AddrPort{p.src, p.dst}
		switch {
		case p.src.Addr() != from || p.dst.Addr() != to:
			return passes
		case stuck[k]:
			return kept // TCP sends the large ones again before it sends these
		case len(p.data) > octets:
			stuck[k] = !p.udp
			return lost
		}
		return passes
	}
}

// silenceOf has a machine say nothing, and get no datagrams.
func silenceOf(at netip.Addr) func(*packet) fate {
	return func(p *packet) fate {
		switch {
		case p.src.Addr() == at:
			return kept
		case p.dst.Addr() == at:
			return lost
		}
		return passes
	}
}

// clear ends all rules.
func (s *scene) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

func flagged(f wire.EnumFlags) func(*sock.Ask) { return func(a *sock.Ask) { a.Flags = f } }

// answers is a host of another make: it answers questions in a way of its own.
func answers(how func(s *scene, p plug, question netip.AddrPort, from netip.AddrPort, reply []byte)) func(*scene) {
	return func(s *scene) {
		p := plug{s.world, s.at("1")}
		d, err := p.ListenDatagrams(netip.AddrPortFrom(p.addr, wire.EnumPort))
		require.NoError(s.t, err)
		s.t.Cleanup(func() { d.Close() })
		desc := wire.SessionDesc{Instance: wire.GUID{3}, Application: thisGame}
		reply := madeup.System(2300, &wire.EnumSessionsReply{Desc: desc, Name: wire.NewText("Test")})
		go func() {
			b := make([]byte, 4096)
			for {
				n, _, _, from, err := d.ReadMsgUDPAddrPort(b, nil)
				if err != nil {
					return
				}
				var dec wire.Decoder
				if e, err := dec.DecodeStream(b[:n]); err == nil {
					how(s, p, netip.AddrPortFrom(from.Addr(), e.SP.SockAddr.Port), from, reply)
				}
			}
		}()
		s.open("2").finds("1") //nolint:errcheck // in vain
	}
}

// full has the machine 3 search a full session, at an address or of everybody.
func full(at string) func(*scene) {
	return func(s *scene) {
		h := s.open("1").hosts(keeps, func(h *dpsp.Host) { h.MaxPlayers = 1 })
		w := s.open("2")
		f, err := w.finds("")
		require.NoError(s.t, err)
		require.NoError(s.t, w.Join(s.ctx, f, ""))
		require.NoError(s.t, h.plays())
		s.talks(2, h)
		s.open("3").finds(at, flagged(wire.EnumAvailable)) //nolint:errcheck // in vain
	}
}

// private has the machine 3 search a private session without its password.
func private(at string) func(*scene) {
	return func(s *scene) {
		h := s.open("1").hosts(keeps|wire.SessionPrivate, func(h *dpsp.Host) { h.Password = "sesame" })
		j := s.open("2").joins("1", "sesame", withPassword)
		s.talks(2, h, j)
		s.open("3").finds(at) //nolint:errcheck // in vain
	}
}

// another has the machine 3 search sessions of another game than the one that is hosted.
func another(at string) func(*scene) {
	return func(s *scene) {
		h := s.open("1").hosts(keeps)
		s.talks(2, h, s.open("2").joins("", ""))
		s.open("3").finds(at, func(a *sock.Ask) { a.Application = thirdGame }) //nolint:errcheck // in vain
	}
}

// says connects to a machine and sends octets.
func (s *scene) says(p plug, to netip.AddrPort, b []byte) {
	c, err := p.DialStream(s.ctx, p.addr, to)
	if err != nil {
		return
	}
	c.Write(b) //nolint:errcheck // nobody may read it
	c.Close()
}

// faultySet are at least forty recordings with one fault each.
var faultySet = []faulty{
	{"password-wrong", "a wrong password", "joiner", refusing(dpsp.Host{Password: "sesame"}, "open")},
	{"password-wrong", "no password", "host's own", refusing(dpsp.Host{Password: "sesame"}, "")},
	{"session-full", "no room", "network", refusing(dpsp.Host{MaxPlayers: 1}, "")},
	{"session-full", "no room", "joiner's own", refusing(dpsp.Host{MaxPlayers: 1, Flags: keeps}, "")},
	{"join-disabled", "a closed session", "joiner", refusing(dpsp.Host{Flags: wire.SessionJoinDisabled}, "")},
	{"new-players-disabled", "no new players", "host", refusing(dpsp.Host{Flags: wire.SessionNewPlayersDisabled}, "")},
	{"refused", "another result", "joiner", func(s *scene) {
		s.rule(rewrites(s.at("1"), wire.CmdAddForwardReply, func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[len(b)-4:], 0x88770118)
			return b
		}))
		refusing(dpsp.Host{Password: "sesame"}, "open")(s)
	}},
	{"list-malformed", "a list without its offset", "joiner", asked(keeps, func(s *scene) func(*packet) fate {
		return rewrites(s.at("1"), wire.CmdSuperEnumPlayersReply, func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[36:], 0)
			return b
		})
	})},
	{"address-private", "a host that tells its address at home", "joiner", func(s *scene) {
		h := s.open("203.0.113.1", func(o *sock.Options) { o.Advertise = netip.MustParseAddr("192.168.1.5") }).hosts(keeps)
		s.rule(has(lost, dialling(netip.Addr{}, netip.MustParseAddr("192.168.1.5"), wire.Ports{First: 1, Last: 65535})))
		s.open("2").enters(h.addr.String(), "") //nolint:errcheck // in vain
	}},
	{"address-private", "a joiner that tells its address at home", "host", func(s *scene) {
		s.rule(has(lost, dialling(netip.Addr{}, netip.MustParseAddr("192.168.1.5"), wire.Ports{First: 1, Last: 65535})))
		s.open("1").hosts(keeps)
		j := s.open("203.0.113.2", func(o *sock.Options) { o.Advertise = netip.MustParseAddr("192.168.1.5") })
		j.enters("1", "") //nolint:errcheck // in vain
	}},
	{"reply-refused", "the joiner's firewall refuses", "joiner", asked(keeps, func(s *scene) func(*packet) fate {
		return has(refused, dialling(s.at("1"), s.at("2"), wire.StreamPorts))
	})},
	{"reply-refused", "the joiner's firewall refuses", "host, private addresses", asked(migrates, func(s *scene) func(*packet) fate {
		return has(refused, dialling(s.at("1"), s.at("2"), wire.StreamPorts))
	})},
	{"reply-timed-out", "the joiner's firewall drops", "host", asked(keeps, func(s *scene) func(*packet) fate {
		return has(lost, dialling(s.at("1"), s.at("2"), wire.StreamPorts))
	})},
	{"reply-timed-out", "the joiner's firewall drops", "network, each packet twice", asked(framing, func(s *scene) func(*packet) fate {
		return has(lost, dialling(s.at("1"), s.at("2"), wire.StreamPorts))
	})},
	{"reply-never-tried", "the host's firewall keeps the answer in", "joiner", asked(keeps, func(s *scene) func(*packet) fate {
		return has(kept, dialling(s.at("1"), s.at("2"), wire.StreamPorts))
	})},
	{"question-ignored", "full, and the question is for others", "host", full("1")},
	{"question-ignored", "full, and the question is for others, asked of everybody", "host", full("")},
	{"question-ignored", "private, and the question has no password", "network", private("1")},
	{"question-ignored", "private, and the question has no password, asked of everybody", "host", private("")},
	{"app-mismatch", "another game", "network", another("1")},
	{"app-mismatch", "another game, asked of everybody", "host", another("")},
	{"app-mismatch", "another game, asked of everybody", "network", another("")},
	{"dialect-mismatch", "a version that nobody has", "joiner", func(s *scene) {
		s.open("1").hosts(keeps)
		s.open("2", func(o *sock.Options) { o.Config.Dialect = 3 }).finds("1") //nolint:errcheck // in vain
	}},
	{"broadcast-wrong-adapter", "a search in a VPN", "joiner, a VPN", func(s *scene) { s.open("2").finds("") }},
	{"enum-unanswered", "nobody hosts", "joiner", func(s *scene) { s.open("2").finds("") }},
	{"enum-unanswered", "nobody hosts there", "network", func(s *scene) { s.open("2").finds("1") }},
	{"enum-unanswered", "nobody hosts there", "joiner's alone", func(s *scene) { s.open("2").finds("1") }},
	{"host-unreachable", "the session's port drops", "joiner", asked(keeps, func(s *scene) func(*packet) fate {
		return has(lost, dialling(s.at("2"), s.at("1"), wire.StreamPorts))
	})},
	{"host-unreachable", "the session's port refuses", "host", asked(keeps, func(s *scene) func(*packet) fate {
		return has(refused, dialling(s.at("2"), s.at("1"), wire.StreamPorts))
	})},
	{"peer-unreachable", "a member's firewall drops", "third", unreachable(lost)},
	{"peer-unreachable", "a member's firewall refuses", "network", unreachable(refused)},
	{"join-unanswered", "a host that gives no list", "joiner", asked(keeps, func(s *scene) func(*packet) fate {
		return silences(s.at("1"), wire.CmdSuperEnumPlayersReply)
	})},
	{"join-unanswered", "a host that gives no id", "network", asked(keeps, func(s *scene) func(*packet) fate {
		return silences(s.at("1"), wire.CmdRequestPlayerReply)
	})},
	{"join-abandoned", "a joiner that takes no id", "host", asked(keeps, func(s *scene) func(*packet) fate {
		return silences(s.at("2"), wire.CmdAddForwardRequest)
	})},
	{"member-silent", "a machine that is turned off", "host", inSession(keeps, func(s *scene, all []*member) {
		s.rule(silenceOf(all[1].addr))
		s.passes(time.Minute)
	})},
	{"member-silent", "a machine that is turned off", "network", inSession(migrates, func(s *scene, all []*member) {
		s.rule(silenceOf(all[2].addr))
		s.passes(time.Minute)
	})},
	{"udp-blocked", "no datagrams between two", "network", inSession(keeps, func(s *scene, all []*member) {
		s.rule(has(lost, datagramsOf(all[0].addr, all[1].addr)))
		s.rule(has(lost, datagramsOf(all[1].addr, all[0].addr)))
		for range 6 {
			s.passes(17 * time.Second) // ARRIVED is due after 5 s without traffic, PING after 10
			require.NoError(s.t, all[1].Send(s.ctx, all[1].player, wire.IDAll, []byte("a move"), true))
		}
	}, func(o *sock.Options) { o.Config.Probes = 12 })},
	{"udp-one-way", "the host's firewall drops datagrams", "joiner", oneWay("2", "1")},
	{"udp-one-way", "the host's firewall drops datagrams", "network", oneWay("2", "1")},
	{"udp-one-way", "the joiner's firewall drops datagrams", "host", oneWay("1", "2")},
	{"mtu", "a way that loses large packets", "host", func(s *scene) {
		h := s.open("1").hosts(keeps)
		for range 12 {
			_, err := h.CreatePlayer(s.ctx, "a player whose name is long", make([]byte, 100))
			require.NoError(s.t, err)
		}
		s.rule(blackHole(s.at("1"), s.at("2"), 600))
		s.open("2").enters("1", "") //nolint:errcheck // in vain
		s.passes(5 * time.Second)
	}},
	{"several-hosts", "a cut network", "network", inSession(migrates, func(s *scene, all []*member) {
		for _, m := range all[1:] {
			s.rule(has(held, between(all[0].addr, m.addr)))
			s.rule(has(held, between(m.addr, all[0].addr)))
		}
		s.passes(time.Minute)
		s.clear()
		s.passes(time.Minute)
	})},
	{"add-forward-unacked", "a member that does not confirm", "host", func(s *scene) {
		h := s.open("1").hosts(keeps)
		j := s.open("2").joins("", "")
		s.rule(silences(j.addr, wire.CmdAddForwardAck))
		s.open("3").enters("", "") //nolint:errcheck // late
		s.talks(2, h, j)
	}},
	{"address-nat", "a host that tells another address", "joiner", func(s *scene) {
		other := s.at("9")
		s.mu.Lock()
		s.routes[other] = s.at("1")
		s.mu.Unlock()
		h := s.open("1", func(o *sock.Options) { o.Advertise = other }).hosts(keeps)
		s.goesOn(h, s.open("2").joins("1", ""))
	}},
	{"ports-outside-range", "a joiner from afar", "host", func(s *scene) {
		h := s.open("1").hosts(keeps)
		other := func(o *sock.Options) { o.StreamPorts = wire.Ports{First: 6112, Last: 6119} }
		s.goesOn(h, s.open("198.51.100.7", other).joins("1", ""))
	}},
	{"reliable-loss", "a network that loses a sixth", "network", framed10(func(s *scene, h, j *member) {
		random := rand.New(rand.NewPCG(1, 2)) // for the frames of one machine, because the order of both's is the scheduler's
		s.rule(has(lost, func(p *packet) bool { return p.udp && p.src.Addr() == h.addr && random.IntN(6) == 0 }))
		s.talks(40, h, j)
	})},
	{"reliable-stalled", "a network that is away", "host", framed10(func(s *scene, h, j *member) {
		s.rule(has(lost, datagramsOf(h.addr, j.addr)))
		s.talks(14, h, j)
		s.clear()
		s.talks(10, h, j)
	})},
	{"reliable-given-up", "a machine that is turned off", "host", inSession(framing, func(s *scene, all []*member) {
		s.rule(silenceOf(all[1].addr))
		s.talks(2, all[0], all[2])
		s.passes(2 * time.Minute)
	})},
	{"sent-again-too-early", "a busy joiner", "host", framed10(func(s *scene, h, j *member) {
		s.busy(j, 1, 1, 390, 1, 360, 420, 1) // no timeout is longer than 250 ms
		s.talks(40, h, j)
	})},
	{"game-ids-unknown", "a header in place of ids", "network", inSession(keeps, func(s *scene, all []*member) {
		s.rule(func(p *packet) fate {
			if !p.udp && p.src.Addr() == all[1].addr {
				p.messages(func(e wire.Envelope, b []byte) []byte {
					if _, ok := e.Message.(*wire.PlayerMessage); ok {
						copy(b[20:], "\x01\x02\x03\x04\x05\x06\x07\x08")
					}
					return b
				})
			}
			return passes
		})
		s.talks(3, all...)
	})},
	{"message-malformed", "a player whose names are cut off", "network", inSession(keeps, func(s *scene, all []*member) {
		s.rule(rewrites(all[1].addr, wire.CmdCreatePlayer, func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[60:], 0xffff) // the length of the short name
			return b
		}))
		all[1].CreatePlayer(s.ctx, "Eve", nil) //nolint:errcheck // it comes to nothing
		s.passes(2 * time.Second)
	})},
	{"reply-by-udp", "a host that answers by UDP", "joiner", answers(func(s *scene, p plug, _, from netip.AddrPort, reply []byte) {
		d, err := p.ListenDatagrams(netip.AddrPortFrom(p.addr, 0))
		if assert.NoError(s.t, err) {
			d.WriteToUDPAddrPort(reply, from) //nolint:errcheck // likewise
			d.Close()
		}
	})},
	{"reply-wrong-port", "a host that answers at the port that asked", "joiner", answers(func(s *scene, p plug, _, from netip.AddrPort, reply []byte) {
		s.says(p, from, reply)
	})},
	{"no-directplay4", "DirectPlay 8", "network", func(s *scene) {
		d, err := plug{s.world, s.at("2")}.ListenDatagrams(netip.AddrPortFrom(s.at("2"), 2302))
		require.NoError(s.t, err)
		s.t.Cleanup(func() { d.Close() })
		connect := []byte{0x88, 1, 0, 0, 6, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8}
		d.WriteToUDPAddrPort(connect, netip.AddrPortFrom(s.at("1"), 6073)) //nolint:errcheck // nobody is there
	}},
	{"capture-incomplete", "a recording with gaps", "joiner, with gaps", func(s *scene) {
		h, j := s.open("1").hosts(keeps), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		s.passes(time.Second)
		require.NoError(s.t, h.Send(s.ctx, h.player, j.player, make([]byte, 30000), true))
		s.talks(2, h, j)
	}},
}

// framed10 has two machines in a session with the reliable protocol, in which something happens.
func framed10(happens func(s *scene, h, j *member)) func(*scene) {
	return func(s *scene) {
		h, j := s.open("1").hosts(framing), s.open("2").joins("", "")
		require.NoError(s.t, h.plays())
		s.talks(5, h, j)
		happens(s, h, j)
	}
}

// TestFaultySet examines the recordings with a fault, which has to be named first.
func TestFaultySet(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(faultySet), 40)
	for i := range faultySet {
		f := &faultySet[i]
		t.Run(string(f.code)+": "+f.kind+", "+f.form, func(t *testing.T) {
			t.Parallel()
			r := (&taping{kind: f.kind, form: f.form, play: f.play}).examined(t)
			list := slices.DeleteFunc(r.Findings, func(f doctor.Finding) bool { return f.Severity == doctor.Information })
			require.NotEmpty(t, list)
			assert.Equal(t, f.code, list[0].Code, "%q", wrong(r))
		})
	}
}
