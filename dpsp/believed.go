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
type judge func(e *Engine, o origin, m wire.Message) *refusal

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
	no := b.judge(e, o, m)
	switch {
	case no == nil:
		return false
	case r.refused != nil && r.refused(e, o, m, no):
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
func of[M wire.Message](f func(*Engine, origin, M) *refusal) judge {
	return func(e *Engine, o origin, m wire.Message) *refusal { return f(e, o, m.(M)) }
}

// nobody refuses everybody.
func nobody(r Reason, text string) believer {
	return believer{"-", func(*Engine, origin, wire.Message) *refusal { return &refusal{r, text} }}
}

// The believers of most messages.
var (
	anybody   = believer{word: "anybody"}
	members   = believer{"member", (*Engine).fromMember}
	hosts     = believer{"host", (*Engine).fromHost}
	noSession = nobody(OutOfTurn, "we are in no session")
	notHost   = nobody(OutOfTurn, "we are not the host")
	heldBack  = believer{"held", noSession.judge} // it is asked about when the list is there
	away      = believer{"-", (*Engine).isAway}
)

// The senders from which an engine accepts most messages.
var (
	byMember  = believed{heldBack, members, members}
	toHost    = believed{notHost, anybody, notHost}
	ofMembers = believed{notHost, members, notHost}
	byPlayer  = byOwner((*Engine).mayChat)
	ofThing   = byOwner((*Engine).mayChange)
	ofMaker   = byOwner((*Engine).mayMake)
	ofPeer    = byOwner(of((*Engine).mayExtend)) // each machine speaks for itself
	ofPinger  = believed{away, believer{"owner", (*Engine).mayPing}, believer{"owner", (*Engine).mayPing}}
	toRelay   = believed{heldBack, believer{"owner", (*Engine).mayRelay}, notHost}
	relayed   = believed{heldBack, nobody(NotAllowed, "it is not from the host"), believer{"host", (*Engine).mayDeliver}}
	ofList    = toJoiner((*Engine).mayList)
	idGiver   = believer{"host", (*Engine).mayGiveID}
	giveID    = believed{idGiver, believer{"-", idGiver.judge}, idGiver}
	askID     = believed{notHost, believer{"anybody", of((*Engine).mayAskID)}, notHost}
	askList   = believed{notHost, believer{"member", (*Engine).mayEnumerate}, notHost}
	searches  = believed{nobody("", ""), anybody, nobody("", "")} // a broadcast reaches everybody: nothing is wrong with it
	dead      = believed{away, believer{"member", (*Engine).mayBury}, believer{"host", (*Engine).mayBury}}
	newHost   = believed{noSession, believer{"member", of((*Engine).mayName)}, believer{"owner", of((*Engine).mayName)}}
	game      = believed{noSession, believer{"owner", (*Engine).mayGame}, believer{"owner", (*Engine).mayGame}}
)

// Of messages from another part of the session, or about one, their handlers decide the rest, because much follows from it; of
// FORMERS, about all that only the host may say.
var (
	former    = believer{"former", of((*Engine).meansNothing)}
	claims    = believed{noSession, former, former}
	rejoinAts = believed{heldBack, former, believer{"host", former.judge}}
	rejoins   = believed{heldBack, former, believer{"-", of((*Engine).mayRejoin)}}
	ofViews   = believed{byViews, byViews, byViews}
	formers   = believed{heldBack, believer{"-", ofPeer.host.judge}, believer{"host", ofPeer.member.judge}}
)

// byViews drops messages about views in a session that has none. Where it has them their handler decides.
var byViews = believer{"-", func(e *Engine, _ origin, _ wire.Message) *refusal {
	if e.views.on() {
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
func (e *Engine) fromMember(o origin, _ wire.Message) *refusal {
	if e.peerOf(o) == nil {
		return &refusal{NotMember, "its sender is not in the session"}
	}
	return nil
}

// isAway refuses messages while we are in no session, without an event on our way back: the host that lost us may still send them.
func (e *Engine) isAway(origin, wire.Message) *refusal {
	if e.join.goesBack() {
		return &refusal{}
	}
	return &refusal{OutOfTurn, "we are in no session"}
}

// maySpeakFor reports whether the sender of a message may change what a machine owns, or say that it is gone: the machine
// itself, and the host, who relays for it (MULTICASTSERVER) and removes what it owned when it is lost. Where our own peers
// bring the parts of a session together that is so even if the engine is compatible: what the host of another part wrote
// into its connections while the network was cut comes out of them when it is whole again.
func (e *Engine) maySpeakFor(o origin, system wire.PlayerID) bool {
	p := e.peerOf(o)
	switch {
	case p == nil:
		return false
	case e.cfg.Compatible && !(e.migrates() && e.extended()):
		return true
	}
	return p.system == system || p.system == e.host
}

// fromHost refuses messages from senders other than the host. In a session that heals, a former host's messages may be old, and are
// refused. A legacy machine below dialect 10 becomes host without IAMNAMESERVER: a compatible engine accepts any legacy member.
func (e *Engine) fromHost(o origin, _ wire.Message) *refusal {
	p, heals := e.peerOf(o), e.migrates() && e.extended()
	if p != nil && (p.system == e.host || e.cfg.Compatible && !(heals && p.modern)) {
		return nil
	}
	return &refusal{NotAllowed, "it is not from the host"}
}

// mayChange refuses changes of a player or group from others than its owner.
func (e *Engine) mayChange(o origin, m wire.Message) *refusal {
	id := ruleOf(m).waits(m)[0]
	system, ok := e.list.System(id)
	switch {
	case !ok:
		return &refusal{NoSuchID, id.String() + " is not in the session"}
	case !e.maySpeakFor(o, system):
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
func (e *Engine) mayMake(o origin, m wire.Message) *refusal {
	info, group := announced(m)
	switch {
	case !e.maySpeakFor(o, info.System):
		return &refusal{NotAllowed, "it names another machine's system player as owner"}
	case info.Flags&wire.PlayerSystem != 0 && !group:
		return &refusal{NotAllowed, "system players come with ADDFORWARD"}
	case e.hosting() && !e.cfg.Compatible && !e.admission.promised(info.ID, info.System):
		return &refusal{NotAllowed, info.ID.String() + " was not given to it"}
	}
	return nil
}

// mayDelete refuses DELETEPLAYER from senders other than the owner and the host. If it names a system player, that machine leaves. If
// it names ours, the host tells us to leave.
func (e *Engine) mayDelete(o origin, m *wire.DeletePlayer) *refusal {
	f, ok := e.list.Flags(m.Player)
	switch {
	case m.Player == e.self && (e.hosting() || !e.maySpeakFor(o, e.host)):
		return &refusal{NotAllowed, "only the host may tell a machine to leave"}
	case m.Player == e.self:
		return nil
	case ok && f&wire.PlayerSystem != 0 && !e.maySpeakFor(o, m.Player):
		return &refusal{NotAllowed, m.Player.String() + " is another machine"}
	case !ok && e.repeated(o):
		return &refusal{}
	}
	return e.mayChange(o, m)
}

// meansNothing refuses messages of the extension that mean nothing in this session.
func (e *Engine) meansNothing(_ origin, m *wire.Extension) *refusal {
	switch {
	case !e.extended():
		return &refusal{Unknown, "the specification does not assign this command"}
	case e.views.on() && m.Kind >= wire.KindTable && m.Kind <= wire.KindFormers:
		return &refusal{OutOfTurn, "the session has views"}
	case !e.migrates() && (m.Kind == wire.KindClaim || m.Kind == wire.KindRejoin || m.Kind == wire.KindFormers):
		return &refusal{OutOfTurn, diesWithHost}
	}
	return nil
}

// mayExtend refuses messages of the extension from a machine that is not in the session, or that names another machine as sender.
func (e *Engine) mayExtend(o origin, m *wire.Extension) *refusal {
	no, p := e.meansNothing(o, m), e.peerByID(m.From)
	switch {
	case no != nil:
		return no
	case p == nil:
		return &refusal{NotMember, m.From.String() + " is not in the session"}
	case e.peerOf(o) != p:
		return &refusal{NotAllowed, "its sender is not " + m.From.String()}
	}
	return nil
}

// mayRejoin refuses REJOIN, because we are not the host.
func (e *Engine) mayRejoin(o origin, m *wire.Extension) *refusal {
	if no := e.meansNothing(o, m); no != nil {
		return no
	}
	return &refusal{OutOfTurn, "we are not the host"}
}

// maySay refuses game messages and chat from others than the machine of the player that they name, or the host that passes
// them on.
func (pl *play) maySay(o origin, from wire.PlayerID) *refusal {
	e := pl.e
	system, ok := e.list.System(from)
	switch {
	case !ok:
		return &refusal{NoSuchID, "its sender " + from.String() + " is not in the session"}
	case system == e.self:
		return &refusal{NotAllowed, "it claims to be from " + from.String() + ", which is ours"}
	case e.peers.mayBe(o, e.peerByID(system)),
		e.flags()&wire.SessionMulticastServer != 0 && e.peers.mayBe(o, e.peerByID(e.host)),
		e.cfg.Compatible && e.peers.hasSender(o):
		return nil
	}
	return &refusal{NotAllowed, from.String() + " is not at " + o.from.String()}
}

// mayPlay refuses, besides, those that name no player.
func (pl *play) mayPlay(o origin, from wire.PlayerID) *refusal {
	no := pl.maySay(o, from)
	if no == nil && !isPlayer(pl.e.list, from) {
		return &refusal{NotAllowed, from.String() + " is no player"}
	}
	return no
}

// mayChat is mayPlay for chat.
func (e *Engine) mayChat(o origin, m wire.Message) *refusal {
	return e.play.mayPlay(o, m.(*wire.Chat).From)
}

// mayGame is mayPlay for a game message, which has no ids in some sessions. One that came with a header means nothing.
func (e *Engine) mayGame(o origin, m wire.Message) *refusal {
	game, ok := m.(*wire.PlayerMessage)
	switch {
	case !ok:
		return nil
	case !game.NoIDs:
		return e.play.mayPlay(o, game.From)
	case !e.peers.hasSender(o):
		return &refusal{NotMember, "its sender is not in the session"}
	}
	return nil
}

// mayRelay refuses requests to pass on what another machine's player is to have said.
func (e *Engine) mayRelay(o origin, m wire.Message) *refusal {
	if no := e.fromMember(o, m); no != nil {
		return no
	}
	if ask, ok := m.(*wire.Ask4Multicast); ok {
		return e.play.maySay(o, ask.From)
	}
	return e.play.maySay(o, m.(*wire.Ask4MulticastGuaranteed).From)
}

// mayDeliver refuses messages that others than the host pass on.
func (e *Engine) mayDeliver(o origin, _ wire.Message) *refusal {
	if p := e.peerOf(o); p == nil || p.system != e.host && !e.cfg.Compatible {
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
func (e *Engine) mayPing(o origin, m wire.Message) *refusal {
	from := pingFrom(m)
	switch p := e.liveness.pinger(o, from); {
	case p == nil:
		return &refusal{NoSuchID, from.String() + " is not in the session"}
	case !p.at(o.from.Addr()) && !(e.cfg.Compatible && e.peers.hasSender(o)):
		return &refusal{NotAllowed, from.String() + " is not at " + o.from.String()}
	}
	return nil
}

// mayBury refuses YOUAREDEAD from others than the host, or the candidate while there is none. A compatible engine believes any
// member.
func (e *Engine) mayBury(o origin, _ wire.Message) *refusal {
	switch p := e.peerOf(o); {
	case p == nil && e.hosting():
		return &refusal{OutOfTurn, "we are the host"}
	case e.hosting() || p != nil && (p.system == e.host || e.migration.isCandidate(p) || e.cfg.Compatible):
		return nil
	}
	return &refusal{NotAllowed, "it is not from the host"}
}

// mayName refuses IAMNAMESERVER from others than the machine that it names. A compatible engine believes any member, and that
// machine even if its header names another listener than others say.
func (e *Engine) mayName(o origin, m *wire.IAmNameServer) *refusal {
	p, host := e.peerOf(o), e.peerByID(m.Host)
	switch {
	case p.isLate(o):
		return &refusal{OutOfTurn, lateWord}
	case e.hosting() && p == nil:
		return &refusal{OutOfTurn, "we are the host"}
	case e.hosting():
		return nil
	case !e.cfg.Compatible && !e.migrates():
		return &refusal{NotAllowed, diesWithHost}
	case host == nil:
		return &refusal{NoSuchID, m.Host.String() + " is not in the session"}
	case p != host && !(e.cfg.Compatible && (p != nil || host.at(o.from.Addr()))):
		return &refusal{NotAllowed, "its sender is not " + m.Host.String()}
	}
	return nil
}

// mayEnumerate refuses requests for the list from machines that are not in the session. A compatible engine believes everybody.
func (e *Engine) mayEnumerate(o origin, m wire.Message) *refusal {
	if e.cfg.Compatible {
		return nil
	}
	return e.fromMember(o, m)
}

// mayAskID refuses requests for a player's id from machines that are not in the session; one for a machine's is a newcomer's.
func (e *Engine) mayAskID(o origin, m *wire.RequestPlayerID) *refusal {
	if m.Flags&wire.PlayerSystem != 0 {
		return nil
	}
	return e.fromMember(o, m)
}

// mayGiveID refuses ids from others than the host that was asked.
func (e *Engine) mayGiveID(o origin, _ wire.Message) *refusal {
	p := e.peerOf(o)
	switch {
	case e.state == member && len(e.requests.line) == 0, e.state != member && (e.state != joinState || e.join.admitted):
		return &refusal{OutOfTurn, "we asked for no id"}
	case e.state == member && (p == nil || p.system != e.host && !e.cfg.Compatible):
		return &refusal{NotAllowed, "it is not from the host"}
	case e.state != member:
		return e.join.mayAnswer(o)
	}
	return nil
}

// mayRefuse refuses refusals of our admission from others than the host that we want to join.
func (e *Engine) mayRefuse(o origin, _ wire.Message) *refusal {
	if e.state != joinState || !e.join.admitted {
		return &refusal{OutOfTurn, "we are not joining"}
	}
	return e.join.mayAnswer(o)
}

// mayList refuses lists of players from others than the host that was asked.
func (e *Engine) mayList(o origin, _ wire.Message) *refusal {
	a := e.search.asking
	switch {
	case a != nil && !isHost(a.host, a.from, o):
		return &refusal{NotAllowed, "it is not from the host that we asked"}
	case a != nil:
		return nil
	case e.state != joinState || !e.join.admitted:
		return &refusal{OutOfTurn, "we are not joining"}
	}
	return e.join.mayAnswer(o)
}

// mayAnswer refuses answers from others than the host that we want to join.
func (j *joining) mayAnswer(o origin) *refusal {
	if !j.fromJoinHost(o) {
		return &refusal{NotAllowed, "it is not from the host that we want to join"}
	}
	return nil
}
