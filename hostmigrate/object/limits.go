package object

import "time"

// Limits of one table. What goes beyond them is refused with [ErrFull] or [ErrTooLarge].
const (
	// MaxState bounds the state of an object in octets: CREATE and MIGRATE go over the stream, which would take
	// more, but each newcomer is sent every object at once.
	MaxState = 60000

	// MaxUpdate bounds the state in [Table.Update], in octets. UPDATE is one datagram: with its headers of 60
	// octets, of UDP and of IP it stays below the 1,500 octets of an Ethernet, with room for a tunnel.
	MaxUpdate = 1200

	// MaxObjects bounds the objects of a table, tombstones apart.
	MaxObjects = 8192

	// MaxCreated bounds the objects in being that one machine made, whoever owns them now. A table takes twice
	// as many from others: their CREATE may overtake another owner's DESTROY.
	MaxCreated = 1024

	// MaxOctets bounds all states of a table together, and with them those that a host was sent with REQUEST and
	// keeps until a new owner announces itself.
	MaxOctets = 1 << 25

	// MaxMade bounds the states of the objects in being that one machine made, whoever owns them now. A table takes
	// twice as many octets from others, as with MaxCreated. A host keeps as many octets that one machine sent with REQUEST.
	MaxMade = MaxOctets / 16

	// MaxSite bounds the states of the objects that the machines of one site made: see [Config].Site.
	MaxSite = MaxOctets / 4

	// MaxKept bounds the states of the objects of departed machines that the other machines of one site may bring: nobody can
	// know whether there ever was a machine that made them.
	MaxKept = MaxOctets / 4

	// Window bounds the states that go to one machine, with CREATE, MIGRATE, INSTRUCT or REQUEST, before it has acted on
	// those before. One state always goes.
	Window = 64 << 10

	// maxBalance bounds the states that one call of Balance has moved to one machine.
	maxBalance = 16 * Window

	// pace is how long a host waits, once it has given itself objects of Window octets, before it gives itself more.
	pace = 20 * time.Millisecond

	// MaxTombstones bounds the destroyed objects that a table remembers. A new one takes the place of the one that
	// would go first.
	MaxTombstones = 8192

	// maxTries bounds the machines that a host instructs, one after the other, to own an object that it does not
	// know. That nobody announces it may mean that nobody can; who has the object asks again.
	maxTries = 3
)

// What a zero in [Config] stands for.
const (
	// DefaultResend is after what time without an acknowledgement an UPDATE is sent again.
	DefaultResend = 250 * time.Millisecond

	// maxWait bounds how the wait for an acknowledgement grows: 16 times Resend, so that a machine that stands still
	// is not drowned in what it missed.
	maxWait = 4

	// DefaultPatience is how long a machine waits for a migration before it asks the host, and the host for a
	// new owner's MIGRATE before it decides again.
	DefaultPatience = 10 * time.Second

	// DefaultTombstone is how long a destroyed object is remembered. A machine that was not heard for 280
	// seconds is gone ([MC-DPL4CS] 3.1.7.1: eight pings, 35 seconds apart); an older message waits in its
	// stream no longer than it lives. This is twice that, and some more.
	DefaultTombstone = 10 * time.Minute
)
