package browse

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/wire"
)

// A sessionList is what was found, each session once however often and over however many networks it answered.
type sessionList struct {
	opt    *Options
	out    *cli.Output
	found  map[wire.GUID]*answer    // the last answer of each
	heard  map[netip.Addr]time.Time // when each of the hosts that were asked answered last
	others bool                     // somebody answered who was not asked at that address
}

func newSessionList(opt *Options, out *cli.Output, hosts []asked) *sessionList {
	l := &sessionList{opt: opt, out: out, found: map[wire.GUID]*answer{}, heard: map[netip.Addr]time.Time{}}
	for _, h := range hosts {
		l.heard[h.addr] = time.Time{}
	}
	return l
}

// add takes in an answer and says whether it is new, and whether something about it has changed. Times change always,
// and do not count.
func (l *sessionList) add(a answer) (isNew, changed bool) {
	if _, asked := l.heard[a.from]; asked {
		l.heard[a.from] = a.at
	} else {
		l.others = true
	}
	known := l.found[a.Desc.Instance]
	if known == nil {
		if len(l.found) >= cli.MaxFound {
			return false, false
		}
		l.found[a.Desc.Instance] = &a
		return true, false
	}
	// A host with several network cards answers over each, from another address: the first one stays.
	a.Host, a.via = known.Host, known.via
	// Pointers are garbage that differs from answer to answer.
	a.Desc.NamePointer, a.Desc.PasswordPointer = known.Desc.NamePointer, known.Desc.PasswordPointer
	changed = a.Found != known.Found
	if a.trip == noTrip {
		a.trip = known.trip
	}
	*known = a
	return false, changed
}

// silent returns the hosts that were asked and have not answered since a time. Where answers come from addresses that
// nobody asked, as behind some routers, it is not known whose they are, and nobody is blamed.
func (l *sessionList) silent(hosts []asked, since time.Time) (names []string) {
	for _, h := range hosts {
		if !l.others && !l.heard[h.addr].After(since) {
			names = append(names, h.name)
		}
	}
	return names
}

// sorted returns the sessions by name.
func (l *sessionList) sorted() []*answer {
	all := make([]*answer, 0, len(l.found))
	for _, s := range l.found {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *answer) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Desc.Instance[:], b.Desc.Instance[:]))
	})
	return all
}

// once asks until the time is over. Objects come as they are found, the table at the end.
func (l *sessionList) once(ctx context.Context, hosts []asked) error {
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	err := l.opt.enumerate(ctx, hosts, false, func(a answer) {
		if isNew, _ := l.add(a); isNew && l.opt.NDJSON {
			l.object(a.at, &a, "session_found")
		}
		if l.out.Err != nil {
			cancel()
		}
	}, l.opt.warn)
	if !l.opt.NDJSON && len(l.found) > 0 {
		l.table()
	}
	return err
}

// goneAfter is how many rounds a session may be silent until it is gone.
const goneAfter = 3

// watch asks until interrupted, and prints what comes, changes and goes.
func (l *sessionList) watch(ctx context.Context, cancel func(), hosts []asked) error {
	found := make(chan answer)
	ended := make(chan error, 1)
	go func() {
		ended <- l.opt.enumerate(ctx, hosts, true, func(a answer) {
			select {
			case found <- a:
			case <-ctx.Done():
			}
		}, l.opt.warn)
	}()
	look := time.NewTicker(min(l.opt.Timeout, rhythm))
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case a := <-found:
			isNew, changed := l.add(a)
			if isNew || changed {
				l.line(a.at, l.found[a.Desc.Instance], "session_found")
			}
		case now := <-look.C:
			for _, s := range l.sorted() {
				if now.Sub(s.at) >= l.opt.patience() {
					delete(l.found, s.Desc.Instance)
					l.line(now, s, "session_gone")
				}
			}
		}
		if l.out.Err != nil {
			cancel()
		}
	}
}

// line prints one session of a watch.
func (l *sessionList) line(now time.Time, f *answer, event string) {
	if l.opt.NDJSON {
		l.object(now, f, event)
		return
	}
	sign := "+"
	if event == "session_gone" {
		sign = "-"
	}
	l.out.Add(fmt.Appendf(l.out.Buffer(), "%s %q, %s, %s, %s, at %s, session %s\n", sign, captures.Printable(f.Name),
		events.PlayersText(&f.Desc), events.AppText(f.Desc.Application), events.FlagsText(&f.Desc), f.Host, f.Desc.Instance))
	l.out.Flush()
}

// object prints one session as JSON.
func (l *sessionList) object(now time.Time, f *answer, event string) {
	l.out.Add(events.AppendJSON(l.out.Buffer(), describeAnswer(now, f, event)))
	l.out.Flush()
}

// table prints what was found.
func (l *sessionList) table() {
	w := tabwriter.NewWriter(l.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPLAYERS\tGAME\tFLAGS\tHOST\tSESSION")
	for _, s := range l.sorted() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", captures.Printable(s.Name), events.PlayersColumn(&s.Desc),
			events.AppText(s.Desc.Application), flagsColumn(&s.Desc), s.Host, s.Desc.Instance)
	}
	w.Flush() //nolint:errcheck // the output keeps it
	l.out.Flush()
}

func flagsColumn(d *wire.SessionDesc) string {
	if d.Flags == 0 {
		return "-"
	}
	return events.FlagsText(d)
}
