package directplay

import (
	"encoding/binary"

	"dplay4/wire"
)

// A First is an object as IDirectPlay shows it, the interface of DirectX 1 and 2: sessions have numbers, names two texts, and
// structures hold texts of fixed sizes. What it has not has no other shape there: Close, DestroyPlayer and the like are those
// of the object. Its shapes are those of the public headers; what they leave open is marked as guessed, since nobody has
// written down what DirectX 5 and later do behind this interface.
type First struct {
	*Object
	face Face
}

// First returns the object as IDirectPlay shows it, with texts as a face writes them.
func (o *Object) First(f Face) First { return First{o, f} }

// Flags of IDirectPlay alone.
const (
	EnumPrevious = 0x04 // sessions, and players of sessions, that SaveSession kept

	CapsNameService = 0x01 // players have names
	CapsGuaranteed  = 0x04 // there are guaranteed messages
)

// sessionNumber returns the number of a session, which is what a game of IDirectPlay knows of its GUID. Every machine gives a
// session the same one.
func sessionNumber(instance wire.GUID) (n uint32) {
	for i := 0; i < len(instance); i += 4 {
		n ^= binary.LittleEndian.Uint32(instance[i:])
	}
	return n
}

// numbered returns the session that was found and has a number.
func (f First) numbered(session uint32) (instance wire.GUID, ok bool) {
	found, ok := f.one(func(h *hit) bool { return sessionNumber(h.Desc.Instance) == session })
	return found.Desc.Instance, ok
}

// ofFirst are the flags of a session that is opened by IDirectPlay, where a game cannot say them: it lasts when its host leaves,
// for a game that knows no DPSYS_HOST knows no end of a session by that either (guessed).
const ofFirst = wire.SessionMigrateHost | wire.SessionKeepAlive

// Open opens a session, or joins the one with the number in d, if it was found. Which of them d.Flags say. The number of a
// new one is put into d.
func (f First) Open(d *FirstDesc) wire.HResult {
	if d == nil || d.WrongSize {
		return wire.ErrInvalidParams
	}
	s := d.session()
	if d.Flags&OpenJoin != 0 {
		instance, found := f.numbered(d.Session)
		if r := f.mayOpen(found); r != wire.OK {
			return r
		}
		s.Instance = instance
		return f.Object.Open(&s, OpenJoin)
	}
	s.Flags = ofFirst
	r := f.Object.Open(&s, d.Flags&OpenCreate)
	if r == wire.OK {
		d.Session, d.Reserved1, d.Reserved2 = sessionNumber(s.Instance), s.Reserved1, s.Reserved2
	}
	return r
}

// EnumSessions looks for sessions, as that of the object does. Of sessions that were saved there are none.
func (f First) EnumSessions(d *FirstDesc, timeout uint32, each func(*FirstDesc, *uint32) bool, flags uint32) wire.HResult {
	var wanted *SessionDesc
	if d != nil {
		s := d.session()
		wanted = &s
	}
	previous := flags&EnumPrevious != 0 && flags&uint32(wire.EnumAvailable|wire.EnumAll) == 0
	var tell func(*SessionDesc, *uint32) bool
	if each != nil {
		tell = func(s *SessionDesc, timeout *uint32) bool {
			switch {
			case s == nil:
				return each(nil, timeout)
			case previous:
				return true
			}
			told := firstDesc(s)
			return each(&told, timeout)
		}
	}
	return f.Object.EnumSessions(wanted, timeout, tell, flags&^EnumPrevious)
}

// EnableNewPlayers says whether more players may come. Only the host may (guessed).
func (f First) EnableNewPlayers(enable bool) wire.HResult {
	var d SessionDesc
	r := f.locked(func() wire.HResult {
		if f.state == outside {
			return wire.ErrNoSessions
		}
		d = f.description()
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	d.Flags |= wire.SessionNewPlayersDisabled
	if enable {
		d.Flags &^= wire.SessionNewPlayersDisabled
	}
	return f.SetSessionDesc(&d, 0)
}

// SaveSession would keep a session, to be opened another day. The provider of TCP/IP keeps none.
func (f First) SaveSession() wire.HResult { return f.unsupported() }

// GetCaps tells what the connection can do.
func (f First) GetCaps(c *Caps) wire.HResult {
	return older(c, f.Object.GetCaps(c, 0))
}

// GetPlayerCaps tells what can be done with a player.
func (f First) GetPlayerCaps(id wire.PlayerID, c *Caps) wire.HResult {
	return older(c, f.Object.GetPlayerCaps(id, c, 0))
}

// older adds the flags that games of DirectX 1 look for.
func older(c *Caps, r wire.HResult) wire.HResult {
	if r == wire.OK {
		c.Flags |= CapsNameService | CapsGuaranteed
	}
	return r
}
