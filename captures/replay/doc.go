// Package replay plays captures again: it puts an engine of package dpsp in the place of each machine of a capture, feeds
// it what the machine was sent, in the recorded order and at the recorded times, and compares what it sends with what
// was sent.
//
// # What a program did
//
// An engine does little by itself: its program looks for sessions, joins, makes players, sends. What a recorded program
// did is told from what its machine sent that no engine sends as an answer: REQUESTPLAYERID of a system player is a Join,
// with the password of the ADDFORWARDREQUEST that follows; REQUESTPLAYERID is a CreatePlayer, with the names of the
// CREATEPLAYER that follows; a game message is a Send. A host's session, and the players and groups that it had before
// the capture, come from its first description and its first list. A DELETEPLAYER about another machine's player says
// that the connection to that machine ended; so do FIN and RST in the capture.
//
// # What is equal
//
// Messages are compared field by field. These may differ, if always in the same way, because no two runs have the same:
// the ids that a host gives, GUIDs other than the application's, Reserved1 of the session, the tick counts of PING. The
// first pair of values settles what stands for what, and what the machine is sent is translated by it; values
// that came from the capture stand for themselves, so a wrong id is a difference. The ports that connections were
// made from are not compared: engines have none. An ability in HELLO is not a difference if the release of the recording did
// not have it. [Options].Exact does without any mapping, for hosts whose seed is known.
//
// Elements of the lists of players are compared with those about the same id, their order by itself. The size in the
// header is compared only where nothing else differs. Between messages to different machines, and between TCP and
// UDP, no order is kept.
//
// # The reliable protocol
//
// In sessions with DIRECTPLAYPROTOCOL, recorded frames are fed as the datagrams that they are, with our indexes. What was
// said in frames, and what ours says in them, is put together and compared as messages, with the players that the indexes
// mean. The frames themselves are counted: which go again, and when ACKs and NACKs go, depends on loss and time. So a
// message of ours may be done later than the recorded one, at the latest at the end. ACKs and NACKs stay as recorded: where
// ours says other messages, or falls behind, they acknowledge what it did not send, and it repeats; a link on which that
// lasts is given up, and what should follow on it is missing. Ids inside a message that takes several frames stay, too. What
// the game said as a system player is missing: programs of ours speak as their players.
//
// # What a capture does not show
//
// A machine is not replayed if its way into the session is missing, a host if members of its are, and a machine that
// uses the extension if what it and another member said to each other is. What ours sends to machines that the capture never
// shows it with is counted, not compared. Secure sessions are not replayed. That a program sent what travels in fragments
// (PACKET, PACKET2_DATA), or made replicated objects, is not told: such messages are reported as missing.
//
// Where something differs, three guesses are tried, and kept if less differs then. The report names those that are kept.
//   - The connection to the host had ended when others said so: a recording that a session made of itself shows no ends of
//     connections.
//   - The machine stood still while its timers should have gone off, if pings that waited for it show that.
//   - If pings differ, its ping timer elapses at fixed times, as with Windows, and more often than pings show.
//
// # A live host
//
// [Capture.Live] plays the part of a recorded joiner to a host that runs; the sockets are the caller's. It leaves out frames
// of the reliable protocol.
//
// # Limits
//
// A capture is kept in memory until it was replayed: see limits.go. A machine is replayed at most 34 times.
package replay
