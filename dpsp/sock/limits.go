package sock

import (
	"time"

	"dplay4/dpsp"
)

// limits keep one machine from holding up, or filling up, another. Tests lower them.
type limits struct {
	// guests bounds the connections that are open to us, and the octets that came over them and are not handled. A
	// session of 64 machines has 63, and a host that opens a new one for every reply a few more. A stranger needs one, to
	// ask for an id, and strangers and newcomers together get half of all, so that neither keeps out a member. Many
	// machines may be behind one address: as many as the engine lets in at a time, for newcomers. What is unfinished of
	// strangers and newcomers fits eight of the largest messages, and what is of members 40 of them, in memory that
	// the collector may let double.
	guests shares
	// strange is the largest message of a stranger. What strangers say has some hundred octets, but who is new to the
	// session may say what games say, 60 kB as a rule, to us before we hear of it.
	strange int
	// dials bounds our connections to who is not in the session, and the octets that wait for them. Index dpsp.Stranger
	// has those that are being opened because of a datagram, whose source nobody can be sure of; dpsp.Newcomer also
	// those because of what came over a connection; dpsp.Member all, those that came about as well. One that does not come
	// about counts for at least dialHold.
	dials shares
	// dialHold bounds the rate at which an address can have us try connections that do not come about.
	dialHold time.Duration
	// trials bounds our connections to machines of the session at addresses from which none came to us, as others say where they
	// listen: those that are tried within trialHold. A household of machines that have nothing to say to us fits in.
	trials    share
	trialHold time.Duration
	// dialing bounds the connections to peers that are being opened at a time; more of them wait.
	dialing int
	// silence is how long a connection may say nothing after it was opened, and how long it may be open if it is
	// not a member's. A member that has nothing to say keeps its connection.
	silence time.Duration
	// lastWord is how long a connection over which a host answered a search is read after we closed our end of it.
	lastWord time.Duration
	// dribble is how long a message may take from its first octet to its last.
	dribble time.Duration
	// dial is how long a connection to a peer may take to come about.
	dial time.Duration
	// write is how long a peer may take no octets at all before it counts as dead.
	write time.Duration
	// octets bounds what waits to be sent to one peer over TCP. What is sent over TCP is guaranteed, so nothing can
	// be left out: a peer whose queue is full is given up, like one that closed its connection.
	octets int
	// queues bounds what waits to be sent to all peers over TCP.
	queues queues
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
	// pings and their answers. Dropped events are left out from a quarter on. Steps that are under way then, timers and
	// the program's own commands still add events: if it gets full all the same, the session is closed, for an event that is left
	// out would leave the program with a wrong picture.
	backlog room
	// events bounds what of these each source has, as a member is one. Who has as much is not read until half of it is
	// left, and its datagrams are dropped: the program takes events in order, so what one has there another one waits for.
	// It is what a program takes within a millisecond or two. While the program reads none at all it does not count.
	events room
}

// queues bounds the octets that wait to be sent to all peers. Beyond soft, peers are given up that have let octets wait for behind. Beyond hard
// it is any peer: by then so much came within behind that nobody had time to read it.
type queues struct {
	soft, hard int64
	behind     time.Duration
}

var defaults = limits{
	guests: shares{
		dpsp.Stranger: {places: 256, each: 16, octets: 4 << 20, octetsEach: 1 << 20},
		dpsp.Newcomer: {places: 512, each: 64, octets: 8 << 20, octetsEach: 2 << 20},
		dpsp.Member:   {places: 1024, each: 256, octets: 48 << 20, octetsEach: 16 << 20},
	},
	strange: 64 << 10,
	dials: shares{
		dpsp.Stranger: {places: 64, each: 8, octets: 2 << 20, octetsEach: 1 << 20, hold: true},
		dpsp.Newcomer: {places: 128, each: 16, octets: 4 << 20, octetsEach: 2 << 20, hold: true},
		dpsp.Member:   {places: 384, each: 64, octets: 16 << 20, octetsEach: 4 << 20},
	},
	dialHold: time.Second, dialing: 128,
	trials: share{places: 256, each: 8}, trialHold: time.Minute,
	silence: 30 * time.Second, lastWord: 10 * time.Minute, dribble: 60 * time.Second, dial: 10 * time.Second,
	write:  20 * time.Second,
	octets: 8 << 20, queues: queues{soft: 32 << 20, hard: 64 << 20, behind: time.Second},
	linger: 2 * time.Second, grace: 250 * time.Millisecond, order: time.Second,
	farewell: 10 * time.Second, relist: 2 * time.Second,
	backlog: room{events: 1 << 16, octets: 32 << 20}, events: room{events: 512, octets: 512 << 10},
}

// buffered is how many events the channel holds besides the backlog, so that program and session need not take turns.
// Each may have a megabyte.
const buffered = 32

// asking bounds the requests for sessions by TCP that are served at a time. Each has askTime, and one that makes sense
// needs no more than a round trip.
var asking = share{places: 64, each: 8}
