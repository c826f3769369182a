package bridgecheck

import (
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp/bridge/local"
	"dplay4/wire"
)

// enumPorts is the port at which hosts are looked for.
var enumPorts = wire.Ports{First: wire.EnumPort, Last: wire.EnumPort}

// A held is a port of the plan that a program has.
type held struct {
	network string
	holder
}

// held returns who has ports of the plan, but for the bridge; ok is false where the system does not tell.
func (c *check) held(bridge string) (all []held, ok bool) {
	for _, r := range []struct {
		network string
		ports   wire.Ports
	}{{"TCP", wire.StreamPorts}, {"UDP", wire.DatagramPorts}, {"TCP", enumPorts}, {"UDP", enumPorts}} {
		list, ok := c.holders(r.network, r.ports)
		if !ok {
			return nil, false
		}
		if len(list) > 0 { // a socket that is closed between the look at sockets and that at processes seems to be another program's
			again, _ := c.holders(r.network, r.ports)
			list = slices.DeleteFunc(slices.Clone(list), func(h holder) bool { return !slices.Contains(again, h) })
		}
		for _, h := range list {
			if h.program != bridge { // a program has a name
				all = append(all, held{r.network, h})
			}
		}
	}
	return all, true
}

// lookAtPorts tells who has ports of the plan; ours says that a bridge of this user runs.
func (c *check) lookAtPorts(ours bool) {
	bridge := c.bridge()
	all, ok := c.held(bridge)
	if !ok {
		c.tell(textObject{"unknown", "who has which ports"}, "ports: the system does not tell who has which")
		return
	}
	for _, h := range all {
		c.tell(portObject{"port", h.network, h.port, h.program}, "%s %d is held by %s", h.network, h.port, captures.Printable(h.program))
	}
	switch {
	case bridge != "" && !ours:
		c.problem("a bridge runs on this machine, %s, but not as this user: end it, or ask as the user whose it is", captures.Printable(bridge))
	case bridge != "":
		c.besideBridge(all)
	case len(all) == 0:
		c.say("ports: all that the bridge and the game need are free")
	default:
		c.problem("if that is the game: that works in most cases, but start the bridge first. Close anything else, dplaysvr.exe above all")
	}
}

// besideBridge judges who has ports beside a bridge: one program may have the place of the game, and 47624 if it hosts.
func (c *check) besideBridge(all []held) {
	has := func(network string, lists bool) (names []string) {
		for _, h := range all {
			if h.network == network && (h.port == wire.EnumPort) == lists && !slices.Contains(names, h.program) {
				names = append(names, h.program)
			}
		}
		return names
	}
	tcp, udp := has("TCP", false), has("UDP", false)
	lists := union(has("TCP", true), has("UDP", true))
	game := len(tcp) == 1 && slices.Equal(tcp, udp)
	switch {
	case len(all) == 0:
		c.say("ports: the bridge has its ports, and those that it leaves for the game are free")
		return
	case game:
		c.say("that is the place which the bridge leaves for the game: if it is another program, end it")
	case len(tcp)+len(udp) > 0:
		c.problem("the bridge leaves ports for one program, the game, but some of them are held by %s: end what is not the game",
			captures.Printable(strings.Join(union(tcp, udp), " and ")))
	}
	for _, name := range lists {
		if !slices.Contains(tcp, name) && !local.Helps(name) {
			c.problem("%s has port 47624, and no ports of a game: while it has, nobody can host here, and the games here find none. End it",
				captures.Printable(name))
		}
	}
}

// union returns the names of two lists, each once.
func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}
