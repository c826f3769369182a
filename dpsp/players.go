package dpsp

import (
	"bytes"
	"net/netip"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Players returns the players in the session, without system players, as copies, in order of joining.
func (e *Engine) Players() []PlayerCreated {
	if e.list == nil {
		return nil
	}
	all, enc := make([]PlayerCreated, 0, e.list.Count()), e.text.encoding()
	for p := range e.list.EachPlayer() {
		if p.Flags&wire.PlayerSystem == 0 {
			p.Data = bytes.Clone(p.Data)
			all = append(all, e.playerAs(&p, enc))
		}
	}
	return all
}

// introduction returns the events for all that is in a list but system players, see [Follow]: players, then groups with their
// members, and then shortcuts, because these may lead to any group.
func (e *Engine) introduction(l *playerlist.List) (all []Change) {
	for _, p := range l.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			all = append(all, e.playerCreated(&p))
		}
	}
	groups := l.Groups()
	for _, g := range groups {
		all = append(all, e.groupCreated(&g))
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

// TableVersion is the number of the last operation that we know of the host's name table; 0 without one. As the host
// it is our own list's.
func (e *Engine) TableVersion() uint32 {
	if e.reconcile.table == nil {
		return 0
	}
	return e.reconcile.table.Version()
}

// Pressed reports whether so much waits on a link of the reliable protocol that a program does well to wait before it says more.
func (e *Engine) Pressed() bool { return e.framing.links.Pressed() }

// Machines returns the TCP listeners of the other machines in the session, in order of joining.
func (e *Engine) Machines() []netip.AddrPort {
	var all []netip.AddrPort
	for _, m := range e.peers.all {
		all = append(all, m.stream)
	}
	return all
}

// MachineAt returns the system player of the other machine that we reach at a TCP listener, 0 if there is none.
func (e *Engine) MachineAt(listener netip.AddrPort) wire.PlayerID {
	if m := e.peerAt(listener); m != nil {
		return m.system
	}
	return 0
}
