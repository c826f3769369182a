// Package model is a model of the session protocol of package hostmigrate/view, and an explorer that looks for its faults.
//
// The protocol says who is in a session, who leads it, and how its parts come together after a failure. The model has no time, no
// octets and no names: a machine is its incarnation, its view, its list, and the numbers of what it said. [Explore] goes through the
// states of a few machines, all of them to a depth or by random walks, and [Links] through those of two programs that exchange
// guaranteed messages.
//
// # What can happen
//
//   - Each message that was ever sent arrives at any later time, any number of times, in any order, or never. That is more than a
//     network does: it stands for loss, repetition, overtaking, and connections that held something back.
//   - A machine takes any other one for gone, rightly or not. A split is lost messages and wrong suspicions, of any shape.
//   - A program begins anew, and has forgotten everything; it leaves; it left and forges messages; a newcomer asks to be let in.
//   - Legacy machines, which know nothing of this, are members and hosts: they give ids, throw out, come to host or stay silent.
//
// # Terms
//
//   - An incarnation is what one run of a program is known by. A member is an incarnation with an id.
//   - A view is (epoch, the leader's join index or 0, the leader's id, its incarnation). The higher epoch is newer; at one epoch the
//     smaller rest is. The join index is 0 where a legacy member has DirectPlay 4's rule decide.
//   - The leader numbers operations: (view, index). It is the host if that is modern, otherwise the first modern member by the rule.
//   - A list is confirmed up to an index. A machine also has what members said themselves and no operation confirms yet.
//   - Two parts of a session have different leaders at one time.
//
// # Rules
//
// Each is a [Rule] that [Options].Without takes out, and TestEachRule shows that the model then finds a fault.
//
//  1. A program that began anew is another member ([Incarnations]). The former one leaves once its listener answers with the new
//     incarnation: an old message evicts nobody ([Evict]).
//  2. A program counts its changes. What belongs to one member is as of the newest change that its owner made of it: the newest
//     counts, whoever has it ([OwnData]). The numbers of a lost member are kept with it ([LostNumbers]).
//  3. The leader numbers each change once, in the order in which its maker made them ([OnceEach]): one of what several may change
//     often needs one of what is the maker's own. A change that is void by then, or that the list has already because its maker
//     brought its own data, has its number as well, because those after it wait for it ([Void]). A numbered operation counts in its
//     view alone, after the one before ([OneView]). A member sends again what is not confirmed ([SayAgain]).
//  4. A new leader, or a leader that met another part, sends PREPARE(view, whom).
//     - The receiver accepts it from a member, or with the proof of rule 7 ([ProvenPrepare]).
//     - If whom lacks the receiver's leader, the receiver asks that leader. It REFUSEs if the leader still leads this view and has the
//     receiver in its list ([AskLeader]). A candidate that drops somebody's leader later sends that member another PREPARE.
//     - ACK is a promise. The sender promises no older view, and installs no view but the promised one ([Promise]). It stays in its
//     view until then ([StayIn]), but numbers and applies nothing in it ([Frozen]).
//     - A REFUSE names the newer promise, and the candidate starts above that ([Above]). Or it names the view whose leader answered,
//     and whether the list there has the candidate. If it does not, the answer is not about the candidate's leader ([TheirLeader]).
//     - A member whose ping shows an older view, or a newer promise, gets a PREPARE again ([Again]). A member that answers and never
//     promises is lost ([LoseDeserter]).
//     - A member whose leader does not answer waits for better candidates, but not for ever ([Impatience]), because lists at different
//     indices name different ones.
//  5. The new view begins with the newest log of all who promised ([NewestLog]). Its index is above that of any of them.
//     - Its members are those asked, less those proved gone ([Gone]).
//     - A member that comes over from another part brings its own data and its numbers. If its id is taken, it gets another ([OneID]).
//     - A program that said that it leaves is in no later list, even if its promise came first ([Goodbye]). The new list names it, so
//     that nobody takes it for lost.
//     - INSTALL answers an ACK, because the ACK may have what the leader lacks ([AnswersAck]). The leader numbers what a late ACK has
//     before it answers ([LateAck]).
//  6. If a member accuses another one, the leader asks the accused, and loses it only if it does not answer ([AskAccused]).
//  7. A leader sends CLAIM(view, members) to those it lost ([Claims]). The receiver passes it to its own leader.
//     - The proof of a claim: somebody in that part was lost, did not leave ([LostNotLeft]), and answers at its listener with its
//     incarnation and that view ([Listener]). So does the leader, at the listener that the lost member names.
//     - The leader of the newer view sends PREPARE, an epoch above both, to the members of both parts.
//     - A part for which nobody can vouch is told so. Its members ask to be let in like newcomers, and stay in their view until the
//     next one ([Unvouched]).
//     - Two parts stay apart if none of them knows anybody in the other.
//  8. Under a legacy host the leader alone numbers what that host says ([OneNumbers]), and an id that it gave wins ([LegacyID]). A
//     legacy candidate that says nothing is passed over ([SilentLegacy]). A legacy host steps down for nobody: a view change brings
//     nobody into its part, and parts with different hosts stay apart while one of these is a legacy host.
//
// # Invariants
//
//   - Views only advance, and the index in each does.
//   - Two machines at one (view, index) have equal lists.
//   - Nobody forgets what an owner said in its incarnation, or has what it never said.
//   - No change is made twice, without the one before it, or without the owner's data that it needs.
//   - A list has each id once, and the machine itself.
//   - Who promised at an index is in no view that begins below it.
//   - Nobody is thrown out who answers its leader, or by a word of somebody else; no legacy member is lost by a view change.
//   - One connection that does not work costs at most the member that cannot reach the leader, and never the leader.
//   - Nobody who left is let in by forged messages.
//   - From each state that is tried a network without faults brings all into one view, with what each owner said last, and a living host.
//
// # Left out
//
//   - Amounts and times: the bound on epochs, pacing, what is sent instead of a whole list, the octets that are kept, back-off.
//   - Admission: passwords, JOINDISABLED, MaxPlayers. A newcomer that asks is let in.
//   - Several programs at one listener.
//   - Guaranteed messages beside view changes: [Links] is a world of its own, with a loss and a return in place of a view.
//   - Lists are compared among machines that are at one index at the same time.
//   - Liveness is tried from a sample of the states.
//
// # Guaranteed messages
//
// [Links] has a sender, a receiver and connections that break, of which the receiver still reads what came before. The sender
// greets on each connection with both incarnations ([BothNamed]); the receiver reads none from before the newest ([NewestLink]), and
// answers with the number of messages that arrived ([Counts]), which is about that connection alone ([ThisCount]). The sender keeps
// what is not known to have arrived ([Keeps]), and reports what it could not keep ([Reports]). Numbers go on through a loss and
// through views ([Survives]). No message comes twice, out of order, or to another incarnation, and none is lost without a report.
package model
