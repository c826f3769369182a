package directplay

import (
	"context"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// longest is how long the way into a session takes at most. The engine gives up before.
const longest = 40 * time.Second

// An attempt is a way into a session that the game asks for again and again (DPOPEN_RETURNSTATUS).
type attempt struct {
	instance wire.GUID
	done     bool
	result   wire.HResult
	cancel   context.CancelFunc
}

// Open opens a session of our own, or joins one that EnumSessions found. A new one's GUID and Reserved1 are put into d. With
// DPOPEN_RETURNSTATUS a way into a session goes on in the background: DPERR_CONNECTING is the answer until it is done.
func (o *Object) Open(d *SessionDesc, flags uint32) wire.HResult {
	if d == nil || d.WrongSize {
		return wire.ErrInvalidParams
	}
	if r := o.ready(); r != wire.OK {
		return r
	}
	o.mu.Unlock()
	switch {
	case flags&OpenJoin != 0 && flags&OpenReturnStatus != 0:
		return o.joinMeanwhile(d)
	case flags&OpenJoin != 0: // whatever else is said
		return o.join(o.ctx, d)
	case flags&OpenCreate != 0:
		return o.host(d)
	}
	return wire.ErrInvalidFlags
}

// SecureOpen is Open for secure sessions, which are not supported: it answers as on a machine without a security package, for
// nobody is to believe that messages are signed or encrypted which are not. secure says that the game named a security
// description, or credentials.
func (o *Object) SecureOpen(d *SessionDesc, flags uint32, secure bool) wire.HResult {
	if !secure || d == nil || d.WrongSize {
		return o.Open(d, flags)
	}
	if r := o.ready(); r != wire.OK {
		return r
	}
	in := o.state
	o.mu.Unlock()
	switch {
	case flags&(OpenJoin|OpenCreate) == 0:
		return wire.ErrInvalidFlags
	case in != outside:
		return wire.ErrAlreadyInitialized
	case flags&OpenJoin != 0:
		if _, ok := o.known(d.Instance); !ok {
			return wire.ErrNoSessions
		}
	}
	return wire.ErrCantLoadSecurityPackage
}

// joinMeanwhile begins an attempt, or tells how far it is.
func (o *Object) joinMeanwhile(d *SessionDesc) wire.HResult {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.joining
	switch {
	case a == nil || a.instance != d.Instance:
		ctx, cancel := context.WithCancel(o.ctx)
		if a != nil {
			a.cancel()
		}
		a = &attempt{instance: d.Instance, cancel: cancel}
		o.joining = a
		wanted := *d
		go func() {
			r := o.join(ctx, &wanted)
			o.mu.Lock()
			defer o.mu.Unlock()
			a.done, a.result = true, r
		}()
		return wire.ErrConnecting
	case !a.done:
		return wire.ErrConnecting
	}
	a.cancel()
	o.joining = nil
	return a.result
}

// join enters a session that was found.
func (o *Object) join(ctx context.Context, d *SessionDesc) wire.HResult {
	o.entering.Lock()
	defer o.entering.Unlock()
	if o.isOpen() {
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
	err = s.Join(ctx, at, password(d.Password))
	o.catchUp(s)
	return o.entered(d, err)
}

// host opens a session of our own.
func (o *Object) host(d *SessionDesc) wire.HResult {
	o.entering.Lock()
	defer o.entering.Unlock()
	if o.isOpen() {
		return wire.ErrAlreadyInitialized
	}
	s, err := o.sockets()
	if err != nil {
		o.log.Error("no session", "why", err)
		return wire.ErrCantCreateSession
	}
	ctx, cancel := context.WithTimeout(o.ctx, longest)
	defer cancel()
	name := dpsp.Text("") // there has to be one: Wine ignores a host without (facts, 3.2)
	if d.Name != nil {
		name = text(d.Name)
	}
	err = s.Host(ctx, dpsp.Host{Application: d.Application, Name: name, Password: password(d.Password),
		MaxPlayers: d.MaxPlayers, Flags: d.Flags, User: d.User})
	o.catchUp(s)
	if r := o.result(err); r == wire.ErrGeneric {
		return wire.ErrCantCreateSession // as a rule another program has the port of hosts
	}
	if err == nil {
		info := s.Info().Desc
		d.Instance, d.Reserved1, d.Reserved2 = info.Instance, info.Reserved1, info.Reserved2
	}
	return o.entered(d, err)
}

// entered ends Open.
func (o *Object) entered(d *SessionDesc, err error) wire.HResult {
	if err == nil {
		o.stopSearch()
		o.mu.Lock()
		if d.Password != nil && *d.Password != "" {
			o.password = d.Password
		}
		o.mu.Unlock()
	}
	o.log.Info("open", "instance", d.Instance, "result", o.result(err))
	return o.result(err)
}

func (o *Object) isOpen() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.state != outside
}

// Close leaves the session. Nothing of it is left, not what waits to be received either.
func (o *Object) Close() wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	if o.joining != nil {
		o.joining.cancel()
		o.joining = nil
	}
	o.mu.Unlock()
	o.entering.Lock()
	defer o.entering.Unlock()
	if !o.isOpen() {
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
