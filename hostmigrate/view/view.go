package view

import (
	"cmp"
	"math"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Never is the result of [Core.Next] while a core waits for nothing.
const Never time.Duration = math.MaxInt64

// Bounds of what a core keeps, and of what a peer can make it do.
const (
	maxLost    = 256     // members that were lost, and as many incarnations that left
	maxAhead   = 4096    // changes that no operation confirms yet
	maxEpochs  = 1 << 16 // by which the epoch of a PREPARE can be above the promise
	maxParts   = 64      // messages that one list is sent in
	maxProven  = 64      // leaders of other parts
	maxMembers = 1024    // in one message
	maxFetches = 3       // that a candidate asks for the newest log
	maxIndex   = 1 << 31 // numbers of operations, and epochs
	maxAbove   = 1 << 20 // by which the index of a promise can be above the candidate's
	maxOwn     = 1 << 20 // octets of one member's own part
	maxKept    = 1 << 25 // octets of messages that are not whole yet, and of promises
	opOctets   = 64      // octets of memory for an operation, besides its message
)

// maxPart bounds the octets of operations in one message of several. Tests make it smaller.
var maxPart = 1 << 18

// Config has the settings of a [Core], and the functions that it calls.
type Config struct {
	Self   wire.ViewMember
	Period time.Duration // of the ping timer
	Probe  time.Duration // how long an answer may take
	// Patience is how long a member waits for a better candidate, for an INSTALL that was promised, and a leader for a member's promise.
	Patience time.Duration
	Random   func() uint32
	// List returns the list that the program sees. The core only reads it.
	List func() *playerlist.List
	// IDs returns where a leader takes ids for players and groups whose own are taken.
	IDs func(*playerlist.List) *playerlist.IDs
	// Silence returns how long ago the last message of a member came; nil: that is not known.
	Silence func(wire.PlayerID) time.Duration
	// KeepsAlive reports whether the session loses members that are silent; nil: it does.
	KeepsAlive func() bool
	// Room returns a function for a list. It reports whether a change that a member asks for is within its owner's share, and counts the change if
	// it is. nil: all changes are.
	Room func(*playerlist.List) func(playerlist.Op) bool
	// Admit reports whether a program may come in that sends this description of the session, with the password.
	Admit func(playerlist.Session) bool
}

// A Core is one program's part in the views of a session. The zero View is that of a core that is in none.
type Core struct {
	cfg  Config
	self wire.ViewMember
	now  time.Duration

	view     wire.View
	list     *playerlist.List // confirmed; nil in no view
	members  []wire.ViewMember
	lost     []wire.ViewMember
	met      []wire.ViewMember // whose incarnation is known, and of which the leader need not have told yet
	left     []wire.Incarnation
	follow   []wire.ViewMember // the members when this program led last: those that still follow it are told of its leader
	promised wire.View
	token    uint32 // of the promise: the INSTALL of a program that is no member has to return it

	ahead []change
	early []change // that the leader numbered before their maker's message came
	made  uint32   // number of the last change
	said  said
	lacks time.Duration // until then the leader is not asked again for what this program lacks

	suspected map[wire.Incarnation]time.Duration // members that do not answer, since when
	cand      *candidacy
	wait      time.Duration              // until then better candidates, or an INSTALL, are waited for; Never: for nothing
	gone      bool                       // the leader is gone, and the next one is not known
	awaited   wire.Incarnation           // the candidate that is waited for
	asked     *question                  // the leader is asked whether it is there
	places    map[wire.Incarnation]place // of the members, as their leader knows
	proven    []proof
	parts     map[wire.Incarnation]*assembly // of what comes in several messages
	tick      time.Duration                  // next period
	claims    map[wire.Incarnation]backoff
	digested  digested
	spent     map[spender]time.Duration // when the allowance of each is whole again
	base      promise                   // of the log with which this program's view began

	out []Effect
}

// A change is one that its maker made, and that has no number yet.
type change struct {
	op     playerlist.Op
	from   wire.PlayerID // the maker's system player
	own    bool          // this program is the maker
	since  time.Duration
	number uint32
	missed int // how many positions of the leader came since, at which this program lacked nothing of its log
}

// A place is the view and index of a member, as its leader knows it.
type place struct {
	in    bool          // in the leader's view
	since time.Duration // when it last said so; if it is not in the view, since when
	index uint32
	lags  time.Duration // since when it is at an index that is not the leader's
}

// A backoff says when a lost member gets the next CLAIM, and how.
type backoff struct {
	due, wait time.Duration
	stream    bool
}

// A question is a PREPARE that waits for the leader's answer.
type question struct {
	prepare *wire.ExtensionView
	nonce   uint32
	due     time.Duration
}

// An Effect is what a core wants done: a [Send], [Show], [Install], [LeaderGone], [Candidate], [Ask] or [Lose].
type Effect interface{ effect() }

// A Send is a message for a peer: over a connection to Stream, or by a datagram.
type Send struct {
	To       wire.ViewMember
	Datagram bool
	Message  *wire.ExtensionView
}

// Show applies an operation of the leader to the program's list, because it came before its maker's message. If Own, it deletes a player of
// its maker, whose message comes after all messages of that player.
type Show struct {
	Op  playerlist.Op
	Own bool
}

// Install replaces the program's list.
type Install struct {
	List    *playerlist.List
	Self    wire.PlayerID // this program's system player from now on
	Renamed []wire.ViewRenamed
	Leader  wire.PlayerID
	Members []wire.ViewMember
	Merged  bool // members of another part of the session are in the view
	Away    bool // the members whose log this is had lost this program
}

// LeaderGone reports that the leader does not answer.
type LeaderGone struct{ Leader wire.PlayerID }

// Candidate names the member that is to lead next.
type Candidate struct{ ID wire.PlayerID }

// Ask asks a member whether it is there. The caller calls [Core.Suspect] if it does not answer.
type Ask struct{ ID wire.PlayerID }

// Lose has the leader remove a member.
type Lose struct {
	ID     wire.PlayerID
	Reason string
	Anew   bool // its program began anew, and another member has its listener
}

func (Send) effect()       {}
func (Show) effect()       {}
func (Install) effect()    {}
func (LeaderGone) effect() {}
func (Candidate) effect()  {}
func (Ask) effect()        {}
func (Lose) effect()       {}

// New returns a core that is in no view.
func New(cfg Config) *Core {
	return &Core{cfg: cfg, self: cfg.Self, wait: Never, tick: Never, suspected: map[wire.Incarnation]time.Duration{},
		places: map[wire.Incarnation]place{}, parts: map[wire.Incarnation]*assembly{}, claims: map[wire.Incarnation]backoff{},
		spent: map[spender]time.Duration{}}
}

// Take returns the effects since it was called last.
func (c *Core) Take() []Effect {
	out := c.out
	c.out = nil
	return out
}

// View returns the view, and List the confirmed list, which nobody may change.
func (c *Core) View() wire.View            { return c.view }
func (c *Core) List() *playerlist.List     { return c.list }
func (c *Core) Members() []wire.ViewMember { return c.members }

// Lost returns the members that were lost and did not leave.
func (c *Core) Lost() []wire.ViewMember { return c.lost }

// Leads reports whether this program leads its view.
func (c *Core) Leads() bool { return c.list != nil && c.view.Incarnation == c.self.Incarnation }

// Mixed reports whether there are legacy machines in the session: then one of these may be host, or be about to say that it is.
func (c *Core) Mixed() bool { return c.list != nil && mixed(c.list, c.members) }

// frozen reports whether this program promised another view than its own.
func (c *Core) frozen() bool { return c.promised != c.view }

func (c *Core) effect(e Effect) { c.out = append(c.out, e) }

// send sends a message to a program, which need not be a member.
func (c *Core) send(to wire.ViewMember, m *wire.ExtensionView) {
	if to.Incarnation == c.self.Incarnation {
		return
	}
	m.From = c.self
	c.effect(Send{To: to, Message: m})
}

func (c *Core) sendDatagram(to wire.ViewMember, m *wire.ExtensionView) {
	m.From = c.self
	c.effect(Send{To: to, Datagram: true, Message: m})
}

// member returns the member with an incarnation.
func (c *Core) member(i wire.Incarnation) (wire.ViewMember, bool) { return find(c.members, i) }

// byID returns the member with a system player.
func (c *Core) byID(id wire.PlayerID) (wire.ViewMember, bool) {
	k := slices.IndexFunc(c.members, func(m wire.ViewMember) bool { return m.System == id })
	if k < 0 {
		return wire.ViewMember{}, false
	}
	return c.members[k], true
}

func find(all []wire.ViewMember, i wire.Incarnation) (wire.ViewMember, bool) {
	k := slices.IndexFunc(all, func(m wire.ViewMember) bool { return m.Incarnation == i })
	if k < 0 || i == 0 {
		return wire.ViewMember{}, false
	}
	return all[k], true
}

func without(all []wire.ViewMember, i wire.Incarnation) []wire.ViewMember {
	return slices.DeleteFunc(slices.Clone(all), func(m wire.ViewMember) bool { return m.Incarnation == i })
}

// leader returns the member that leads the view.
func (c *Core) leader() wire.ViewMember {
	m, _ := c.member(c.view.Incarnation)
	return m
}

// joined returns the number of the operation with which a member joined, in a list.
func joined(l *playerlist.List, id wire.PlayerID) uint32 {
	if e, ok := l.Look(id); ok {
		return e.Added
	}
	return math.MaxUint32
}

// mixed reports whether a list has a legacy machine: one that is no member, and does not bear the mark. Then DirectPlay 4's rule chooses the
// next host.
func mixed(l *playerlist.List, members []wire.ViewMember) bool {
	return slices.ContainsFunc(l.AppendSystems(nil), func(id wire.PlayerID) bool {
		e, _ := l.Look(id)
		d, ok := wire.ParseSPData(e.SPData)
		return !(ok && d.Marked()) && !slices.ContainsFunc(members, func(m wire.ViewMember) bool { return m.System == id })
	})
}

// order returns the members in the order in which they are to lead.
func (c *Core) order() []wire.ViewMember {
	all := slices.Clone(c.members)
	byID := mixed(c.list, c.members)
	slices.SortFunc(all, func(a, b wire.ViewMember) int {
		if !byID {
			if by := cmp.Compare(joined(c.list, a.System), joined(c.list, b.System)); by != 0 {
				return by
			}
		}
		return cmp.Compare(a.System, b.System)
	})
	return all
}

// legacyHost returns the host of a list if it is no member, and else the zero ViewMember.
func legacyHost(l *playerlist.List, members []wire.ViewMember) (host wire.ViewMember) {
	id := l.Host()
	if id == 0 || slices.ContainsFunc(members, func(m wire.ViewMember) bool { return m.System == id }) {
		return host
	}
	host.System = id
	return host
}

// host returns the legacy host of the list, zero if there is none.
func (c *Core) host() wire.ViewMember { return legacyHost(c.list, c.members) }

// apart reports whether the part of the session with these members stays apart from this one: it has another host, and one of both is a
// legacy host, which another host cannot replace.
func (c *Core) apart(theirs []wire.ViewMember) bool {
	host := wire.ViewMember{}
	if k := slices.IndexFunc(theirs, func(m wire.ViewMember) bool { return m.Incarnation == 0 }); k >= 0 {
		host = theirs[k]
	}
	return host.System != c.host().System
}

// withHost returns members with the legacy host, which has no incarnation.
func (c *Core) withHost(members []wire.ViewMember) []wire.ViewMember {
	if h := c.host(); h.System != 0 {
		return append([]wire.ViewMember{h}, members...)
	}
	return members
}

// Host begins a view that this program leads: as the session's host, or as the first modern member of one that has a legacy host.
func (c *Core) Host(now time.Duration, list *playerlist.List) {
	c.now = now
	c.list, c.ahead, c.early = clone(list), nil, nil
	c.members = []wire.ViewMember{c.self}
	c.view = wire.View{Epoch: c.promised.Epoch + 1, Leader: c.self.System, Incarnation: c.self.Incarnation}
	if !mixed(list, c.members) {
		c.view.Join = joined(list, c.self.System)
	}
	c.promised = c.view
	c.tick = now + c.cfg.Period
}

// Join begins as a newcomer in a session that another program leads. Its INSTALL has the view.
func (c *Core) Join(now time.Duration, self wire.PlayerID) {
	c.now, c.self.System = now, self
	c.tick = now + c.cfg.Period
}

// Meet notes the incarnation of a peer. If this program leads, and its list has the peer, the peer becomes a member and gets the view. A
// caller that has come to lead calls it again for its peers.
func (c *Core) Meet(now time.Duration, m wire.ViewMember) {
	c.now = now
	if m.Incarnation == 0 || m.Incarnation == c.self.Incarnation {
		return
	}
	delete(c.suspected, m.Incarnation)
	c.met = append(without(c.met, m.Incarnation), m)
	c.met = c.met[max(0, len(c.met)-maxMembers):]
	if !c.Leads() || c.frozen() {
		return
	}
	_, known := c.member(m.Incarnation)
	if !known {
		if _, taken := c.byID(m.System); taken || !isMachine(c.list, m.System) {
			return
		}
		c.addMember(m)
		c.places[m.Incarnation] = place{since: now}
		c.number(playerlist.InstructConnect{ID: m.System})
		for _, x := range c.members {
			if x.Incarnation != m.Incarnation && oneListener(x.Stream, m.Stream) {
				c.effect(Lose{x.System, "its program began anew", true})
			}
		}
	}
	if p, other := c.places[m.Incarnation]; other && !p.in && (!known || now-p.since > c.cfg.Probe) {
		c.install(m, 0)
	}
}

// newcomers returns the programs that this one met, and of which the leader has not told yet. They are in its list, because the leader let
// them in. If the leader is gone they are asked, and count, like members.
func (c *Core) newcomers() []wire.ViewMember {
	l := c.cfg.List()
	return slices.DeleteFunc(slices.Clone(c.met), func(m wire.ViewMember) bool {
		_, taken := c.byID(m.System)
		_, in := c.member(m.Incarnation)
		return taken || in || c.absent(m.Incarnation) || !isMachine(l, m.System) || !listens(l, m.System, m.Stream)
	})
}

// found removes a member, and the one that was at its listener before, from the lost ones.
func (c *Core) found(m wire.ViewMember) {
	c.lost = slices.DeleteFunc(slices.Clone(c.lost), func(x wire.ViewMember) bool {
		return x.Incarnation == m.Incarnation || x.Stream == m.Stream
	})
}

// oneListener reports whether two addresses are one listener. Of two programs there one has ended. An unspecified address is no listener,
// because a program need not know its own.
func oneListener(a, b wire.SockAddr) bool {
	return a.Addr == b.Addr && a.Port == b.Port && a.Port != 0 && a.Addr != [4]byte{}
}

// clone returns a copy of a list with the same numbers.
func clone(l *playerlist.List) *playerlist.List { return at(l, l.Version()) }

// at returns a copy of a list whose last operation has a number that is not below the list's.
func at(l *playerlist.List, version uint32) *playerlist.List {
	s := l.State()
	s.Version = version
	c, err := playerlist.Load(s)
	if err != nil {
		panic("view: a list refuses its own state: " + err.Error()) // State and Load are inverses
	}
	return c
}
