package dpsp

import "dplay4/wire"

// askMulticast passes a message on to a group, or to everybody, as the host (3.2.5.1, 3.2.5.2).
func (e *Engine) askMulticast(o origin, from, group wire.PlayerID, in *wire.Inner, guaranteed bool) {
	name := "ASK4MULTICAST"
	if guaranteed {
		name = "ASK4MULTICASTGUARANTEED"
	}
	sender := e.machineOf(o)
	_, isGroup := e.list.Kind(group)
	switch {
	case !e.hosting():
		e.drop(o, name, OutOfTurn, "we are not the host")
		return
	case sender == nil:
		e.drop(o, name, NotMember, "its sender is not in the session")
		return
	case group != wire.IDAll && !isGroup:
		e.drop(o, name, NoSuchID, "there is no group "+group.String())
		return
	case !e.maySend(o, name, from):
		return
	}
	// Whom it is for is settled first: a message can take members out of the group.
	to := e.others(sender, group)
	if !e.here(o, name, group, in, guaranteed) {
		return
	}
	if changesList(in.Message) {
		e.sendTo(to, in.Message) // whatever the request said: it must neither get lost nor be overtaken
		return
	}
	if err := e.transmit(to, in.Message, guaranteed); err != nil {
		e.drop(o, name, LimitReached, "not passed on: "+err.Error())
	}
}

// others gives the machines that a message from one of them is passed on to. In a client/server session there are
// none: clients do not know each other (facts, 5.4).
func (e *Engine) others(sender *machine, group wire.PlayerID) []*machine {
	if e.flags()&wire.SessionClientServer != 0 {
		return nil
	}
	if group != wire.IDAll {
		var t target
		for _, id := range e.list.AppendMembers(nil, group) {
			if p := e.owner(id); p != sender {
				t.add(p)
			}
		}
		return t.machines
	}
	var all []*machine
	for _, p := range e.machines {
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
	if !changesList(in.Message) {
		e.drop(o, name, NotAllowed, "nothing to be passed on is in it")
		return false
	}
	before := e.refused
	e.listChange(o, in.Version, in.Message)
	return e.refused == before || !e.cfg.Strict
}

func (e *Engine) gameHere(o origin, name string, group wire.PlayerID, m *wire.PlayerMessage, guaranteed bool) bool {
	if m.NoIDs { // the request says whom it is for, the message does not
		e.deliver(0, group, guaranteed, m.Payload)
		return true
	}
	if !e.maySend(o, name, m.From) {
		return false
	}
	e.deliver(m.From, m.To, guaranteed, m.Payload)
	return true
}

// changesList says whether a message is one of those by which a member changes the list of players and groups.
func changesList(m wire.Message) bool {
	switch m.(type) {
	case *wire.CreatePlayer, *wire.CreatePlayerVerify, *wire.DeletePlayer, *wire.PlayerNameChanged, *wire.PlayerDataChanged:
		return true
	}
	return m != nil && groups(m)
}
