package filter

import (
	"cmp"
	"fmt"
)

// A Violation is what a message has that must not reach the game.
type Violation struct {
	Message string // its name, "" if it has none
	Field   string // "" if it is all of it
	At      int64  // octets before the message in its stream; 0 for a datagram
	Offset  int    // octets of the message before the field, from its SP header on
	Reason  string

	alone bool // what follows it on a stream may pass
}

// Error says where it is, and why.
func (v *Violation) Error() string {
	what := cmp.Or(v.Message, "message")
	if v.Field != "" {
		what += "." + v.Field
	}
	return fmt.Sprintf("%s at octet %d: %s", what, v.At+int64(v.Offset), v.Reason)
}
