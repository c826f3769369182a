// Package sock is for programs that play. It gives an engine of package dpsp its sockets and its clock, and holds no rule of
// the protocol itself.
//
// # Use
//
// [Open] returns a [Session]. What a program does with it:
//
//   - It looks for sessions with [Session.Find] or [Session.Enumerate], or asks who is in one with [Session.EnumeratePlayers],
//     and enters one with [Session.Join]; or it opens its own with [Session.Host]. [Session.Leave] ends that, [Session.Close]
//     everything.
//   - It reads [Session.Events] from then on, in a goroutine of its own or in its main loop, and switches over the types of
//     package dpsp. [Session.Info] and [Session.Players] say how things are now.
//   - It makes its players with [Session.CreatePlayer], and groups with [Session.CreateGroup] and [Session.AddToGroup], and
//     talks with [Session.Send] and [Session.Chat], to a player, a group or everybody. With [Session.SendWith] it hears what
//     became of a message, and gives it a priority and a time-out; [Session.Cancel] gives up what waits. Messages wait in sessions
//     with DIRECTPLAYPROTOCOL alone; elsewhere to be handed to the connections counts.
//   - It may share objects with [Session.CreateObject]: package object says what is promised.
//
// Each command of package dpsp is a method of that name, and [Session.Do] takes all of them with all their fields. Names,
// passwords and chat are [dpsp.Text], which a string constant is. A method returns when the command is done, with the engine's
// error (an HResult of the host or one of package dpsp), with the context's if that ends before, or with [ErrClosed].
//
// # Sockets
//
// A session listens on the first free TCP port of 2300 to 2349 and the first free UDP port of 2350 to 2399, as Windows does, or
// of other ranges that [Options] name, from the search to its end: a host with Windows goes on over the connection that it
// answered the search by (facts, 10.1). A host also answers on UDP and TCP 47624; all hosts of one process share that port, and
// who becomes host later, because the one before was lost, opens it then: if another process has it, [Session.ListingError] says
// so, and it is tried again every two seconds. A host that is bound to an address of its own hears what is broadcast on that
// network on Linux, by sockets of its own for 255.255.255.255 and the network's broadcast address, and on Windows, where the
// system gives it to all sockets; on other systems it has to be asked at its address. To each peer there is one TCP connection,
// opened when something is to be sent; answers never come back on it but over the peer's own, to the port in our headers. Under
// Wine, where package net has no UDP sockets (facts, 10.9), a session of the Windows build opens its own.
//
// # Slow and hostile peers
//
// Each peer has a queue of its own, and a goroutine that writes it, so none holds up another. A peer whose queue is full, that
// takes no octets for 20 s or that closes its end counts as gone; the engine is told, and removes it, or asks it over a new
// connection if it is one of ours. What waits for a peer that closed our connection goes over a new one: it may have ended and
// begun anew on the same port. Messages that the system had taken are not sent again, so none comes twice. Where the
// system tells (not on Windows), that is looked up before each write, and a new connection to us is read after what
// is left on older ones from the same listener, so that a goodbye comes before a new beginning; likewise the engine is told
// that a peer is gone only once what it said is read, and not at all if it called again after the connection that broke was
// opened: the network may have failed for a while. A connection to us that says nothing for 30 s, that takes more than
// 60 s over a message, or that sends what is no message is closed. Of one that a host answered a search over we
// close our end alone, after half a minute without use, and hear for ten minutes more what the host says there.
//
// The engine is one, and what peers have for it is taken in turns: 16 KiB of messages of one, then of the next, half of
// the turns being the program's own. Who has larger messages waits longer for its next turn; who has more than 64 KiB
// handled at once rests; and who causes much to be sent to a peer that has much waiting already is made to wait, for a
// second at most. Datagrams wait in a queue for each address, and those that do not fit are dropped there, not in the
// system's memory where they would be others'. If a flood overflows that memory all the same, the kernel of Linux drops most datagrams
// of its sender before they get there, until the flood is over. Of the events that wait for the program each peer has 512, or 512 KiB,
// before it is not read any more: so a peer at full rate takes a millisecond or two from the others.
//
// The ports bound the sessions of a machine: 50 at an address, unless Options name more. Close writes what is queued,
// for up to 2 s, before it closes the connections to us, so that the goodbye is there before anybody notices an end.
//
// # Strangers
//
// What is ours is shared by who somebody is: a stranger, a newcomer that was given an id, or a member (dpsp.Standing). At
// most 1,024 connections are open to us, 512 of strangers and newcomers, 256 of strangers, and 16, 64 and 256 of an
// address. Who comes when a share is full has room made by the oldest of those that are the least to us, so whoever fills
// the share of strangers keeps out neither who joins nor who is in the session. A stranger's connection ends after 30 s,
// whatever it says. What came and is not complete is bounded in the same way, 48 MiB in all, 4 MiB of strangers, and
// memory follows what came, not what a header says. So are the connections that we open to strangers, 384 at a time and
// 64 that a datagram asked for, whose source anybody can forge, and the requests for sessions by TCP, 64. Each kind of
// refusal is told once a second at most, as [dpsp.Dropped] with [dpsp.LimitReached] and how many there were.
//
// # Events
//
// [Session.Events] must be read. While 32,768 events or 16 MiB wait, nothing more is taken off TCP connections until
// a quarter of 65,536 events and 32 MiB is left, so that TCP holds the senders back; datagrams are dropped and counted,
// but for pings and their answers. What each peer may have waiting does not count while the program reads nothing for
// 100 ms. Reports of dropped messages are left out while 16,384 events wait. See [Session.Skipped]. Timers, pings,
// sending, Close and other sessions go on. What needs an answer over TCP, such as a new player's id, has to wait and
// may time out, and a peer that cannot get rid of anything for 20 s gives us up. A program that lets 65,536 events or
// 32 MiB pile up all the same, by sending to itself, loses its session. No callback is called, and nothing is held
// locked while the program works.
package sock
