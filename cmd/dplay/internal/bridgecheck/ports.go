package bridgecheck

import (
	"dplay4/captures"
	"dplay4/wire"
)

// enumPorts is the port at which hosts are looked for.
var enumPorts = wire.Ports{First: wire.EnumPort, Last: wire.EnumPort}

// lookAtPorts tells who has ports of the plan.
func (c *check) lookAtPorts() {
	free := true
	for _, r := range []struct {
		network string
		ports   wire.Ports
	}{{"TCP", wire.StreamPorts}, {"UDP", wire.DatagramPorts}, {"TCP", enumPorts}, {"UDP", enumPorts}} {
		held, ok := c.holders(r.network, r.ports)
		if !ok {
			c.tell(textObject{"unknown", "who has which ports"}, "ports: the system does not tell who has which")
			return
		}
		for _, h := range held {
			free = false
			c.tell(portObject{"port", r.network, h.port, h.program}, "%s %d is held by %s", r.network, h.port, captures.Printable(h.program))
		}
	}
	if free {
		c.say("ports: all that the bridge and the game need are free")
		return
	}
	c.problem("if that is the game: that works in most cases, but start the bridge first. Close anything else, dplaysvr.exe above all")
}
