package relay

import (
	"net/netip"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"

	"dplay4/dpsp/bridge/code"
)

// screen looks at an Allocate request and returns what the TURN server is to have of it, nil for nothing. It refuses wrong
// credentials, for which that has no code of their own, and addresses of a family that we have none of, so that clients know what
// to do about it.
func (f *front) screen(b []byte, from netip.AddrPort) []byte {
	m := &stun.Message{Raw: append([]byte(nil), b...)}
	if m.Decode() != nil {
		f.server.counts.add(droppedMalformed, 1)
		return nil
	}
	proved := f.proves(m, from)
	if !f.allow(from.Addr(), proved) {
		f.server.counts.add(droppedFlood, 1)
		return nil
	}
	if !f.server.config.public(f.wantsSix(m, from)).IsValid() {
		f.refuse(client{f, from}, NoFamily)
		f.fail(m, stun.ErrorCodeAttribute{Code: stun.CodeAddrFamilyNotSupported}, from)
		return nil
	}
	var user stun.Username
	var realm stun.Realm
	if !proved || !m.Contains(stun.AttrMessageIntegrity) || user.GetFrom(m) != nil || realm.GetFrom(m) != nil {
		return unsigned(b)
	}
	_, key, why := f.user(user.String(), realm.String())
	if why == "" && stun.MessageIntegrity(key).Check(m) != nil {
		why = BadCredentials
	}
	if why != "" {
		f.refuse(client{f, from}, why)
		f.fail(m, stun.CodeUnauthorized, from)
		return nil
	}
	return b
}

// wantsSix reports whether an Allocate request is for an IPv6 address, as the TURN server sees it: one that does not say so is
// for an IPv4 address, or for one of the client's family if we have no IPv4 address.
func (f *front) wantsSix(m *stun.Message, from netip.AddrPort) bool {
	if v, err := m.Get(stun.AttrRequestedAddressFamily); err == nil && len(v) == 4 {
		return v[0] == 2
	}
	return !f.server.config.public(false).IsValid() && from.Addr().Is6()
}

// mismatch tells who has no allocation that he has none: he may have had one before the relay began anew.
func (f *front) mismatch(b []byte, from netip.AddrPort) {
	m := &stun.Message{Raw: append([]byte(nil), b...)}
	if m.Decode() == nil {
		f.fail(m, stun.ErrorCodeAttribute{Code: stun.CodeAllocMismatch}, from)
	}
}

// fail answers a request with an error: a stun.ErrorCode, whose reason is there in words as well, or a stun.ErrorCodeAttribute.
func (f *front) fail(m *stun.Message, why stun.Setter, to netip.AddrPort) {
	f.reply(m, []stun.Setter{stun.NewType(m.Type.Method, stun.ClassErrorResponse), why}, to, false)
}

// user returns what the name of a user says and the key that its requests have to be signed with, or why it is refused.
func (f *front) user(name, realm string) (code.User, []byte, Reason) {
	u, err := code.ParseUser(name)
	switch {
	case err != nil:
		return u, nil, BadCredentials
	case f.server.config.Secret != code.OpenSecret && !time.Now().Before(u.Expires): // everybody can make one for an open relay
		return u, nil, Expired
	}
	return u, turn.GenerateAuthKey(name, realm, code.Password(f.server.config.Secret, name)), ""
}
