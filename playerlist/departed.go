package playerlist

import "dplay4/wire"

// Departed gives the operations that remove what a machine owned and then its system player: its groups from the
// youngest to the oldest, so that none goes before one created in it; its players in order of joining (a Windows
// machine that leaves deletes its player before its system player, too: facts, real-captures); the system player.
// Nil if there is no such system player.
func (l *List) Departed(system wire.PlayerID) []Op {
	s := l.rows[system]
	if s == nil || !s.isSystem() {
		return nil
	}
	ops := make([]Op, 0, int(s.owned)+1)
	for r := l.groups.last; r != nil && len(ops) < int(s.owned); r = r.prev {
		if r.system == system {
			ops = append(ops, DeleteGroup{r.id})
		}
	}
	for r := l.players.first; r != nil && len(ops) < int(s.owned); r = r.next {
		if r.system == system && r != s {
			ops = append(ops, DeletePlayer{r.id})
		}
	}
	return append(ops, DeletePlayer{system})
}
