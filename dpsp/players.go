package dpsp

import (
	"bytes"
	"net/netip"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Players returns the players in the session, without system players, as copies, in order of joining.
func (s *sessionState) Players() []PlayerCreated {
	if s.list == nil {
		return nil
	}
	all, enc := make([]PlayerCreated, 0, s.list.Count()), s.encoding()
	for p := range s.list.EachPlayer() {
		if p.Flags&wire.PlayerSystem == 0 {
			p.Data = bytes.Clone(p.Data)
			all = append(all, s.playerAs(&p, enc))
		}
	}
	return all
}

// introduction returns the events for all that is in a list but system players, see [Follow]: players, then groups with their
// members, and then shortcuts, because these may lead to any group.
func (s *sessionState) introduction(l *playerlist.List) (all []Change) {
	for _, p := range l.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			all = append(all, s.playerCreated(&p))
		}
	}
	groups := l.Groups()
	for _, g := range groups {
		all = append(all, s.groupCreated(&g))
		for _, id := range l.AppendMembers(nil, g.ID) {
			if isPlayer(l, id) {
				all = append(all, MemberAdded{Player: id, Group: g.ID})
			}
		}
	}
	for _, g := range groups {
		for _, id := range l.AppendShortcuts(nil, g.ID) {
			all = append(all, ShortcutAdded{Child: id, Parent: g.ID})
		}
	}
	return all
}

// LogIndex returns the index of the last operation that this machine has of the leader's log; 0 without a view.
func (s *sender) LogIndex() uint32 {
	if !s.viewing.on() || s.viewing.newcomer() {
		return 0
	}
	return s.viewing.core.List().Version()
}

// Pressed reports whether so much waits on a link of the reliable protocol that a program does well to wait before it says more.
func (s *sender) Pressed() bool { return s.framing.links.Pressed() }

// Machines returns the TCP listeners of the other machines in the session, in order of joining.
func (s *sessionState) Machines() []netip.AddrPort {
	var all []netip.AddrPort
	for _, m := range s.peers.all {
		all = append(all, m.stream)
	}
	return all
}

// MachineAt returns the system player of the other machine that we reach at a TCP listener, 0 if there is none.
func (s *sessionState) MachineAt(listener netip.AddrPort) wire.PlayerID {
	if m := s.peerAt(listener); m != nil {
		return m.system
	}
	return 0
}
