package frame

import (
	"slices"

	"dplay4/dpsp/reliable"
)

// Kept is what is kept of the links to a machine while it is lost.
type Kept struct {
	peer   Peer
	links  []*Link
	octets int
}

// Octets returns how many octets wait on the links.
func (k *Kept) Octets() int { return k.octets }

// Keep takes out the links to a machine that is lost: nothing is said on them until it is back. Messages that are not known to have
// arrived are reported as lost, because nobody knows whether it comes back. They arrive if it does.
func (fr *Links) Keep(p *Peer) Kept {
	k := Kept{peer: *p, links: p.Links}
	for _, l := range k.links {
		fr.remove(l)
		fr.done(l.Forsake())
		for i := range l.behind {
			m := &l.behind[i].message
			fr.done([]reliable.Done{{Token: m.Token, Err: reliable.ErrLost}})
			m.Token = 0
		}
		l.Peer = nil
		k.octets += l.Waiting()
	}
	p.Links, p.Framed = nil, false
	return k
}

// Return goes on with the links to a machine that is back, maybe with another id.
func (fr *Links) Return(p *Peer, k Kept) {
	now := *p
	*p = k.peer
	p.Machine, p.Met, p.again, p.Links = now.Machine, now.Met, 0, nil
	for _, l := range k.links {
		at := ends{l.ends.ours, l.ends.theirs, p.System()}
		if fr.links[at] != nil { // it began since
			fr.end(l)
			continue
		}
		l.ends, l.Peer, l.Socket, l.wake, l.gone = at, p, p.Socket(), reliable.Never, 0
		l.Resume(fr.Now)
		fr.links[at] = l
		fr.all = append(fr.all, l)
		p.Links = append(p.Links, l)
		fr.Turn(l)
	}
}

// Abandon forgets kept links. The next ones to the machine begin in another turn.
func (fr *Links) Abandon(k Kept) {
	p := k.peer
	p.Links = slices.Clone(k.links)
	fr.nextTurn(&p)
	for _, l := range k.links {
		fr.end(l)
	}
}
