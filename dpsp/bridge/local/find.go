package local

import (
	"cmp"
	"net/netip"
	"slices"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A Game is a program that has ports of the plan.
type Game struct {
	Ports   filter.Ports // the first of each kind; 0: none
	Hosts   bool         // it has 47624; on Windows that is dplaysvr.exe, another program than the game
	Program string       // such as "game.exe (process 4711)", if the system tells
}

// Find returns the programs of this machine that have ports of the plan, such as a game that runs already, those that have both
// first. Who shares a session takes its ports for its slot; who joins one on a slot that nobody has does so as well, and else
// gives them to Open as Options.Game.
func Find() []Game {
	tcp, _ := sock.Holdings("TCP", loopback, wire.StreamPorts)
	udp, _ := sock.Holdings("UDP", loopback, wire.DatagramPorts)
	lists, _ := sock.Holdings("UDP", loopback, wire.Ports{First: wire.EnumPort, Last: wire.EnumPort})
	games := programs(tcp, udp)
	by := sock.By(lists)
	for i, g := range games {
		games[i].Hosts = g.Ports.TCP != 0 && hosts(by, g.Program)
	}
	slices.SortStableFunc(games, func(a, b Game) int { return b.complete() - a.complete() })
	return games
}

// Wish returns the ports of a slot that no program of this machine has, if others are held; which of them, the number says. Zero: it
// does not matter which slot this machine has, or none will do.
func Wish(random uint64) filter.Ports {
	var free []filter.Ports
	for slot := range Slots {
		if at := At(slot); vacant(at) {
			free = append(free, at)
		}
	}
	if len(free) == 0 || len(free) == Slots {
		return filter.Ports{}
	}
	return free[random%uint64(len(free))]
}

// vacant reports whether a game could have two ports now. To try tells more than the tables of the system: those name neither what
// Windows keeps for itself nor who has a port at another address.
func vacant(at filter.Ports) bool {
	tcp, err := listenTCP(netip.AddrPortFrom(netip.IPv4Unspecified(), at.TCP))
	if err != nil {
		return false
	}
	defer tcp.Close()
	udp, err := sock.OpenDatagrams(netip.AddrPortFrom(netip.IPv4Unspecified(), at.UDP))
	if err != nil {
		return false
	}
	udp.Close()
	return true
}

// complete is 1 for a program that has ports of both kinds.
func (g Game) complete() int {
	if g.Ports.TCP != 0 && g.Ports.UDP != 0 {
		return 1
	}
	return 0
}

// programs puts together what each program has.
func programs(tcp, udp []sock.Holding) (games []Game) {
	all := slices.Concat(tcp, udp)
	names := sock.By(all)
	for i, h := range all {
		at := slices.IndexFunc(games, func(g Game) bool { return g.Program == names[i] })
		if at < 0 {
			at = len(games)
			games = append(games, Game{Program: names[i]})
		}
		port := games[at].Ports.Of(i >= len(tcp))
		*port = cmp.Or(*port, h.Port)
	}
	return games
}

// one is the range of a port.
func one(port uint16) wire.Ports { return wire.Ports{First: port, Last: port} }

// within reports whether a port is in a range.
func within(port uint16, of wire.Ports) bool { return port >= of.First && port <= of.Last }

// has returns the ports that a program has, but for those that stand for others, and 47624. Locked.
func (l *Local) has(program string) (tcp, udp []uint16) {
	every := wire.Ports{First: 1, Last: 65535}
	ofTCP, _ := l.holdings("TCP", every)
	ofUDP, _ := l.holdings("UDP", every)
	names := l.opt.by(slices.Concat(ofTCP, ofUDP))
	ports := func(all []sock.Holding, by []string, datagram bool) (ports []uint16) {
		for i, h := range all {
			if by[i] == program && l.open[socket{h.Port, datagram}] == nil && h.Port != wire.EnumPort {
				ports = append(ports, h.Port)
			}
		}
		return ports
	}
	return ports(ofTCP, names, false), ports(ofUDP, names[len(ofTCP):], true)
}

// given is where the ports begin that systems give to whoever asks for none: a game that searches has one for that.
const given = 32768

// datagramPort returns the UDP port of a game that listens on a TCP port, of those that it has: one of DirectPlay's, otherwise that
// of the same number, as of games where a player sets one for both. Otherwise it is a guess: the lowest. 0: it has none.
func datagramPort(tcp uint16, udp []uint16) (port uint16, sure bool) {
	usual := first(udp, func(p uint16) bool { return within(p, wire.DatagramPorts) })
	same := first(udp, func(p uint16) bool { return p == tcp })
	guess := first(udp, func(p uint16) bool { return p < given }) // the lowest comes first
	return cmp.Or(usual, same, guess), cmp.Or(usual, same) != 0
}

// first returns the first port for which is is true, 0 if there is none.
func first(ports []uint16, is func(uint16) bool) uint16 {
	for _, p := range ports {
		if is(p) {
			return p
		}
	}
	return 0
}

// streamPort returns the TCP port of a game, of those that it has: one of DirectPlay's, otherwise one that it has for UDP as well,
// otherwise its only one. 0: it cannot be told.
func streamPort(tcp, udp []uint16) uint16 {
	return cmp.Or(
		first(tcp, func(p uint16) bool { return within(p, wire.StreamPorts) }),
		first(tcp, func(p uint16) bool { return slices.Contains(udp, p) }),
		first(tcp, func(uint16) bool { return len(tcp) == 1 }))
}

// program returns the ports of the program that listens on a TCP port. A UDP port that it does not have stays as it is. Locked.
func (l *Local) program(port uint16) filter.Ports {
	tcp, _ := l.holdings("TCP", one(port))
	if len(tcp) == 0 {
		return filter.Ports{}
	}
	name := l.opt.by(tcp)[0]
	_, udp := l.has(name)
	p, sure := datagramPort(port, udp)
	if !sure && !named(name) { // they are several programs'
		p = 0
	}
	return filter.Ports{TCP: port, UDP: cmp.Or(p, l.at.Game.UDP)}
}

// found takes note of the TCP port of something that looks for sessions. Where no game is where ours is to be, that is our game, on
// ports of its own. It reports whether it is a second game: only one can have the place of this machine.
func (l *Local) found(port uint16) (second bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[socket{port, false}] != nil {
		return false
	}
	if l.tenant.look(l.at.Game, lookAgain) == ourGame {
		return port != l.at.Game.TCP
	}
	game := l.program(port)
	if game.TCP != 0 {
		l.moves(game)
		l.tenant.asks(game)
	}
	return false
}

// owner takes note of who has 47624, by its names: where no game is where ours is to be, and the owner is on ports that can be a
// game's, that is our game. On Windows the owner is a helper; then the game is what has the TCP port, and a UDP port elsewhere.
func (l *Local) owner(by []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tenant.look(l.at.Game, lookAgain) == ourGame {
		return
	}
	for _, name := range by {
		if !named(name) {
			continue
		}
		tcp, udp := l.has(name)
		if p := streamPort(tcp, udp); p != 0 {
			u, _ := datagramPort(p, udp)
			l.moves(filter.Ports{TCP: p, UDP: cmp.Or(u, l.at.Game.UDP)})
			return
		}
	}
	here, _ := l.holdings("TCP", one(l.at.Game.TCP))
	for _, name := range slices.DeleteFunc(l.opt.by(here), func(name string) bool { return !named(name) }) {
		_, udp := l.has(name)
		if u, sure := datagramPort(l.at.Game.TCP, udp); sure {
			l.moves(filter.Ports{TCP: l.at.Game.TCP, UDP: u})
			return
		}
	}
}

// moves has our game be on these ports, where it is. Locked.
func (l *Local) moves(game filter.Ports) {
	if game == l.at.Game {
		return
	}
	l.at.Game = game
	l.hold()
	l.tellTranslation()
}
