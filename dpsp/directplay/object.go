package directplay

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// An Object is what a game calls DirectPlay: it looks for sessions, and is in one at most. All interfaces that a game has of it
// are faces of the same one. Its methods may be called from any goroutine, also from what EnumSessions and the like call back.
//
// A nil pointer among the arguments is a NULL of the game, or a pointer that it cannot have meant. Data come with the size that
// the game named; if they differ, the data could not be read.
type Object struct {
	opt  Options
	sink Sink
	log  *slog.Logger
	ctx  context.Context // until Release
	end  context.CancelFunc

	entering sync.Mutex // held by who opens or closes a session, or its sockets; taken before mu
	making   sync.Mutex // held by who makes a player or group; taken before mu

	connected atomic.Bool // there is a connection; Receive looks here, and waits for no lock but the queue's

	mu       sync.Mutex
	told     *sync.Cond // something was heard of the session
	conn     *connection
	sess     *sock.Session // its sockets; from the first search on
	state    state
	heard    uint64 // events of sess so far
	deaf     bool   // sess was closed
	roster   roster
	search   search
	sends    sends
	maker    *maker             // whoever makes a player or group now
	joining  *attempt           // of which the game was not told yet how it ended
	opened   dpsp.SessionOpened // the session, and what we are in it
	password *string            // of the session, as this machine gave it

	becameHost func(instance wire.GUID) // the lobby is told that this machine has become the host; nil: there is none
}

// A state is how far an object is in a session.
type state uint8

const (
	outside state = iota // no session is open
	inside               // one is
	lost                 // one is, but what was ours alone is left of it
)

// A connection is a service provider and where it looks for sessions.
type connection struct {
	provider wire.GUID
	host     string // empty if the game gave none
	port     uint16 // of our sockets; 0: the usual ones
}

// New returns an object that has no connection yet.
func New(opt Options) *Object {
	o := &Object{opt: opt, roster: newRoster(), sends: sends{waiting: map[uint32]*Sending{}}, search: search{stop: func() {}}}
	o.opt.Neighbours = cmp.Or(opt.Neighbours, new(Neighbours))
	o.log = cmp.Or(opt.Config.Log, slog.New(slog.DiscardHandler))
	o.sink = cmp.Or[Sink](opt.Sink, &Queue{Face: Face{Wide: true}}) // so Windows reckons, by either interface (Wine's test_GetMessageQueue)
	if o.opt.adapters == nil {
		o.opt.adapters = sock.Adapters
	}
	o.ctx, o.end = context.WithCancel(context.Background())
	o.told = sync.NewCond(&o.mu)
	return o
}

// InitializeConnection chooses the connection that a compound address names.
func (o *Object) InitializeConnection(address []byte, flags uint32) wire.HResult {
	switch {
	case address == nil:
		return wire.ErrInvalidParams
	case flags != 0:
		return wire.ErrInvalidFlags
	}
	n, err := ReadAddress(address)
	if err != nil {
		o.log.Error("InitializeConnection", "why", err)
		return wire.ErrInvalidParams
	}
	return o.connect(connection{n.Provider, deref(n.Host), n.Port})
}

// Initialize chooses a service provider alone, as DirectPlayCreate and IDirectPlay::Initialize do.
func (o *Object) Initialize(provider wire.GUID) wire.HResult {
	return o.connect(connection{provider: provider})
}

// connect takes a connection. IPX is answered by TCP/IP, for nobody has IPX any more; there are no modems.
func (o *Object) connect(c connection) wire.HResult {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.conn != nil:
		return wire.ErrAlreadyInitialized
	case c.provider != ProviderTCP && c.provider != ProviderIPX:
		return wire.ErrUnavailable
	}
	o.conn = &c
	o.connected.Store(true)
	return wire.OK
}

// Release ends all that the object does: the session, the search and the calls at work. It is called once, when the game has
// let go of the last interface, whether it has called Close or not.
func (o *Object) Release() {
	o.end()
	o.opt.Neighbours.in(o, false)
	o.entering.Lock()
	defer o.entering.Unlock()
	o.stopSearch()
	o.mu.Lock()
	s := o.sess
	o.mu.Unlock()
	if s != nil {
		s.Close()
		o.mu.Lock()
		for !o.deaf {
			o.told.Wait()
		}
		o.forget()
		o.mu.Unlock()
	}
	o.sink.Clear()
}

// sockets returns the sockets, and opens them if there are none. Entering is held: Windows keeps one set of them from the
// search to the session, and so do we (facts, 10.1).
func (o *Object) sockets() (*sock.Session, error) {
	o.mu.Lock()
	s, port := o.sess, o.conn.port
	o.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	opt := o.opt.Config.sockets(port)
	opt.Network = o.opt.Network
	s, err := sock.Open(opt)
	if err != nil {
		o.log.Error("no sockets", "why", err)
		return nil, err
	}
	o.mu.Lock()
	o.sess, o.heard, o.deaf = s, 0, false
	o.mu.Unlock()
	go o.follow(s)
	return s, nil
}

// catchUp waits until all is known that a command did.
func (o *Object) catchUp(s *sock.Session) {
	told := s.Told()
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.heard < told && !o.deaf {
		o.told.Wait()
	}
}

// do has the session do a command, and returns when all is known that it did.
func (o *Object) do(c dpsp.Command) (wire.PlayerID, error) {
	o.mu.Lock()
	s, in := o.sess, o.state
	o.mu.Unlock()
	switch in {
	case outside:
		return 0, dpsp.ErrNoSession
	case lost:
		return 0, dpsp.ErrLost
	}
	others := o.witnesses()
	id, err := s.Do(o.ctx, c)
	o.catchUp(s)
	if err == nil {
		settle(others)
	}
	return id, err
}

// locked runs f with the object locked. Without a connection it returns DPERR_UNINITIALIZED instead.
func (o *Object) locked(f func() wire.HResult) wire.HResult {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conn == nil {
		return wire.ErrUninitialized
	}
	return f()
}

// with runs f with the object locked and a player or group. If there is none, it returns the code that says so.
func (o *Object) with(id wire.PlayerID, group bool, f func(*entry) wire.HResult) wire.HResult {
	return o.locked(func() wire.HResult {
		e, r := o.find(id, group)
		if r != wire.OK {
			return r
		}
		return f(e)
	})
}

// change has the session do a command. If the session was lost, it makes the command's event happen to what is left: the engine has
// no session any more, and games clean up.
func (o *Object) change(c dpsp.Command, alone dpsp.Event) wire.HResult {
	if o.alone(alone) {
		return wire.OK
	}
	_, err := o.do(c)
	return o.result(err)
}

// changeOf is change for a command about a player or group. may is called with the object locked, and returns why not.
func (o *Object) changeOf(id wire.PlayerID, group bool, may func(*entry) wire.HResult, c dpsp.Command, alone dpsp.Event) wire.HResult {
	if r := o.with(id, group, may); r != wire.OK {
		return r
	}
	return o.change(c, alone)
}
