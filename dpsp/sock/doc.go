// Package sock gives an engine of package dpsp its sockets and its clock, and a program an API: [Host], [Join] and
// [Enumerate], and a [Session] with players, messages and events. It holds no rule of the protocol.
//
// # Sockets
//
// A session listens on the first free TCP port of 2300 to 2349 and the first free UDP port of 2350 to 2399, as
// Windows does. A host also answers on UDP and TCP 47624; all hosts of one process share that port. To each peer
// there is one TCP connection, opened when something is to be sent; answers never come back on it but over the
// peer's own, to the port in our headers.
//
// # Slow and hostile peers
//
// Each peer has a goroutine and a queue of its own, so none holds up another. A peer whose queue is full, that
// takes no octets for 20 s or that closes its end counts as gone; the engine is told, and removes it. A connection
// to us that says nothing for 30 s, that takes more than 60 s over a message, or that sends what is no message is
// closed. At most 1,024 connections are open to us.
//
// # Events
//
// [Session.Events] must be read. Events wait in memory, 65,536 at most; a program that lets more pile up loses its
// session. No callback is called, and nothing is held locked while the program works.
package sock
