// Package pingtimer tells which peers are still alive: which to ping, and which did not answer.
//
// It has no clock and no socket. Its caller passes the time, as a duration since any fixed moment (the same in all
// calls, never negative), and sends the pings.
//
// # Rule
//
// One timer for all peers elapses every period ([MC-DPL4CS] 3.1.2.5, 3.2.2.2; 35 s). It then looks at each peer:
// one that was heard since it elapsed last (its ChatterCount is not 0) is left alone; a silent one is pinged; one that
// was pinged eight times without a word since is lost (3.1.6.2, 3.2.6.2). Each ping has a whole period for its answer,
// so with the specification's values a peer is lost 280 seconds after its first ping, which is sent between 35 and
// 70 seconds after its last word.
//
// Any message counts as a word, not only an answer (3.1.5.26, 3.1.5.30, 3.1.5.31). A peer starts with no pings
// against it, so a new host does not pay for the old one's. A lost peer is told once and then forgotten.
//
// With [Config].Grid the timer elapses at fixed times, as Windows' does, and not a period after whatever began it.
//
// # When nobody was looking
//
// A caller may look late: the laptop slept, the process stood still. However late, a Look elapses the timer once,
// and the next period begins then. If it comes a whole period late or more, nothing can be blamed on the peers:
// their answers found nobody. Silent ones are pinged, but that ping does not count, and nobody is lost.
//
// # Limits and memory
//
// [MaxPeers] peers, about 150 octets each. A Look before the timer elapses costs a comparison; then the time for all
// peers. Results come in the order in which peers were added. A Timer is not safe for use by several goroutines
// at once.
package pingtimer
