package play

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A Wanted is the session that a user looks for.
type Wanted struct {
	App      flags.App
	Session  string // its name or GUID; "": any
	Password string // of private sessions
	Host     string // "": anywhere on the network
	Timeout  time.Duration
}

// Ask looks up the host, and returns the search for the session. It also finds full and closed sessions, because their hosts then answer
// why they refuse.
func (f *Wanted) Ask(ctx context.Context) (sock.Ask, error) {
	ask := sock.Ask{Application: f.App.GUID, Flags: cli.EnumFlags(true), Password: cli.Typed(f.Password)}
	host, err := cli.LookUp(ctx, f.Host)
	if host.IsValid() {
		ask.Hosts = []netip.Addr{host}
	}
	return ask, err
}

// Pick returns the session to join among those that a search finds, and calls tell for each. A session named by GUID ends the search.
// search is the method Enumerate of a sock.Session, and ask what Ask returned.
func (f *Wanted) Pick(ctx context.Context, search func(context.Context, sock.Ask) iter.Seq2[sock.Found, error], ask sock.Ask,
	tell func(sock.Found)) (sock.Found, error) {
	looking, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	_, exact := wire.ParseGUID(f.Session)
	var seen []sock.Found
	for s, err := range search(looking, ask) {
		if err != nil {
			return sock.Found{}, err
		}
		same := func(o sock.Found) bool { return o.Desc.Instance == s.Desc.Instance }
		if slices.ContainsFunc(seen, same) || len(seen) >= cli.MaxFound {
			continue
		}
		tell(s)
		seen = append(seen, s)
		switch {
		case !f.matches(&s):
		case exact == nil:
			return s, nil
		default:
			time.AfterFunc(cli.Others, cancel) // the first one ends the search
		}
	}
	if ctx.Err() != nil {
		return sock.Found{}, ctx.Err()
	}
	return f.choose(seen)
}

// matches reports whether a session has the application and the name or GUID that are wanted.
func (f *Wanted) matches(s *sock.Found) bool {
	if f.App.Given() && s.Desc.Application != f.App.GUID { // to GUID_NULL every game answers
		return false
	}
	if g, err := wire.ParseGUID(f.Session); err == nil {
		return g == s.Desc.Instance
	}
	return f.Session == "" || strings.EqualFold(f.Session, s.Name)
}

// choose returns the only session that matches, or the only one of these that takes newcomers.
func (f *Wanted) choose(seen []sock.Found) (sock.Found, error) {
	found := slices.DeleteFunc(slices.Clone(seen), func(s sock.Found) bool { return !f.matches(&s) })
	open := slices.DeleteFunc(slices.Clone(found), func(s sock.Found) bool { return !cli.TakesNewcomers(&s.Desc) })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(open) == 1:
		return open[0], nil
	case len(found) > 1:
		return sock.Found{}, fmt.Errorf("which session? --session GUID tells: %s", sessionNames(found))
	case len(seen) > 0 && f.Session == "":
		return sock.Found{}, fmt.Errorf("there is no session of this game, but of others: %s", sessionNames(seen))
	case len(seen) > 0:
		return sock.Found{}, fmt.Errorf("there is no session %q, but %s", f.Session, sessionNames(seen))
	case f.Host != "":
		return sock.Found{}, ErrSilent
	}
	return sock.Found{}, errNobody
}

// errNobody is the error if nobody answers a broadcast.
var errNobody = errors.New("nobody on the network hosts such a session: \"dplay doctor --live\" looks for what stands in the way")

// ErrSilent is the error if a named host does not answer. The reason is looked for once the session's ports are free again.
var ErrSilent = errors.New("the host does not answer")

func sessionNames(all []sock.Found) string {
	var names []string
	for _, s := range all {
		names = append(names, fmt.Sprintf("%q %s at %s", captures.Shown(s.Name), s.Desc.Instance, s.Host))
	}
	return strings.Join(names, ", ")
}
