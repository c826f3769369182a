package directplay

import (
	"net/netip"
	"slices"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// GetPlayerAddress gives the compound address of a player's machine.
func (o *Object) GetPlayerAddress(id wire.PlayerID, b *Buffer) wire.HResult {
	if id == wire.IDAll {
		return o.locked(func() wire.HResult { return wire.ErrUnsupported })
	}
	return o.with(id, false, func(e *entry) wire.HResult {
		system, _ := o.roster.System(id)
		at := o.roster.at[system]
		if e.mine {
			at = o.opt.Config.ours()
		}
		switch {
		case b == nil:
			return wire.ErrInvalidParams
		case !at.IsValid():
			return wire.ErrUnavailable
		}
		return b.put(Block{Data: PlayerAddress(o.conn.provider, at)}, Face{})
	})
}

// ours returns the address of this machine that is most likely of use to others.
func (c *Config) ours() netip.Addr {
	for _, a := range []netip.Addr{c.Advertise, c.Bind} {
		if a.IsValid() && !a.IsUnspecified() {
			return a
		}
	}
	all, _ := sock.Adapters() // without any there is loopback
	all = slices.DeleteFunc(all, func(a sock.Adapter) bool { return a.Loopback })
	for _, adapter := range all {
		for _, p := range adapter.Addrs {
			if p.Addr().Is4() {
				return p.Addr()
			}
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}
