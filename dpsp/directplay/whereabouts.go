package directplay

import (
	"net/netip"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// GetPlayerAddress gives the compound address of a player's machine.
func (o *Object) GetPlayerAddress(id wire.PlayerID, b *Buffer) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	if id == wire.IDAll {
		return wire.ErrUnsupported
	}
	e, r := o.find(id, false)
	switch {
	case r != wire.OK:
		return r
	case b == nil:
		return wire.ErrInvalidParams
	}
	system, _ := o.roster.System(id)
	at := o.roster.at[system]
	if e.mine {
		at = o.opt.Config.ours()
	}
	if !at.IsValid() {
		return wire.ErrUnavailable
	}
	return b.put(Block{Data: PlayerAddress(o.conn.provider, at)}, Face{})
}

// ours returns the address of this machine that is most likely of use to others.
func (c *Config) ours() netip.Addr {
	for _, a := range []netip.Addr{c.Advertise, c.Bind} {
		if a.IsValid() && !a.IsUnspecified() {
			return a
		}
	}
	all, _ := sock.Adapters() // without any there is loopback
	for _, adapter := range all {
		for _, p := range adapter.Addrs {
			if !adapter.Loopback && p.Addr().Is4() {
				return p.Addr()
			}
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}
