package directplay

import (
	"dplay4/dpsp"
	"dplay4/wire"
)

// What TCP/IP can do, as Windows tells it (facts, 1.12).
const (
	maxDatagram        = 65479
	maxPlayers         = 65536
	maxPlayersReliable = 64
	latencyMS          = 500
	timeoutMS          = 5000
)

// GetCaps tells what the connection can do.
func (o *Object) GetCaps(c *Caps, flags uint32) wire.HResult {
	return o.locked(func() wire.HResult {
		if c == nil || c.WrongSize {
			return wire.ErrInvalidParams
		}
		*c = o.caps(flags)
		c.Latency = latencyMS
		return wire.OK
	})
}

// GetPlayerCaps tells what can be done with a player.
func (o *Object) GetPlayerCaps(id wire.PlayerID, c *Caps, flags uint32) wire.HResult {
	return o.locked(func() wire.HResult {
		var local uint32
		e, r := o.find(id, false)
		switch {
		case c == nil || c.WrongSize:
			return wire.ErrInvalidParams
		case r != wire.OK:
			return r
		case e.mine:
			local = CapsLocal
		}
		*c = o.caps(flags)
		c.Flags |= local
		return wire.OK
	})
}

// caps returns what both tell. The object is locked.
func (o *Object) caps(flags uint32) Caps {
	c := Caps{Flags: CapsGuaranteedOptimized | CapsGuaranteedSupported | CapsAsync, MaxBuffer: maxDatagram, MaxPlayers: maxPlayers,
		MaxLocal: maxPlayers, Header: wire.SPHeaderSize, TimeoutMS: timeoutMS}
	if flags&CapsOfGuaranteed != 0 {
		c.MaxBuffer, c.MaxPlayers = dpsp.MaxPayload, maxPlayersReliable
	}
	if o.state == inside {
		if o.sess.Hosting() {
			c.Flags |= CapsIsHost
		}
		if o.sess.Info().Desc.Flags&wire.SessionDirectPlayProtocol != 0 { // there messages wait, and have priorities
			c.Flags |= CapsAsyncCancel | CapsAsyncCancelAll | CapsSendTimeout | CapsSendPriority
		}
	}
	return c
}
