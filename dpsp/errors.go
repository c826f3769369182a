package dpsp

import "errors"

// What a command can fail with, besides an HResult that the host sent and the errors of package playerlist.
var (
	// ErrInSession says that the engine is in a session, or on its way into one, already.
	ErrInSession = errors.New("already in a session")
	// ErrNoSession says that the engine is in no session.
	ErrNoSession = errors.New("not in a session")
	// ErrLeft says that the program left before the command was done.
	ErrLeft = errors.New("left the session")
	// ErrTimeout says that the host did not answer within the reliable API timer.
	ErrTimeout = errors.New("the host does not answer")
	// ErrNonsense says that the host answers what does not decode, or makes no sense.
	ErrNonsense = errors.New("the host's answer makes no sense")
	// ErrHungUp says that the host closed the connection that it was asked by.
	ErrHungUp = errors.New("the host closed the connection")
	// ErrUnreachable says that no connection to the host could be made.
	ErrUnreachable = errors.New("no connection to the host")
	// ErrLost says that the session was lost before the command was done.
	ErrLost = errors.New("the session was lost")
	// ErrNoHost says that a session has no host, or none was named.
	ErrNoHost = errors.New("the session has no host")
	// ErrSecure says that the session wants a secure logon, which is not supported.
	ErrSecure = errors.New("sessions with SECURESERVER are not supported")
	// ErrNotHost says that only the host may do this.
	ErrNotHost = errors.New("only the host may do this")
	// ErrNotOurs says that the player or group belongs to another machine.
	ErrNotOurs = errors.New("belongs to another machine")
	// ErrNoID says that no player or group has the id.
	ErrNoID = errors.New("no player or group has this id")
	// ErrTooBig says that a message is larger than any that can be sent.
	ErrTooBig = errors.New("larger than the largest message")
	// ErrFlags says that session flags contradict each other.
	ErrFlags = errors.New("MIGRATEHOST excludes CLIENTSERVER, MULTICASTSERVER and SECURESERVER")
	// ErrNoMessage says that no message waits that Cancel could give up.
	ErrNoMessage = errors.New("no such message waits")
	// ErrFixed says that a flag cannot change while the session lasts.
	ErrFixed = errors.New("KEEPALIVE and MIGRATEHOST cannot change while the session lasts")
	// ErrText says that the octets of a password or of chat are no text: that does not end with its first zero WCHAR.
	ErrText = errors.New("not a text that can be sent")
	// ErrNoObjects says that there are no objects in this session: it has a host that passes everything on, or we are
	// to do without the extension.
	ErrNoObjects = errors.New("no objects in this session")
	// ErrBusy says that too many requests wait for the host already.
	ErrBusy = errors.New("too many requests wait for the host")
)
