package link

import "errors"

// The errors that callers tell apart.
var (
	// ErrReset is what a Stream gives that the other side has reset.
	ErrReset = errors.New("the other side has reset the stream")
	// ErrClosed is what a Network and a Link give that was closed here.
	ErrClosed = errors.New("closed")
	// ErrNobody means that nobody answers at the address that the code names.
	ErrNobody = errors.New("nobody answers at the address of the code")
	// ErrStranger means that the other side does not know the secret of the code, or is not the machine that was called.
	ErrStranger = errors.New("the other side is not who was called")
)
