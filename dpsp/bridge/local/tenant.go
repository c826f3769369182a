package local

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/sock"
)

// Who has the ports where our game is to be.
const (
	nobody   = int32(iota) // that the system shows
	stranger               // a program that has not both of them
	ourGame
	untold // the system does not tell
)

// A tenant is who has the ports where our game is to be. A program that has but one of them is taken for one that is in the way:
// nothing is delivered to it. But not if something that listens there looked for sessions: nobody knows whether each game opens
// both before it does.
type tenant struct {
	l  *Local
	is atomic.Int32

	mu       sync.Mutex // nothing else is locked below it
	at       filter.Ports
	looked   time.Time
	since    time.Time // when who is there now was seen first
	tcp, udp []sock.Holding
	asked    []sock.Holding // who had the TCP port when somebody there looked for sessions
	why      string         // what to tell of a stranger
}

// lookAgain is how old what is known of a tenant may be who is not our game, when there is something to deliver.
const lookAgain = 50 * time.Millisecond

// takes reports whether what comes for our game may be delivered.
func (t *tenant) takes(at filter.Ports) bool {
	return t.is.Load() == ourGame || t.look(at, lookAgain) != stranger
}

// look finds out who is there, unless it did so within the last old.
func (t *tenant) look(at filter.Ports, old time.Duration) int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at != t.at || time.Since(t.looked) >= old {
		t.read(at, false)
	}
	return t.is.Load()
}

// listeners returns who listens on the TCP port. It looks as look does, and whenever there was nobody.
func (t *tenant) listeners(at filter.Ports, old time.Duration) []sock.Holding {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at != t.at || len(t.tcp) == 0 || time.Since(t.looked) >= old {
		t.read(at, false)
	}
	return t.tcp
}

// asks takes note that who is there has looked for sessions.
func (t *tenant) asks(at filter.Ports) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read(at, true)
}

// read reads the tables of the system. Locked.
func (t *tenant) read(at filter.Ports, asks bool) {
	tcp, known := t.l.holdings("TCP", one(at.TCP))
	udp, _ := t.l.holdings("UDP", one(at.UDP))
	t.looked = time.Now()
	if asks {
		t.asked = tcp
	}
	if at == t.at && slices.Equal(tcp, t.tcp) && slices.Equal(udp, t.udp) && !asks {
		return
	}
	t.at, t.tcp, t.udp, t.since, t.why = at, tcp, udp, t.looked, ""
	names := t.l.opt.by(slices.Concat(tcp, udp))
	byTCP, byUDP := names[:len(tcp)], names[len(tcp):]
	switch {
	case !known:
		t.is.Store(untold)
	case slices.ContainsFunc(byTCP, func(name string) bool { return slices.Contains(byUDP, name) }),
		len(tcp) > 0 && slices.Equal(tcp, t.asked):
		t.is.Store(ourGame)
	case len(tcp) == 0 && len(udp) == 0:
		t.is.Store(nobody)
	default:
		t.is.Store(stranger)
		held := []string{isHeld("TCP", at.TCP, byTCP), isHeld("UDP", at.UDP, byUDP)}
		held = slices.DeleteFunc(held, func(why string) bool { return why == "" })
		t.why = strings.Join(held, ", and ") + ": if that is not the game, quit it before you start the game"
	}
}

// isHeld says who has a port, "" if nobody does.
func isHeld(network string, port uint16, by []string) string {
	if len(by) == 0 {
		return ""
	}
	return fmt.Sprintf("%s port %d is held by %s", network, port, strings.Join(by, ", "))
}

// waits says what the user has to do about a stranger. A game that opens its ports at this moment is none.
func (t *tenant) waits(at filter.Ports) string {
	t.look(at, t.l.opt.times.games)
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.since) < t.l.opt.times.settled {
		return ""
	}
	return t.why
}
