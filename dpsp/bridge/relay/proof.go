package relay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/netip"

	"github.com/pion/stun/v4"
)

// Anybody can make up the source of a datagram, and the nonces of the TURN server are the same for all (facts, bridge 5): with
// one of them somebody could have allocations made for addresses that are not his, until there are no more. So over UDP each
// address gets a realm of its own, which clients give back with the nonce, and allocations are made for who knows it.

// realmOf returns the realm of an address, which only who gets what is sent there knows.
func (s *Server) realmOf(a netip.Addr) string {
	h := hmac.New(sha256.New, s.key)
	b := sourceOf(a).As16()
	h.Write(b[:])
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:6])
}

// challenge returns what the TURN server answers, with the realm of the client where it asks for credentials.
func (f *front) challenge(b []byte, to netip.AddrPort) []byte {
	m := &stun.Message{Raw: b}
	var why stun.ErrorCodeAttribute
	var nonce stun.Nonce
	if m.Decode() != nil || nonce.GetFrom(m) != nil || why.GetFrom(m) != nil {
		return b
	}
	m, err := stun.Build(&stun.Message{TransactionID: m.TransactionID}, m.Type, stun.ErrorCodeAttribute{Code: why.Code}, nonce,
		stun.NewRealm(f.server.realmOf(to.Addr())))
	if err != nil {
		return b
	}
	return m.Raw
}

// proves reports whether a request came from where it says.
func (f *front) proves(m *stun.Message, from netip.AddrPort) bool {
	var r stun.Realm
	return f.transport != "udp" || r.GetFrom(m) == nil && r.String() == f.server.realmOf(from.Addr())
}

// allow reports whether to answer somebody without an allocation. What may be made up does not compete with what is not.
func (f *front) allow(a netip.Addr, proved bool) bool {
	if proved || f.transport != "udp" || f.server.exchange.knows(a) {
		return f.server.proved.allow(a)
	}
	return f.server.strangers.allow(a)
}

// unsigned makes a request one that the TURN server answers by asking for credentials.
func unsigned(request []byte) []byte {
	binary.BigEndian.PutUint16(request[2:], 0)
	return request[:stunHeader]
}
