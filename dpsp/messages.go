package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// A messageRule is all that the engine has to know of one message before its handler looks into it. [rules] has them; what
// they say of who is believed decides ([Engine.refuses]), is printed in the package documentation, and tried by TestWhoIsBelieved.
type messageRule struct {
	// By UDP: what the specification and our own peers send so, and nothing else. Anybody can write any source into a datagram,
	// so that what comes in one may be play or a sign of life, and is asked about over a connection where it would change more.
	datagram bool
	believed believed
	// refused, if not nil, does what else is to be done about a sender that is not believed. It returns true if it has dropped the
	// message, with an event or without.
	refused func(e *sender, o origin, m wire.Message, no *refusal) bool
	// moot, if not nil, handles a message for which the sender does not matter, such as an announcement of a player that is in the list.
	// It reports whether it did. It is called before believed decides, and in every state if outside is set.
	moot func(e *Engine, o origin, m wire.Message) bool

	outside bool // it is handled in every state, as believed decides; all others are for members, and wait while we join
	repeats bool // it comes again by itself, and need not wait
	answer  bool // a newcomer, or a member that asked, waits for it

	// waits gives the ids that have to be in the list for it to make sense, 0 for none; nil: never.
	waits func(m wire.Message) ids
	makes bool // it announces a player or group
	links bool // it is about two things, which may be two machines'

	changes bool                           // it changes the list of players and groups, and may be relayed
	group   bool                           // it is about a group
	text    func(m wire.Message) wire.Text // what its sender wrote; nil: nothing that tells its encoding

	take handler // nil: not supported
}

// ids are up to two; 0 for none.
type ids [2]wire.PlayerID

// A handler takes a message.
type handler func(e *Engine, o origin, version wire.Dialect, m wire.Message)

// A messageKey names a message: a command, and what kind of EXTENSION it is.
type messageKey struct {
	command wire.Command
	kind    wire.ExtensionKind // 0 for other commands
}

func keyOf(m wire.Message) messageKey {
	if x, ok := m.(*wire.Extension); ok {
		return messageKey{wire.CmdExtension, x.Kind}
	}
	return messageKey{command: m.Command()}
}

// String returns the name by which a message is reported.
func (k messageKey) String() string {
	if k.command == wire.CmdExtension {
		return k.command.String() + " " + k.kind.String()
	}
	return k.command.String()
}

// nameOf returns the name by which a message is reported.
func nameOf(m wire.Message) string { return keyOf(m).String() }

// ruleOf returns the rule of a message. What nobody has assigned is dropped as what it is, by members.
func ruleOf(m wire.Message) *messageRule {
	r := rules[keyOf(m)]
	x, ok := m.(*wire.Extension)
	switch {
	case ok && (x.Body == nil || r == nil): // of another release, or kind
		return otherKind
	case r != nil:
		return r
	}
	return unassigned
}

// rules has every command, and every kind of EXTENSION; TestRules says what is missing. It is filled in by init, for
// handlers take messages that are inside other ones.
var (
	rules      map[messageKey]*messageRule
	unassigned = &messageRule{datagram: true, take: func(e *Engine, o origin, _ wire.Dialect, m wire.Message) {
		e.drop(o, nameOf(m), Unknown, "the specification does not assign this command")
	}}
	otherKind = &messageRule{believed: ofPeer, refused: unknownPeer,
		take: func(e *Engine, o origin, _ wire.Dialect, m wire.Message) {
			e.drop(o, nameOf(m), Unknown, "another release may know it")
		}}
)

// taking makes a handler of a method that needs to know no more than who said it.
func taking[M wire.Message](f func(*Engine, origin, M)) handler {
	return func(e *Engine, o origin, _ wire.Dialect, m wire.Message) { f(e, o, m.(M)) }
}

// byPart is taking for a method of a part of the engine.
func byPart[P any, M wire.Message](part func(*Engine) *P, f func(*P, origin, M)) handler {
	return func(e *Engine, o origin, _ wire.Dialect, m wire.Message) { f(part(e), o, m.(M)) }
}

// The parts that take messages.
func admissionOf(e *Engine) *admission { return &e.admission }
func searchOf(e *Engine) *search       { return &e.search }
func livenessOf(e *Engine) *liveness   { return &e.liveness }
func senderOf(e *Engine) *sender       { return &e.sender }

// changing makes the handler of a message that is an operation on the list.
func changing[M wire.Message](op func(M) playerlist.Op) handler {
	return func(e *Engine, o origin, _ wire.Dialect, m wire.Message) { e.remote(o, m, op(m.(M))) }
}

// waitingFor returns the ids that a message of one type waits for.
func waitingFor[M wire.Message](f func(M) ids) func(wire.Message) ids {
	return func(m wire.Message) ids { return f(m.(M)) }
}

// written returns the text of a message of one type.
func written[M wire.Message](f func(M) wire.Text) func(wire.Message) wire.Text {
	return func(m wire.Message) wire.Text { return f(m.(M)) }
}

// fromPeer makes the handler of a message of the extension that a peer of ours says of itself.
func fromPeer[B wire.ExtensionBody](f func(*sender, origin, *peer, B)) handler {
	return func(e *Engine, o origin, _ wire.Dialect, m wire.Message) {
		x := m.(*wire.Extension)
		f(&e.sender, o, e.peerByID(x.From), x.Body.(B))
	}
}

// unasked drops an answer that we do not wait for, perhaps because we asked twice.
func unasked(e *sender, o origin, m wire.Message, no *refusal) bool {
	if no.reason == OutOfTurn {
		e.requests.unasked(o, nameOf(m), no.text)
	}
	return no.reason == OutOfTurn
}

// unknownPeer notes that a program speaks which is no peer of ours.
func unknownPeer(e *sender, o origin, _ wire.Message, no *refusal) bool {
	if no.reason == NotMember {
		e.peers.uncounted(o)
	}
	return false
}

// mistakenPeer tells such a program, which addresses us like a peer, who we are.
func mistakenPeer(e *sender, o origin, m wire.Message, no *refusal) bool {
	if at := o.direct().listener; no.reason == NotMember && !o.udp && e.views.on() && e.peerAt(at) == nil {
		e.views.core.Unknown(e.now, sockAddr(at))
	}
	return unknownPeer(e, o, m, no)
}

// awayPeer notes that a program which is lost counts over a connection, as unknownPeer does for others.
func awayPeer(e *sender, o origin, m wire.Message, no *refusal) bool {
	e.views.kept.speaks(o, wire.Incarnation(endOf(m.(*wire.Extension).Body.(*wire.ExtensionArrived).Mine).Incarnation), 0)
	return unknownPeer(e, o, m, no)
}

// newPeer notes that a program which is not in the session yet, or was lost, speaks over a connection.
func newPeer(e *sender, o origin, m wire.Message, no *refusal) bool {
	e.views.kept.speaks(o, 0, m.(*wire.Extension).From)
	return unknownPeer(e, o, m, no)
}

// notInSession tells who pings us, and is no member, that it is not in the session.
func notInSession(e *sender, o origin, m wire.Message, no *refusal) bool {
	if no.reason == NoSuchID {
		e.notInSession(o, pingFrom(m))
	}
	return false
}

func init() {
	rules = map[messageKey]*messageRule{}
	for _, table := range []map[wire.Command]*messageRule{searchRules(), admissionRules(), listRules(), lifeRules(), playRules(), secureRules()} {
		for c, r := range table {
			rules[messageKey{command: c}] = r
		}
	}
	for k, r := range extensionRules() {
		rules[messageKey{wire.CmdExtension, k}] = r
	}
}

// searchRules are of what is said about sessions from outside (3.1.4.1, 3.1.4.3).
func searchRules() map[wire.Command]*messageRule {
	return map[wire.Command]*messageRule{
		wire.CmdEnumSessions:      {outside: true, datagram: true, believed: searches, take: byPart(searchOf, (*search).enumSessions)},
		wire.CmdEnumSessionsReply: {outside: true, believed: believed{anybody, anybody, anybody}, take: byPart(searchOf, (*search).enumSessionsReply)},
		wire.CmdEnumPlayer:        {outside: true, believed: askList, take: taking(func(e *Engine, o origin, _ *wire.EnumPlayer) { e.admission.enumPlayer(o) })},
		wire.CmdEnumPlayersReply:  {outside: true, believed: ofList, refused: unasked, answer: true, take: taking((*Engine).enumPlayersReply)},
		wire.CmdSuperEnumPlayersReply: {outside: true, believed: ofList, refused: unasked, answer: true,
			take: taking((*Engine).superEnumPlayersReply)},
	}
}

// admissionRules are of the way into a session, and of ids (3.1.4.2, 3.1.4.4).
func admissionRules() map[wire.Command]*messageRule {
	return map[wire.Command]*messageRule{
		wire.CmdRequestPlayerID:    {outside: true, believed: askID, take: byPart(admissionOf, (*admission).requestPlayerID)},
		wire.CmdRequestGroupID:     {outside: true, believed: ofMembers, take: byPart(admissionOf, (*admission).requestGroupID)},
		wire.CmdRequestPlayerReply: {outside: true, believed: giveID, refused: unasked, answer: true, take: taking((*Engine).requestPlayerReply)},
		wire.CmdAddForwardRequest: {outside: true, believed: toHost, take: func(e *Engine, o origin, v wire.Dialect, m wire.Message) {
			e.addForwardRequest(o, v, m.(*wire.AddForwardRequest))
		}},
		wire.CmdAddForwardReply: {outside: true, believed: toJoiner((*sessionState).mayRefuse), answer: true, take: taking((*Engine).addForwardReply)},
		wire.CmdAddForward:      {believed: byHost("only members are told of newcomers"), take: taking((*Engine).addForward)},
		wire.CmdAddForwardAck:   {outside: true, believed: ofMembers, take: byPart(admissionOf, (*admission).addForwardAck)},
	}
}

// listRules are of what changes the list of players and groups, and the session (3.1.4.5 to 3.1.4.9).
func listRules() map[wire.Command]*messageRule {
	return map[wire.Command]*messageRule{
		wire.CmdCreatePlayer: {believed: ofMaker, moot: (*Engine).knows, changes: true, makes: true,
			waits: waitingFor(func(m *wire.CreatePlayer) ids { return ids{m.Info.System} }),
			text:  written(func(m *wire.CreatePlayer) wire.Text { return m.Info.ShortName }),
			take: func(e *Engine, o origin, v wire.Dialect, m wire.Message) {
				e.createdPlayer(o, v, &m.(*wire.CreatePlayer).Info, m)
			}},
		wire.CmdCreatePlayerVerify: {believed: ofMaker, moot: (*Engine).knows, changes: true, makes: true,
			waits: waitingFor(func(m *wire.CreatePlayerVerify) ids { return ids{m.Info.System} }),
			take:  taking(func(e *Engine, o origin, m *wire.CreatePlayerVerify) { e.createdPlayer(o, 0, &m.Info, m) })},
		wire.CmdCreateGroup: {believed: ofMaker, moot: (*Engine).knows, changes: true, group: true, makes: true, links: true,
			waits: waitingFor(func(m *wire.CreateGroup) ids { return ids{m.Info.System, m.Info.Parent} }),
			text:  written(func(m *wire.CreateGroup) wire.Text { return m.Info.ShortName }),
			take:  taking(func(e *Engine, o origin, m *wire.CreateGroup) { e.createdGroup(o, &m.Info) })},
		wire.CmdDeletePlayer: {believed: byOwner(of((*sessionState).mayDelete)), changes: true,
			waits: waitingFor(func(m *wire.DeletePlayer) ids { return ids{m.Player} }),
			take:  taking(func(e *Engine, o origin, m *wire.DeletePlayer) { e.deletedPlayer(o, m.Player) })},
		wire.CmdDeleteGroup: {believed: byMember, changes: true, group: true,
			waits: waitingFor(func(m *wire.DeleteGroup) ids { return ids{m.Group} }),
			take:  taking(func(e *Engine, o origin, m *wire.DeleteGroup) { e.deletedGroup(o, m.Group) })},
		wire.CmdPlayerNameChanged: {believed: ofThing, changes: true,
			waits: waitingFor(func(m *wire.PlayerNameChanged) ids { return ids{m.Player} }),
			text:  written(func(m *wire.PlayerNameChanged) wire.Text { return m.ShortName }),
			take: changing(func(m *wire.PlayerNameChanged) playerlist.Op {
				return playerlist.SetName{ID: m.Player, ShortName: m.ShortName, LongName: m.LongName}
			})},
		wire.CmdGroupNameChanged: {believed: ofThing, changes: true, group: true,
			waits: waitingFor(func(m *wire.GroupNameChanged) ids { return ids{m.Group} }),
			text:  written(func(m *wire.GroupNameChanged) wire.Text { return m.ShortName }),
			take: changing(func(m *wire.GroupNameChanged) playerlist.Op {
				return playerlist.SetName{ID: m.Group, ShortName: m.ShortName, LongName: m.LongName}
			})},
		wire.CmdPlayerDataChanged: {believed: ofThing, changes: true,
			waits: waitingFor(func(m *wire.PlayerDataChanged) ids { return ids{m.Player} }),
			take: changing(func(m *wire.PlayerDataChanged) playerlist.Op {
				return playerlist.SetData{ID: m.Player, Data: m.Data}
			})},
		wire.CmdGroupDataChanged: {believed: ofThing, changes: true, group: true,
			waits: waitingFor(func(m *wire.GroupDataChanged) ids { return ids{m.Group} }),
			take: changing(func(m *wire.GroupDataChanged) playerlist.Op {
				return playerlist.SetData{ID: m.Group, Data: m.Data}
			})},
		wire.CmdAddPlayerToGroup: {believed: byMember, changes: true, group: true, links: true,
			waits: waitingFor(func(m *wire.AddPlayerToGroup) ids { return ids{m.Player, m.Group} }),
			take: changing(func(m *wire.AddPlayerToGroup) playerlist.Op {
				return playerlist.AddMember{Group: m.Group, Player: m.Player}
			})},
		wire.CmdDeletePlayerFromGroup: {believed: byMember, changes: true, group: true,
			waits: waitingFor(func(m *wire.DeletePlayerFromGroup) ids { return ids{m.Player, m.Group} }),
			take: changing(func(m *wire.DeletePlayerFromGroup) playerlist.Op {
				return playerlist.RemoveMember{Group: m.Group, Player: m.Player}
			})},
		wire.CmdAddShortcutToGroup: {believed: byMember, changes: true, group: true, links: true,
			waits: waitingFor(func(m *wire.AddShortcutToGroup) ids { return ids{m.Child, m.Parent} }),
			take: changing(func(m *wire.AddShortcutToGroup) playerlist.Op {
				return playerlist.AddShortcut{Parent: m.Parent, Child: m.Child}
			})},
		wire.CmdDeleteGroupFromGroup: {believed: byMember, changes: true, group: true,
			waits: waitingFor(func(m *wire.DeleteGroupFromGroup) ids { return ids{m.Child, m.Parent} }),
			take: changing(func(m *wire.DeleteGroupFromGroup) playerlist.Op {
				return playerlist.RemoveShortcut{Parent: m.Parent, Child: m.Child}
			})},
		wire.CmdSessionDescChanged: {believed: byHost("we are the host"), take: taking((*Engine).descChanged)},
	}
}

// lifeRules are of who is there, and who is host (3.1.5.30 to 3.1.5.33).
func lifeRules() map[wire.Command]*messageRule {
	return map[wire.Command]*messageRule{
		wire.CmdPing: {outside: true, datagram: true, believed: ofPinger, refused: notInSession,
			moot: func(e *Engine, o origin, m wire.Message) bool { return e.liveness.tryOut(o, m.(*wire.Ping)) },
			take: byPart(livenessOf, (*liveness).ping)},
		wire.CmdPingReply:  {outside: true, datagram: true, believed: ofPinger, refused: notInSession, take: byPart(livenessOf, (*liveness).pingReply)},
		wire.CmdYouAreDead: {outside: true, believed: dead, take: taking(func(e *Engine, o origin, _ *wire.YouAreDead) { e.youAreDead(o) })},
		wire.CmdIAmNameServer: {outside: true, believed: newHost,
			refused: func(e *sender, o origin, _ wire.Message, _ *refusal) bool {
				if e.hosting() && e.peerOf(o) == nil {
					e.liveness.sayDead(o.direct())
				}
				return false
			},
			take: taking((*Engine).iAmNameServer)},
	}
}

// playRules are of what the game says, and of messages around messages.
func playRules() map[wire.Command]*messageRule {
	return map[wire.Command]*messageRule{
		wire.CmdPlayerMessage: {datagram: true, believed: game,
			waits: func(m wire.Message) ids {
				if game, ok := m.(*wire.PlayerMessage); ok && !game.NoIDs {
					return ids{game.From}
				}
				return ids{}
			},
			take: func(e *Engine, o origin, _ wire.Dialect, m wire.Message) { // what has no header is taken before the rules
				e.drop(o, nameOf(m), OutOfTurn, "it means nothing here")
			}},
		wire.CmdPlayerWrapper: {datagram: true, believed: byOwner(nil), // the message in it is asked about
			take: taking(func(e *Engine, o origin, m *wire.PlayerWrapper) { e.receive(o, &m.Player, o.guaranteed()) })},
		wire.CmdChat: {datagram: true,
			believed: byPlayer,
			waits:    waitingFor(func(m *wire.Chat) ids { return ids{m.From} }),
			text:     written(func(m *wire.Chat) wire.Text { return m.Text }),
			take:     byPart(senderOf, (*sender).chat)},
		wire.CmdAsk4Multicast: {datagram: true, believed: toRelay, take: taking(func(e *Engine, o origin, m *wire.Ask4Multicast) {
			e.askMulticast(o, m.From, m.Group, &m.Inner, false)
		})},
		wire.CmdAsk4MulticastGuaranteed: {believed: toRelay, take: taking(func(e *Engine, o origin, m *wire.Ask4MulticastGuaranteed) {
			e.askMulticast(o, m.From, m.Group, &m.Inner, true)
		})},
		wire.CmdMulticastDelivery: {datagram: true, believed: relayed, take: taking((*Engine).multicastDelivery)},
		wire.CmdPacket:            {datagram: true, believed: byMember, take: taking((*Engine).fragment)},
		wire.CmdPacket2Data:       {believed: byMember, take: taking((*Engine).fragment)},
		wire.CmdPacket2Ack:        {believed: byMember, take: byPart(senderOf, (*sender).packet2Ack)},
	}
}

// secureRules are of secure sessions and voice, which are not supported: such messages are dropped, whoever sends them.
func secureRules() map[wire.Command]*messageRule {
	all := map[wire.Command]*messageRule{}
	for _, c := range []wire.Command{wire.CmdChallenge, wire.CmdAccessGranted, wire.CmdLogonDenied, wire.CmdAuthError, wire.CmdNegotiate,
		wire.CmdChallengeResponse, wire.CmdSigned, wire.CmdKeyExchange, wire.CmdKeyExchangeReply, wire.CmdVoice} {
		all[c] = &messageRule{datagram: true}
	}
	return all
}

// extensionRules are of what our own peers say to each other.
func extensionRules() map[wire.ExtensionKind]*messageRule {
	all := map[wire.ExtensionKind]*messageRule{
		wire.KindHello: {believed: ofPeer, refused: newPeer, take: fromPeer((*sender).hello),
			waits: waitingFor(func(m *wire.Extension) ids { return ids{m.From} })}, // it is not said again for a period
		wire.KindArrived: {believed: ofPeer, refused: awayPeer, take: fromPeer((*sender).takeArrived)},
		wire.KindView: {datagram: true, repeats: true, believed: ofViews, take: func(e *Engine, o origin, _ wire.Dialect, m wire.Message) {
			e.views.take(o, m.(*wire.Extension).Body.(*wire.ExtensionView))
		}},
	}
	takeObject := fromPeer((*sender).takeObject)
	for k := wire.KindObjectCreate; k <= wire.KindObjectInstruct; k++ {
		datagram := k == wire.KindObjectUpdate || k == wire.KindObjectAck
		all[k] = &messageRule{believed: ofPeer, refused: mistakenPeer, datagram: datagram, take: takeObject}
	}
	return all
}
