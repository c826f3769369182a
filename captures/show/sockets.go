package show

import "net/netip"

// sockets writes addresses, of which a capture has few: those that were written last are kept. The zero value is ready.
type sockets [64]struct {
	at   netip.AddrPort
	text []byte
}

// append appends an address.
func (s *sockets) append(b []byte, at netip.AddrPort) []byte {
	last := at.Addr().As16()
	e := &s[(uint(at.Port())*7+uint(last[15]))%uint(len(s))]
	if e.at != at || e.text == nil {
		e.at, e.text = at, at.AppendTo(e.text[:0])
	}
	return append(b, e.text...)
}
