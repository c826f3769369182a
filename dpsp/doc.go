// Package dpsp is one machine's part in a DirectPlay 4 session, host or not: the rules of [MC-DPL4CS] section 3.
//
// It has no socket, no clock, no goroutine and no randomness but that of [Config].Seed: [Engine.Step] is told what
// happened and when, and gives what is to be done. The same configuration and the same inputs give the same
// outputs, octet for octet. Package dpsp/sock is the part with sockets and a clock.
//
// # What the caller does
//
//   - It listens on TCP (2300 to 2349) and UDP (2350 to 2399), as a host on UDP and TCP 47624 as well, and tells
//     the engine its sockets in [Config]. Address 0.0.0.0 there means that others take the address that packets
//     come from, as they do with Windows.
//   - It cuts TCP streams into messages by the size in their SP header and feeds each as a [Stream] input, each
//     datagram as a [Datagram].
//   - It does what an [Output] says, in order: the sends, then the closes. A send over TCP goes over the one outgoing
//     connection to that listener, opened on demand; nothing is ever answered on the connection that it came on
//     (facts, 2.10). If such a connection is closed by the other side or cannot be made, it says so with StreamClosed.
//   - It calls Step again at Output.Wake if nothing happened before.
//   - It hands the events to the program. A [Request] is always answered by one [Done] with its token.
//
// An engine is in one session at a time. For several sessions take several engines; each of them is to get the
// enumeration requests that come to port 47624.
//
// # Rules
//
//   - Enumeration, 3.1.4.1 and 3.2.5.3: see [Enumerate]. What a host shows follows Windows (facts, 5.3).
//   - Joining, 3.1.4.2, 3.2.5.4 to 3.2.5.6: REQUESTPLAYERID, ADDFORWARDREQUEST, the list. The password is checked at
//     ADDFORWARDREQUEST, the only message that has it. A member that is still to get its list is not told of
//     newcomers: its list has them. A machine that joins again from the same listener replaces what it was.
//   - Players, groups, shortcuts, names, data, 3.1.4.4 to 3.1.4.15: each machine changes what it owns, and tells all.
//   - Who is in a session that we are not in, 3.1.4.3: see [EnumeratePlayers].
//   - Game messages, 3.1.4.16: one copy a machine (facts, 3.14). PLAYERWRAPPER only where a message would be mistaken
//     for another kind. Chat, 3.1.4.17: one copy a machine to everybody, one a player to a group.
//   - Large messages, 3.1.4.18: PACKET and PACKET2_DATA, if [Config] has limits that a message exceeds.
//   - MULTICASTSERVER, 3.2.5.1: what is for several goes to the host, which passes on only what the sender may say.
//     DELETEPLAYER goes to everybody directly (3.1.4.5) and waits where it overtakes its CREATEPLAYER. If a change
//     between the two comes after both, it is dropped with an event: the list is right without it. MULTICASTDELIVERY
//     is understood but never sent: hosts send it in sessions with DIRECTPLAYPROTOCOL alone (3.1.4.16, 3.2.5.1,
//     3.2.5.2), in others they pass on the message as it is.
//   - What comes over TCP before its sender is announced, or before the player that it names, waits for as long as a
//     host waits for members to know a newcomer ([Config].Populate), and counts in its order. Large messages in
//     fragments do not wait, but those with guarantee are sent again until they are taken.
//   - CLIENTSERVER: clients know the server's players and their own, and share no groups (facts, 5.4).
//   - Liveness, 3.1.2.5 and 3.2.2.2: package pingtimer. A peer that closes its connection is gone, for Wine says
//     nothing else when it leaves (facts, 6). The host tells the others.
//
// # Strict and compatible
//
// The protocol validates no sender (3.1.5). With [Config].Strict an engine does, as far as it can: the listener in a
// message's header and the address that it came from must be those of a machine that may say what it says.
// Sources of datagrams can be forged all the same, and a machine that sends from another address than the one that it
// advertises is believed by the host that let it in, not by the other members. Without Strict everybody may say everything, as with Windows; what
// makes no sense is dropped in either case, with a [Dropped] event.
//
// # Not supported
//
// Secure sessions (SECURESERVER: negotiate to key exchange, signed and encrypted messages), the reliable protocol
// (DIRECTPLAYPROTOCOL), voice, and host migration: a session ends when its host is gone, though a member follows an
// IAMNAMESERVER while the old host is there. Messages that are sent in fragments
// are overtaken by later ones; with the default limits of [Config] guaranteed ones are never in fragments.
//
// # Limits
//
// Newcomers on their way in: 1,024, of one address 64. Ids promised to members: 1,024, to one member 64. Requests of
// our own: 1,024. Messages held while the list is awaited: 256, 1 MiB; while their sender is awaited likewise, of one
// address 64 and 256 KiB. Large messages on their way out: 1,024, beyond that [ErrBusy]; coming in: 16 a machine, 256 in
// all, 16 MiB. The list: see package playerlist. What is beyond is refused or dropped, never kept.
//
// An Engine is for one goroutine. Step takes time in proportion to the machines that a message concerns.
//
// # Sources
//
// Section numbers are those of [MC-DPL4CS]. "Facts" are what captures and Wine's tests of Windows show; where they
// contradict the specification the code follows them, and the comment says so.
package dpsp
