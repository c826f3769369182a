package dpsp

// A Cause is why a machine, a host or the session is lost: a stable word for programs, beside a text for people.
type Cause string

// The causes. SessionLost has that of the host if the session ends because the host is gone.
const (
	CauseLeft      Cause = "left"              // it left by its own will
	CauseClosed    Cause = "closed-connection" // its connection was ended, by it or by a device on the way
	CauseSilent    Cause = "silent"            // it did not answer in time
	CauseReplaced  Cause = "replaced"          // another program, or its own after a new start, is at its address
	CauseRemoved   Cause = "removed"           // the host removed it, or us
	CauseOtherHost Cause = "other-host"        // another machine is, or says that it is, the host
)

// A loss is why something is lost.
type loss struct {
	cause Cause
	text  string
}

// itLeft is the reason of a machine that said goodbye.
var itLeft = loss{CauseLeft, "it left"}
