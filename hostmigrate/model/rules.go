package model

// A Rule is one of the protocol's, which [Options].Without takes out.
type Rule string

// The rules, with the invariant that each keeps. The numbers are those of the package documentation.
const (
	Incarnations  Rule = "incarnations"   // 1: a program that began anew is another member
	Promise       Rule = "promise"        // 4: an INSTALL below the promise is ignored
	Frozen        Rule = "frozen"         // 4: who promised numbers and applies nothing in the view before
	StayIn        Rule = "stay in"        // 4: who promised stays in its view until the next one is installed
	NewestLog     Rule = "newest log"     // 5: the new view begins with the newest log of all who promised
	OwnData       Rule = "own data"       // 2: of data with one writer the newest number counts, whoever has it
	OnceEach      Rule = "once each"      // 3: the leader numbers each change once, in its maker's order
	OneView       Rule = "one view"       // 3: a numbered operation counts in its view alone, after the one before
	Gone          Rule = "gone"           // 5: a member of whom nothing proves that it is gone stays a member
	OneID         Rule = "one id"         // 5: of two members with one id the one that comes over gets another
	LegacyID      Rule = "legacy id"      // 8: an id that a legacy host gave wins
	OneNumbers    Rule = "one numbers"    // 8: under a legacy host the leader alone numbers
	AskLeader     Rule = "ask leader"     // 4: the leader is asked before it is deposed
	AskAccused    Rule = "ask accused"    // 6: the leader asks a member that another one accuses
	ProvenPrepare Rule = "proven prepare" // 4: a PREPARE counts from a member, or with the proof of a claim
	LostNotLeft   Rule = "lost, not left" // 7: a claim counts from who was lost, not from who left
	Listener      Rule = "listener"       // 7: a claim counts if its sender answers at its listener
	Evict         Rule = "evict"          // 1: a newcomer replaces a member once it answers at that member's listener
	Above         Rule = "above"          // 4: who is refused starts above the promise
	Again         Rule = "again"          // 4: a member in an older view is asked again
	SayAgain      Rule = "say again"      // 3: what is not confirmed is said again
	Claims        Rule = "claims"         // 7: a leader claims from those that it lost
	SilentLegacy  Rule = "silent legacy"  // 8: a legacy candidate that says nothing is passed over
	Void          Rule = "void"           // 3: a change that is void by now has its number as well
	TheirLeader   Rule = "their leader"   // 4: a refusal for another view's leader is not about the candidate's
	Goodbye       Rule = "goodbye"        // 5: who said that it leaves is in no list again, even if it promised before
	LateAck       Rule = "late ack"       // 5: what a late ACK has is numbered before the INSTALL that answers it
	AnswersAck    Rule = "answers ack"    // 5: who is in a view takes an INSTALL that answers its ACK alone
	LostNumbers   Rule = "lost numbers"   // 2: the numbers of a lost member are kept with it
	LoseDeserter  Rule = "lose deserter"  // 4: a member that answers and never promises is lost
	Unvouched     Rule = "unvouched"      // 7: a part for which nobody can vouch asks to be let in
	Impatience    Rule = "impatience"     // 4: who waits for a better candidate that does nothing becomes one
)

// Rules returns all rules of views.
func Rules() []Rule {
	return []Rule{Incarnations, Promise, Frozen, StayIn, NewestLog, OwnData, OnceEach, OneView, Gone, OneID, LegacyID, OneNumbers, AskLeader,
		AskAccused, ProvenPrepare, LostNotLeft, Listener, Evict, Above, Again, SayAgain, Claims, SilentLegacy, Void, TheirLeader,
		Goodbye, LateAck, AnswersAck, LostNumbers, LoseDeserter, Unvouched, Impatience}
}

// on reports whether a rule holds.
func (w *world) on(r Rule) bool { return w.Without != r }
