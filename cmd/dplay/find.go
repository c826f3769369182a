package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// others is how long to wait for other sessions after one was found, to know whether it is the only one.
const others = 300 * time.Millisecond

// find looks for the session to join. Full ones and such are asked for, too: their hosts can then say why they let
// nobody in.
func (f *joinFlags) find(ctx context.Context, p *playing) (sock.Found, error) {
	hosts, err := lookUp(ctx, f.host)
	if err != nil {
		return sock.Found{}, err
	}
	looking, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	_, exact := wire.ParseGUID(f.session)
	var found, wrong []sock.Found
	ask := sock.Ask{Application: f.app.guid, Flags: enumFlags(true), Password: f.password, Hosts: hosts}
	err = sock.Enumerate(looking, f.options(p.rec), ask, func(s sock.Found) {
		same := func(o sock.Found) bool { return o.Desc.Instance == s.Desc.Instance }
		if slices.ContainsFunc(found, same) || slices.ContainsFunc(wrong, same) || len(found)+len(wrong) >= maxFound {
			return
		}
		p.print(s)
		switch {
		case !f.matches(&s):
			wrong = append(wrong, s)
			return
		case exact == nil:
			cancel()
		case len(found) == 0:
			time.AfterFunc(others, cancel)
		}
		found = append(found, s)
	})
	switch {
	case err != nil:
		return sock.Found{}, err
	case ctx.Err() != nil:
		return sock.Found{}, ctx.Err()
	}
	return f.choose(found, wrong)
}

// choose takes the only session, or the only one that takes newcomers.
func (f *joinFlags) choose(found, wrong []sock.Found) (sock.Found, error) {
	open := slices.DeleteFunc(slices.Clone(found), func(s sock.Found) bool { return !takesNewcomers(&s.Desc) })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(open) == 1:
		return open[0], nil
	case len(found) > 1:
		return sock.Found{}, fmt.Errorf("which session? --session GUID tells: %s", sessionNames(found))
	case len(wrong) > 0:
		return sock.Found{}, fmt.Errorf("there is no session %q, but %s", f.session, sessionNames(wrong))
	case f.host != "":
		return sock.Found{}, silent(f.host)
	}
	return sock.Found{}, errors.New("nobody on the network hosts such a session")
}

// takesNewcomers says whether a session's description promises that one can join.
func takesNewcomers(d *wire.SessionDesc) bool {
	return d.Flags&(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled) == 0 && (d.MaxPlayers == 0 || d.CurrentPlayers < d.MaxPlayers)
}

func sessionNames(all []sock.Found) string {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q %s at %s", printable(s.Name), s.Desc.Instance, s.Host)
	}
	return b.String()
}
