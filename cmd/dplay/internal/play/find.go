package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/probe"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// find looks for the session to join, and prints events meanwhile. If a named host answers first with a message that does not decode, the
// search ends at once.
func (f *Join) find(ctx context.Context, p *playing) (sock.Found, error) {
	wanted := &Wanted{App: f.App, Session: f.Session, Password: f.Password, Host: f.host, Timeout: f.Timeout}
	ask, err := wanted.Ask(ctx)
	if err != nil {
		if ctx.Err() == nil && !strings.ContainsAny(f.host, ".:/") {
			err = fmt.Errorf("%w. If it is to be a CODE: that has 36 letters or more", err)
		}
		return sock.Found{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	found, picked := make(chan sock.Found), make(chan pick, 1)
	go func() {
		at, err := wanted.Pick(ctx, p.session.Enumerate, ask, func(s sock.Found) {
			select {
			case found <- s:
			case <-ctx.Done():
			}
		})
		picked <- pick{at, err}
	}()
	for alone := len(ask.Hosts) > 0; ; {
		select {
		case one := <-picked:
			if (one.err == ErrSilent || one.err == errNobody) && p.nonsense != nil { //nolint:errorlint // as choose returns them
				one.err = fmt.Errorf("%s; %w", one.err, answeredNonsense(p.nonsense)) // why has nothing to add to it
			}
			return one.at, one.err
		case s := <-found:
			alone = false
			p.print(s)
		case e, more := <-p.session.Events():
			if !more {
				return sock.Found{}, sock.ErrClosed
			}
			if err := p.handle(ctx, e); err != nil {
				return sock.Found{}, err
			}
			if p.isNonsense(e, ask.Hosts) && alone {
				return sock.Found{}, answeredNonsense(p.nonsense)
			}
		}
	}
}

// A pick is what Wanted.Pick returned.
type pick struct {
	at  sock.Found
	err error
}

// isNonsense reports whether an event is about an answer that does not decode, from one of the hosts; without hosts, from any. It
// keeps the first one.
func (p *playing) isNonsense(e dpsp.Event, hosts []netip.Addr) bool {
	d, _ := e.(dpsp.Dropped)
	if d.Reason != dpsp.Malformed || len(hosts) > 0 && !slices.Contains(hosts, d.From.Addr().Unmap()) {
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
	case errors.Is(err, ErrSilent):
		return probe.New(ask).Why(ctx, f.host)
	case err == errNobody && bridging.Here(ctx) != "": //nolint:errorlint // a wrapped one knows more
		return errors.New("nobody hosts such a session, neither on the network nor in the session of the bridge on this machine: \"dplay doctor --live\" looks for what stands in the way")
	case f.joining != nil && (err == dpsp.ErrTimeout || errors.Is(err, dpsp.ErrUnreachable)): //nolint:errorlint // a wrapped one knows more
		return probe.New(ask).WhyNotIn(ctx, f.joining, f.host)
	}
	return err
}
