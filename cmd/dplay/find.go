package main

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
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/probe"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// find looks for the session to join. Full ones and such are asked for, too: their hosts can then say why they let
// nobody in.
func (f *joinFlags) find(ctx context.Context, p *playing) (sock.Found, error) {
	hosts, err := cli.LookUp(ctx, f.host)
	switch {
	case err != nil && ctx.Err() == nil && !strings.ContainsAny(f.host, ".:/"):
		return sock.Found{}, fmt.Errorf("%w. If it is to be a CODE: that has 36 letters or more", err)
	case err != nil:
		return sock.Found{}, err
	}
	ask := sock.Ask{Application: f.app.GUID, Flags: cli.EnumFlags(true), Password: cli.Typed(f.password), Hosts: hosts}
	at, err := f.pick(ctx, func(ctx context.Context) iter.Seq2[sock.Found, error] { return p.search(ctx, ask) }, func(s sock.Found) { p.print(s) })
	if (err == errSilent || err == errNobody) && p.nonsense != nil { //nolint:errorlint // as choose returns them
		err = fmt.Errorf("%w; %w", err, answeredNonsense(p.nonsense))
	}
	return at, err
}

// pick takes the session to join from what a search finds. A session named by GUID ends the search at once.
func (f *joinFlags) pick(ctx context.Context, search func(context.Context) iter.Seq2[sock.Found, error], tell func(sock.Found)) (sock.Found, error) {
	looking, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	_, exact := wire.ParseGUID(f.session)
	var found, wrong []sock.Found
	for s, err := range search(looking) {
		if err != nil {
			return sock.Found{}, err
		}
		same := func(o sock.Found) bool { return o.Desc.Instance == s.Desc.Instance }
		if slices.ContainsFunc(found, same) || slices.ContainsFunc(wrong, same) || len(found)+len(wrong) >= cli.MaxFound {
			continue
		}
		tell(s)
		switch {
		case !f.matches(&s):
			wrong = append(wrong, s)
			continue
		case exact == nil:
			return s, nil
		case len(found) == 0:
			time.AfterFunc(cli.Others, cancel)
		}
		found = append(found, s)
	}
	if ctx.Err() != nil {
		return sock.Found{}, ctx.Err()
	}
	return f.choose(found, wrong)
}

// search is Enumerate that prints what happens meanwhile. An answer of an asked host that does not decode ends it at once,
// unless there was one that does: there may be several sessions.
func (p *playing) search(ctx context.Context, ask sock.Ask) iter.Seq2[sock.Found, error] {
	return func(yield func(sock.Found, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		answers := p.answers(ctx, ask)
		for any := false; ; {
			select {
			case a, more := <-answers:
				if !more || !yield(a.found, a.err) {
					return
				}
				any = true
			case e, more := <-p.session.Events():
				if !more {
					yield(sock.Found{}, sock.ErrClosed)
					return
				}
				p.print(e)
				if err := p.happened(ctx, e); err != nil {
					yield(sock.Found{}, err)
					return
				}
				if p.isNonsense(e, ask.Hosts) && len(ask.Hosts) > 0 && !any {
					yield(sock.Found{}, answeredNonsense(p.nonsense))
					return
				}
			}
		}
	}
}

// An answered is what a search yields.
type answered struct {
	found sock.Found
	err   error
}

// answers searches until the context ends.
func (p *playing) answers(ctx context.Context, ask sock.Ask) <-chan answered {
	all := make(chan answered)
	go func() {
		defer close(all)
		for found, err := range p.session.Enumerate(ctx, ask) {
			select {
			case all <- answered{found, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return all
}

// isNonsense reports whether an event tells of an answer that does not decode, of one of the hosts that were asked, or of
// anybody if everybody was. The first one is kept.
func (p *playing) isNonsense(e dpsp.Event, hosts []netip.Addr) bool {
	d, ok := e.(dpsp.Dropped)
	if !ok || d.Reason != dpsp.Malformed || len(hosts) > 0 && !slices.Contains(hosts, d.From.Addr().Unmap()) {
		return false
	}
	if p.nonsense == nil {
		p.nonsense = &d
	}
	return true
}

// answeredNonsense says what is wrong with an answer.
func answeredNonsense(d *dpsp.Dropped) error {
	return fmt.Errorf("%s answers what makes no sense: %s: %s", d.From.Addr(), captures.Printable(d.Text), recordIt)
}

// choose takes the only session, or the only one that takes newcomers.
func (f *joinFlags) choose(found, wrong []sock.Found) (sock.Found, error) {
	open := slices.DeleteFunc(slices.Clone(found), func(s sock.Found) bool { return !cli.TakesNewcomers(&s.Desc) })
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(open) == 1:
		return open[0], nil
	case len(found) > 1:
		return sock.Found{}, fmt.Errorf("which session? --session GUID tells: %s", sessionNames(found))
	case len(wrong) > 0 && f.session == "":
		return sock.Found{}, fmt.Errorf("there is no session of this game, but of others: %s", sessionNames(wrong))
	case len(wrong) > 0:
		return sock.Found{}, fmt.Errorf("there is no session %q, but %s", f.session, sessionNames(wrong))
	case f.host != "":
		return sock.Found{}, errSilent
	}
	return sock.Found{}, errNobody
}

// errNobody says that nobody answered who heard the search.
var errNobody = errors.New("nobody on the network hosts such a session: \"dplay doctor --live\" looks for what stands in the way")

// errSilent says that the host that was asked did not answer; why is found out once the session's ports are free again.
var errSilent = errors.New("the host does not answer")

// why finds out why there is no session, where that does not show from the error.
func (f *joinFlags) why(ctx context.Context, p *playing, err error) error {
	if ctx.Err() != nil {
		return err
	}
	ask := probe.Options{App: f.app.GUID, Bind: f.bind.Addr, Password: f.password, Text: f.text, Timeout: min(f.timeout, longestWhy),
		Session: p.bridged != nil}
	ask.TCP, ask.UDP = f.listening.Of(f.app.GUID)
	switch {
	case errors.Is(err, errSilent) && p.nonsense == nil:
		return ask.Why(ctx, f.host)
	case err == errNobody && bridging.Here(ctx) != "": //nolint:errorlint // a wrapped one knows more
		return errors.New("nobody hosts such a session, neither on the network nor in the session of the bridge on this machine: " +
			"\"dplay doctor --live\" looks for what stands in the way")
	case f.joining != nil && (err == dpsp.ErrTimeout || errors.Is(err, dpsp.ErrUnreachable)): //nolint:errorlint // a wrapped one knows more
		return ask.WhyNotIn(ctx, f.joining, f.host)
	}
	return err
}

func sessionNames(all []sock.Found) string {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q %s at %s", captures.Shown(s.Name), s.Desc.Instance, s.Host)
	}
	return b.String()
}
