package directplay

import (
	"slices"

	"dplay4/wire"
)

// How a lobbied game is to open its session, DPLCONNECTION_ in dplay.h, which are the DPOPEN_ of the same values.
const (
	SettingsJoin   = 1
	SettingsCreate = 2
)

// Settings are connection settings, DPLCONNECTION: what a lobby tells a game that it starts, so that the game goes into a
// session without asking anybody.
type Settings struct {
	Flags    uint32 // SettingsCreate or SettingsJoin
	Session  SessionSettings
	Player   *NameSettings // nil: none
	Provider wire.GUID
	Address  []byte // a compound address; nil: none
}

// SessionSettings is DPSESSIONDESC2 with its texts. A text is nil where the pointer is NULL: games ask for both.
type SessionSettings struct {
	Desc     wire.SessionDesc // its pointers are not used
	Name     *string
	Password *string
}

// NameSettings is DPNAME.
type NameSettings struct {
	Short *string
	Long  *string
}

// GivenSettings are connection settings as a game gave them, with the sizes that its structures say they have. Session or
// player may be missing.
type GivenSettings struct {
	Size        uint32 // of DPLCONNECTION
	SessionSize uint32 // of DPSESSIONDESC2; zero without one
	NameSize    uint32 // of DPNAME; zero without one
	Settings    Settings
}

// checked returns the game's settings if they can be taken. The layout says how large structures are.
func (g *GivenSettings) checked(l Layout) (*Settings, wire.HResult) {
	switch {
	case g.Size != uint32(l.connectionSize()), g.SessionSize != uint32(l.sessionSize()):
		return nil, wire.ErrInvalidParams
	case g.Settings.Player != nil && g.NameSize != uint32(l.nameSize()):
		return nil, wire.ErrInvalidParams
	case len(g.Settings.encode()) > maxSettings:
		return nil, wire.ErrInvalidParams
	}
	return g.Settings.clone(), wire.OK
}

// clone returns a copy that shares nothing that a caller may change.
func (s *Settings) clone() *Settings {
	c := *s
	c.Address = slices.Clone(s.Address)
	if s.Player != nil {
		p := *s.Player
		c.Player = &p
	}
	return &c
}
