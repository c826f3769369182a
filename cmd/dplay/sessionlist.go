package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dplay4/wire"
)

// A sessionList is what was found, each session once however often and over however many networks it answered.
type sessionList struct {
	flags  *sessionsFlags
	out    *output
	found  map[wire.GUID]*answer    // the last answer of each
	heard  map[netip.Addr]time.Time // when each of the hosts that were asked answered last
	others bool                     // somebody answered who was not asked at that address
}

// maxFound bounds the sessions that are remembered. More than a network has; who makes up more is left out.
const maxFound = 4096

func newSessionList(f *sessionsFlags, out *output, hosts []asked) *sessionList {
	l := &sessionList{flags: f, out: out, found: map[wire.GUID]*answer{}, heard: map[netip.Addr]time.Time{}}
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
		if len(l.found) >= maxFound {
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

// silent gives the hosts that were asked and have not answered since a time. Where answers come from addresses that
// nobody asked, as behind some routers, it is not known whose they are, and nobody is blamed.
func (l *sessionList) silent(hosts []asked, since time.Time) (names []string) {
	for _, h := range hosts {
		if !l.others && !l.heard[h.addr].After(since) {
			names = append(names, h.name)
		}
	}
	return names
}

// sorted gives the sessions by name.
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
	ctx, cancel := context.WithTimeout(ctx, l.flags.timeout)
	defer cancel()
	text := l.flags.format.value == "text"
	err := l.flags.enumerate(ctx, hosts, false, func(a answer) {
		if isNew, _ := l.add(a); isNew && !text {
			l.object(a.at, &a, "session_found")
		}
		if l.out.err != nil {
			cancel()
		}
	}, l.flags.warn)
	if text && len(l.found) > 0 {
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
		ended <- l.flags.enumerate(ctx, hosts, true, func(a answer) {
			select {
			case found <- a:
			case <-ctx.Done():
			}
		}, l.flags.warn)
	}()
	look := time.NewTicker(min(l.flags.timeout, rhythm))
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
				if now.Sub(s.at) >= l.flags.patience() {
					delete(l.found, s.Desc.Instance)
					l.line(now, s, "session_gone")
				}
			}
		}
		if l.out.err != nil {
			cancel()
		}
	}
}

// line prints one session of a watch.
func (l *sessionList) line(now time.Time, f *answer, event string) {
	if l.flags.format.value != "text" {
		l.object(now, f, event)
		return
	}
	sign := "+"
	if event == "session_gone" {
		sign = "-"
	}
	l.out.write(fmt.Appendf(l.out.buffer(), "%s %q, %s, %s, %s, at %s, session %s\n", sign, printable(f.Name), playersText(&f.Desc), //nolint:errcheck // the output keeps it
		appText(f.Desc.Application), flagsText(&f.Desc), f.Host, f.Desc.Instance))
	l.out.flush() //nolint:errcheck // likewise
}

// object prints one session as JSON.
func (l *sessionList) object(now time.Time, f *answer, event string) {
	l.out.write(appendJSON(l.out.buffer(), describeAnswer(now, f, event))) //nolint:errcheck // the output keeps it
	l.out.flush()                                                          //nolint:errcheck // likewise
}

// table prints what was found.
func (l *sessionList) table() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPLAYERS\tGAME\tFLAGS\tHOST\tSESSION")
	for _, s := range l.sorted() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(s.Name), playersColumn(&s.Desc), appText(s.Desc.Application), flagsColumn(&s.Desc), s.Host, s.Desc.Instance)
	}
	w.Flush()                       //nolint:errcheck // a Builder cannot fail
	l.out.write([]byte(b.String())) //nolint:errcheck // the output keeps it
	l.out.flush()                   //nolint:errcheck // likewise
}

func flagsColumn(d *wire.SessionDesc) string {
	if d.Flags == 0 {
		return "-"
	}
	return flagsText(d)
}
