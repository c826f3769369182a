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

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A sessionList is what was found, each session once however often and over however many networks it answered.
type sessionList struct {
	flags  *sessionsFlags
	out    *output
	found  map[wire.GUID]*listed
	ndjson ndjsonEvents
}

// A listed session was found.
type listed struct {
	sock.Found
	seen time.Time
}

// maxFound bounds the sessions that are remembered. More than a network has; who makes up more is left out.
const maxFound = 4096

func newSessionList(f *sessionsFlags, out *output) *sessionList {
	return &sessionList{flags: f, out: out, found: map[wire.GUID]*listed{}}
}

// add takes in an answer and says whether it is new, and whether something about it has changed.
func (l *sessionList) add(f sock.Found, now time.Time) (isNew, changed bool) {
	known := l.found[f.Desc.Instance]
	if known == nil {
		if len(l.found) >= maxFound {
			return false, false
		}
		l.found[f.Desc.Instance] = &listed{f, now}
		return true, false
	}
	known.seen = now
	// A host with several network cards answers over each, from another address: the first one stays.
	f.Host = known.Host
	// Pointers are garbage that differs from answer to answer.
	f.Desc.NamePointer, f.Desc.PasswordPointer = known.Desc.NamePointer, known.Desc.PasswordPointer
	changed = f != known.Found
	known.Found = f
	return false, changed
}

// sorted gives the sessions by name.
func (l *sessionList) sorted() []*listed {
	all := make([]*listed, 0, len(l.found))
	for _, s := range l.found {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *listed) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Desc.Instance[:], b.Desc.Instance[:]))
	})
	return all
}

// once asks until the time is over. Objects come as they are found, the table at the end.
func (l *sessionList) once(ctx context.Context, hosts []netip.Addr) error {
	ctx, cancel := context.WithTimeout(ctx, l.flags.timeout)
	defer cancel()
	text := l.flags.format.value == "text"
	err := sock.Enumerate(ctx, l.options(), l.flags.ask(hosts), func(f sock.Found) {
		if isNew, _ := l.add(f, time.Now()); isNew && !text {
			l.object(time.Now(), f, "session_found")
		}
		if l.out.err != nil {
			cancel()
		}
	})
	if text && len(l.found) > 0 {
		l.table()
	}
	return err
}

func (l *sessionList) options() sock.Options { return sock.Options{Bind: l.flags.bind.Addr} }

// goneAfter is how many times the user's patience a session may be silent until it is gone.
const goneAfter = 3

// watch asks until interrupted, and prints what comes, changes and goes.
func (l *sessionList) watch(ctx context.Context, cancel func(), hosts []netip.Addr) error {
	found := make(chan sock.Found)
	ended := make(chan error, 1)
	go func() {
		ended <- sock.Enumerate(ctx, l.options(), l.flags.ask(hosts), func(f sock.Found) {
			select {
			case found <- f:
			case <-ctx.Done():
			}
		})
	}()
	look := time.NewTicker(l.flags.timeout)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case f := <-found:
			isNew, changed := l.add(f, time.Now())
			if isNew || changed {
				l.line(time.Now(), l.found[f.Desc.Instance].Found, "session_found")
			}
		case now := <-look.C:
			for _, s := range l.sorted() {
				if now.Sub(s.seen) >= goneAfter*l.flags.timeout {
					delete(l.found, s.Desc.Instance)
					l.line(now, s.Found, "session_gone")
				}
			}
		}
		if l.out.err != nil {
			cancel()
		}
	}
}

// line prints one session of a watch.
func (l *sessionList) line(now time.Time, f sock.Found, event string) {
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
func (l *sessionList) object(now time.Time, f sock.Found, event string) {
	o := eventObject(f, nil)
	o.Event = event
	l.out.write(l.ndjson.object(l.out.buffer(), now, o)) //nolint:errcheck // the output keeps it
	l.out.flush()                                        //nolint:errcheck // likewise
}

// table prints what was found.
func (l *sessionList) table() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPLAYERS\tGAME\tFLAGS\tHOST\tSESSION")
	for _, s := range l.sorted() {
		players := fmt.Sprintf("%d of %d", s.Desc.CurrentPlayers, s.Desc.MaxPlayers)
		if s.Desc.MaxPlayers == 0 {
			players = fmt.Sprint(s.Desc.CurrentPlayers)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", printable(s.Name), players, appText(s.Desc.Application), flagsColumn(&s.Desc), s.Host, s.Desc.Instance)
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
