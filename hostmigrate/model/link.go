package model

import (
	"errors"
	"fmt"
	"slices"
)

// Rules of guaranteed messages between two programs, which [Links] can take out.
const (
	Counts     Rule = "counts"      // who dials again asks how many messages arrived
	ThisCount  Rule = "this count"  // a count answers one connection, and no later one
	Keeps      Rule = "keeps"       // what is not known to have arrived is kept, and sent again
	NewestLink Rule = "newest link" // after the greeting of a connection those before it are not read
	BothNamed  Rule = "both named"  // a greeting names both incarnations: nothing is for who was there before
	Survives   Rule = "survives"    // a loss and a view change leave the count as it is
	Reports    Rule = "reports"     // what is not kept any more is reported as lost
)

// LinkRules returns all rules of guaranteed messages.
func LinkRules() []Rule {
	return []Rule{Counts, ThisCount, Keeps, NewestLink, BothNamed, Survives, Reports}
}

const (
	links    = 4 // connections, at most
	onLink   = 8 // messages on one connection
	resumeAt = 64
)

// A LinkOptions says what can happen between two programs.
type LinkOptions struct {
	Messages, Breaks, Restarts, Losses int8
	Kept                               int8 // how many messages the sender keeps
	Without                            Rule
}

// A pipe is one connection: in order, and broken at any time.
type pipe struct {
	inc    int8 // the receiver that the greeting names
	items  [onLink]int8
	n      int8 // written
	read   int8 // 0: the greeting is not read yet
	closed bool // by the receiver
}

// A line is a sender, a receiver, and what is between them.
type line struct {
	// The sender.
	made      int8 // by its program
	to        int8 // the receiver's incarnation
	since     int8 // messages up to this one are not for it
	dialled   int8
	open      bool
	resumed   bool // it knows what arrived
	confirmed int8
	reported  int8 // up to this one it has told its program that messages may be lost

	// The receiver.
	inc    int8
	newest int8 // the connection that it reads
	count  int8 // the number of the last message
	member bool // the sender is in its list
	got    int8 // the truth: the last message that its program got
	born   int8 // the truth: how many had been made when it began

	pipes    [links]pipe
	counts   uint64 // all that were ever said: connection, incarnation, count
	breaks   int8
	restarts int8
	losses   int8
	bad      bool
}

func countBit(conn, inc, count int8) int { return int(conn*16 + (inc-1)*8 + count) }

type linked struct{ LinkOptions }

func (w *linked) on(r Rule) bool { return w.Without != r }

// lowest returns the first message that the sender still has.
func (w *linked) lowest(l *line) int8 {
	if !w.on(Keeps) {
		return l.made + 1
	}
	return max(l.confirmed, l.since, l.made-w.Kept) + 1
}

func (l *line) write(item int8) {
	p := &l.pipes[l.dialled-1]
	if p.n < onLink {
		p.items[p.n] = item
		p.n++
	}
}

// resume sends what did not arrive over the new connection.
func (w *linked) resume(l *line, arrived int8) {
	l.resumed = true
	from := max(arrived, l.since) + 1
	if first := w.lowest(l); first > from {
		if w.on(Reports) {
			l.reported = first - 1
		}
		l.bad = l.bad || first-1 > l.made-w.Kept // lost, though there was room to keep it
		from = first
	}
	l.write(resumeAt + from)
	for n := from; n <= l.made; n++ {
		l.write(n)
	}
}

// dial opens a connection, and greets.
func (w *linked) dial(l *line) {
	l.dialled++
	l.open, l.resumed = true, false
	l.pipes[l.dialled-1] = pipe{inc: l.to}
	switch {
	case l.dialled == 1:
		w.resume(l, l.since)
	case !w.on(Counts):
		w.resume(l, l.made) // it takes all for arrived
	}
}

// counted takes what the receiver says of a connection.
func (w *linked) counted(l *line, conn, inc, count int8) {
	if !l.open || conn != l.dialled && w.on(ThisCount) {
		return
	}
	switch {
	case inc != l.to && w.on(BothNamed):
		if inc > l.to { // another program: nothing of before is for it
			l.to, l.since, l.confirmed, l.open = inc, l.made, l.made, false
		}
	case !l.resumed:
		w.resume(l, count)
	default:
		l.confirmed = max(l.confirmed, count)
	}
}

// readNext has the receiver read one thing from a connection.
func (w *linked) readNext(l *line, conn int8) {
	p := &l.pipes[conn-1]
	if p.read == 0 {
		p.read = 1
		if conn < l.newest && w.on(NewestLink) {
			p.closed = true
			return
		}
		l.newest = max(l.newest, conn)
		l.counts |= 1 << countBit(conn, l.inc, l.count)
		if p.inc != l.inc && w.on(BothNamed) {
			p.closed = true
		}
		return
	}
	item := p.items[p.read-1]
	p.read++
	switch {
	case conn < l.newest && w.on(NewestLink):
	case item > resumeAt:
		l.count = item - resumeAt - 1
		told := l.reported
		if l.to == l.inc {
			told = max(told, l.since) // what was before is not for it
		}
		if l.count <= told {
			l.got = max(l.got, l.count)
		}
	default:
		if item != l.got+1 || item <= l.born {
			l.bad = true
		}
		l.count, l.got = item, max(l.got, item)
		l.counts |= 1 << countBit(conn, l.inc, l.count)
	}
}

// after returns all states that can come next, with what happens.
func (w *linked) after(from line) (to []line, what []string) {
	add := func(text string, do func(l *line)) {
		l := from
		do(&l)
		to, what = append(to, l), append(what, text)
	}
	if from.made < w.Messages {
		add("the program sends a message", func(l *line) {
			l.made++
			if l.open && l.resumed {
				l.write(l.made)
			}
		})
	}
	if !from.open && from.dialled < links {
		add("it dials", w.dial)
	}
	if from.open && from.breaks < w.Breaks {
		p := from.pipes[from.dialled-1]
		for n := max(p.read-1, 0); n <= p.n; n++ {
			add(fmt.Sprintf("the connection breaks, after %d messages", n), func(l *line) {
				l.breaks++
				l.open = false
				l.pipes[l.dialled-1].n = n
			})
		}
	}
	for conn := int8(1); conn <= from.dialled; conn++ {
		if p := from.pipes[conn-1]; !p.closed && p.read <= p.n && from.member {
			add(fmt.Sprintf("the receiver reads on from connection %d", conn), func(l *line) { w.readNext(l, conn) })
		}
		for inc := int8(1); inc <= 2; inc++ {
			for count := range int8(8) {
				if from.counts&(1<<countBit(conn, inc, count)) != 0 {
					add(fmt.Sprintf("the sender hears that %d has %d, over connection %d", inc, count, conn),
						func(l *line) { w.counted(l, conn, inc, count) })
				}
			}
		}
	}
	closeAll := func(l *line) {
		for i := range l.pipes {
			l.pipes[i].closed = true
		}
		l.open = false
	}
	if from.restarts < w.Restarts {
		add("the receiver begins anew", func(l *line) {
			l.restarts++
			closeAll(l)
			l.inc++
			l.newest, l.count, l.member, l.got, l.born = l.dialled, 0, true, l.made, l.made
		})
	}
	if from.member && from.losses < w.Losses {
		add("the receiver loses the sender", func(l *line) {
			l.losses++
			closeAll(l)
			l.member = false
			if !w.on(Survives) {
				l.count = 0
			}
		})
	}
	if !from.member {
		add("the sender is a member again", func(l *line) { l.member = true })
	}
	return to, what
}

// fair reports whether all messages arrive, or are reported, once nothing breaks any more.
func (w *linked) fair(l line) bool {
	l.member = true
	for range 6 {
		if !l.open {
			if l.dialled == links {
				return true // the model has no more connections
			}
			w.dial(&l)
		}
		for p := &l.pipes[l.dialled-1]; !p.closed && p.read <= p.n; {
			w.readNext(&l, l.dialled)
			if l.bad {
				return true // which is another fault
			}
			w.counted(&l, l.dialled, l.inc, l.count)
		}
		w.counted(&l, l.dialled, l.inc, l.count)
	}
	return l.count == l.made && l.got >= l.made
}

// Links explores all that can happen between two programs. Its error is a *Fault if a guaranteed message is lost without a report,
// comes twice, comes out of order, or comes to a program for which it was not.
func Links(o LinkOptions) (states int, err error) {
	if o.Messages < 1 || o.Messages > 6 || o.Breaks < 0 || o.Restarts < 0 || o.Restarts > 1 || o.Losses < 0 || o.Kept < 1 {
		return 0, errors.New("there are 1 to 6 messages, at most one restart, and at least one message that is kept")
	}
	w := &linked{o}
	type step struct {
		from line
		what string
	}
	first := line{to: 1, inc: 1, member: true}
	seen := map[line]step{first: {}}
	path := func(l line) (texts []string) {
		for l != first {
			texts = append(texts, seen[l].what)
			l = seen[l].from
		}
		slices.Reverse(texts)
		return texts
	}
	level := []line{first}
	for len(level) > 0 {
		var next []line
		for _, l := range level {
			to, what := w.after(l)
			for i, n := range to {
				if _, known := seen[n]; known {
					continue
				}
				seen[n] = step{l, what[i]}
				if n.bad {
					return len(seen), &Fault{"a message came twice, out of order, after a lost one, or to a program for which it was not", path(n)}
				}
				if !w.fair(n) {
					return len(seen), &Fault{"a message is lost, and nobody is told", path(n)}
				}
				next = append(next, n)
			}
		}
		level = next
	}
	return len(seen), nil
}
