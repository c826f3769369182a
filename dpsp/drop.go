package dpsp

// A Reason says why a message was ignored. Reasons are stable: programs may test for them.
type Reason string

// The reasons.
const (
	Malformed    Reason = "malformed"       // it does not decode
	Unknown      Reason = "unknown-command" // the specification does not assign the command
	OutOfTurn    Reason = "out-of-turn"     // nobody asked for it, or it is not for one in our place
	NoSuchID     Reason = "no-such-id"      // it names a player or group that does not exist
	NotAllowed   Reason = "not-allowed"     // its sender cannot have sent it, or not in this way
	NotMember    Reason = "not-member"      // its sender is not in the session
	Conflict     Reason = "conflict"        // it contradicts the list: an id twice, a member twice
	Unsupported  Reason = "unsupported"     // secure sessions, the reliable protocol
	LimitReached Reason = "limit"           // more than a limit of this package
)
