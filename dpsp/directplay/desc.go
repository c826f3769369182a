package directplay

import (
	"dplay4/dpsp"
	"dplay4/wire"
)

// GetSessionDesc gives the DPSESSIONDESC2 of the session, with its password if this machine gave one.
func (o *Object) GetSessionDesc(b *Buffer, f Face) wire.HResult {
	return o.locked(func() wire.HResult {
		if o.state == outside {
			return wire.ErrNoSessions
		}
		d := o.description()
		return b.put(d.Block(f), f)
	})
}

// description returns the open session as the game sees it. The object is locked.
func (o *Object) description() SessionDesc {
	info := o.sess.Info()
	return o.described(&info.Desc, info.Name, o.password)
}

// described is describe for the open session. The number of players is that of the roster, which EnumPlayers and the messages about
// players have as well: all of them agree at any moment (facts, dll 11). The object is locked.
func (o *Object) described(d *wire.SessionDesc, name string, password *string) SessionDesc {
	now := *d
	now.CurrentPlayers = o.roster.count(false)
	return describe(&now, name, password)
}

// fixedFlags cannot change while a session lasts (facts, 10.5).
const fixedFlags = wire.SessionKeepAlive | wire.SessionMigrateHost

// SetSessionDesc changes the session, which its host alone may. GUIDs and flags that cannot change stay as they are.
func (o *Object) SetSessionDesc(d *SessionDesc, flags uint32) wire.HResult {
	var fixed wire.SessionFlags
	r := o.locked(func() wire.HResult {
		switch {
		case o.state == outside:
			return wire.ErrNoSessions
		case d == nil, d.WrongSize, flags != 0, d.Flags&wire.SessionSecureServer != 0:
			return wire.ErrInvalidParams
		case o.state == lost:
			return wire.ErrSessionLost
		case !o.sess.Hosting():
			return wire.ErrAccessDenied
		}
		fixed = o.sess.Info().Desc.Flags & fixedFlags
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	_, err := o.do(dpsp.SetDesc{Name: given(d.Name), Password: given(d.Password), MaxPlayers: d.MaxPlayers, User: d.User,
		Flags: d.Flags&^fixedFlags | fixed})
	if err == nil {
		o.protect(d.Password)
	}
	return o.result(err)
}
