package link

import "errors"

// The errors that callers tell apart.
var (
	// ErrReset is what a Stream gives that the other side has reset.
	ErrReset = errors.New("the other side has reset the stream")
	// ErrClosed is what a Network, a Link and a Stream give that was closed here.
	ErrClosed = errors.New("closed")
	// ErrNobody means that nobody answers at the address that the code names, or where the machine was last known.
	ErrNobody = errors.New("nobody of the session answers")
	// ErrNoRelay means that no relay of the code can be used. What is wrapped with it says of each why.
	ErrNoRelay = errors.New("no relay can be used")
	// ErrUnreachable is why a relay cannot be used at which nobody answers. What is wrapped with it says of each port why.
	ErrUnreachable = errors.New("it cannot be reached")
	// ErrNoWay is why a relay cannot be used to which this machine itself knows no way.
	ErrNoWay = errors.New("this machine has no network that leads there: is its cable in, is its wireless on?")
	// ErrOurselves is what Knock gives where it is we who answer.
	ErrOurselves = errors.New("it is this machine that answers there")
	// ErrStranger means that the other side does not know the secret of the code, or is not the machine that was called.
	ErrStranger = errors.New("the other side is not who was called")
	// ErrSilent is why a Link is down whose other side answers no more.
	ErrSilent = errors.New("the other machine does not answer any more")
	// ErrTooLarge is what SendDatagram gives for more than MaxDatagram octets.
	ErrTooLarge = errors.New("the datagram is too large")
)

// An EndedError is why a Link is down that the other side has closed.
type EndedError struct {
	Reason string // what the other side gave to Close
}

func (e *EndedError) Error() string { return "the other machine has closed the link: " + e.Reason }
