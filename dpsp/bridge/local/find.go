package local

import (
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

// complete is 1 for a program that has ports of both kinds.
func (g Game) complete() int {
	if g.Ports.TCP != 0 && g.Ports.UDP != 0 {
		return 1
	}
	return 0
}

// programs puts together what each program has.
func programs(tcp, udp []sock.Holding) (games []Game) {
	of := func(name string) *Game {
		for i := range games {
			if games[i].Program == name {
				return &games[i]
			}
		}
		games = append(games, Game{Program: name})
		return &games[len(games)-1]
	}
	names := sock.By(slices.Concat(tcp, udp))
	for i, h := range tcp {
		if g := of(names[i]); g.Ports.TCP == 0 {
			g.Ports.TCP = h.Port
		}
	}
	for i, h := range udp {
		if g := of(names[len(tcp)+i]); g.Ports.UDP == 0 {
			g.Ports.UDP = h.Port
		}
	}
	return games
}

// program returns the ports of the program that listens on a TCP port: its UDP port is one of those where games have it, if it
// has any there. What it does not have stays as it is.
func (l *Local) program(port uint16) filter.Ports {
	tcp, _ := l.holdings("TCP", port)
	var udp []sock.Holding
	l.opt.within(func() { udp, _ = sock.Holdings("UDP", loopback, wire.DatagramPorts) })
	udp = slices.DeleteFunc(udp, func(h sock.Holding) bool { return l.udp[h.Port] != nil })
	for _, g := range programs(tcp, udp) {
		if g.Ports.TCP == port {
			if g.Ports.UDP == 0 {
				g.Ports.UDP = l.game.UDP
			}
			return g.Ports
		}
	}
	return filter.Ports{}
}
