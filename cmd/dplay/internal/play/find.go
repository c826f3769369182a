package play

import (
	"cmp"
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
)

// find looks for the session to join. It also finds full and closed sessions, because their hosts then answer why they refuse.
func (f *Join) find(ctx context.Context, p *playing) (sock.Found, error) {
	hosts, err := cli.LookUp(ctx, f.host)
	if err != nil {
		if ctx.Err() == nil && !strings.ContainsAny(f.host, ".:/") {
			err = fmt.Errorf("%w. If it is to be a CODE: that has 36 letters or more", err)
		}
		return sock.Found{}, err
	}
	ask := sock.Ask{Application: f.App.GUID, Flags: cli.EnumFlags(true), Password: cli.Typed(f.Password), Hosts: hosts}
	at, err := f.wanted().Pick(ctx, func(ctx context.Context) iter.Seq2[sock.Found, error] { return p.search(ctx, ask) }, func(s sock.Found) { p.print(s) })
	if (err == ErrSilent || err == errNobody) && p.nonsense != nil { //nolint:errorlint // as choose returns them
		err = fmt.Errorf("%w; %w", err, answeredNonsense(p.nonsense))
	}
	return at, err
}

// wanted is the session that the flags name.
func (f *Join) wanted() *Wanted {
	return &Wanted{App: f.App, Session: f.Session, Host: f.host, Timeout: f.Timeout}
}

// search is Enumerate, and prints events meanwhile. If a named host answers first with a message that does not decode, the search
// ends at once.
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

// An answered is one result of a search.
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

// isNonsense reports whether an event is about an answer that does not decode, from one of the hosts; without hosts, from any. It
// keeps the first one.
func (p *playing) isNonsense(e dpsp.Event, hosts []netip.Addr) bool {
	d, ok := e.(dpsp.Dropped)
	if !ok || d.Reason != dpsp.Malformed || len(hosts) > 0 && !slices.Contains(hosts, d.From.Addr().Unmap()) {
		return false
	}
	p.nonsense = cmp.Or(p.nonsense, &d)
	return true
}

// answeredNonsense returns the error for an answer that does not decode.
func answeredNonsense(d *dpsp.Dropped) error {
	return fmt.Errorf("%s answers what makes no sense: %s: %s", d.From.Addr(), captures.Printable(d.Text), recordIt)
}

// LongestWhy bounds the time that each check of a silent host takes.
const LongestWhy = 2 * time.Second

// why asks the network why no session was found or joined, where the error does not have the reason.
func (f *Join) why(ctx context.Context, p *playing, err error) error {
	if ctx.Err() != nil {
		return err
	}
	ask := probe.Options{App: f.App.GUID, Bind: f.Bind.Addr, Password: f.Password, Text: f.Text, Timeout: min(f.Timeout, LongestWhy),
		Session: p.bridged.open != nil}
	ask.TCP, ask.UDP = f.listening()
	switch {
	case errors.Is(err, ErrSilent) && p.nonsense == nil:
		return ask.Why(ctx, f.host)
	case err == errNobody && bridging.Here(ctx) != "": //nolint:errorlint // a wrapped one knows more
		return errors.New("nobody hosts such a session, neither on the network nor in the session of the bridge on this machine: \"dplay doctor --live\" looks for what stands in the way")
	case f.joining != nil && (err == dpsp.ErrTimeout || errors.Is(err, dpsp.ErrUnreachable)): //nolint:errorlint // a wrapped one knows more
		return ask.WhyNotIn(ctx, f.joining, f.host)
	}
	return err
}
