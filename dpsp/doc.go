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
//     (facts, 2.10). If such a connection is closed by the other side or cannot be made, it says so with StreamEnded at once,
//     and a quarter of a second later with StreamClosed, unless there is another connection by then and the other side has one, too.
//   - It calls Step again at Output.Wake if nothing happened before.
//   - It hands the events to the program. A [Request] is always answered by one [Done] with its token. A program that keeps a list of
//     the players and groups applies each event to a playerlist.List with [Follow].
//
// An engine is in one session at a time. For several sessions take several engines; each of them is to get the
// enumeration requests that come to port 47624.
//
// # Words
//
//   - A machine is a computer with a program in the session, ours or another one; a peer is another one. Its system player is its
//     id. A player is what the game made, and belongs to a machine, its owner; a group likewise. A member is a machine that
//     is in the session, a newcomer one that is on its way in, a stranger one that is in no way.
//   - The host is the machine that gives ids and lets newcomers in. A candidate is to be host next, and while there is none, the
//     session migrates. A modern peer knows the extension (see there), a legacy peer does not.
//   - The list is who is in the session, as the messages of DirectPlay 4 say. The name table is the host's list with numbered
//     changes; the replica is what a modern peer has of it. An audit compares the two.
//   - A lost peer is one that vanished, and may live on in another part of the session. To rejoin is to come back, or over to
//     another part; a peer that the host took back is readmitted.
//   - A tombstone is an id that was deleted and is not to come back. A pending delete is one that the replica has not heard of.
//   - An incarnation is one run of a program in a session. A meeting is the time from when two of them meet until one loses the other.
//   - A frame is a datagram of the reliable protocol, a link both directions between two players of different machines on which
//     frames are counted. Machines part when one of them goes: its last words are repeated for a while.
//   - A message is held that came before what it is about. To announce is to tell all members of a change of ours.
//
// Where an engine stands, and what takes it elsewhere:
//
//	idle        Host                                         member, and host
//	idle        Join                                         joining
//	joining     the list came                                member
//	joining     refused, no answer, Leave                    idle
//	member      the host is gone (MIGRATEHOST)               migrating
//	migrating   another machine says that it is host         member
//	migrating   it is next, and the tables agree             member, and host
//	member      it was lost, or another part has the host    joining again, with all that is its own
//	any         Leave, told to leave, no host is to be had   idle
//
// # Rules
//
//   - Enumeration, 3.1.4.1 and 3.2.5.3: see [Enumerate]. What a host shows follows Windows (facts, 5.3).
//   - Joining, 3.1.4.2, 3.2.5.4 to 3.2.5.6: REQUESTPLAYERID, ADDFORWARDREQUEST, the list. The password is checked at
//     ADDFORWARDREQUEST, the only message that has it. Members have to acknowledge the newcomer first, for as long as
//     [Config].Populate says. A member that is still to get its list is not told of
//     newcomers: its list has them. A machine that joins again from the same listener replaces what it was.
//   - A request on the way in, and a member's for an id, is sent again after a second, for its answer may go over a
//     connection that the host does not know to be dead (facts, 10.1), and at once if the host closes the connection. An
//     answer of the host that does not decode ends the join with [ErrNonsense] and the decoder's words.
//   - Players, groups, shortcuts, names, data, 3.1.4.4 to 3.1.4.15: each machine changes what it owns, and tells all. Any
//     machine may delete any group, with the groups in it (facts, 10.5), and put players into groups and take them out.
//   - Who is in a session that we are not in, 3.1.4.3: see [EnumeratePlayers].
//   - Game messages, 3.1.4.16: one copy a machine (facts, 3.14). PLAYERWRAPPER only where a message would be mistaken
//     for another kind. Chat, 3.1.4.17: one copy a machine to everybody, one a player to a group.
//   - Large messages, 3.1.4.18: PACKET and PACKET2_DATA, if [Config] has limits that a message exceeds.
//   - MULTICASTSERVER, 3.2.5.1: what is for several goes to the host, which passes on only what the sender may say.
//     DELETEPLAYER goes to everybody directly (3.1.4.5) and waits where it overtakes its CREATEPLAYER. If a change
//     between the two comes after both, it is dropped with an event: the list is right without it. With
//     DIRECTPLAYPROTOCOL it is passed on in MULTICASTDELIVERY (3.1.4.16, 3.2.5.1, 3.2.5.2), in others as it is.
//   - What comes over TCP or in frames before its sender is announced, or before the player that it names, waits for as
//     long as a host waits for members to know a newcomer ([Config].Populate), and counts in its order. Large messages in
//     fragments do not wait, but those with guarantee are sent again until they are taken.
//   - NOMESSAGEID takes the ids out of game messages, as 2.2.45 and 3.1.1 have it. By 1.3 DELETEPLAYER, DELETEGROUP and what
//     is about groups' members would be without ids as well, and so would say nothing: they keep theirs.
//   - CLIENTSERVER: clients know the server's players and their own, and share no groups (facts, 5.4).
//   - Names, passwords and chat: [Text] is a string or octets. Strings go out in the encoding of [Config].Text, or in that
//     of those who read them; what comes is read in either, and passwords are equal if their characters are (facts, 10.6).
//     A name that is in the list stays as it was written. Every player and group of ours has a long name, the short one
//     unless the program gives another: games copy it without looking. System players have none, as with Windows.
//   - Liveness, 3.1.2.5 and 3.2.2.2: package pingtimer. A peer that closes its connection is gone, for Wine says
//     nothing else when it leaves (facts, 6). The host tells the others.
//   - A connection to a peer that bears our mark is made once more when it breaks, at most four times in a period of the ping
//     timer, before the peer is accused: such a peer says goodbye when it leaves. It is asked with HELLO, or PING where there is no
//     extension, and is gone if the connection is refused, if it does not answer, or if more of them break ([ConnectionRenewed]).
//     A peer that answers a PING by UDP alone is not accused, but its connection does not count as renewed. With [Config].Views
//     this holds for a peer with the mark of releases without views, too, which is asked with PING.
//   - What a broken connection lost goes once more over the next one, to a peer that counts what arrives (ARRIVED): in order, none
//     twice, none to a program that began anew at its address. All messages count that only members send each other, because a message
//     that is sent again has to find the list as it was. The newest 224 KiB are kept until the peer says that they arrived, which it does
//     after each 32 KiB, within a period of the ping timer, and in its answer on a new connection. What was more is reported
//     ([ConnectionRenewed]). When a machine is lost both begin to count anew, and what was not known to have arrived is lost with it.
//   - With views a machine is known by the incarnation of its program. The numbers of messages and the links of frames to one that is
//     lost, not to one that left, are kept: 64 machines, 10 minutes, 1 MiB. If its program comes back, with whatever id, what did not
//     arrive goes once more. Messages that change the list do not, because the view in which both meet has all that they would change.
//     Nobody reads what a lost machine counts meanwhile, so that it comes again. Messages for a machine of the view that did not say
//     HELLO yet wait for it.
//
// # Whom an engine believes
//
// The protocol validates no sender (3.1.5). An engine does, as far as it can. A header says what its sender likes, but the
// source of a connection is hard to forge: a peer is known by the two together, the listener in the header and the
// address that its packets come from. That has to be one that it or the host advertised, or for the host's eyes the one that it
// joined from. So one that sends to others from an address of which the host does not know is not believed by them; and
// who shares an address with a peer can speak as that peer.
//
// Who is not in the session is believed by nobody, in any mode, and is answered, if at all, at the address that its
// packet came from. The source of a datagram anybody can forge, so that what the specification and our own peers send over
// connections is not taken from one, and what is taken is play, a sign of life, or asked about over a connection.
//
// Whom an engine believes what, on its way into a session, as its host, and as another member:
//
//	message                     by UDP  joining  host     member   waits  changes
//	ENUMSESSIONSREPLY           no      anybody  anybody  anybody  -      -
//	ENUMSESSIONS                yes     -        anybody  -        -      -
//	ENUMPLAYERSREPLY            no      host     -        -        -      -
//	ENUMPLAYER                  no      -        member   -        -      -
//	REQUESTPLAYERID             no      -        anybody  -        -      -
//	REQUESTGROUPID              no      -        member   -        -      -
//	REQUESTPLAYERREPLY          no      host     -        host     -      -
//	CREATEPLAYER                no      held     owner    owner    yes    players
//	CREATEGROUP                 no      held     owner    owner    yes    groups
//	PLAYERMESSAGE               yes     -        owner    owner    yes    -
//	DELETEPLAYER                no      held     owner    owner    yes    players
//	DELETEGROUP                 no      held     member   member   yes    groups
//	ADDPLAYERTOGROUP            no      held     member   member   yes    groups
//	DELETEPLAYERFROMGROUP       no      held     member   member   yes    groups
//	PLAYERDATACHANGED           no      held     owner    owner    yes    players
//	PLAYERNAMECHANGED           no      held     owner    owner    yes    players
//	GROUPDATACHANGED            no      held     owner    owner    yes    groups
//	GROUPNAMECHANGED            no      held     owner    owner    yes    groups
//	ADDFORWARDREQUEST           no      -        anybody  -        -      -
//	PACKET                      yes     held     member   member   -      -
//	PING                        yes     -        owner    owner    -      -
//	PINGREPLY                   yes     -        owner    owner    -      -
//	YOUAREDEAD                  no      -        member   host     -      -
//	PLAYERWRAPPER               yes     held     owner    owner    -      -
//	SESSIONDESCCHANGED          no      held     -        host     -      -
//	ADDFORWARDREPLY             no      host     -        -        -      -
//	ASK4MULTICAST               yes     held     owner    -        -      -
//	ASK4MULTICASTGUARANTEED     no      held     owner    -        -      -
//	ADDSHORTCUTTOGROUP          no      held     member   member   yes    groups
//	DELETEGROUPFROMGROUP        no      held     member   member   yes    groups
//	SUPERENUMPLAYERSREPLY       no      host     -        -        -      -
//	CHAT                        yes     held     owner    owner    yes    -
//	ADDFORWARD                  no      held     -        host     -      -
//	ADDFORWARDACK               no      -        member   -        -      -
//	PACKET2_DATA                no      held     member   member   -      -
//	PACKET2_ACK                 no      held     member   member   -      -
//	IAMNAMESERVER               no      -        member   owner    -      -
//	MULTICASTDELIVERY           yes     held     -        host     -      -
//	CREATEPLAYERVERIFY          no      held     owner    owner    yes    players
//	EXTENSION HELLO             no      held     owner    owner    -      -
//	EXTENSION TABLE             no      held     owner    owner    -      -
//	EXTENSION CLAIM             yes     -        former   former   -      -
//	EXTENSION REJOINAT          yes     held     former   host     -      -
//	EXTENSION REJOIN            no      held     former   -        -      -
//	EXTENSION FORMERS           no      held     -        host     -      -
//	EXTENSION ARRIVED           no      held     owner    owner    -      -
//	EXTENSION VIEW              yes     -        -        -        -      -
//	EXTENSION OBJECTCREATE      no      held     owner    owner    -      -
//	EXTENSION OBJECTMIGRATE     no      held     owner    owner    -      -
//	EXTENSION OBJECTDESTROY     no      held     owner    owner    -      -
//	EXTENSION OBJECTUPDATE      yes     held     owner    owner    -      -
//	EXTENSION OBJECTACK         yes     held     owner    owner    -      -
//	EXTENSION OBJECTREQUEST     no      held     owner    owner    -      -
//	EXTENSION OBJECTINSTRUCT    no      held     owner    owner    -      -
//
// messages.go has the table, and believed.go the functions that decide by it. What waits is held until the players and groups
// that it names are in the list: one message may overtake another that comes over another connection. What changes the list
// may be relayed by the host (MULTICASTSERVER).
//
// Here anybody is everybody, in the session or not: who is let in that way, or answered, is said under Rules. A former is a
// member, or one that was: it knows the session's secret, or is where it was when it was lost (see Split and heal). The
// owner is the peer whose player, group or name it is about, or that the message says it is from, and the host, who
// relays for others and deletes what they leave behind. While there is no host, the candidate counts as host for
// YOUAREDEAD and REJOINAT. A member is believed the secret in FORMERS until the host says it. Held is what waits for the
// list, which says who its sender is; datagrams do not wait. What comes in
// fragments or inside another message has to be allowed as what it is. The rest, by "-", is nobody's, and what is not
// believed is dropped, with a [Dropped] event. Messages that are not supported are dropped whoever sends them.
//
// With [Config].Compatible an engine believes members about each other, as Windows does: where the table says owner or host, any
// member will do, but not for EXTENSION, nor about players, groups, newcomers and the description in a session that heals: what
// the host of another part wrote before a cut arrives after it. As host it tells anybody who asks with ENUMPLAYER who is
// in the session, as 3.1.4.3 has it, and lets members choose ids.
//
// Members are trusted about the host, for nobody else can say that it is gone: with
// MIGRATEHOST a member that says IAMNAMESERVER, or DirectPlay 8's HOST_MIGRATE, is followed by the others, and a host
// gives way to one with a lower id that knows the extension (3.1.5.32 would have it answer YOUAREDEAD, and lose it).
//
// # Host migration
//
// A session with MIGRATEHOST goes on without its host ([MC-DPL4CS] 3.1.6.2, 3.1.7.1), unless it also has CLIENTSERVER,
// MULTICASTSERVER or SECURESERVER, which exclude it. A host that leaves, or whose connection ends, is gone at once. One
// that is only silent is found out by pings, with KEEPALIVE: Config.Probes + 1 to Config.Probes + 2 periods of
// Config.Period after its last word, so between 315 and 350 s by default. All members should have the same two values.
//
// Who is next is decided by one of two rules. A machine goes by the second one exactly while all others that it knows
// have said hello (see below):
//
//   - DirectPlay 4: the system player with the lowest id. It says IAMNAMESERVER; until it does, all watch it, and if it
//     is lost, too, the next one is due. A machine below dialect 10 would not say so, and counts as host at once.
//     One that answers pings and says nothing, as Wine's do, is passed over after Config.Probes + 2 periods, except by
//     engines with Config.Legacy, which wait as the specification has it.
//     One that never said a word may have been on its way in when the host died: it is pinged at once, three times
//     within a period or 10 s, and passed over if it does not answer.
//   - DirectPlay 8 ([MC-DPL8CS] 1.3.6, 3.2): the machine that joined first, by the name table. It first asks every
//     machine how far its replica of the name table goes, gets what it lacks, and gives what others lack. Then it is
//     host, and says IAMNAMESERVER as well. See package hostmigrate.
//
// The program is told by [HostLost], [MigrationStarted] with each candidate, and [HostChanged]. What it asked of the
// old host, such as an id, is asked of the new one. The table is resynchronised by either rule, among the machines that
// have one.
//
// It is a game, not a bank: availability comes first. Who cannot reach the others goes on without them, as host if need
// be. So:
//
//   - Promised, with KEEPALIVE, if all members know the extension and machines only die, whenever they do: those
//     that are left have one host and equal lists, once everything that was sent has arrived, and nothing is lost that
//     one of them knew in the name table.
//   - Promised, if the network breaks as well, and later works for long enough: see the next section.
//   - Not promised: that there is one host at every moment. While the network is cut there are several, and their lists
//     differ. Nor that a message, or a change, which a dying machine sent to some was sent to all; the lists agree
//     afterwards, messages of the game are not sent again.
//   - Not promised to sessions with legacy members: more than DirectPlay 4 does. Members that disagree about who is
//     left elect several hosts, and nothing brings those together.
//
// Once a period a member compares its list with its replica of the host's, and what differs twice running is put right:
// what one machine told all others may have been lost on the way to some.
//
// Package sim runs sessions of these engines with faults, checks these promises in each, and says which seeds break
// one.
//
// # Split and heal
//
// After a cut both sides have a host. A host remembers the last 256 machines with the extension that it lost, and tells
// each by UDP that it is host: after one period, then ever more rarely, down to every eighth. When a side hears of the
// other, the host with the lower id stays ([SessionSplit]). The other one sends its machines over and goes itself; each
// asks to be taken back under its id, announces its players and groups again with the ids that they had, and puts
// players into groups as they were. Whose id was given to somebody else meanwhile gets another, with [PlayerDeleted]
// and [PlayerCreated], which names the id before. Then the program is told what is different, and [SessionHealed].
// Connections stay open. On the way over, a round trip as a rule, commands fail with [ErrNoSession]; nobody goes over to a host
// that it reaches only by datagrams, and who cannot get in within five times [Config].Reply has lost the session. Who is back and
// hears within five seconds that its host has lost it greets the host after them, and comes again if it hears so once more.
//
// Newcomers are told a secret and the list of the lost, so that parts whose first machines have all gone find each
// other. The host tells both; members tell the secret, too, in case that the host is gone before. A host that nobody told
// it draws another one, and parts that come together remember each other's. A host takes back who knows a secret, or was
// lost at that address. This needs MIGRATEHOST. It does not reach machines whose addresses changed, or parts that were
// apart until none was left that knows anybody of the other.
// Legacy machines cannot come over; they are told YOUAREDEAD. What both sides changed of the same thing is not merged: the
// owner's word counts, and about groups' members the host's list.
//
// # The extension
//
// What our own machines tell each other beyond DirectPlay 4 is in one message, wire.Extension, with command 0x3444,
// which the specification does not assign. It goes only to those who know it. Its kinds:
//
//   - HELLO: I know this. A newcomer says it to those whose players bear our mark (wire.SPData.Marked), and they answer. With
//     MIGRATEHOST, who has not answered gets it up to four times more, one a period. Until it answers it counts as a legacy
//     machine. A host may hide the mark: then it is found in what a machine says of its own players, and who finds it greets.
//     With [Config].Views the mark is another one. A release without views and an engine with them are legacy machines to each
//     other, even in a session without MIGRATEHOST: neither greets the other.
//   - TABLE: a message of DirectPlay 8, package dpl8, for the name table and its migration.
//   - CLAIM, REJOINAT, REJOIN, FORMERS: to split and heal.
//   - ARRIVED: the incarnations of both (64 random bits of each program), the number of the connection, the next message on it, and how
//     many arrived from the other one. HELLO has a bit for who understands it. An older release ignores the bit, and gets no ARRIVED.
//   - OBJECTCREATE, OBJECTMIGRATE, OBJECTDESTROY, OBJECTUPDATE, OBJECTACK, OBJECTREQUEST, OBJECTINSTRUCT: objects.
//
// Legacy members never get any of these, and see a session by the rules of DirectPlay 4. With Config.Legacy an engine is one of
// them, and bears no mark. There is no extension with CLIENTSERVER, MULTICASTSERVER or SECURESERVER, where machines do not know
// each other. A release or kind that is not known is dropped with an event.
//
// # Objects
//
// [CreateObject] and the commands after it let programs share objects of the game, each with one owner, who alone
// changes it. The owner changes when a program asks ([MigrateObject]), when the host is told to spread them evenly
// ([BalanceObjects]), and when a machine is lost: then the host gives each of its objects to the machine with the
// fewest. States have at most [MaxObjectState] octets when an object is made and [MaxObjectUpdate] afterwards, and
// those of what one machine made 2 MiB together (object.ErrShare). Updates
// are datagrams: the last state arrives, those before it may not. In the end all machines with the extension have the
// same objects; until then two may own one, and then the changes of one of them are lost. Objects need no MIGRATEHOST,
// but with a legacy host those of a lost machine stay as they are. They come along from one side of a cut to the other,
// unless their machine got another id. See package object.
//
// # Not supported
//
//   - Secure sessions (SECURESERVER: negotiate to key exchange, signed and encrypted messages). To host or join one
//     fails with [ErrSecure]; their messages are dropped.
//   - Voice: its messages are dropped.
//   - NOPLAYERMGMT, flag 0x10: 1.3 names it and says that no messages of player management are sent then; 2.2.5, which
//     has the flags on the wire, labels the bit "ignored". It is ignored: kept as it came, and it changes nothing.
//
// Messages that are sent in fragments are overtaken by later ones; with the default limits of [Config] guaranteed ones
// are never in fragments.
//
// # The reliable protocol
//
// In a session with DIRECTPLAYPROTOCOL messages between members go in frames of [MC-DPL4R], over UDP: what the game says,
// guaranteed or not, and, with a machine that does not know the extension, system messages. Those between our own stay on
// connections, which keep them in one order. The way into the session is as in others, and TCP connections stay open: one
// that ends still means that its machine is gone. Package dpsp/reliable is a link; what it does, and how it notices what a
// peer does otherwise, is said there. Fragments, PACKET and PACKET2_DATA, are taken, not sent.
//
// What the specification leaves open, and what is done (facts, reliable 8). What a machine that does not know the extension
// was seen to do is told once, with [PeerReading]:
//
//   - D1, one space of messageids for reliable and unreliable messages, or two: one among our own. To others every message is
//     sent as a reliable one, which reads the same either way. What comes is taken either way.
//   - D2, links of machines or of players: of players. System messages in frames go between system players, what the game
//     says between its players. What comes may be counted for all players of a machine.
//   - D3, a messageid that never comes: it is asked for, and passed over once it is known, or likely, to be no reliable
//     message.
//   - D4, the first sequence of a message: 1; among our own, sequences run on through the link. What comes may begin
//     anywhere.
//   - D5, whom a message to everybody is for: the machine's system player. One to a group goes to each player in it. What
//     comes for our system player is for all our players, and one that is not ours may speak as its system player.
//   - D6, ids before what the game says: none. They are taken off where a peer has them in every message.
//   - D7, NACKs: sent and understood; time-outs do without.
//
// A machine may join that does not speak the protocol, such as Wine 10. One that sends a game message over its TCP connection, or
// acknowledges nothing for two seconds and never sent a frame, is asked by a PING that is no frame, and answers as it can. If it
// answers in no frame, messages for it go as in other sessions, what it did not acknowledge goes once more, and its datagrams are
// taken. The program is told once, by a [PeerReading] with reliable.NoFrames. A forged datagram does not have that effect. In a
// session with NOMESSAGEID such a machine gives its game the frames that came before.
//
// Proved is that our own play with each other, and in the session of a host for tests (package trainhost) that answers as
// recorded traffic of the one independent host does, symmetrical-train for Lego Loco. Not proved is anything about Windows:
// none of its frames was ever seen.
//
// A frame is believed if its source is the address of the machine that owns the player which it is from; a source of UDP can
// be forged, where that of a connection hardly can. So in such a session who can send with the address of a member can speak
// as it. Frames from players that are not known yet wait: 256 for 5 s, of one address 64. Links hold together 16 MiB of what
// came and is not complete or not due; 1,024 part, for 1.5 s each.
//
// # Limits
//
// Newcomers on their way in: 1,024, of one address 64; beyond that those make room whose address has the most. Ids
// promised to members: 1,024, to one member 64, and 1,024 that were not used in time. Requests of our own: 1,024. Messages
// held while the list is awaited: 256, 1 MiB, of one address but the host's 64 and 512 KiB; while their sender is awaited 256, 1 MiB, of one address 64 and
// 256 KiB. Large messages on their way out: 1,024, beyond that [ErrBusy]; coming in: 16 a machine, 256 in
// all, 16 MiB. Messages that a member may still have to get again: 256 KiB each; when it counts wrongly both begin anew, 4 times a
// period. Players and groups of one member: 128 KiB, of their names and data and 64 octets for each, and 8,192 players
// and shortcuts in its groups: newcomers get the list in one message, which nobody is to fill. All refuse the same, and
// the host says that such a player or group is gone. The host alone bounds the machines of one address together, 256 KiB, and all
// machines, 896 KiB, memberships and shortcuts included. The list on request: 8 times a ping period to a member, the name table 4 times;
// to strangers, if they are answered, 8 times a second to one address and 64 times in all. Objects: see package object. The list: see
// package playerlist. What is beyond is refused or dropped, never kept. SECURITY.md has all of this in one table.
//
// An Engine is for one goroutine. Step takes time in proportion to the machines that a message concerns.
//
// # Sources
//
// Section numbers are those of [MC-DPL4CS]. "Facts" are what captures and Wine's tests of Windows show; where they
// contradict the specification the code follows them, and the comment says so.
package dpsp
