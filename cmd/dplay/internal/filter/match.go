package filter

import (
	"fmt"
	"net/netip"

	"dplay4/wire"
)

// player reports whether the message names a player anywhere: by its id, or by its name, where an id whose name is
// known counts as well.
func (c *filterContext) player(who any) bool {
	m := playerMatch{context: c}
	switch who := who.(type) {
	case string:
		m.name = who
		if id, ok := number(who); ok { // "0x000384c9", as the output has it
			m.id, m.byID = wire.PlayerID(uint32(int64(id))), true
		}
	default:
		id, ok := number(who)
		if !ok {
			return false
		}
		m.id, m.byID = wire.PlayerID(uint32(int64(id))), true
	}
	return m.find()
}

// A playerMatch looks for one player in a message.
type playerMatch struct {
	context *filterContext
	name    string // "": by id only
	id      wire.PlayerID
	byID    bool
	found   bool
}

func (m *playerMatch) find() bool {
	r := m.context.rec
	switch msg := r.Envelope.Message.(type) { // the usual ones, without going through all fields
	case *wire.PlayerMessage:
		if r.Err == nil && r.Frame == nil {
			return !msg.NoIDs && (m.is(msg.From) || m.is(msg.To))
		}
	case *wire.Ping:
		if r.Err == nil && r.Frame == nil {
			return m.is(msg.From)
		}
	case *wire.PingReply:
		if r.Err == nil && r.Frame == nil {
			return m.is(msg.From)
		}
	}
	if r.Frame != nil {
		for _, index := range [...]uint16{r.Frame.From, r.Frame.To} {
			if p := r.Session.ByIndex(index); p != nil && m.is(p.ID) {
				return true
			}
		}
	}
	m.context.fields.walker.Walk(r, m.field)
	return m.found
}

// is reports whether an id is the player's.
func (m *playerMatch) is(id wire.PlayerID) bool {
	return m.byID && id == m.id || m.name != "" && m.context.rec.Session.PlayerName(id) == m.name
}

func (m *playerMatch) field(f *wire.Field) {
	switch {
	case m.found:
	case f.Kind == wire.KindID:
		m.found = m.is(wire.PlayerID(f.Num))
	case f.Kind == wire.KindText && (f.Name == "ShortName" || f.Name == "LongName"):
		m.found = m.name != "" && wire.Text(f.Raw).String() == m.name
	}
}

// address reports whether a message came from or went to an address, or has it in a field. The address is an
// IP address, one with a port, or a network ("10.0.0.0/8").
func (c *filterContext) address(text string) bool {
	if text != c.addressText {
		c.addressText = text
		c.addressWanted, _ = parseAddress(text) // one that is none contains nothing; constants were checked before
	}
	want, r := &c.addressWanted, c.rec
	if want.is(r.Src) || want.is(r.Dst) {
		return true
	}
	if _, game := r.Envelope.Message.(*wire.PlayerMessage); game && r.Frame == nil {
		return r.Envelope.HasSP && want.isSocket(r.Envelope.SP.SockAddr) // the only one in it
	}
	found := false
	c.fields.walker.Walk(r, func(f *wire.Field) {
		if f.Kind == wire.KindSockAddr && !found {
			found = want.isSocket(wire.ParseSockAddr(f.Raw))
		}
	})
	return found
}

// A wantedAddress is a network, with a port if not zero.
type wantedAddress struct {
	network netip.Prefix
	port    uint16
}

func parseAddress(text string) (wantedAddress, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		ip := at.Addr().Unmap()
		return wantedAddress{netip.PrefixFrom(ip, ip.BitLen()), at.Port()}, nil
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		ip = ip.Unmap()
		return wantedAddress{netip.PrefixFrom(ip, ip.BitLen()), 0}, nil
	}
	if network, err := netip.ParsePrefix(text); err == nil {
		return wantedAddress{network.Masked(), 0}, nil
	}
	return wantedAddress{}, fmt.Errorf("%q is not an address: want 10.0.0.1, 10.0.0.1:2300 or 10.0.0.0/8", text)
}

func (w *wantedAddress) is(at netip.AddrPort) bool {
	return w.network.Contains(at.Addr().Unmap()) && (w.port == 0 || w.port == at.Port())
}

func (w *wantedAddress) isSocket(a wire.SockAddr) bool {
	return w.is(netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port))
}
