package directplay

import (
	"bytes"
	"io"

	"dplay4/wire"
)

// RunApplication is IDirectPlayLobby::RunApplication: it starts the application that the settings' session is one of, with the
// settings in its environment, and returns its number. Notify, which may be nil, is called when it says something.
func (l *Lobby) RunApplication(flags uint32, s *Settings, notify func()) (uint32, wire.HResult) {
	if flags != 0 || s == nil || !s.complete() {
		return 0, wire.ErrInvalidParams
	}
	a, ok := l.registered(func(a Application) bool { return a.GUID == s.Session.Application })
	if !ok {
		return 0, wire.ErrUnknownApplication
	}
	return l.Run(a.command(), s, notify)
}

// Run starts a program with settings, as RunApplication does with what the registry says.
func (l *Lobby) Run(c Command, s *Settings, notify func()) (uint32, wire.HResult) {
	variable, err := SettingsVariable(s)
	if err != nil {
		return 0, wire.ErrInvalidParams
	}
	l.mu.Lock()
	if l.listen == "" {
		if l.listen, err = l.machine.Listen(l.accept); err != nil {
			l.mu.Unlock()
			return 0, wire.ErrCantCreateProcess
		}
	}
	a := &lobbied{settings: s.clone(), secret: l.machine.Secret(), queue: lobbyQueue{notify: notify}, session: s.Session.Instance,
		running: true}
	c.Environment = append(c.Environment, EnvironmentSettings+"="+variable, EnvironmentLobby+"="+lobbyPlace(l.listen, a.secret))
	p, err := l.machine.Start(c) // the game's call waits until it is in the list
	if err != nil {
		l.mu.Unlock()
		return 0, wire.ErrCantCreateProcess
	}
	id := p.ID()
	l.games[id] = a
	l.mu.Unlock()
	go func() {
		p.Wait()
		l.gone(a, func() { a.running = false })
	}()
	return id, wire.OK
}

// accept serves a game that calls.
func (l *Lobby) accept(conn io.ReadWriteCloser) {
	hello, _ := readFrame(conn) // that of an error is none
	a, link := l.greet(hello, conn)
	if a == nil {
		conn.Close()
		return
	}
	link.send(frame{kind: frameHello})
	link.read(func(f frame) { l.hear(a, f) })
	l.gone(a, func() {
		a.links--
		if a.link == link {
			a.link = nil
		}
	})
}

// greet finds the game whose secret hello has; nil if there is none. A game behind a starter may call besides it: the last one is
// who is spoken to.
func (l *Lobby) greet(hello frame, conn io.ReadWriteCloser) (*lobbied, *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.games {
		if hello.kind == frameHello && bytes.Equal(a.secret[:], hello.data) {
			a.links++
			a.link = newLink(conn)
			return a, a.link
		}
	}
	return nil, nil
}

// reach is of, and calls our launcher if its game, this process, is meant. The lobby is locked.
func (l *Lobby) reach(application uint32) *lobbied {
	a := l.of(application)
	if a == &l.own {
		l.call()
	}
	return a
}

// gone notes that a game's process ended, or its connection. When neither is left, it has terminated: a starter may end before
// the game that it started.
func (l *Lobby) gone(a *lobbied, note func()) {
	l.mu.Lock()
	note()
	notify := func() {}
	if !a.running && a.links == 0 {
		m := LobbyMessage{Type: AppTerminated, Instance: a.session}
		notify = a.queue.put(m.Flags(), m.Append(nil))
	}
	l.mu.Unlock()
	notify()
}

// SendLobbyMessage is IDirectPlayLobby::SendLobbyMessage. Only DirectPlay itself sends system messages.
func (l *Lobby) SendLobbyMessage(flags, application uint32, data []byte) wire.HResult {
	switch {
	case flags&^LobbyStandard != 0, len(data) == 0, flags == LobbyStandard && len(data) < 4:
		return wire.ErrInvalidParams
	case len(data) > MaxLobbyMessage:
		return wire.ErrBufferTooLarge
	}
	defer l.spoken()
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.reach(application)
	switch {
	case a == &l.own && a.link == nil:
		return wire.ErrNotLobbied
	case a == nil || a.link == nil:
		return wire.ErrAppNotStarted
	case !a.link.send(frame{frameMessage, flags, data}):
		return wire.ErrTimeout
	}
	return wire.OK
}

// ReceiveLobbyMessage is IDirectPlayLobby::ReceiveLobbyMessage, which also returns the message's flags.
func (l *Lobby) ReceiveLobbyMessage(flags, application uint32, b *Buffer) (uint32, wire.HResult) {
	if flags != 0 || b == nil {
		return 0, wire.ErrInvalidParams
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.reach(application)
	switch {
	case a == nil:
		return 0, wire.ErrAppNotStarted
	case a == &l.own && a.link == nil && a.settings == nil && len(a.queue.list) == 0:
		return 0, wire.ErrNotLobbied
	}
	return a.queue.receive(b)
}

// SetLobbyMessageEvent is IDirectPlayLobby::SetLobbyMessageEvent: notify is called when a message came; nil ends it.
func (l *Lobby) SetLobbyMessageEvent(flags, application uint32, notify func()) wire.HResult {
	if flags != 0 {
		return wire.ErrInvalidParams
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.reach(application)
	if a == nil {
		return wire.ErrAppNotStarted
	}
	a.queue.notify = notify
	return wire.OK
}
