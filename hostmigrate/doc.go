// Package hostmigrate keeps the name table of a session's modern members in step, and brings it through the loss of the
// host. It joins two protocols: in DirectPlay 4 every machine announces what it owns and nobody numbers; among members
// that know [MC-DPL8CS] the host numbers all that happens, tells every member in order, and a new host resynchronises
// the tables. Package playerlist is the table, package dpl8 the messages; this one is the rules between them.
//
// It does no input or output and has no clock: a [Table] is given messages and the time, and gives messages and events.
// Its messages are meant for connections that are reliable and in order. Who really sent a message, and how a session
// is to be changed on an event, is for its caller.
//
// # One log
//
// The host's list is the table; its versions are the numbers (2.2.6). A member gets the whole table once (2.2.1.4), and
// then every operation. As the host's messages come in order, what any two members have are prefixes of one log. A
// member reports its version at every fourth one; when the oldest of all advances, the host says so and everybody
// forgets the operations before it (2.2.6). A replica that an operation does not fit is none any more: its owner reports
// version zero, and gets the whole table.
//
// # Migration
//
// The candidate is the system player that joined first (1.3.6), or with the lowest id where legacy members elect too
// ([MC-DPL4CS] 3.1.7.1): see [Candidate]. As in 3.2.5.4 it says HOST_MIGRATE to all, each answers with its
// NAMETABLE_VERSION, the newest is asked for the operations that the candidate lacks, the others get what they lack,
// then all get RESYNC_VERSION and HOST_MIGRATE_COMPLETE. Where a log does not reach back far enough, the whole table
// goes instead of operations: SEND_CONNECT_INFO.
//
// A peer that does not answer in time, or has not what it said it has, is to be dropped (3.2). If the newest is lost
// while it is asked, the next newest is asked. If the candidate is lost, the next one starts over. If two machines lead
// at once and one of them hears of the other, the better candidate by the rule goes on, and members follow it: the one
// whose own replica says that it joined first. Where both rules are followed, for not everybody knows yet who knows what,
// that of DirectPlay 4 wins. Replicas that got differently far name different candidates, which may wait for each other: a
// member calls the one that it waits for, and who is called while it waits itself leads as well. A candidate that spoke is
// followed, though the replica names another one, until the other one speaks. A member follows a candidate that says the
// host is gone even if it did not notice itself. One that comes back to a leader, since the better candidate that it followed
// in between died, answers once more and gets the whole table.
//
// # What is added to the messages
//
// HOST_MIGRATE has four octets each behind its last field: the leader's round; the number of the operation that added it
// to its replica, all bits set if none did, 0 if it leads by the rule of DirectPlay 4; and all hosts and candidates that
// went before it. Answers repeat the round in dwVersionNotUsed. Without it, an answer that is old could be taken for new. With
// all bits set there NAMETABLE_VERSION calls a candidate.
//
// What DirectPlay 8 has no field for is in URLs of our own form (see [AppendOperation]):
//
//	AddPlayer, AddGroup   x-directplay4:/flags=0x00000001;dialect=0x0000000e;parent=...;long=hex;sp=hex in the
//	                      entry's URL; dpnidOwner is the system player
//	AddGroup              CREATE_GROUP, whose figure names no group (2.2.4.2): a whole ADD_PLAYER message with GROUP
//	                      set in its flags stands behind its two fields
//	SetName, SetInfo      UPDATE_INFO; with a long name, bit 31 of dwInfoFlags says that the data begins with
//	                      x-directplay4:/long=hex, zero-terminated, and the game's own follows
//	SetData               UPDATE_INFO
//	SetSPData             UPDATE_INFO with bit 31: op=spdata;sp=hex
//	SetHost               UPDATE_INFO with bit 31: op=host
//	SetDesc               UPDATE_INFO with bit 31, of id 0: the session's name, and op=desc with its other fields
//	AddShortcut           UPDATE_INFO with bit 31, of the parent: op=addshortcut;child=id
//	RemoveShortcut        likewise: op=removeshortcut
//
// In SEND_CONNECT_INFO a membership of a group in a group is a shortcut, and the reserved data is a form with what a
// session has beyond DirectPlay 8; a table that does not fit in one message comes in parts, numbered there.
//
// # Integrity check
//
// A member that lost a third one asks the host, who asks that one (1.3.5, 3.2.5.3). If it does not answer in time, it
// is dropped. If it answers, then by 1.3.5 the one that asked is removed from the session, since it cannot reach
// somebody who is there: it gets TERMINATE_SESSION. Of two that lost each other, the one that is checked first and
// answers stays.
//
// # What is promised
//
// If connections are reliable and in order, and machines only die: all that are left end with the same host and equal
// tables, at the newest version that any of them had, whoever dies when and whatever comes first. No table goes back to
// a lower version, except by joining another session ([Table.Follow]). Nobody is dropped for being slow to notice
// that the host is gone, but for a candidate that says nothing for Config.Patience.
//
// What is not: operations that only the dead knew are lost; and who notices nothing for longer than Config.Timeout while
// it is asked is dropped. When the network splits, both halves go on (availability first): each elects a host, and both
// hosts number on from where they were, so their tables are of two logs from then on. They are not merged here: a
// half that comes back joins the other session with Follow, which replaces its table, and its host may bring what it
// alone has as new operations (playerlist.Diff). While only some connections are cut, a machine that others still reach may
// be host to some and gone to others; the better candidate wins with all who hear of both, and the rest are dropped.
// Nothing protects against members that lie.
package hostmigrate
