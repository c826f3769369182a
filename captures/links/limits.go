package links

import "time"

// Limits of what is remembered.
const (
	// maxLinks bounds the directions between two players that are followed: a session of 64 machines, all to all.
	maxLinks = 4096
	// maxFlight bounds the frames of a link that are remembered. A sender has at most 24 messages under way with 24
	// frames of each (2.2.2).
	maxFlight = 640
	// maxSendings bounds those of all links together: 200 links that are full, some 40 MiB.
	maxSendings = 1 << 17
	// maxTrips bounds the round trips of a link that are remembered; of more, each second one is left out, and so on.
	maxTrips = 512
	// maxStalls bounds the stalls of a link that are remembered.
	maxStalls = 4
	// maxPlaces bounds the places remembered of what happens again and again.
	maxPlaces = 3
	// maxElsewhere bounds the links among which an ACK that fits none is tried.
	maxElsewhere = 64
)

// When a link counts as stalled: one lost frame, or one lost ACK, is no stall. The first retry comes after 1 s at the
// latest (3.1.2).
const (
	stallTries = 3
	stallTime  = 2 * time.Second
)

// copyTime is how soon the copy of a frame comes that its sender sent once: two adapters see it, or a router doubles it.
const copyTime = 10 * time.Millisecond

// obeyTime is how soon a frame comes again that was sent again because of a NACK. Time-outs are 1 s before the first round
// trip, and few paths are longer than this.
const obeyTime = 200 * time.Millisecond
