package sock

import "time"

// Where sockets are opened (facts, 1.14): the first free port of each range.
const (
	firstStream, lastStream     = 2300, 2349
	firstDatagram, lastDatagram = 2350, 2399
)

// limits keep one machine from holding up, or filling up, another. Tests lower them.
type limits struct {
	// inbound bounds the connections that are open to us. A session of 64 machines has 63, and a host that opens a
	// new one for every reply a few more.
	inbound int
	// silence is how long a connection may say nothing after it was opened; later it may be silent for ever,
	// for a member that has nothing to say keeps its connection.
	silence time.Duration
	// dribble is how long a message may take from its first octet to its last.
	dribble time.Duration
	// dial is how long a connection to a peer may take to come about.
	dial time.Duration
	// write is how long a peer may take no octets at all before it counts as dead.
	write time.Duration
	// octets bounds what waits to be sent to one peer over TCP. What is sent over TCP is guaranteed, so nothing can
	// be left out: a peer whose queue is full is given up, like one that closed its connection.
	octets int
	// grace is how long after a peer closed its end the engine is told.
	grace time.Duration
	// farewell is how long after that what the peer said before, and what is not handled yet, is waited for.
	farewell time.Duration
	// relist is how long a host whose port for enumerations is taken waits before it tries to get it again.
	relist time.Duration
	// linger is how long a peer has to take what was sent to it last, once we close the connection or the session.
	linger time.Duration
	// order is how long a new connection waits for an older one from the same listener to be read to its end.
	order time.Duration
	// backlog bounds the events that wait for the program. From half of it on nothing is read from TCP connections,
	// so that the senders' systems hold them back, until a quarter is left; datagrams are read and dropped, but for
	// pings and their answers; Dropped events are left out. Steps that are under way then, timers and the program's
	// own commands still add events: if it gets full all the same, the session is closed, for an event that is left
	// out would leave the program with a wrong picture.
	backlog room
}

var defaults = limits{
	inbound: 1024, silence: 30 * time.Second, dribble: 60 * time.Second, dial: 10 * time.Second, write: 20 * time.Second,
	octets: 8 << 20, linger: 2 * time.Second, grace: 250 * time.Millisecond, order: time.Second,
	farewell: 10 * time.Second, relist: 2 * time.Second,
	backlog: room{events: 1 << 16, octets: 32 << 20},
}

const (
	// buffered is how many events the channel holds besides the backlog, so that program and session need not take
	// turns. Each may have a megabyte.
	buffered = 32
	// maxAsking bounds the requests for sessions by TCP that are served at a time. Each has askTime.
	maxAsking = 64
)
