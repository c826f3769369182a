package browse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// A sessionList is what was found, each session once however often and over however many networks it answered.
type sessionList struct {
	opt    *Options
	out    *cli.Output
	found  map[wire.GUID]*answer        // the last answer of each
	gone   map[wire.GUID]netip.AddrPort // where those were that went away; they may come back elsewhere
	heard  map[netip.Addr]time.Time     // when each of the hosts that were asked answered last
	others bool                         // somebody answered who was not asked at that address
}

func newSessionList(opt *Options, out *cli.Output) *sessionList {
	l := &sessionList{opt: opt, out: out, found: map[wire.GUID]*answer{}, gone: map[wire.GUID]netip.AddrPort{},
		heard: map[netip.Addr]time.Time{}}
	for _, h := range opt.hosts {
		l.heard[h.addr] = time.Time{}
	}
	return l
}

// news is what an answer tells of a session.
type news int

const (
	nothing news = iota // times change always, and do not count
	found               // it is new
	changed             // its description is another one
	moved               // its host is at another address
)

// event returns the name of the event that tells the news; "" if none does.
func (n news) event() string {
	return [...]string{found: foundName, changed: foundName, moved: movedName}[n]
}

// add takes in an answer.
func (l *sessionList) add(a answer) news {
	if _, asked := l.heard[a.From]; asked {
		l.heard[a.From] = a.at
	} else {
		l.others = true
	}
	id := a.Desc.Instance
	a.hostAt = a.at
	known := l.found[id]
	if known == nil {
		if len(l.found) >= cli.MaxFound {
			return nothing
		}
		if old, was := l.gone[id]; was && old != a.Host {
			a.oldHost, a.moved = old, a.at
		}
		delete(l.gone, id)
		l.found[id] = &a
		return found
	}
	return known.update(a, l.opt.patience())
}

// update takes in a further answer of the session. A host with several network cards answers over each, from another
// address, and both halves of a session that is split have a host: of those the first one stays, and what the others
// say is not told, until it has been silent for so long that it is gone.
func (s *answer) update(a answer, patience time.Duration) news {
	// Pointers are garbage that differs from answer to answer.
	a.Desc.NamePointer, a.Desc.PasswordPointer = s.Desc.NamePointer, s.Desc.PasswordPointer
	what := nothing
	switch {
	case a.Host == s.Host:
		a.From, a.via, a.oldHost, a.moved, a.trip = s.From, s.via, s.oldHost, s.moved, cmp.Or(a.trip, s.trip)
		if a.Found != s.Found {
			what = changed
		}
	case a.at.Sub(s.hostAt) < patience:
		s.at = a.at
		return nothing
	default:
		what, a.oldHost, a.moved = moved, s.Host, a.at
	}
	*s = a
	return what
}

// lose forgets a session that is gone, but for where it was.
func (l *sessionList) lose(s *answer) {
	if len(l.gone) >= cli.MaxFound {
		clear(l.gone)
	}
	l.gone[s.Desc.Instance] = s.Host
	delete(l.found, s.Desc.Instance)
}

// silent returns the hosts that were asked and have not answered since a time. Where answers come from addresses that
// nobody asked, as behind some routers, it is not known whose they are, and nobody is blamed.
func (l *sessionList) silent(since time.Time) (names []string) {
	for _, h := range l.opt.hosts {
		if !l.others && !l.heard[h.addr].After(since) {
			names = append(names, h.name)
		}
	}
	return names
}

// sorted returns the sessions by name.
func (l *sessionList) sorted() []*answer {
	return slices.SortedFunc(maps.Values(l.found), func(a, b *answer) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Desc.Instance[:], b.Desc.Instance[:]))
	})
}

// once asks until the time is over. Objects come as they are found, the table at the end.
func (l *sessionList) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.opt.Timeout)
	defer cancel()
	err := l.opt.enumerate(ctx, 0, func(a answer) {
		if l.ended() {
			return
		}
		if l.add(a) == found {
			if l.opt.NDJSON {
				l.object(a.at, &a, foundName)
			}
			l.opt.Until.Printed(foundName)
		}
		if l.ended() {
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
func (l *sessionList) watch(ctx context.Context, cancel func()) error {
	answers := make(chan answer)
	ended := make(chan error, 1)
	go func() {
		ended <- l.opt.enumerate(ctx, rhythm, func(a answer) {
			select {
			case answers <- a:
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
		case a := <-answers:
			if event := l.add(a).event(); event != "" {
				l.line(a.at, l.found[a.Desc.Instance], event)
			}
		case now := <-look.C:
			for _, s := range l.sorted() {
				if now.Sub(s.at) >= l.opt.patience() {
					l.lose(s)
					l.line(now, s, goneName)
				}
			}
		}
		if l.ended() {
			cancel()
		}
	}
}

// ended reports whether nothing more is to be printed.
func (l *sessionList) ended() bool { return l.out.Err != nil || l.opt.Until.Came() }

// line prints one session of a watch.
func (l *sessionList) line(now time.Time, f *answer, event string) {
	if l.ended() {
		return
	}
	defer l.opt.Until.Printed(event)
	if l.opt.NDJSON {
		l.object(now, f, event)
		return
	}
	sign, where := map[string]string{foundName: "+", movedName: ">", goneName: "-"}[event], f.Host.String()
	if event == movedName {
		where += fmt.Sprintf(" now, not %s any more", f.oldHost)
	}
	l.out.Add(fmt.Appendf(l.out.Buffer(), "%s %q, %s, %s, %s, at %s, session %s\n", sign, captures.Shown(f.Name),
		events.PlayersText(&f.Desc), events.AppText(f.Desc.Application), events.FlagsText(&f.Desc), where, f.Desc.Instance))
	l.out.Flush()
}

// object prints one session as JSON.
func (l *sessionList) object(now time.Time, f *answer, event string) {
	l.out.Add(describeAnswer(l.out.Buffer(), now, f, event).End())
	l.out.Flush()
}

// table prints what was found.
func (l *sessionList) table() {
	w := tabwriter.NewWriter(l.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPLAYERS\tGAME\tFLAGS\tHOST\tSESSION")
	for _, s := range l.sorted() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", captures.Shown(s.Name), events.PlayersColumn(&s.Desc),
			events.AppText(s.Desc.Application), cmp.Or(cli.SessionFlagsText(s.Desc.Flags), "-"), s.Host, s.Desc.Instance)
	}
	w.Flush() //nolint:errcheck // the output keeps it
	l.out.Flush()
	l.tellUnknown()
}

// tellUnknown says how to type the games that have no name here, to who has not typed one.
func (l *sessionList) tellUnknown() {
	if !l.opt.App.GUID.IsZero() {
		return
	}
	told := map[wire.GUID]bool{{}: true} // GUID_NULL is of no game in particular
	for _, s := range l.sorted() {
		app := s.Desc.Application
		if told[app] || gamelist.Title(app) != "" {
			continue
		}
		told[app] = true
		l.opt.Std.Tell(fmt.Sprintf("the game of %q is none that \"dplay games\" lists: type it as --app %s, or give it a name in games.toml",
			captures.Shown(s.Name), app))
	}
}
