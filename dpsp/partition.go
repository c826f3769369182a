package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A partition is what a member has to remember for the time when the session is in two parts, and does to make them one:
// whom it lost, what proves that somebody was in the session, who else says that it is host, and what came and went with the
// other part. The zero partition, with its engine, is that of a session that was never apart.
type partition struct {
	e          *Engine
	secrets    secrets
	lost       lostPeers
	former     formerConnections
	rival      wire.PlayerID // another host of this session; 0: none known
	mergedFrom wire.PlayerID // the last rival whose machines came over
	challenged challenge     // of a host that claims the session
	vouched    voucher       // for another host of the session
	strangers  time.Duration // when a host of which we know nothing is answered again
	readmitted readmissions
	recalled   recalledLinks   // of players of ours
	misled     []wire.PlayerID // who follow us, and are to hear who is host once that one spoke
	back       *rejoining      // after coming back: what we remember
}

// A readmission is of a machine that was taken back. Its players come with the ids that they had.
type readmission struct {
	system   wire.PlayerID
	deadline time.Duration
}

// readmissions are those of the last time, one a machine.
type readmissions []readmission

// add notes that a machine was taken back.
func (r *readmissions) add(system wire.PlayerID, now time.Duration) {
	*r = slices.DeleteFunc(*r, func(r readmission) bool { return r.deadline <= now || r.system == system })
	*r = append(*r, readmission{system, now + idLife})
}

// has reports whether a machine may announce players with the ids that they had before it was lost.
func (r readmissions) has(system wire.PlayerID, now time.Duration) bool {
	return slices.ContainsFunc(r, func(r readmission) bool { return r.system == system && r.deadline > now })
}
