package dpsp

import (
	"math/rand/v2"
	"time"

	"dplay4/dpsp/internal/admit"
	"dplay4/hostmigrate/object"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A sessionState is all that a machine has of its session, or of the way into one. Its methods answer questions: whose message it is, and
// whether its sender may send it (believed.go), whose a player is, how a text is written, how much of the list somebody has. They have
// no way to send a message, to tell the program an event, or to have a part of the engine act.
type sessionState struct {
	cfg   Config
	rng   *rand.Rand
	now   time.Duration
	state state

	list  *playerlist.List
	self  wire.PlayerID // our system player
	host  wire.PlayerID // the host's
	peers roster        // the others
	own   ownPlayers

	// The state of the parts of the engine.
	election   election           // of the next host
	holdback   holdback           // of messages that overtook what they need
	reserved   admit.Reservations // for newcomers and of ids, if we are the host
	searching  searching          // for sessions, and for ours
	signs      signs              // of life
	leaving    leaving
	text       texts        // how it is written
	tombstones tombstones   // of players and groups
	past       tombstones   // of what reaches no player of ours: such a player that is gone, and groups that are gone or left
	verify     verification // of players of ours that are new
	viewing    viewState    // of the session
	wanted     requestQueue // for ids
	way        way          // into the session, if state is joinState

	objects *object.Table // of the session; nil: it has none
}

// A state is where the engine stands:
//
//	idle        Host                                         member, and host
//	idle        Join                                         joining
//	joining     the list came                                member
//	joining     refused, no answer, Leave                    idle
//	member      the host is gone (MIGRATEHOST)               migrating
//	migrating   another machine says that it is host         member
//	migrating   the view that it leads is installed          member, and host
//	member      its view has another host                    member
//	any         Leave, told to leave, no host is to be had   idle
type state uint8

const (
	idle      state = iota // in no session
	joinState              // on the way into one
	member                 // in one, host or not
)

func newState(cfg Config) sessionState {
	return sessionState{cfg: cfg, rng: rand.New(rand.NewChaCha8(cfg.Seed))}
}

// reset forgets the session. It keeps the ids that this machine had, and that it looked for sessions.
func (s *sessionState) reset() {
	past, asked := s.way.remembering(s.self), s.searching.asked
	*s = sessionState{cfg: s.cfg, rng: s.rng, now: s.now, signs: newSigns(&s.cfg), way: way{past: past}, searching: searching{asked: asked}}
}

// hosting reports whether we are the host.
func (s *sessionState) hosting() bool { return s.state == member && s.host == s.self }
