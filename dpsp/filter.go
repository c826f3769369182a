package dpsp

import (
	"bytes"

	"dplay4/wire"
)

// listed says whether a host answers an enumeration with a session. It is what Windows does (facts, 5.3),
// which is sharper than 3.2.5.3: no flags mean the same as AVAILABLE, sessions that nobody can join are hidden
// however that came about, and a private one shows itself to nobody who does not know its password.
func listed(d *wire.SessionDesc, password wire.Text, m *wire.EnumSessions) bool {
	if !m.Application.IsZero() && m.Application != d.Application {
		return false
	}
	known := hasText(password) && sameText(password, m.Password)
	if d.Flags&wire.SessionPrivate != 0 && hasText(password) && !known {
		return false
	}
	if d.Flags&wire.SessionPasswordRequired != 0 && !known && m.Flags&wire.EnumPasswordRequired == 0 &&
		d.Flags&wire.SessionPrivate == 0 {
		return false
	}
	return joinable(d) || m.Flags&wire.EnumAll != 0
}

// joinable says whether a session takes newcomers.
func joinable(d *wire.SessionDesc) bool {
	return d.Flags&(wire.SessionNewPlayersDisabled|wire.SessionJoinDisabled) == 0 && !full(d)
}

// full says whether a session has as many players as it may have. No maximum means no limit.
func full(d *wire.SessionDesc) bool { return d.MaxPlayers > 0 && d.CurrentPlayers >= d.MaxPlayers }

// hasText says whether a password or name is there and not empty. Some programs send an empty password
// for none (facts, 3.1).
func hasText(t wire.Text) bool { return len(t) > 2 }

// sameText compares two texts up to their terminators.
func sameText(a, b wire.Text) bool { return bytes.Equal(body(a), body(b)) }

// body gives the octets of a text before its terminator.
func body(t wire.Text) []byte {
	for i := 0; i+1 < len(t); i += 2 {
		if t[i] == 0 && t[i+1] == 0 {
			return t[:i]
		}
	}
	return t
}

// textOf encodes a name or password; none for an empty one.
func textOf(s string) wire.Text {
	if s == "" {
		return nil
	}
	return wire.NewText(s)
}
