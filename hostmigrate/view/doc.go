// Package view decides who is in a session, who leads it, and how its parts come together after a failure. It is the session protocol
// that package hostmigrate/model checks, without input, output or a clock: a [Core] takes in messages, suspicions and the time, and
// returns [Effect] values. Package dpsp carries them out if its Config.Views is set.
//
// # Terms
//
//   - An incarnation is what one run of a program is known by: 64 random bits. A member is an incarnation with a system player.
//   - A view is (epoch, the number of the operation with which its leader joined or 0, the leader's id, its incarnation). The higher
//     epoch is newer; at one epoch the smaller rest is. So the oldest member leads by the rule of DirectPlay 8, and the lowest id where a
//     machine without an incarnation is in the list.
//   - The leader numbers operations: (view, index). The list is confirmed up to an index. Changes that no operation confirms yet are ahead
//     of it. The program sees the confirmed list, then what is ahead.
//   - Two parts of a session have different leaders at one time.
//
// # Messages
//
// All are a wire.ExtensionView. With DirectPlay 8's names ([MC-DPL8CS] 1.3.6, 3.2.5.4): PREPARE is HOST_MIGRATE, ACK is NAMETABLE_VERSION,
// FETCH and STATE are REQ_NAMETABLE_OP and ACK_NAMETABLE_OP, INSTALL is HOST_MIGRATE_COMPLETE.
//
//	LOG        the leader's next operation, or its answer to OWN
//	POSITION   where its sender is, and what it promised: a datagram each period between the leader and its members
//	BEHIND     a member lacks what the leader numbered after an index; 0: it needs the whole list
//	PREPARE    a candidate asks for a promise
//	REFUSE     because of a newer promise, or because the leader answers
//	ACK        the promise, with where the member is and with all that is its own
//	FETCH      the candidate needs the newest log
//	STATE      that log
//	INSTALL    the view: what changed since the receiver's own log, or the whole list
//	ASK        who are you, and whom do you follow?
//	ANSWER     to that, over a connection to the listener that asked
//	ACCUSE     a member does not reach another one
//	OWN        what of a member no operation confirms yet, with all that is its own
//	CLAIM      a leader tells a member that it lost which view it leads
//	JOIN       a program without a view, or of a part that nobody can vouch for, asks to be let in
//	UNVOUCHED  nobody here knows anybody there
//
// # Rules
//
//   - What belongs to one member travels whole in its ACK and OWN: its players and groups, with names and data. Its own word counts, and
//     nobody else's. A connection keeps the order between two programs, so that its newest word is the last one.
//   - What several may change is ordered by the leader: memberships, shortcuts, the groups of others. Its maker sends it again until it is
//     in effect, or void.
//   - What a member says counts only from its peer. An incarnation alone identifies nobody, because those who left know all.
//   - A PREPARE counts from a member, from a program that is proven to be of another part, or through the receiver's own leader. The answer
//     that proves its sender names the view of the PREPARE.
//   - A receiver whose leader is not to be in the view asks that leader first, and refuses if it answers. One bad connection deposes nobody.
//   - An ACK is a promise. Its sender promises no older view and numbers nothing, but stays in its view until the next one is installed.
//   - A candidate asks all members, the newcomers that it met and of which the leader has not told yet, and the members of the newest log
//     of which it did not know. Nobody waits for a candidate that left.
//   - The new view begins with the newest log of the members and of a proven part who promised, at an index above that of any of them. Who
//     promised in another log, or was lost in this one, comes over with all that is its own. An id that somebody else has is replaced.
//   - A program that asked to be let in speaks for itself: its log, its index and its lists of others do not count.
//   - The leader of a part says who left it and whom it lost; where that is gone the candidate does. Other members' lists do not count.
//   - An INSTALL counts from the leader that is a member, from the program that was promised to, which returns the token of the ACK, and for a
//     newcomer from the session's host or a program that it asked.
//   - A member that is accused is asked by the leader, and lost only if it does not answer.
//   - A program that became a member has the member at its listener leave that was there before. Nobody claims from that one.
//   - A leader claims from those that it lost, not from those that left. The proof of a claim is an answer, with the incarnation that was
//     lost, at the listener that was known. A leader whom nobody here met is vouched for by such an answer.
//   - An ACK returns the nonce of its PREPARE. That proves the listener to which the candidate sent it: only then does the machine that was
//     there before leave the list.
//   - A program that is asked names its leader. If its leader is gone, it names itself, and the leader who asked takes it in.
//   - A newcomer without a view trusts those that it asked to let it in, and the leader that one of them names.
//   - Of two parts the leader of the newer view sends PREPARE, an epoch above both, to the members of both.
//   - A part that nobody can vouch for is told so. Its members ask to be let in like anybody else, with the session's password. Who still
//     follows a program that was let in elsewhere is told so by it.
//   - A view change that a member or a joiner causes is an allowance: some at once, then one in some periods. What is beyond is not answered,
//     and asked again by whom it concerns.
//   - What a member says that is its own is within what it may have of the list.
//
// # Invariants
//
//   - Views only advance, and the index in each does.
//   - Two programs at one (view, index) have equal lists.
//   - A list has its program, each id once, and one machine a listener.
//   - Nobody is thrown out who answers its leader.
//   - One bad connection costs at most the member that does not reach the leader, and never the leader.
//   - What a core keeps is bounded: the constants in view.go. So is how often anybody may have it do something: those in allow.go.
//
// # Machines without the extension
//
// They are in the list, and in no view: a list with one is mixed.
//
//   - A host of this kind stays host. Its word is numbered by the leader, who is the first program that began a view under it.
//   - If the host is gone, DirectPlay 4's rule chooses the next one. If that is not a machine of this kind, the leader becomes host.
//   - Two parts come together only if neither has such a host, or both have the same one.
//
// Releases of this program that know the extension, but not views, are such machines. They bear another mark (wire.SPData.MarkViews).
package view
