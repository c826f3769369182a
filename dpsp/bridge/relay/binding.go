package relay

import (
	"net"
	"net/netip"

	"github.com/pion/stun/v4"
)

// The flags of CHANGE-REQUEST (RFC 5780, 7.2).
const (
	changeAddress = 0x04
	changePort    = 0x02
)

// bind answers a Binding request that came to the main port, or to the alternate one.
func (f *front) bind(b []byte, from netip.AddrPort, alternate bool) {
	m := &stun.Message{Raw: append([]byte(nil), b...)}
	if m.Decode() != nil {
		f.server.counts.add(droppedMalformed, 1)
		return
	}
	f.server.counts.add(bindings, 1)
	parts := []stun.Setter{stun.BindingSuccess, &stun.XORMappedAddress{IP: from.Addr().AsSlice(), Port: int(from.Port())}}
	if other := f.server.other(f, from.Addr(), alternate); other.IsValid() {
		parts = append(parts, &stun.OtherAddress{IP: net.IP(other.Addr().AsSlice()), Port: int(other.Port())})
	}
	flags := byte(0)
	if v, err := m.Get(stun.AttrChangeRequest); err == nil && len(v) == 4 {
		flags = v[3]
	}
	if flags&changeAddress == 0 && f.reply(m, parts, from, alternate != (flags&changePort != 0)) {
		return
	}
	f.reply(m, []stun.Setter{stun.BindingError, stun.ErrorCodeAttribute{Code: stun.CodeUnknownAttribute},
		stun.UnknownAttributes{stun.AttrChangeRequest}}, from, alternate)
}

// reply answers a request, from the alternate port if so wanted; false if there is none. What is not needed is left out: the
// request may have a made-up source.
func (f *front) reply(request *stun.Message, parts []stun.Setter, to netip.AddrPort, alternate bool) bool {
	parts = append([]stun.Setter{&stun.Message{TransactionID: request.TransactionID}}, parts...)
	if request.Contains(stun.AttrFingerprint) {
		parts = append(parts, stun.Fingerprint)
	}
	m, err := stun.Build(parts...)
	switch {
	case err != nil:
		return false
	case alternate:
		return f.way.sendElsewhere(m.Raw, to)
	}
	f.way.send(m.Raw, to)
	return true
}
