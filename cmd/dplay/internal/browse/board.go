package browse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/wire"
)

// A board is what there is at the moment, for those who look at it again and again: the table, and the web server. It
// may be used by several goroutines.
type board struct {
	opt   *Options
	mu    sync.Mutex
	list  *sessionList
	began time.Time
	last  time.Time // of the last answer; began: none came
	wrong []string  // what does not work while the rest goes on
}

// maxWrong bounds what a board remembers of that.
const maxWrong = 8

func newBoard(opt *Options, now time.Time) *board {
	return &board{opt: opt, list: newSessionList(opt, nil), began: now, last: now}
}

// run asks until ctx ends.
func (b *board) run(ctx context.Context) error {
	return b.opt.enumerate(ctx, rhythm, b.take, b.warn)
}

func (b *board) take(a answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last = a.at
	b.opt.Until.Printed(b.list.add(a).event())
}

func (b *board) warn(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text := captures.Printable(err.Error()); len(b.wrong) < maxWrong && !slices.Contains(b.wrong, text) {
		b.wrong = append(b.wrong, text)
	}
}

// A picture is a board as it was at a time.
type picture struct {
	rows   []row     // by name
	moved  []string  // one text for each session whose host is elsewhere since a moment ago
	wrong  []string  // one text for each thing that does not work
	silent int       // hosts that were asked one by one and do not answer
	last   time.Time // of the last answer, or when the search began
}

// A row is a session of a picture.
type row struct {
	answer
	gone bool // it has not answered for long, and will not be in the next pictures
}

// here returns the sessions that are not gone.
func (p *picture) here() []row {
	return slices.DeleteFunc(slices.Clone(p.rows), func(r row) bool { return r.gone })
}

// look returns the board as it is now. A session that has not answered for its time is shown as gone for one round, and is
// forgotten then.
func (b *board) look(now time.Time) picture {
	b.mu.Lock()
	defer b.mu.Unlock()
	patience, round := b.opt.patience(), b.opt.round()
	var p picture
	for _, s := range b.list.sorted() {
		silence := now.Sub(s.at)
		if silence >= patience+round {
			b.list.lose(s)
			b.opt.Until.Printed(goneName)
			continue
		}
		p.rows = append(p.rows, row{*s, silence >= patience})
		if s.justMoved(now) {
			p.moved = append(p.moved, fmt.Sprintf("%q is at %s now, not %s any more", captures.Shown(s.Name), s.Host, s.oldHost))
		}
	}
	p.wrong, p.last = slices.Clone(b.wrong), b.last
	if now.Sub(b.began) < b.opt.round() {
		return p
	}
	// Who answers late is not silent: those who never did have had a round, the others have their patience.
	since := now.Add(-patience)
	if since.Before(b.began) {
		since = time.Time{}
	}
	if names := b.list.silent(since); len(names) > 0 {
		p.silent = len(names)
		p.wrong = append(p.wrong, quiet(names))
	} else if len(b.opt.hosts) == 0 && len(p.rows) == 0 {
		p.wrong = append(p.wrong,
			fmt.Sprintf("nobody answers yet; a firewall must let in TCP port %d here, and UDP port %d at the host",
				b.opt.Ports.First, wire.EnumPort))
	}
	return p
}

// movedFor is how long those who look again and again are told that a host is elsewhere.
const movedFor = time.Minute

// justMoved reports whether the session's host is elsewhere since a moment ago. moved is the zero time, long ago, if it never moved.
func (s *answer) justMoved(now time.Time) bool { return now.Sub(s.moved) < movedFor }

// quiet says which hosts do not answer.
func quiet(names []string) string {
	if len(names) == 1 {
		return captures.Printable(names[0]) + " does not answer: is a session open there, and UDP and TCP port 47624?"
	}
	return captures.Printable(strings.Join(names, ", ")) + " do not answer: are sessions open there, and UDP and TCP port 47624?"
}

// subject says whom a board asks about what.
func (b *board) subject() string {
	text := "Sessions"
	if app := b.opt.App; app.Given() {
		text += " of " + events.AppText(app.GUID)
	}
	switch {
	case len(b.opt.hosts) > 0:
		names := make([]string, len(b.opt.hosts))
		for i, h := range b.opt.hosts {
			names[i] = h.name
		}
		return text + " at " + captures.Printable(strings.Join(names, ", "))
	case b.opt.AllCards:
		return text + " on the networks of all interfaces"
	case b.opt.Bind.IsValid():
		return text + " on the network of " + b.opt.Bind.String()
	}
	return text + " on the network"
}

// hasPassword reports whether a session asks for one.
func hasPassword(d *wire.SessionDesc) bool { return d.Flags&wire.SessionPasswordRequired != 0 }
