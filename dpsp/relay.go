package dpsp

import "dplay4/wire"

// askMulticast passes a message on to a group, or to everybody, as the host (3.2.5.1, 3.2.5.2).
func (e *Engine) askMulticast(o origin, from, group wire.PlayerID, in *wire.Inner, guaranteed bool) {
	name := "ASK4MULTICAST"
	if guaranteed {
		name = "ASK4MULTICASTGUARANTEED"
	}
	sender := e.peerOf(o)
	_, isGroup := e.list.Kind(group)
	switch {
	case group != wire.IDAll && !isGroup:
		e.drop(o, name, NoSuchID, "there is no group "+group.String())
		return
	case o.udp && changesList(in):
		e.drop(o, name, NotAllowed, in.Message.Command().String()+" does not come in a datagram")
		return
	}
	e.alive(o, from)
	// Whom it is for is settled first: a message can take members out of the group.
	to := e.others(sender, group)
	if !e.here(o, name, group, in, guaranteed) {
		return
	}
	message := in.Message
	if e.frames().On { // 3.2.5.1, 3.2.5.2
		message = &wire.MulticastDelivery{Group: group, From: from, Inner: wire.Inner{Version: in.Version, Message: wrapped(message, true)}}
	}
	if changesList(in) {
		e.sendTo(to, message) // whatever the request said: it must neither get lost nor be overtaken
		return
	}
	if err := e.transmit(to, message, Send{Guaranteed: guaranteed}); err != nil {
		e.drop(o, name, LimitReached, "not passed on: "+err.Error())
	}
}

// multicastDelivery takes what the host passes on.
func (e *Engine) multicastDelivery(o origin, m *wire.MulticastDelivery) {
	e.inner(o, &m.Inner)
}

// others returns the machines that a message from one of them is passed on to. In a client/server session there are
// none: clients do not know each other (facts, 5.4).
func (s *sessionState) others(sender *peer, group wire.PlayerID) []*peer {
	if s.flags()&wire.SessionClientServer != 0 {
		return nil
	}
	if group != wire.IDAll {
		var t target
		for _, id := range s.list.AppendMembers(nil, group) {
			if p := s.owner(id); p != sender {
				t.add(p)
			}
		}
		return t.peers
	}
	var all []*peer
	for _, p := range s.peers.all {
		if p != sender {
			all = append(all, p)
		}
	}
	return all
}

// here takes a message that is to be passed on for ourselves, and says whether it may be passed on: to the others
// it comes from the host, whom they believe what they would not believe the sender.
func (e *Engine) here(o origin, name string, group wire.PlayerID, in *wire.Inner, guaranteed bool) bool {
	switch m := in.Message.(type) {
	case *wire.PlayerMessage:
		return e.gameHere(o, name, group, m, guaranteed)
	case *wire.PlayerWrapper:
		return e.gameHere(o, name, group, &m.Player, guaranteed)
	case *wire.Chat:
		if !e.maySend(o, name, m.From) {
			return false
		}
		e.deliverChat(m)
		return true
	}
	if !changesList(in) {
		e.drop(o, name, NotAllowed, "nothing to be passed on is in it")
		return false
	}
	before := e.out.refused
	e.handle(ruleOf(in.Message), o, in.Version, in.Message)
	return e.out.refused == before || e.cfg.Compatible
}

func (s *sender) gameHere(o origin, name string, group wire.PlayerID, m *wire.PlayerMessage, guaranteed bool) bool {
	if m.NoIDs { // the request says whom it is for, the message does not
		s.deliver(0, group, guaranteed, m.Payload)
		return true
	}
	if !s.maySend(o, name, m.From) {
		return false
	}
	s.deliver(m.From, m.To, guaranteed, m.Payload)
	return true
}

// changesList reports whether what is inside a message is one by which a member changes the list of players and groups.
func changesList(in *wire.Inner) bool { return in.Message != nil && ruleOf(in.Message).changes }
