package dpsp

import "dplay4/wire"

// believed has the rules for the senders of a message: one while the engine is in no session or joins one, one while it hosts, and one
// while it is another member.
type believed struct{ joining, host, member believer }

// A believer decides in one of these states whether a message is dropped because of its sender. The package documentation
// prints word.
type believer struct {
	word  string
	judge judge // nil: nobody's message is dropped
}

// A judge returns why a message is dropped, and nil if it is handled. It changes nothing.
type judge func(e *sessionState, o origin, m wire.Message) *refusal

// A refusal drops a message. Without a reason there is no event, because nothing is wrong with the message.
type refusal struct {
	reason Reason
	text   string
}

// refuses drops a message if the rule's believer for our state refuses its sender, and reports whether it did. No other place
// asks a believer. The event has name.
func (e *Engine) refuses(r *messageRule, o origin, m wire.Message, name string) bool {
	b := &r.believed.member
	switch {
	case e.state != member:
		b = &r.believed.joining
	case e.hosting():
		b = &r.believed.host
	}
	if b.judge == nil {
		return false
	}
	no := b.judge(&e.sessionState, o, m)
	switch {
	case no == nil:
		return false
	case r.refused != nil && r.refused(&e.sender, o, m, no):
	case no.reason != "":
		e.drop(o, name, no.reason, no.text)
	}
	return true
}

// handle calls the handler of a message, unless moot has handled it or its sender is refused.
func (e *Engine) handle(r *messageRule, o origin, version wire.Dialect, m wire.Message) {
	if r.moot != nil && r.moot(e, o, m) || e.refuses(r, o, m, nameOf(m)) {
		return
	}
	if p := e.peerOf(o); p != nil {
		e.views.maker = p.system
	}
	r.take(e, o, version, m)
	e.views.maker = 0
}

// of is the judge of messages of one type.
func of[M wire.Message](f func(*sessionState, origin, M) *refusal) judge {
	return func(e *sessionState, o origin, m wire.Message) *refusal { return f(e, o, m.(M)) }
}

// nobody refuses everybody.
func nobody(r Reason, text string) believer {
	return believer{"-", func(*sessionState, origin, wire.Message) *refusal { return &refusal{r, text} }}
}

// The believers of most messages.
var (
	anybody   = believer{word: "anybody"}
	members   = believer{"member", (*sessionState).fromMember}
	hosts     = believer{"host", (*sessionState).fromHost}
	noSession = nobody(OutOfTurn, "we are in no session")
	notHost   = nobody(OutOfTurn, "we are not the host")
	heldBack  = believer{"held", noSession.judge} // it is asked about when the list is there
	away      = nobody(OutOfTurn, "we are in no session")
)

// The senders from which an engine accepts most messages.
var (
	byMember  = believed{heldBack, members, members}
	toHost    = believed{notHost, anybody, notHost}
	ofMembers = believed{notHost, members, notHost}
	byPlayer  = byOwner((*sessionState).mayChat)
	ofThing   = byOwner((*sessionState).mayChange)
	ofMaker   = byOwner((*sessionState).mayMake)
	ofPeer    = byOwner(of((*sessionState).mayExtend)) // each machine speaks for itself
	ofPinger  = believed{away, believer{"owner", (*sessionState).mayPing}, believer{"owner", (*sessionState).mayPing}}
	toRelay   = believed{heldBack, believer{"owner", (*sessionState).mayRelay}, notHost}
	relayed   = believed{heldBack, nobody(NotAllowed, "it is not from the host"), believer{"host", (*sessionState).mayDeliver}}
	ofList    = toJoiner((*sessionState).mayList)
	idGiver   = believer{"host", (*sessionState).mayGiveID}
	giveID    = believed{idGiver, believer{"-", idGiver.judge}, idGiver}
	askID     = believed{notHost, believer{"anybody", of((*sessionState).mayAskID)}, notHost}
	askList   = believed{notHost, believer{"member", (*sessionState).mayEnumerate}, notHost}
	searches  = believed{nobody("", ""), anybody, nobody("", "")} // a broadcast reaches everybody: nothing is wrong with it
	dead      = believed{away, believer{"member", (*sessionState).mayBury}, believer{"host", (*sessionState).mayBury}}
	newHost   = believed{noSession, believer{"member", of((*sessionState).mayName)}, believer{"owner", of((*sessionState).mayName)}}
	game      = believed{noSession, believer{"owner", (*sessionState).mayGame}, believer{"owner", (*sessionState).mayGame}}
)

var ofViews = believed{byViews, byViews, byViews}

// byViews drops messages about views in a session that has none. Where it has them their handler decides.
var byViews = believer{"-", func(e *sessionState, _ origin, _ wire.Message) *refusal {
	if e.viewing.on() {
		return nil
	}
	return &refusal{OutOfTurn, "the session has no views"}
}}

// byOwner is for messages that the owner of a player, group or name sends.
func byOwner(f judge) believed { return believed{heldBack, believer{"owner", f}, believer{"owner", f}} }

// toJoiner is for messages that a host sends to a newcomer.
func toJoiner(f judge) believed {
	return believed{believer{"host", f}, believer{"-", f}, believer{"-", f}}
}

// byHost is for messages that the host sends to members; a host drops them with text.
func byHost(text string) believed { return believed{heldBack, nobody(OutOfTurn, text), hosts} }

// fromMember refuses messages from machines that are not in the session.
func (s *sessionState) fromMember(o origin, _ wire.Message) *refusal {
	if s.peerOf(o) == nil {
		return &refusal{NotMember, "its sender is not in the session"}
	}
	return nil
}

// maySpeakFor reports whether the sender of a message may change what a machine owns, or say that it is gone: the machine
// itself, and the host, who relays for it (MULTICASTSERVER) and removes what it owned when it is lost. In a
// session whose parts may come together this holds for a compatible engine as well, because messages that the host of another part sent
// during a cut arrive after it.
func (s *sessionState) maySpeakFor(o origin, system wire.PlayerID) bool {
	p := s.peerOf(o)
	switch {
	case p == nil:
		return false
	case s.cfg.Compatible && !(s.migrates() && s.extended()):
		return true
	}
	return p.system == system || p.system == s.host
}

// fromHost refuses messages from senders other than the host. Where parts of a session come together, messages of an
// earlier host may be old, and are refused. A legacy machine below dialect 10 becomes host without IAMNAMESERVER: a compatible engine accepts any legacy member.
func (s *sessionState) fromHost(o origin, _ wire.Message) *refusal {
	p, heals := s.peerOf(o), s.migrates() && s.extended()
	if p != nil && (p.system == s.host || s.cfg.Compatible && !(heals && p.modern)) {
		return nil
	}
	return &refusal{NotAllowed, "it is not from the host"}
}

// mayChange refuses changes of a player or group from others than its owner.
func (s *sessionState) mayChange(o origin, m wire.Message) *refusal {
	id := ruleOf(m).waits(m)[0]
	system, ok := s.list.System(id)
	switch {
	case !ok:
		return &refusal{NoSuchID, id.String() + " is not in the session"}
	case !s.maySpeakFor(o, system):
		return &refusal{NotAllowed, id.String() + " belongs to another machine"}
	}
	return nil
}

// announced returns what a message announces.
func announced(m wire.Message) (info *wire.PackedPlayer, group bool) {
	switch m := m.(type) {
	case *wire.CreatePlayer:
		return &m.Info, false
	case *wire.CreatePlayerVerify:
		return &m.Info, false
	}
	return &m.(*wire.CreateGroup).Info, true
}

// mayMake refuses players and groups from others than their owner, and ids that the host did not give to it.
func (s *sessionState) mayMake(o origin, m wire.Message) *refusal {
	info, group := announced(m)
	switch {
	case !s.maySpeakFor(o, info.System):
		return &refusal{NotAllowed, "it names another machine's system player as owner"}
	case info.Flags&wire.PlayerSystem != 0 && !group:
		return &refusal{NotAllowed, "system players come with ADDFORWARD"}
	case s.hosting() && !s.cfg.Compatible && !s.promised(info.ID, info.System):
		return &refusal{NotAllowed, info.ID.String() + " was not given to it"}
	}
	return nil
}

// mayDelete refuses DELETEPLAYER from senders other than the owner and the host. If it names a system player, that machine leaves. If
// it names ours, the host tells us to leave.
func (s *sessionState) mayDelete(o origin, m *wire.DeletePlayer) *refusal {
	f, ok := s.list.Flags(m.Player)
	switch {
	case m.Player == s.self && (s.hosting() || !s.maySpeakFor(o, s.host)):
		return &refusal{NotAllowed, "only the host may tell a machine to leave"}
	case m.Player == s.self:
		return nil
	case ok && f&wire.PlayerSystem != 0 && !s.maySpeakFor(o, m.Player):
		return &refusal{NotAllowed, m.Player.String() + " is another machine"}
	case !ok && s.repeated(o):
		return &refusal{}
	}
	return s.mayChange(o, m)
}

// mayExtend refuses messages of the extension in sessions without it, and those from a machine that is not in the session, or that names
// another machine as sender.
func (s *sessionState) mayExtend(o origin, m *wire.Extension) *refusal {
	p := s.peerByID(m.From)
	switch {
	case !s.extended():
		return &refusal{Unknown, "the specification does not assign this command"}
	case p == nil:
		return &refusal{NotMember, m.From.String() + " is not in the session"}
	case s.peerOf(o) != p:
		return &refusal{NotAllowed, "its sender is not " + m.From.String()}
	}
	return nil
}

// maySay refuses game messages and chat from others than the machine of the player that they name, or the host that passes
// them on.
func (s *sessionState) maySay(o origin, from wire.PlayerID) *refusal {
	system, ok := s.list.System(from)
	switch {
	case !ok:
		return &refusal{NoSuchID, "its sender " + from.String() + " is not in the session"}
	case system == s.self:
		return &refusal{NotAllowed, "it claims to be from " + from.String() + ", which is ours"}
	case s.peers.mayBe(o, s.peerByID(system)),
		s.flags()&wire.SessionMulticastServer != 0 && s.peers.mayBe(o, s.peerByID(s.host)),
		s.cfg.Compatible && s.peers.hasSender(o):
		return nil
	}
	return &refusal{NotAllowed, from.String() + " is not at " + o.from.String()}
}

// mayPlay refuses, besides, those that name no player.
func (s *sessionState) mayPlay(o origin, from wire.PlayerID) *refusal {
	no := s.maySay(o, from)
	if no == nil && !isPlayer(s.list, from) {
		return &refusal{NotAllowed, from.String() + " is no player"}
	}
	return no
}

// mayChat is mayPlay for chat.
func (s *sessionState) mayChat(o origin, m wire.Message) *refusal {
	return s.mayPlay(o, m.(*wire.Chat).From)
}

// mayGame is mayPlay for a game message, which has no ids in some sessions. One that came with a header means nothing.
func (s *sessionState) mayGame(o origin, m wire.Message) *refusal {
	game, ok := m.(*wire.PlayerMessage)
	switch {
	case !ok:
		return nil
	case !game.NoIDs:
		return s.mayPlay(o, game.From)
	case !s.peers.hasSender(o):
		return &refusal{NotMember, "its sender is not in the session"}
	}
	return nil
}

// mayRelay refuses requests to pass on what another machine's player is to have said.
func (s *sessionState) mayRelay(o origin, m wire.Message) *refusal {
	if no := s.fromMember(o, m); no != nil {
		return no
	}
	if ask, ok := m.(*wire.Ask4Multicast); ok {
		return s.maySay(o, ask.From)
	}
	return s.maySay(o, m.(*wire.Ask4MulticastGuaranteed).From)
}

// mayDeliver refuses messages that others than the host pass on.
func (s *sessionState) mayDeliver(o origin, _ wire.Message) *refusal {
	if p := s.peerOf(o); p == nil || p.system != s.host && !s.cfg.Compatible {
		return &refusal{NotAllowed, "it is not from the host"}
	}
	return nil
}

// pingFrom returns the player that a ping, or its answer, names.
func pingFrom(m wire.Message) wire.PlayerID {
	if ping, ok := m.(*wire.Ping); ok {
		return ping.From
	}
	return m.(*wire.PingReply).From
}

// mayPing refuses pings and their answers from elsewhere than the machine whose player they name.
func (s *sessionState) mayPing(o origin, m wire.Message) *refusal {
	from := pingFrom(m)
	switch p := s.pinger(o, from); {
	case p == nil:
		return &refusal{NoSuchID, from.String() + " is not in the session"}
	case !p.at(o.from.Addr()) && !(s.cfg.Compatible && s.peers.hasSender(o)):
		return &refusal{NotAllowed, from.String() + " is not at " + o.from.String()}
	}
	return nil
}

// mayBury refuses YOUAREDEAD from others than the host, or the candidate while there is none. A compatible engine believes any
// member.
func (s *sessionState) mayBury(o origin, _ wire.Message) *refusal {
	switch p := s.peerOf(o); {
	case p == nil && s.hosting():
		return &refusal{OutOfTurn, "we are the host"}
	case s.hosting() || p != nil && (p.system == s.host || s.election.isCandidate(p) || s.cfg.Compatible):
		return nil
	}
	return &refusal{NotAllowed, "it is not from the host"}
}

// mayName refuses IAMNAMESERVER from others than the machine that it names. A compatible engine believes any member, and that
// machine even if its header names another listener than others say.
func (s *sessionState) mayName(o origin, m *wire.IAmNameServer) *refusal {
	p, host := s.peerOf(o), s.peerByID(m.Host)
	switch {
	case s.hosting() && p == nil:
		return &refusal{OutOfTurn, "we are the host"}
	case s.hosting():
		return nil
	case !s.cfg.Compatible && !s.migrates():
		return &refusal{NotAllowed, diesWithHost}
	case host == nil:
		return &refusal{NoSuchID, m.Host.String() + " is not in the session"}
	case p != host && !(s.cfg.Compatible && (p != nil || host.at(o.from.Addr()))):
		return &refusal{NotAllowed, "its sender is not " + m.Host.String()}
	}
	return nil
}

// mayEnumerate refuses requests for the list from machines that are not in the session. A compatible engine believes everybody.
func (s *sessionState) mayEnumerate(o origin, m wire.Message) *refusal {
	if s.cfg.Compatible {
		return nil
	}
	return s.fromMember(o, m)
}

// mayAskID refuses requests for a player's id from machines that are not in the session; one for a machine's is a newcomer's.
func (s *sessionState) mayAskID(o origin, m *wire.RequestPlayerID) *refusal {
	if m.Flags&wire.PlayerSystem != 0 {
		return nil
	}
	return s.fromMember(o, m)
}

// mayGiveID refuses ids from others than the host that was asked.
func (s *sessionState) mayGiveID(o origin, _ wire.Message) *refusal {
	p := s.peerOf(o)
	switch {
	case s.state == member && len(s.wanted.line) == 0, s.state != member && (s.state != joinState || s.way.admitted):
		return &refusal{OutOfTurn, "we asked for no id"}
	case s.state == member && (p == nil || p.system != s.host && !s.cfg.Compatible):
		return &refusal{NotAllowed, "it is not from the host"}
	case s.state != member:
		return s.way.mayAnswer(o)
	}
	return nil
}

// mayRefuse refuses refusals of our admission from others than the host that we want to join.
func (s *sessionState) mayRefuse(o origin, _ wire.Message) *refusal {
	if s.state != joinState || !s.way.admitted {
		return &refusal{OutOfTurn, "we are not joining"}
	}
	return s.way.mayAnswer(o)
}

// mayList refuses lists of players from others than the host that was asked.
func (s *sessionState) mayList(o origin, _ wire.Message) *refusal {
	a := s.searching.asking
	switch {
	case a != nil && !isHost(a.host, a.from, o):
		return &refusal{NotAllowed, "it is not from the host that we asked"}
	case a != nil:
		return nil
	case s.state != joinState || !s.way.admitted:
		return &refusal{OutOfTurn, "we are not joining"}
	}
	return s.way.mayAnswer(o)
}

// mayAnswer refuses answers from others than the host that we want to join.
func (j *way) mayAnswer(o origin) *refusal {
	if !j.fromJoinHost(o) {
		return &refusal{NotAllowed, "it is not from the host that we want to join"}
	}
	return nil
}
