package dpsp

import "dplay4/wire"

// A SilenceReason says why a host leaves an enumeration unanswered. Reasons are stable: programs may test for them.
type SilenceReason string

// The reasons.
const (
	OtherGame          SilenceReason = "other-game"           // it looks for another application
	PasswordUnknown    SilenceReason = "password-required"    // the session has a password, and it does not say that it takes such ones
	PrivateSession     SilenceReason = "private"              // likewise, and only who knows the password is told of it
	SessionFull        SilenceReason = "full"                 // it wants a session that takes newcomers: AVAILABLE, not ALL
	JoinDisabled       SilenceReason = "join-disabled"        // likewise
	NewPlayersDisabled SilenceReason = "new-players-disabled" // likewise
)

// silence returns why a host does not answer an enumeration with a session, "" if it does. It is what Windows does
// (facts, 5.3), which is sharper than 3.2.5.3: no flags mean the same as AVAILABLE, sessions that nobody can join are
// hidden however that came about, and a private one shows itself to nobody who does not know its password.
func silence(d *wire.SessionDesc, password wire.Text, m *wire.EnumSessions) SilenceReason {
	known := hasText(password) && password.Equal(m.Password)
	private := d.Flags&wire.SessionPrivate != 0
	switch {
	case !m.Application.IsZero() && m.Application != d.Application:
		return OtherGame
	case private && hasText(password) && !known:
		return PrivateSession
	case !private && d.Flags&wire.SessionPasswordRequired != 0 && !known && m.Flags&wire.EnumPasswordRequired == 0:
		return PasswordUnknown
	case m.Flags&wire.EnumAll != 0:
		return ""
	case d.Flags&wire.SessionJoinDisabled != 0:
		return JoinDisabled
	case d.Flags&wire.SessionNewPlayersDisabled != 0:
		return NewPlayersDisabled
	case full(d):
		return SessionFull
	}
	return ""
}

// full reports whether a session has as many players as it may have. No maximum means no limit.
func full(d *wire.SessionDesc) bool { return d.MaxPlayers > 0 && d.CurrentPlayers >= d.MaxPlayers }

// sessionFlags returns the flags of a session: PASSWORDREQUIRED goes with a password, and without one it and
// PRIVATE mean nothing (facts, 5.3).
func sessionFlags(f wire.SessionFlags, password Text) wire.SessionFlags {
	if !password.empty() {
		return f | wire.SessionPasswordRequired
	}
	return f &^ (wire.SessionPasswordRequired | wire.SessionPrivate)
}
