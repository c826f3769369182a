package directplay

import (
	"io"
	"sync"
	"time"

	"dplay4/wire"
)

// Machine is what a lobby needs of the machine that it runs on.
type Machine struct {
	Process  uint32 // the number of this process
	Registry Registry
	Getenv   func(name string) string
	// Start starts a program. It has begun to run when the lobby was told its number.
	Start func(Command) (Process, error)
	// Listen makes a place on this machine that no other machine reaches, such as 127.0.0.1:PORT, and calls accept for each
	// connection to it, in a goroutine of its own. Dial connects to such a place.
	Listen func(accept func(io.ReadWriteCloser)) (place string, err error)
	Dial   func(place string) (io.ReadWriteCloser, error)
	Secret func() Secret // a new one nobody can guess
}

// Process is a program that was started.
type Process interface {
	ID() uint32
	Wait() // returns when it has ended
}

// Lobby is what a game and a launcher have of DirectPlayLobby. There is one in a process: its objects of COM share it, for
// games let go of one and ask another one for what they were told. As a game it has what its launcher told it, under the
// number zero; as a launcher it has the games that it started, under the numbers of their processes.
type Lobby struct {
	machine Machine

	mu     sync.Mutex
	own    lobbied
	entry  *lobbyEntry // on our way into the session; nil: not
	place  string      // where our launcher listens; empty once we called, or without one
	secret Secret      // tells our launcher that we are its game
	listen string      // where our games call; empty before the first
	games  map[uint32]*lobbied
}

// lobbied is one end of what a launcher and its game have in common.
type lobbied struct {
	settings *Settings // nil: none
	read     bool      // settings were, and the launcher was told
	queue    lobbyQueue
	link     *link // nil: not connected
	secret   Secret
	session  wire.GUID // that it is in, by its settings until it has entered one
	running  bool      // the process that was started
	links    int
}

// NewLobby returns the lobby of this process. It is a lobbied game's if the environment says so.
func NewLobby(m Machine) *Lobby {
	l := &Lobby{machine: m, games: map[uint32]*lobbied{}}
	l.own.settings, _ = ReadSettingsVariable(m.Getenv(EnvironmentSettings)) // nil with an error
	l.place, l.secret, _ = parsePlace(m.Getenv(EnvironmentLobby))           // empty with an error
	return l
}

// call connects to our launcher, once: who is not there now will not come. The lobby is locked.
func (l *Lobby) call() {
	place := l.place
	if place == "" {
		return
	}
	l.place = ""
	conn, err := l.machine.Dial(place)
	if err != nil {
		return
	}
	link := newLink(conn)
	l.own.link = link
	link.send(frame{kind: frameHello, data: l.secret[:]})
	go link.read(func(f frame) {
		if f.kind == frameHello {
			link.welcome()
			return
		}
		l.hear(&l.own, f)
	})
}

// hear takes what the other end says.
func (l *Lobby) hear(a *lobbied, f frame) {
	l.mu.Lock()
	notify := func() {}
	switch f.kind {
	case frameMessage:
		notify = a.queue.put(f.flags, f.data)
		if m, _ := ParseLobbyMessage(f.data); f.flags == LobbySystem && m.Type == ConnectSucceeded {
			a.session = m.Instance
		}
	case frameSettings:
		s, err := DecodeSettings(f.data)
		if err != nil || a != &l.own { // only launchers send settings
			break
		}
		a.settings, a.read = s, false
		m := LobbyMessage{Type: NewConnectionSettings, Instance: s.Session.Instance}
		notify = a.queue.put(m.Flags(), m.Append(nil))
	}
	l.mu.Unlock()
	notify()
}

// of returns what has a number: zero and our own are this process. The lobby is locked.
func (l *Lobby) of(application uint32) *lobbied {
	if application == 0 || application == l.machine.Process {
		return &l.own
	}
	return l.games[application]
}

// tell says a message of DirectPlay to our launcher, if there is one. The lobby is locked.
func (l *Lobby) tell(kind LobbyMessageType, instance wire.GUID) {
	l.call()
	if l.own.link != nil {
		m := LobbyMessage{Type: kind, Instance: instance}
		l.own.link.send(frame{frameMessage, m.Flags(), m.Append(nil)})
	}
}

// migrated tells the launcher that this machine has become the host of the session.
func (l *Lobby) migrated(instance wire.GUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell(NewSessionHost, instance)
}

// lastWords is how long a game waits for what it says to its launcher to be on its way: it may end next. firstWords is how long
// it waits for its launcher to answer its call: one that has not taken it yet would hear of the end of the game's process first.
const (
	lastWords  = 50 * time.Millisecond
	firstWords = time.Second
)

// spoken waits until our launcher took our call, and what we said to it is on its way. One that does not listen is not waited for.
func (l *Lobby) spoken() {
	l.mu.Lock()
	link := l.own.link
	l.mu.Unlock()
	if link == nil {
		return
	}
	link.awaitWelcome(firstWords)
	link.flush(lastWords)
}
