package directplay

import (
	"context"
	"slices"

	"dplay4/wire"
)

// GetConnectionSettings is IDirectPlayLobby::GetConnectionSettings: DPLCONNECTION and what it points at. The launcher is told
// when its game has them.
func (l *Lobby) GetConnectionSettings(application uint32, b *Buffer, f Face) wire.HResult {
	if b == nil {
		return wire.ErrInvalidParams
	}
	defer l.spoken()
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of(application)
	if a == nil || a.settings == nil {
		return wire.ErrNotLobbied
	}
	code := b.put(a.settings.Block(f), f)
	if code == wire.OK && a == &l.own && !a.read {
		a.read = true
		l.tell(ConnectionSettingsRead, a.settings.Session.Instance)
	}
	return code
}

// SetConnectionSettings is IDirectPlayLobby::SetConnectionSettings. A game may set its own without having been started by a
// launcher. A game that is running is sent those that its launcher sets.
func (l *Lobby) SetConnectionSettings(flags, application uint32, s *Settings) wire.HResult {
	if flags != 0 || s == nil || s.WrongSize {
		return wire.ErrInvalidParams
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.of(application)
	if a == nil {
		return wire.ErrNotLobbied
	}
	if !s.complete() {
		return wire.ErrInvalidParams
	}
	a.settings = s.clone()
	if a != &l.own && a.link != nil {
		a.link.send(frame{frameSettings, 0, a.settings.encode()})
	}
	return wire.OK
}

// WaitForConnectionSettings is IDirectPlayLobby3::WaitForConnectionSettings: a game that waits has no settings until its
// launcher sets new ones. It does not wait itself; a message says that they came. Only the launcher that started a game can
// reach it: with Windows RunApplication hands the settings to a game that waits already, here it always starts another one, and
// a game that no launcher of ours started waits in vain.
func (l *Lobby) WaitForConnectionSettings(flags uint32) wire.HResult {
	const cancel = 1 // DPLWAIT_CANCEL
	if flags&^cancel != 0 {
		return wire.ErrInvalidParams
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.call()
	if flags&cancel == 0 {
		l.own.settings = nil
	}
	return wire.OK
}

// compound returns the address for InitializeConnection: the settings', with the provider that they name beside it.
func (s *Settings) compound() ([]byte, error) {
	var chunks []Chunk
	if s.Address != nil {
		var err error
		if chunks, err = ParseAddress(s.Address); err != nil {
			return nil, err
		}
	}
	var provider []Chunk
	replaced := []wire.GUID{AddressTotalSize}
	if !s.Provider.IsZero() {
		provider = []Chunk{{AddressServiceProvider, s.Provider[:]}}
		replaced = append(replaced, AddressServiceProvider)
	}
	chunks = slices.DeleteFunc(chunks, func(c Chunk) bool { return slices.Contains(replaced, c.Type) })
	return AppendAddress(nil, append(provider, chunks...)...), nil
}

// How long a lobbied game looks for the session that it is to join: its host may have been started at the same time.
const (
	lobbySearches = 40
	lobbySearch   = 250 // ms
)

// enter has an object go into the session of the settings. A new session has the GUID that they name, by which launchers meet that
// have agreed on one, or else a new one, which they have then. Of their flags those count that say whether to host or to join.
func (s *Settings) enter(o *Object) wire.HResult {
	address, err := s.compound()
	if err != nil {
		return wire.ErrInvalidParams
	}
	if r := o.InitializeConnection(address, 0); r != wire.OK {
		return r
	}
	if s.Flags&OpenJoin == 0 {
		return o.open(s.Session, s.Flags&OpenCreate, s.Session.Instance)
	}
	wanted := *s.Session
	for range lobbySearches {
		found := false
		r := o.EnumSessions(&wanted, lobbySearch, func(d *SessionDesc, _ *uint32) bool {
			if d == nil {
				return false // all were told
			}
			if found = wanted.Instance.IsZero() || d.Instance == wanted.Instance; found {
				s.Session.Instance = d.Instance
			}
			return !found
		}, uint32(wire.EnumAll|wire.EnumPasswordRequired))
		switch {
		case r != wire.OK:
			return r
		case found:
			return o.Open(s.Session, OpenJoin)
		}
	}
	return wire.ErrNoSessions
}

// lobbyEntry is a lobbied game on its way into its session.
type lobbyEntry struct {
	object *Object
	*attempt
}

// Connect is IDirectPlayLobby::Connect and ConnectEx: a new object goes into the session of the settings, and the launcher is
// told how that ended. With DPCONNECT_RETURNSTATUS that goes on in the background if it takes long, and Connect returns
// DPERR_CONNECTING until it is done. The player is the game's to make. An object with a code that is not wire.OK has failed, and is the
// caller's to release.
func (l *Lobby) Connect(flags uint32, object func() *Object) (*Object, wire.HResult) {
	if flags&^OpenReturnStatus != 0 {
		return nil, wire.ErrInvalidFlags
	}
	l.mu.Lock()
	e := l.entry
	switch {
	case e == nil && l.own.settings == nil:
		l.mu.Unlock()
		return nil, wire.ErrNotLobbied
	case e == nil:
		o := object()
		if o == nil {
			l.mu.Unlock()
			return nil, wire.ErrOutOfMemory
		}
		e = l.begin(o)
	}
	l.mu.Unlock()
	if !e.wait(flags) {
		return nil, wire.ErrConnecting
	}
	e.cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entry != e {
		return nil, wire.ErrConnecting // another call has what came of it
	}
	l.entry = nil
	return e.object, e.result
}

// begin sends an object on its way. The lobby is locked.
func (l *Lobby) begin(o *Object) *lobbyEntry {
	settings := l.own.settings.clone()
	o.becameHost = l.migrated
	l.entry = &lobbyEntry{o, try(o.ctx, func(context.Context) wire.HResult {
		defer l.spoken()
		code := settings.enter(o)
		l.mu.Lock()
		defer l.mu.Unlock()
		kind := ConnectFailed
		if code == wire.OK {
			kind = ConnectSucceeded
		}
		l.tell(kind, settings.Session.Instance)
		return code
	})}
	return l.entry
}
