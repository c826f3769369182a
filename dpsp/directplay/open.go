package directplay

import (
	"cmp"
	"context"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// longest is how long the way into a session takes at most. The engine gives up before.
const longest = 40 * time.Second

// Open opens a session of our own, or joins one that EnumSessions found. A new one's GUID and Reserved1 are put into d. With
// DPOPEN_RETURNSTATUS the attempt to join goes on in the background if it takes long, and Open returns DPERR_CONNECTING. The next
// Open for the same session returns the result. Until then EnumSessions works, because the game is in no session as far as it
// was told. An Open for another session, and Close, give up the attempt.
func (o *Object) Open(d *SessionDesc, flags uint32) wire.HResult {
	return o.open(d, flags, wire.GUID{})
}

// open is Open. A session of our own has the GUID instance, or a new one if that is zero.
func (o *Object) open(d *SessionDesc, flags uint32, instance wire.GUID) wire.HResult {
	if d == nil || d.WrongSize {
		return wire.ErrInvalidParams
	}
	obsolete := false
	r := o.locked(func() wire.HResult {
		if flags&(OpenJoin|OpenCreate) == 0 {
			return wire.ErrInvalidFlags
		}
		obsolete = o.obsolete(d, flags)
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	if obsolete {
		o.Close()
	}
	if flags&OpenJoin != 0 { // whatever else is said
		return o.attempt(d, flags)
	}
	return o.host(d, instance)
}

// SecureOpen is Open for secure sessions, which are not supported: it answers as on a machine without a security package, for
// nobody is to believe that messages are signed or encrypted which are not. secure says that the game named a security
// description, or credentials.
func (o *Object) SecureOpen(d *SessionDesc, flags uint32, secure bool) wire.HResult {
	if !secure || d == nil || d.WrongSize {
		return o.Open(d, flags)
	}
	if flags&(OpenJoin|OpenCreate) == 0 {
		return o.locked(func() wire.HResult { return wire.ErrInvalidFlags })
	}
	_, found := o.known(d.Instance)
	return cmp.Or(o.mayOpen(found || flags&OpenJoin == 0), wire.ErrCantLoadSecurityPackage)
}

// mayOpen makes the checks for entering a session. found tells whether it can be entered.
func (o *Object) mayOpen(found bool) wire.HResult {
	return o.locked(func() wire.HResult {
		switch {
		case o.isOpen():
			return wire.ErrAlreadyInitialized
		case !found:
			return wire.ErrNoSessions
		}
		return wire.OK
	})
}

// attempt joins a session, or returns how far the attempt is that is under way.
func (o *Object) attempt(d *SessionDesc, flags uint32) wire.HResult {
	o.mu.Lock()
	if o.isOpen() {
		o.mu.Unlock()
		return wire.ErrAlreadyInitialized
	}
	if o.obsolete(d, flags) { // another thread began it after open looked
		o.mu.Unlock()
		return o.open(d, flags, wire.GUID{})
	}
	a := o.joining
	if a == nil {
		wanted := *d
		a = try(o.ctx, func(ctx context.Context) wire.HResult { return o.join(ctx, &wanted) })
		a.desc, o.joining = wanted, a
	}
	o.mu.Unlock()
	if !a.wait(flags) {
		return wire.ErrConnecting
	}
	a.cancel()
	o.mu.Lock()
	first := o.joining == a
	if first {
		o.joining = nil
	}
	open := o.isOpen()
	o.mu.Unlock()
	switch {
	case a.result != wire.OK:
	case first:
		o.stopSearch()
	case open:
		return wire.ErrAlreadyInitialized // another thread was told
	default:
		return wire.ErrAborted // another thread gave up
	}
	return a.result
}

// obsolete reports whether the attempt that is under way is not the one that Open wants. The object is locked.
func (o *Object) obsolete(d *SessionDesc, flags uint32) bool {
	a := o.joining
	return a != nil && (flags&OpenJoin == 0 || !a.joins(d) || a.ended() && a.result == wire.OK && o.state != inside)
}

// joins reports whether the attempt is for a session with a password.
func (a *attempt) joins(d *SessionDesc) bool {
	return a.desc.Instance == d.Instance && given(a.desc.Password) == given(d.Password)
}

// join enters a session that was found.
func (o *Object) join(ctx context.Context, d *SessionDesc) wire.HResult {
	o.entering.Lock()
	defer o.entering.Unlock()
	if o.inSession() {
		return wire.ErrAlreadyInitialized
	}
	at, ok := o.known(d.Instance)
	if !ok {
		return wire.ErrNoSessions
	}
	s, err := o.sockets()
	if err != nil {
		return o.result(err)
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err = s.Join(ctx, at, given(d.Password))
	o.catchUp(s)
	return o.entered(d, o.result(err))
}

// host opens a session of our own, with the GUID instance or a new one if that is zero. An application cannot choose it: its
// description may still have the GUID of another session.
func (o *Object) host(d *SessionDesc, instance wire.GUID) wire.HResult {
	o.entering.Lock()
	defer o.entering.Unlock()
	if o.inSession() {
		return wire.ErrAlreadyInitialized
	}
	s, err := o.sockets()
	if err != nil {
		return wire.ErrCantCreateSession
	}
	ctx, cancel := context.WithTimeout(o.ctx, longest)
	defer cancel()
	// NULL becomes an empty name, because Wine ignores a host without a name (facts, 3.2).
	err = s.Host(ctx, dpsp.Host{Application: d.Application, Instance: instance, Name: given(d.Name), Password: given(d.Password),
		MaxPlayers: d.MaxPlayers, Flags: d.Flags, User: d.User})
	o.catchUp(s)
	if err == nil {
		info := s.Info().Desc
		d.Instance, d.Reserved1, d.Reserved2 = info.Instance, info.Reserved1, info.Reserved2
		o.stopSearch()
		go o.reachable()
	}
	r := o.result(err)
	if r == wire.ErrGeneric {
		r = wire.ErrCantCreateSession // as a rule another program has the port of hosts
	}
	return o.entered(d, r)
}

// reachable logs whether other machines can reach a session that was just opened. The game does not wait for it.
func (o *Object) reachable() {
	list, err := o.opt.adapters()
	if why := sock.Unreachable(o.opt.Config.Bind, list, err); why != "" {
		o.log.Warn("hosting", "but", why)
	}
}

// entered ends Open.
func (o *Object) entered(d *SessionDesc, r wire.HResult) wire.HResult {
	if r == wire.OK {
		o.protect(d.Password)
	}
	o.log.Info("open", "instance", d.Instance, "result", r)
	return r
}

// protect keeps the session's password, as the game gave it. An empty one is none.
func (o *Object) protect(password *string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.password = textOrNull(deref(password))
}

// isOpen reports whether a session is open as far as the game was told. The object is locked.
func (o *Object) isOpen() bool { return o.state != outside && o.joining == nil }

// inSession reports whether a session is open.
func (o *Object) inSession() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state != outside
}

// Close leaves the session. Nothing of it is left, not what waits to be received either.
func (o *Object) Close() wire.HResult {
	r := o.locked(func() wire.HResult {
		if o.joining != nil {
			o.joining.cancel()
			o.joining = nil
		}
		return wire.OK
	})
	if r != wire.OK {
		return r
	}
	o.entering.Lock()
	defer o.entering.Unlock()
	if !o.inSession() {
		return wire.ErrNoSessions // guessed
	}
	o.mu.Lock()
	s, was := o.sess, o.opened
	o.mu.Unlock()
	others, goesOn := o.witnesses(), s.Hosting() && s.Info().Desc.Flags&wire.SessionMigrateHost != 0
	err := s.Leave(o.ctx)
	o.catchUp(s)
	left(others, was, goesOn)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forget() // a session that was lost before is not left by the engine
	if err != nil {
		o.log.Info("leave", "why", err)
	}
	return wire.OK
}

// text returns a name as the engine takes it: none at all for NULL, and an empty one for "".
func text(s *string) dpsp.Text {
	switch {
	case s == nil:
		return dpsp.Octets(nil)
	case *s == "":
		return dpsp.Octets(wire.NewText(""))
	}
	return dpsp.Text(strings.ToValidUTF8(*s, "?"))
}
