// Package sock gives an engine of package dpsp its sockets and its clock, and a program an API: [Host], [Join] and
// [Enumerate], and a [Session] with players, messages and events. It holds no rule of the protocol.
//
// # Sockets
//
// A session listens on the first free TCP port of 2300 to 2349 and the first free UDP port of 2350 to 2399, as
// Windows does. A host also answers on UDP and TCP 47624; all hosts of one process share that port, and who becomes host
// later, because the one before was lost, opens it then: if another process has it, [Session.ListingError] says so, and it
// is tried again every two seconds. A host that is bound to an address of its own hears what is broadcast on that network
// on Linux, by sockets of its own for 255.255.255.255 and the network's broadcast address, and on Windows, where the
// system gives it to all sockets; on other systems it has to be asked at its address. To each peer
// there is one TCP connection, opened when something is to be sent; answers never come back on it but over the
// peer's own, to the port in our headers.
//
// # Slow and hostile peers
//
// Each peer has a goroutine and a queue of its own, so none holds up another. A peer whose queue is full, that
// takes no octets for 20 s or that closes its end counts as gone; the engine is told, and removes it. What waits for
// a peer that closed our connection goes over a new one: it may have ended and begun anew on the same port. Where the
// system tells (not on Windows), that is looked up before each write, and a new connection to us is read after what
// is left on older ones from the same listener, so that a goodbye comes before a new beginning; likewise the engine is told
// that a peer is gone only once what it said is read, and not at all if it called again after the connection that broke was
// opened: the network may have failed for a while. A connection to us that says nothing for 30 s, that takes more than 60 s over a message, or that sends what is no message is
// closed. At most 1,024 connections are open to us, and 64 requests for sessions by TCP. The ports bound the sessions
// of a machine: 50 at an address, unless Options name others. Close writes what is queued, for up to 2 s, before it closes
// the connections to us, so that the goodbye is there before anybody notices an end.
//
// # Events
//
// [Session.Events] must be read. While 32,768 events or 16 MiB wait, nothing more is taken off TCP connections until
// a quarter of 65,536 events and 32 MiB is left, so that TCP holds the senders back; datagrams are dropped and counted,
// but for pings and their answers; reports of dropped messages are left out. See [Session.Skipped]. Timers, pings,
// sending, Close and other sessions go on. What needs an answer over TCP, such as a new player's id, has to wait and
// may time out, and a peer that cannot get rid of anything for 20 s gives us up. A program that lets 65,536 events or
// 32 MiB pile up all the same, by sending to itself, loses its session. No callback is called, and nothing is held
// locked while the program works.
package sock
