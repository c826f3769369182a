// Package arrived numbers the guaranteed messages between two programs, so that those that a broken connection lost are sent
// again: in order, none twice, none to another program, and none lost without a report. It is (state, input) -> effects: the
// engine sends.
//
// Each of the two ends has a [Link]. The ends exchange a [Note]: it names both ends, the connection that it goes over, the number
// of the next message there, and how many messages arrived from the other end. After each new connection a Note is the first
// thing that is sent (the greeting). All else waits for the answer, which has the count, and then begins with the first message
// that did not arrive.
//
// An end counts for the other one as soon as a Note names it. A Note that names no program, or one that has ended, may have been for the
// program that listened there before. It is answered with a Note that counts nothing, and messages sent meanwhile do not count.
package arrived

import (
	"net/netip"
	"slices"
	"time"
)

// An End is one of two programs, since it met the other one last.
type End struct {
	Incarnation uint64 // of the program; 0: not known
	Meeting     uint32 // counts how often the program met another one. Later meetings have higher numbers
}

// A Note is a message between the ends.
type Note struct {
	Mine, Yours End
	Connection  uint32 // that the Note goes over: its sender numbers them from 1; 0: nothing is counted yet
	Next        uint64 // the number of the next message on it; 0: the sender waits for the count
	Read        uint32 // the newest connection of the receiver that the sender reads
	Count       uint64 // the number of the last message that arrived
}

const (
	// Keep is the memory of a Link for unacknowledged messages, in octets. Messages use at most 7/8 of it.
	Keep = 256 << 10
	// Often is after how many octets a count is due.
	Often = Keep / 8
	// mostOthers is how many connections of others are kept: the broken ones may be read late.
	mostOthers = 8
	// highest bounds the numbers that a Note may have.
	highest = 1 << 62
)

// A Link is the state of one end. The zero Link counts nothing.
type Link struct {
	mine   End
	theirs End              // zero: the other end did not say
	met    bool             // and it named this one
	told   bool             // this one said a Note
	awaits uint64           // the incarnation of the other end, if it is known that it will count; 0 once it named itself
	own    []netip.AddrPort // the last connections over which the other end counted
	out    sender
	in     receiver
}

// A sender is the state of messages to the other end.
type sender struct {
	connection uint32
	open       bool // it was greeted, and did not break
	resumed    bool // and it is known what has arrived
	answered   bool // the other end said that it reads it
	greeted    bool // it said so of any: what went before the first one, and did not count, arrived
	made       uint64
	confirmed  uint64
	kept       queue         // the last ones that were made
	void       uint64        // how many before these were given up
	since      time.Duration // when it was greeted, or broke, or a message began to wait
}

// A receiver is the state of messages from it.
type receiver struct {
	connection uint32
	over       netip.AddrPort   // the newest connection; invalid: it is not read any more
	also       netip.AddrPort   // one over which messages come that do not count
	others     []netip.AddrPort // the last ones over which messages come that count for another program
	reads      bool             // it is known which message comes next
	parted     bool             // the programs were apart before any connection was greeted: what comes without a greeting was for then
	count      uint64
	said       uint64 // the count in the last Note
	octets     int    // of the messages since
	since      time.Duration
}

// Effects are the results of a Note. The caller sends Say, then Again.
type Effects struct {
	Say     *Note
	Again   [][]byte // messages that did not arrive, valid until the Link is used again
	Lost    bool     // messages may be lost that are not kept
	Renewed bool     // the other end reads the newest connection
	Wrong   string   // what is wrong with the Note; "" if nothing is. Otherwise nothing counts until both begin anew: see Anew
}

// New returns the link of an end that meets another one.
func New(mine End) Link { return Link{mine: mine} }

// Anew makes both ends forget their counts, as if this one were another program, and they had not met before. It reports whether
// messages may be lost.
func (l *Link) Anew(mine End) (lost bool) {
	lost = l.out.confirmed < l.out.made
	*l = Link{mine: mine, in: receiver{others: l.in.others}}
	return lost
}

// Counts reports whether the other end counts messages to it.
func (l *Link) Counts() bool { return l.met }

// Keeps reports whether all that the other end did not read counts. It is false until the first greeting is answered: messages before it
// may be unread.
func (l *Link) Keeps() bool { return l.met && l.out.greeted }

// Count returns the number of the last message that arrived.
func (l *Link) Count() uint64 { return l.in.count }

// Resumed reports whether messages go out as they are made.
func (l *Link) Resumed() bool { return l.out.resumed }

// Await stores the incarnation of the other end before a Note of it comes. Messages that are Put before that Note wait.
func (l *Link) Await(incarnation uint64) {
	if l.theirs == (End{}) {
		l.awaits = incarnation
	}
}

// Takes reports whether the caller has to Put the next message. If not, the message has no number, and the caller sends it at once. mayWait
// allows a message to wait for an awaited program. While messages wait, Takes returns true, so that the next one goes behind them.
func (l *Link) Takes(mayWait bool) bool { return l.met || l.Holds() || mayWait && l.awaits != 0 }

// Holds reports whether messages wait.
func (l *Link) Holds() bool { return l.out.made != l.out.confirmed }

// Waits reports whether messages to a program that counts are not sent before its count comes.
func (l *Link) Waits() bool { return l.Counts() && !l.out.resumed && l.Holds() }

// Put numbers and stores a message to the other end, which counts or is awaited. The caller sends say if it is not nil, and then the message
// if send is true.
func (l *Link) Put(now time.Duration, message []byte) (say *Note, send bool) {
	say = l.Greet(now)
	if l.out.made == l.out.confirmed {
		l.out.since = now
	}
	l.out.made++
	l.out.kept.add(message)
	return say, l.out.resumed
}

// Greet returns the greeting of a new connection, nil if the present one was greeted.
func (l *Link) Greet(now time.Duration) *Note {
	if l.out.open || !l.Counts() {
		return nil
	}
	return new(l.Note(now))
}

// Broke notes that the connection to the other end is gone. The next Note greets a new one, and is due in a period.
func (l *Link) Broke(now time.Duration) { l.out.open, l.out.resumed, l.out.since = false, false, now }

// Part notes that the two programs are apart: the other end is lost. All that comes meanwhile is for nobody. Both may meet again, with
// the same numbers: then the Note says that no connection is read, so that the other end greets anew.
func (l *Link) Part(now time.Duration) {
	l.Broke(now)
	l.in.over, l.in.also, l.in.reads, l.in.parted = netip.AddrPort{}, netip.AddrPort{}, false, true
}

// Void gives up the unacknowledged messages for which is returns true. They are not sent again, and do not count as lost.
func (l *Link) Void(is func(message []byte) bool) { l.out.kept.mark(is) }

// Octets returns how many octets of messages are kept.
func (l *Link) Octets() int { return l.out.kept.used() }

// Owns notes whether the other end counts over a connection.
func (l *Link) Owns(over netip.AddrPort, owns bool) {
	if i := slices.Index(l.own, over); i >= 0 {
		l.own = slices.Delete(l.own, i, i+1)
	}
	if owns {
		l.own = append(l.own[max(0, len(l.own)+1-mostOthers):], over)
	}
}

// Owned reports whether it does.
func (l *Link) Owned(over netip.AddrPort) bool { return slices.Contains(l.own, over) }

// Told reports whether a Note went to the other end.
func (l *Link) Told() bool { return l.told }

// Note returns what there is to tell. It is to be sent. A greeting that was not answered may have been read by nobody, with the messages
// behind it: then this one greets anew.
func (l *Link) Note(now time.Duration) Note {
	l.told = true
	if l.out.open && l.out.resumed && !l.out.answered && l.out.made != l.out.confirmed {
		l.out.open = false
	}
	if !l.out.open && l.Counts() {
		l.out.open, l.out.answered, l.out.since = true, false, now
		l.out.resumed = l.out.confirmed == l.out.made // or the count is awaited
		l.out.connection++
	}
	l.in.said, l.in.octets = l.in.count, 0
	n := Note{Mine: l.mine, Yours: l.theirs, Connection: l.out.connection, Count: l.in.count}
	if l.in.over.IsValid() {
		n.Read = l.in.connection
	}
	if l.out.resumed {
		n.Next = l.out.made + 1
	}
	return n
}

// Take handles a Note that came over a connection.
func (l *Link) Take(now time.Duration, n Note, over netip.AddrPort) (fx Effects) {
	late := n.Mine.Incarnation == l.theirs.Incarnation && n.Mine.Meeting < l.theirs.Meeting
	switch {
	case n.Mine.Incarnation == 0 || n.Next > highest:
		return Effects{Wrong: "no program counts like this"}
	case n.Connection == 0:
		l.in.speaks(over)
	case late || n.Yours != l.mine:
		l.in.counts(over)
	}
	switch {
	case l.Counts() && n.Mine.Incarnation != l.theirs.Incarnation: // one of the two is late, and who is there answers a new End
		return Effects{Wrong: "it is from another program than before"}
	case late:
		return Effects{} // they met anew since
	case n.Mine != l.theirs:
		if l.awaits != n.Mine.Incarnation {
			fx.Lost = l.out.confirmed < l.out.made // nothing of before is for it
			l.out = sender{}
		}
		l.theirs, l.met, l.awaits, l.in = n.Mine, false, 0, receiver{others: l.in.others}
	}
	if n.Yours != l.mine {
		fx.Say = new(l.Note(now))
		return fx
	}
	if !l.met {
		l.met = true
		fx.Say = l.Greet(now)
	}
	switch {
	case n.Connection < l.in.connection, n.Connection == l.in.connection && over != l.in.over:
		return fx // it is of a connection that broke
	}
	greeting, waited := n.Connection > l.in.connection, !l.out.resumed
	if greeting {
		l.Owns(over, true)
	}
	fx.Wrong = l.in.take(&n, over)
	switch {
	case fx.Wrong != "" || !l.out.open:
	case n.Read == l.out.connection:
		l.out.take(n.Count, &fx)
	case n.Read < l.out.connection && l.out.answered: // it read this connection, and parted since
		l.Broke(now)
		fx.Say = l.Greet(now)
		return fx
	}
	if greeting || waited && l.out.resumed {
		fx.Say = new(l.Note(now))
		fx.Say.Next -= min(fx.Say.Next, uint64(len(fx.Again)))
	}
	return fx
}

// take notes which message comes next on a connection, and returns what is wrong with that.
func (in *receiver) take(n *Note, over netip.AddrPort) (wrong string) {
	if n.Connection > in.connection {
		*in = receiver{connection: n.Connection, over: over, count: in.count, said: in.said, octets: in.octets, since: in.since}
	}
	switch {
	case n.Next == 0:
	case n.Next <= in.count:
		in.reads = false // or a message would come twice
		return "it begins with a message that arrived before"
	case in.reads && n.Next > in.count+1:
		return "messages before it are missing"
	default:
		in.count, in.reads = n.Next-1, true
	}
	return ""
}

// take notes how many messages arrived, and sends the others again if they are awaited.
func (s *sender) take(count uint64, fx *Effects) {
	if count > s.made {
		fx.Wrong = "it counts more messages than were sent"
		return
	}
	fx.Renewed, s.answered, s.greeted = true, true, true
	if count > s.confirmed {
		s.confirmed = count
		s.kept.trim(int(min(s.made-count, uint64(s.kept.len()))))
		s.void = 0 // these were before it
	}
	if s.resumed {
		return
	}
	if count < s.confirmed {
		fx.Wrong = "it counts fewer messages than before"
		return
	}
	s.void += uint64(s.kept.pack())
	fx.Lost = fx.Lost || s.made-s.confirmed > uint64(s.kept.len())+s.void
	fx.Again = s.kept.all()
	s.resumed = true
}

// Arrived counts a message that came over a connection. It reports whether it is to be read: what is not comes again.
func (l *Link) Arrived(now time.Duration, over netip.AddrPort, octets int) bool {
	switch in := &l.in; {
	case slices.Contains(in.others, over):
		return false
	case in.connection == 0 && !in.parted || over == in.also:
		return true // it does not count
	case over != in.over || !in.reads:
		return false
	default:
		if in.count == in.said {
			in.since = now
		}
		in.count++
		in.octets += octets
		return true
	}
}

// Uncounted notes that messages over a connection do not count.
func (l *Link) Uncounted(over netip.AddrPort) {
	l.in.speaks(over)
	if over != l.in.over {
		l.in.also = over
	}
}

// speaks notes that what comes over a connection from now on is for no other program.
func (in *receiver) speaks(over netip.AddrPort) {
	in.others = slices.DeleteFunc(in.others, func(x netip.AddrPort) bool { return x == over })
}

// counts notes that what comes over a connection from now on counts for another program.
func (in *receiver) counts(over netip.AddrPort) {
	in.speaks(over)
	in.others = append(in.others[max(0, len(in.others)+1-mostOthers):], over)
}

// Due returns the Note that is due, nil if none is: a count, at the latest a period after a message, and a greeting that was not
// answered.
func (l *Link) Due(now, period time.Duration) *Note {
	switch {
	case now >= l.greetingDue(period):
		if l.out.since = now; !l.out.resumed {
			l.Broke(now)
		}
	case l.in.octets < Often && now < l.countDue(period):
		return nil
	}
	return new(l.Note(now)) // which is both
}

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// Next returns when a Note is due.
func (l *Link) Next(period time.Duration) time.Duration {
	return min(l.countDue(period), l.greetingDue(period))
}

func (l *Link) countDue(period time.Duration) time.Duration {
	if l.in.count == l.in.said {
		return never
	}
	return l.in.since + period
}

func (l *Link) greetingDue(period time.Duration) time.Duration {
	if !l.met || l.out.resumed && l.out.answered || l.out.made == l.out.confirmed {
		return never
	}
	return l.out.since + period
}
