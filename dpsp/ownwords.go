package dpsp

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// ownWords are deletions by the owner of a player that came from the leader first. They wait for the owner's DELETEPLAYER, which comes over
// another connection, behind all messages of that player.
type ownWords struct {
	late []ownWord              // in the order of their deadlines
	goes map[wire.PlayerID]bool // machines that said goodbye to the leader
}

type ownWord struct {
	op    playerlist.Op
	until time.Duration
}

// maxLate bounds the deletions that wait.
const maxLate = 4096

// waits makes a deletion wait for its owner's message, as long as for an answer, and reports whether it does. It does not for legacy
// owners, or if maxLate others wait.
func (v *viewSender) waits(op playerlist.Op) bool {
	e := v.e
	id := op.(playerlist.DeletePlayer).ID
	p := e.owner(id)
	if p == nil || !p.modern {
		return false
	}
	if id == p.system {
		if v.goes == nil {
			v.goes = map[wire.PlayerID]bool{}
		}
		v.goes[id] = true
	}
	if slices.ContainsFunc(v.late, func(w ownWord) bool { return w.op == op }) { // a leader may repeat itself
		return true
	}
	if len(v.late) >= maxLate {
		return false
	}
	v.late = append(v.late, ownWord{op, e.now + e.answerTime()})
	return true
}

// overdue removes and returns the deletions whose message did not come in time.
func (w *ownWords) overdue(now time.Duration) (ops []playerlist.Op) {
	for len(w.late) > 0 && w.late[0].until <= now {
		ops = append(ops, w.late[0].op)
		w.late = w.late[1:]
	}
	return ops
}

// next returns the first deadline.
func (w *ownWords) next() time.Duration {
	if len(w.late) == 0 {
		return Never
	}
	return w.late[0].until
}
