package local

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// listing is what becomes of port 47624, see the package's comment.
type listing struct {
	l *Local

	mu       sync.Mutex          // may be held when l.mu is locked, not the other way round
	taken    bool                // a program of this machine has the port
	by       []string            // which
	host     bool                // it is our game
	seen     string              // the sockets by which that was told
	missed   int                 // how often in a row one was not there
	lists    []sock.Holding      // who had 47624 when our game's port was looked at
	tried    time.Time           // when 47624 was, where the system does not tell who has it
	udp      sock.DatagramSocket // ours, while we hold it
	tcp      *net.TCPListener
	out      int       // connections of our game to others
	quiet    time.Time // since when there are none
	lacks    string    // what is in the way of our game
	wait     string    // what was reported last
	asked    time.Time // when our game last asked for sessions
	second   uint16    // the TCP port of another game of this machine
	askedToo time.Time // when that last asked
	off      time.Time // since when it is not our game that has 47624
	plays    bool      // it was reported that our game has connections
	let      bool      // our game may host although another one does
	told     Elsewhere // as it was reported last
	toldAt   time.Time
	closed   bool
}

// lookEvery is the time between two looks at the port.
const lookEvery = 100 * time.Millisecond

// missable is how often a socket may not be seen that was there: a table of the system that changes while it is read leaves
// some out.
const missable = 2

// run looks after the port until l is closed.
func (s *listing) run() {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var told time.Time
	for {
		changed := s.look()
		if now := time.Now(); changed || now.Sub(told) >= s.l.opt.times.tell {
			told = now
			s.retry()
			for _, n := range s.l.neighbours() {
				s.tell(n)
			}
		}
		select {
		case <-s.l.ctx.Done():
			return
		case <-look.C:
		case <-s.l.pace.woken:
		}
	}
}

// retry tries again what could not be opened, and looks for a game that hosts where it is not expected.
func (s *listing) retry() {
	lacks := s.l.retry()
	s.mu.Lock()
	s.lacks = lacks
	taken, by := s.taken, s.by
	s.mu.Unlock()
	if taken {
		s.l.owner(by)
	}
}

// tell tells a machine whether our game is host.
func (s *listing) tell(n *neighbour) {
	b := []byte{datagramHost, 0}
	if s.hosting() {
		b[1] = 1
	}
	n.way.SendDatagram(b) //nolint:errcheck // it is told again
}

// hosting reports whether our game is host.
func (s *listing) hosting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host
}

// Hosts returns the slots whose games are host.
func (l *Local) Hosts() (slots []int) {
	if l.list.hosting() {
		l.mu.RLock()
		slots = append(slots, l.slot)
		l.mu.RUnlock()
	}
	for _, n := range l.hosts() {
		slots = append(slots, n.slot)
	}
	return slots
}

// look finds out who has the port, and takes it or lets go of it. It reports whether there is a host now where there was none, or
// the other way round, or whether that may be because the game is elsewhere.
func (s *listing) look() (changed bool) {
	hosts := s.l.hosts()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	elsewhere := len(hosts) > 0 && !s.let
	busy := s.out > 0 || time.Since(s.quiet) < s.l.opt.times.settled // each answer to a search is a connection
	if busy != s.plays {
		s.plays = busy
		s.l.report(Playing{On: busy})
	}
	if !elsewhere || s.out > 0 {
		s.release()
	}
	if s.udp == nil {
		changed = s.seek()
		if elsewhere && !s.taken && !busy {
			s.take()
		}
	}
	switch {
	case !elsewhere:
		s.tellElsewhere(Elsewhere{-1})
	case s.udp != nil:
		s.tellElsewhere(Elsewhere{hosts[0].slot})
	}
	if waiting := s.waiting(elsewhere && !busy); waiting != s.wait {
		s.wait = waiting
		s.l.report(Waiting{For: waiting})
	}
	return changed
}

// tellElsewhere reports whose game is host, if that is new: once in a while, for another machine can say now that its game is, and
// now that it is not, as often as it likes. Locked.
func (s *listing) tellElsewhere(now Elsewhere) {
	if now == s.told || time.Since(s.toldAt) < s.l.opt.times.tell {
		return
	}
	s.told, s.toldAt = now, time.Now()
	s.l.report(now)
}

// LetHost has a game of this machine host although that of another one does, so that there are two sessions; or no longer. It is
// over when that game hosts no more. Meanwhile games of this machine do not find the sessions of others.
func (l *Local) LetHost(on bool) {
	l.list.mu.Lock()
	l.list.let = on
	l.list.mu.Unlock()
	l.pace.wake()
}

// waiting returns what the user has to do. Locked.
func (s *listing) waiting(searches bool) string {
	held := "47624 is held by " + strings.Join(s.by, ", ")
	switch {
	case s.lacks != "":
		return s.lacks
	case s.taken && searches:
		return held + ": close the game that hosts"
	case s.taken && !s.host && time.Since(s.off) >= s.l.opt.times.settled+s.l.opt.times.tell: // then it was looked for
		ports := s.l.translation().Slot
		return fmt.Sprintf("%s, but the game that hosts is not on TCP %d and UDP %d: start it after the bridge, or set these ports in it",
			held, ports.TCP, ports.UDP)
	case time.Since(s.askedToo) < searchGap:
		return fmt.Sprintf("a second game, on TCP %d, looks for sessions, and this machine has a place for one: quit the other one", s.second)
	}
	return ""
}

// seconded takes note that another game of this machine looks for sessions.
func (s *listing) seconded(port uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.second, s.askedToo = port, time.Now()
}

// seek finds out whether a program has the port, and whether that is our game as host. It reports whether that changed. Locked.
func (s *listing) seek() (changed bool) {
	lists, known := s.l.holdings("UDP", one(wire.EnumPort))
	if !known { // the system does not tell: it can be had, or not
		if time.Since(s.tried) < s.l.opt.times.games { // a game that is to host now would find it taken
			return false
		}
		s.tried = time.Now()
		udp := s.open()
		if s.taken = udp == nil; udp != nil {
			udp.Close()
		}
		s.by = []string{"another program"}
		return s.hosts(s.taken, "")
	}
	games := s.gamesAt(s.l.translation().Game, lists)
	if s.missed++; len(lists) > 0 && len(games) > 0 || s.missed > missable {
		s.missed = 0
	}
	if seen := fmt.Sprint(lists, games); seen != s.seen && s.missed == 0 { // else it is not worth looking for their names again
		before := s.taken
		s.seen, s.taken = seen, len(lists) > 0
		names := s.l.opt.by(slices.Concat(lists, games))
		s.by, s.off = names[:len(lists):len(lists)], time.Now()
		host := slices.ContainsFunc(names[len(lists):], func(game string) bool { return hosts(s.by, game) })
		return s.hosts(host, strings.Join(s.by, ", ")) || s.taken != before
	}
	return false
}

// gamesAt returns who listens where our game is to be, if anybody has 47624: otherwise it is no matter. While those are the same it
// looks but once in a while, for to read the system's table of connections takes milliseconds on Linux, however few there are.
// Locked.
func (s *listing) gamesAt(at filter.Ports, lists []sock.Holding) []sock.Holding {
	if len(lists) == 0 {
		return nil
	}
	old := s.l.opt.times.games
	if !slices.Equal(lists, s.lists) {
		old = 0
	}
	s.lists = lists
	return s.l.tenant.listeners(at, old)
}

// hosts notes whether our game is host. Locked.
func (s *listing) hosts(on bool, by string) (changed bool) {
	if on == s.host {
		return false
	}
	s.host = on
	if !on {
		by, s.let = "", false
	}
	s.l.report(Hosting{On: on, By: by})
	return true
}

// hosts reports whether a game is host, by who has port 47624.
func hosts(by []string, game string) bool {
	return slices.ContainsFunc(by, func(name string) bool { return name == game || Helps(name) })
}

// Helps reports whether a program may have port 47624 for a game: on Windows a helper has it. Whoever is not known may.
func Helps(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "dplaysvr") || !named(name)
}

// named reports whether a name is that of one program, which the system tells.
func named(name string) bool { return strings.Contains(name, "(process ") }

// everywhere is 47624 at all addresses: there what is broadcast is heard.
var everywhere = netip.AddrPortFrom(netip.IPv4Unspecified(), wire.EnumPort)

// open opens the port, nil if it cannot be had.
func (s *listing) open() (udp sock.DatagramSocket) {
	s.l.opt.within(func() {
		if c, err := sock.OpenDatagrams(everywhere); err == nil {
			udp = c
		}
	})
	return udp
}

// take holds the port, if it can be had. Locked.
func (s *listing) take() {
	udp := s.open()
	if udp == nil {
		return
	}
	var tcp *net.TCPListener
	var err error
	s.l.opt.within(func() { tcp, err = listenTCP(everywhere) })
	if err != nil {
		udp.Close()
		return
	}
	s.udp, s.tcp = udp, tcp
	s.l.group.Go(func() { s.hear(udp) })
	s.l.group.Go(func() { s.l.accept(tcp, s.l.own, s.serve) })
}

// release lets go of the port. Locked.
func (s *listing) release() {
	if s.udp != nil {
		s.udp.Close()
		s.tcp.Close()
		s.udp, s.tcp = nil, nil
	}
}

// close lets go of the port for good.
func (s *listing) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.release()
}

// playing says that our game has a connection to another machine, until done is called: it is in a session, or on its way into
// one, and may become host of it.
func (s *listing) playing() (done func()) {
	s.count(1)
	return func() { s.count(-1) }
}

func (s *listing) count(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out += by
	s.quiet = time.Now()
}
