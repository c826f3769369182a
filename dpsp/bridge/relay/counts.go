package relay

import "sync/atomic"

// A count is something that is counted.
type count int

// What is counted.
const (
	allocated count = iota
	takenOver
	relayedPackets
	relayedOctets
	bindings
	permissionsRefused
	requestsFailed

	refusedCredentials
	refusedExpired
	refusedAddress
	refusedFull
	refusedFamily
	refusedEnding
	refusedConnections

	droppedRate
	droppedQueue
	droppedMemory
	droppedNobody
	droppedUnwanted
	droppedStranger
	droppedFlood
	droppedMalformed

	countsOfAll
)

// counts are all of them. A slot is a cache line of its own, for they are written by several goroutines.
type counts [countsOfAll]struct {
	atomic.Uint64
	_ [56]byte
}

func (n *counts) add(what count, by uint64) { n[what].Add(by) }

// refusedFor is what counts allocations that were refused.
var refusedFor = map[Reason]count{BadCredentials: refusedCredentials, Expired: refusedExpired, AddressFull: refusedAddress,
	Full: refusedFull, NoFamily: refusedFamily, Ending: refusedEnding}
