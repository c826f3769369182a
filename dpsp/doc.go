// Package dpsp is one machine's part in a DirectPlay 4 session, as host or not: the rules of [MC-DPL4CS] section 3, and those by
// which machines with this program keep a session together when a host, a connection or the network fails.
//
// An [Engine] has no socket, clock or goroutine, and no randomness but that of [Config].Seed. [Engine.Step] gets an input with its
// time, and returns sends, closes and events. Equal configurations and inputs give equal outputs, octet for octet. Package
// dpsp/sock adds sockets and a clock. Section numbers are those of [MC-DPL4CS]. "Facts" are what captures and Wine's tests of
// Windows show; where they contradict the specification the code follows them.
//
// # The caller
//
//   - listens on TCP (2300 to 2349) and UDP (2350 to 2399), as a host on UDP and TCP 47624 as well, and names its sockets in
//     [Config]. Address 0.0.0.0 there means the address that packets come from, as with Windows;
//   - cuts TCP streams into messages by the size in their SP header. Each is a [Stream] input, each datagram a [Datagram];
//   - carries out an [Output] in order: sends, then closes. A send over TCP uses the one outgoing connection to that listener,
//     opened on demand. Nothing is answered on the connection that it came on (facts, 2.10);
//   - reports a connection that ended, or could not be made, with StreamEnded at once, and with StreamClosed a quarter of a second
//     later, unless there is another connection by then, and the other side has one too;
//   - calls Step again at Output.Wake, from one goroutine. An engine is in one session at a time;
//   - hands the events to the program: one [Done] for each [Request]. [Follow] applies an event to a playerlist.List.
//
// # Terms
//
//   - A machine is a computer with a program in the session, a peer another machine. Its system player has the machine's id.
//     Players and groups belong to the machine that made them, their owner.
//   - A member is a machine in the session, a newcomer one on its way in, a stranger any other.
//   - A modern machine has the extension with views. Legacy machines are all others: Windows, Wine, and releases before views.
//   - The list has the session's players, groups and description. For incarnation, view, leader and log see package
//     hostmigrate/view.
//   - A lost peer does not answer, and may live on in another part of the session. A peer that left said goodbye.
//   - To hold a message is to keep it until the list has the ids in it. To announce is to tell all members of a change of ours.
//
// # Promises
//
// A session with MIGRATEHOST in which all machines are modern
//
//   - has one host, and all members have equal lists, once everything that was sent has arrived;
//   - keeps each change that a remaining member has from the leader. What belongs to one machine is as that machine says;
//   - removes nobody who answers the leader. One bad connection costs at most the member that does not reach the leader;
//   - becomes one session again, of all parts into which the network cut it, when the network works for long enough.
//
// Guaranteed messages between modern machines arrive in order and once, or a loss is reported ([ConnectionRenewed], [PeerLost]).
// Each part of a cut network plays on, so for a time there are several hosts with different lists. A session with legacy machines
// has the rules of DirectPlay 4 and no promise beyond. Package internal/sim runs sessions with faults, and checks these promises.
//
// # Rules
//
//   - Enumeration (3.1.4.1, 3.1.4.3, 3.2.5.3): see [Enumerate] and [EnumeratePlayers]. A host shows what Windows shows (facts,
//     5.3).
//   - Joining (3.1.4.2, 3.2.5.4 to 3.2.5.6): REQUESTPLAYERID, ADDFORWARDREQUEST, the list. The host checks the password at
//     ADDFORWARDREQUEST, which alone has it. It sends the list when the members have acknowledged the newcomer, or took too long
//     ([Config].Populate): so they can read its first message. A machine that joins again replaces its former self: one listener,
//     one machine.
//   - Repeats. A newcomer's request, and a member's to a legacy host for an id, is sent again after a second, because the answer
//     may be lost on a connection that the host does not know to be dead (facts, 10.1). An answer that does not decode ends a join
//     ([ErrNonsense]).
//   - Changes (3.1.4.4 to 3.1.4.15). Each machine changes its own players and groups, and announces that: so they have one writer.
//     Any machine may delete any group, with the groups in it (facts, 10.5), and change who is in a group.
//   - Game messages (3.1.4.16): one copy a machine (facts, 3.14). PLAYERWRAPPER is only around one that would be mistaken for
//     another kind. Chat (3.1.4.17): one copy a machine to everybody, one a player to a group.
//   - Large messages (3.1.4.18): PACKET and PACKET2_DATA beyond the limits of [Config]. Later messages overtake fragments. With the
//     default limits guaranteed messages are never in fragments.
//   - Order. A message may overtake an announcement over another connection. Unless it is a datagram, it is held until its sender
//     and the player in it are announced, for [Config].Populate at most. A guaranteed message to a group is held until a player of
//     the receiver is in the group. Messages of its sender to others can overtake it meanwhile.
//   - MULTICASTSERVER (3.2.5.1). A message to several goes to the host, which passes on only what its sender may say; with
//     DIRECTPLAYPROTOCOL in MULTICASTDELIVERY (3.1.4.16, 3.2.5.2). DELETEPLAYER goes to everybody directly (3.1.4.5). Changes that
//     it overtakes are dropped.
//   - NOMESSAGEID takes the ids out of game messages alone (2.2.45, 3.1.1). Others, which 1.3 names, would mean nothing without.
//   - CLIENTSERVER. Clients have the server's players and their own, and share no groups (facts, 5.4).
//   - [Text] goes out in the encoding of [Config].Text, or in that of its readers, and is read in either. Passwords are equal if
//     their characters are (facts, 10.6). Our players always have a long name, because games copy it without a check.
//   - Liveness (3.1.2.5, 3.2.2.2): package pingtimer. A legacy peer that closes its connection is gone, because Wine leaves so
//     (facts, 6). A host tells the others.
//   - Broken connections. One to a peer of this program, of any release, is made again before the peer is accused, at most four
//     times in a period of the ping timer, because such a peer says goodbye. The peer is accused if it refuses the connection or
//     does not answer. An answer by UDP alone proves the peer, and not the connection ([ConnectionRenewed]).
//   - Lost messages. Modern peers count the messages that only members send each other. What a broken connection lost is sent again
//     over the next one: in order, none twice, and none to a program that began anew at the address. All kinds count, so that a
//     message finds the list as it was. The newest 224 KiB that are not known to have arrived are kept.
//   - Lost programs. The counts and links of a lost peer are kept for its incarnation, and go on if that comes back with whatever
//     id. Messages about the list do not, because the view has their effect. Until it comes back, its counted messages are not read,
//     so that it sends them again.
//
// # Accepted senders
//
// The protocol checks no sender (3.1.5). An engine does. A peer is known by the listener in the header together with the address
// that its packets come from: one that the peer or the host advertised or, for the host, the one that it joined from. A stranger
// changes nothing, and is answered at the address that its packet came from. The source of a datagram can be forged, so only game
// messages, signs of life, and what is asked about over a connection are accepted from one.
//
// From whom a message is accepted, on the way into a session, by the host, and by another member (messages.go, believed.go):
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
//	EXTENSION HELLO             no      held     owner    owner    yes    -
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
// What waits is held until the list has the ids in it; the host may relay what changes the list (MULTICASTSERVER). Anybody includes
// strangers, as Enumeration and Joining have it. Held is kept until the list is there, and judged then. The owner is the machine of
// the player, group or name in the message, or of its sender; the host relays for owners, and deletes what they leave behind. For
// YOUAREDEAD the candidate counts as host while there is none. "-" is nobody; about VIEW package hostmigrate/view decides. A
// message in fragments, or inside another one, has to be accepted as what it is. A refused or unsupported one is a [Dropped] event.
//
// With [Config].Compatible any member will do where the table has owner or host, as with Windows; not for EXTENSION. Where parts of
// a session may come together, the table holds for changes of players and groups, and for newcomers and the description from modern
// machines, because those that another part's host sent before a cut arrive after it. A compatible host sends the list to anybody
// who asks with ENUMPLAYER (3.1.4.3), and lets members choose ids.
//
// # Host migration
//
// A session with MIGRATEHOST goes on without its host (3.1.6.2, 3.1.7.1), unless it has CLIENTSERVER, MULTICASTSERVER or
// SECURESERVER as well. A host that says goodbye is gone at once, and so is a legacy host whose connection ends. With KEEPALIVE a
// silent one is gone Config.Probes + 1 to Config.Probes + 2 periods after its last message, which is 315 to 350 s by default. All
// members should have equal values. The program gets [HostLost], [MigrationStarted] with each candidate, and [HostChanged].
// Requests to the old host go to the new one.
//
//   - Where all are modern, the machine leads that joined first, by the log. A member whose leader answers refuses a view without
//     that leader: so one bad connection does not depose a healthy host.
//   - Where one is a legacy machine, the lowest id is next, by DirectPlay 4. If that is a modern machine, the leader of the view is
//     host. Otherwise all wait for its IAMNAMESERVER, which counts while there is no modern host. A machine below dialect 10 sends
//     none, and counts as host at once.
//   - A legacy candidate that answers pings and does nothing, as Wine's do, is passed over after Config.Probes + 2 periods, and one
//     that never sent a message after three pings, because it may have been on its way in. An engine with Config.Legacy waits as
//     the specification has it.
//
// # Views
//
// All modern machines of a session are in a view, with MIGRATEHOST or without. Package hostmigrate/view decides; the engine carries
// that out:
//
//   - A message of DirectPlay 4 takes effect when it comes, and lasts if the leader numbers the change. If it is lost, the leader's
//     operation takes effect: so all lists become the leader's.
//   - A deletion by the owner waits for the owner's message, as long as for an answer, because all that the player said comes
//     before.
//   - A machine that a member does not reach, or that closed a connection, is asked, and lost only if it does not answer. A modern
//     host that sends YOUAREDEAD counts as one that does not answer, because such a host sends CLAIM to machines that it lost.
//   - When parts come together, the program gets the difference of the lists, and [SessionHealed]; [SessionSplit] before if its
//     host changes. A machine whose id is somebody else's gets another one: [PlayerDeleted], and [PlayerCreated] with the id
//     before. Its objects are gone. A player of ours that was in a group of a lost machine enters the group again when that comes
//     back.
//   - A newcomer whose host is gone before it has the view asks the others to let it in. If none of them has a view, the lowest id
//     begins one.
//   - A host that another part's host replaces sends its legacy machines YOUAREDEAD, because they cannot follow.
//
// # The extension
//
// Modern machines tell each other in wire.Extension what DirectPlay 4 has no message for. Its command, 0x3444, is not assigned by
// the specification. There is no extension with [Config].Legacy, nor with CLIENTSERVER, MULTICASTSERVER or SECURESERVER, where
// machines do not know each other.
//
//   - HELLO: its sender has the extension. A newcomer sends it to machines whose players bear our mark (wire.SPData.Marked), and
//     they answer; without an answer it is sent in each of the next four periods. Where a host hides the mark, the machine's own
//     CREATEPLAYER shows it.
//   - VIEW: who is in the session, who leads it, and how its parts come together. ARRIVED: how many messages arrived on a
//     connection.
//   - OBJECTCREATE to OBJECTINSTRUCT: objects of the game, each with one owner ([CreateObject], package hostmigrate/object).
//   - Other kinds and releases are dropped with an event: also TABLE, CLAIM, REJOINAT, REJOIN and FORMERS of releases before views.
//
// # The reliable protocol
//
// With DIRECTPLAYPROTOCOL game messages between members go in frames of [MC-DPL4R] over UDP, and so do system messages from and to
// legacy machines. System messages between modern machines stay on connections, which keep their order. Packages dpsp/reliable and
// dpsp/internal/frame have the rules, also for machines without the protocol, such as Wine 10. [Readings] has the answers to what
// the specification leaves open. A frame is accepted from the address of the machine that owns its player: who can forge that
// address can speak as the machine. Frames of Windows were never seen.
//
// # Limits
//
// Secure sessions are not supported ([ErrSecure]); their messages, and those of voice, are dropped. NOPLAYERMGMT, flag 0x10, which
// stops messages of player management by 1.3 and is ignored by 2.2.5, is kept and changes nothing.
//
// All that an engine keeps is bounded; what is beyond is refused or dropped. SECURITY.md has the limits that others can reach, in
// one table. A newcomer has to get the list in one message of 1 MiB. So each machine has a share of it, which every engine judges
// alike; the host also bounds the machines of an address, and all.
package dpsp
