// Package sim runs whole sessions of [dpsp.Engine] in one thread, on a seeded network with a virtual clock.
//
// [Draw] makes the [Options] of a run out of a seed, [Run] does it and gives a [Result]: a hash of everything that
// happened, a timeline, what was violated, statistics. The same options give the same run, octet for octet.
//
// # What is modelled
//
//   - Datagrams: delay, jitter, loss, duplication, reordering.
//   - TCP as package dpsp/sock uses it: one connection to each peer, opened on demand. It is in order; a lost segment
//     costs a retransmission. Connecting takes up to 10 s, a port without a listener refuses. A peer that ends its
//     program closes the connection, which the engine is told 250 ms later unless there is a new one by then. A peer
//     that is silent breaks it after Options.Retransmit, if something was sent. Connections stall, and break.
//   - Enumerations reach every machine that hosts, by broadcast, or the one that they are directed to.
//   - Partitions, two-way and one-way: of two parts or three, of two machines, of TCP or UDP alone.
//   - Programs that crash (the system closes their sockets), once or repeatedly, machines that lose power (nobody is
//     told), machines that sleep (the clock stops, or jumps), programs that are stopped for a while (the system goes on
//     receiving). Clocks that run fast and slow.
//   - Faults that wait for a moment: for a ping, for a cut that is mended, for an election (moments.go).
//   - Several programs at one address, each with the lowest ports that are free when it starts (sharing.go). Machines with
//     an older release, which drops messages that it does not know (older.go).
//   - Programs: they look for a session, join, make players and groups, rename, send, leave, come back. One that lost
//     its session looks for it again, and opens a new one if there is none for a while. With Options.Objects they make
//     replicated objects, change them, ask for owners, destroy them.
//
// # What is checked
//
// After every step: what each program was told (see [Checks]), the engine's own list and objects against it, ids,
// wake-up times, queues, that no log goes back, and that guaranteed messages come once and in order
// (guaranteed.go). At the end, after a time without faults: one host, which
// knows everybody who takes it for the host, equal tables of the same version, and equal objects whose owners are
// there; that players are in the groups that they entered; that guaranteed messages were not lost. Then each program says
// something new, which the others have to hear of (life.go). Members of one session that never heard of each other, nor of
// anybody who did and is still there, are judged apart (parts.go). What cannot be promised without host migration, or by the
// rule of DirectPlay 4, is counted in [Stats] and no violation, unless the options ask for more. So are members that are
// thrown out (out.go), and times without a host.
//
// A run is for one goroutine. Several runs share nothing.
package sim
