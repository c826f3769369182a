// Package view decides who is in a session, who leads it, and how its parts come together after a failure. Package hostmigrate/model
// checks the protocol in another form: there owners number their changes, while here the last message on an owner's connection
// counts. A [Core] has no input, output or clock: it gets messages, suspicions and the time, and returns [Effect] values, which package
// dpsp carries out.
//
// # Terms
//
//   - An incarnation is one run of a program: 64 random bits. A member is an incarnation with a system player.
//   - A view is (epoch, the number of the operation with which its leader joined, the leader's id, its incarnation). The higher
//     epoch is newer; at one epoch the smaller rest is. So the oldest member leads, as in DirectPlay 8. Where the list has a legacy
//     machine, the number is 0: the lowest id leads, as in DirectPlay 4.
//   - The log is the operations on the list that the leader numbers: (view, index). The list is confirmed up to an index. Changes
//     without a number are ahead of it. The program has the confirmed list with what is ahead.
//   - A part is the members under one leader, where a session has several leaders at one time.
//   - A member that left said so. One that was lost does not answer, and may be in another part.
//
// # Messages
//
// All are a wire.ExtensionView. With DirectPlay 8's names ([MC-DPL8CS] 1.3.6, 3.2.5.4): PREPARE is HOST_MIGRATE, ACK is
// NAMETABLE_VERSION, FETCH and STATE are REQ_NAMETABLE_OP and ACK_NAMETABLE_OP, INSTALL is HOST_MIGRATE_COMPLETE.
//
//	LOG        the leader's next operation; without one, its answer to OWN
//	POSITION   the sender's view, promise and index: a datagram each period between the leader and its members
//	BEHIND     asks the leader for the operations after an index; 0: for the whole list
//	PREPARE    a candidate asks for a promise
//	REFUSE     the receiver promised a newer view, or its leader answers
//	ACK        the promise, with the sender's view, index and own part of the list
//	FETCH      the candidate asks for the newest log
//	STATE      that log
//	INSTALL    the new view: the operations since the receiver's log, or the whole list
//	ASK        asks a program for its view and leader
//	ANSWER     these, over a connection to the listener that asked
//	ACCUSE     the sender does not reach a member
//	OWN        changes of the sender without a number, with its own part of the list
//	CLAIM      a leader tells a member that it lost which view it leads
//	JOIN       a program asks to be let in: it has no view, or was told UNVOUCHED
//	UNVOUCHED  the receiver's part has nobody whom the sender's part lost: it may ask to be let in
//
// # The log
//
// Two programs at one (view, index) have equal lists. A list has its program, each id once, and one machine a listener.
//
//   - A member's own part of the list is its players and groups, with names and data. Only the member's word about it counts. It
//     travels whole in ACK and OWN, and a connection keeps the order between two programs: so the newest word is the last one.
//   - The leader orders what several may change: memberships, shortcuts, the groups of others. The maker of such a change sends it
//     again until it is in effect, or void.
//   - Only its owner, the leader and a legacy host delete a player. A deletion by the leader before that is not in the new view is void.
//   - A change of another machine that has no number for two periods is undone when the leader has told twice that its log lacks it.
//     A player or group that its owner deleted stays deleted.
//   - The leader's POSITION has a digest of its list, so that a member whose list differs asks for it.
//
// # A view change
//
// Views only advance, and the index in each does. The newest log of those who promise is kept. A leader that answers stays.
//
//   - A candidate sends PREPARE to all members, to newcomers that it met and the leader has not told of, and to members of the
//     newest log that it did not know. It waits for nobody who left.
//   - A PREPARE counts from a member, from a program that is proven to be in another part, or through the receiver's leader. A
//     receiver whose leader is not to be in the view asks that leader, and refuses if it answers.
//   - An ACK is a promise. Its sender promises no older view and numbers nothing, but stays in its view until the next one is
//     installed.
//   - The new view begins with the newest log of the members and of a proven part, at an index above that of any of them. A member
//     that promised in another log, or that this log has lost, brings its own part. An id that somebody else has is replaced.
//   - The leader of a part says who left it and whom it lost. If that leader is gone, the candidate's lists count instead. Other
//     members' lists do not count.
//   - An INSTALL counts for the promised view, from a member or with the token of the ACK; for a newcomer, from the session's host
//     or a program that it asked.
//
// # Suspicion
//
// Nobody is removed who answers its leader. One bad connection costs at most the member that does not reach the leader.
//
//   - A member that is accused is asked by the leader, and lost if it does not answer. A member that does not come to the leader's view
//     is lost as well; where the session does not lose members that are silent, only if it answers.
//   - If the leader does not answer, the next member in the order of views is the candidate. The others wait for it, for
//     Config.Patience.
//   - A program that became a member replaces the one that was at its listener. Nobody sends that one a CLAIM. Where the two came
//     from different parts, the leader sends ASK to the listener first.
//   - A program that is addressed like a member, and is none, sends its POSITION to the sender's listener. A program that has a
//     member at the listener of such a stranger sends ASK there. If the ANSWER is another program's, the member has left.
//
// # Parts
//
// Parts of a session come together if one of them has a member that the other one lost. A program that left does not get in by what it
// knows.
//
//   - A leader sends CLAIM to members that it lost, not to those that left. A member passes a CLAIM on to its leader.
//     It answers a leader with the name of its own one, and another member not at all.
//   - The proof of a CLAIM is an ANSWER with the incarnation that was lost, from the listener that was known. It vouches for the
//     leader that it names, which is asked too. A program whose leader is gone names itself, and is taken in by the leader that
//     asked.
//   - A newcomer whose host is gone before it has a view counts that host among the lost when it leads. The host's listener
//     identifies it, because its incarnation may not be known.
//   - The leader of the newer view sends PREPARE, an epoch above both, to the members of both.
//   - An ACK returns the nonce of its PREPARE, which proves the listener that the PREPARE went to. Only then is the machine
//     replaced that was at that listener.
//   - A part that nobody can vouch for is told UNVOUCHED. Its members ask to be let in with the session's password, like anybody
//     else. A leader that was let in elsewhere tells those who still follow it.
//
// # Senders
//
// What a core keeps is bounded by the constants in view.go, and what others can have it do by those in allow.go.
//
//   - A member's message counts from its peer alone. An incarnation proves nothing, because programs that left know all of them.
//   - A program that asks to be let in speaks for itself: its log, its index and its lists of others do not count.
//   - A newcomer without a view trusts the programs that it asked, and the leader that one of them names.
//   - View changes that a member, a lost program or a joiner causes are rationed: some at once, then one in some periods. Others are
//     not answered, and asked for again.
//   - A member's own part is within its share of the list.
//
// # Legacy machines
//
// Machines that do not know views are in the list, and in no view. So are releases of this program before views, which bear another
// mark (wire.SPData.MarkedOlder).
//
//   - A legacy host stays host. The leader, which is the first program that began a view under it, numbers its changes.
//   - If that host is gone, DirectPlay 4's rule chooses the next one. If it chooses no legacy machine, the leader becomes host.
//   - Two parts come together only if neither has a legacy host, or both have the same one.
package view
