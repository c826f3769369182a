// Package relaying is "dplay bridge relay": a relay that runs until it is told to end, and says what happens.
package relaying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge/relay"
	"dplay4/dpsp/sock"
)

// Options say what relay is to run, and how it is shown.
type Options struct {
	Config            relay.Config // but for what the files and the network cards say
	SecretFile        string
	CertFile, KeyFile string
	Metrics           string // where to serve them; "" for nowhere
	Grace, Length     time.Duration
	NDJSON            bool
	Until             *cli.Until // end once this event came; nil: there is none
}

// Run runs a relay until the context is done.
func Run(ctx context.Context, std cli.Streams, o Options) error {
	notes, err := o.prepare()
	if err != nil {
		return err
	}
	happened := make(chan relay.Event, 1024)
	if o.NDJSON || o.Until != nil {
		o.Config.Tell = func(e relay.Event) { o.tell(happened, e) }
	}
	relay.SaveMemory()
	s, err := relay.Open(o.Config)
	if err != nil {
		return heldBy(err)
	}
	defer s.Close() //nolint:errcheck // it ends
	web, err := o.serveMetrics(s)
	if err != nil {
		return err
	}
	defer web.Close()
	if o.Length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Length)
		defer cancel()
	}
	r := &running{Options: &o, server: s, out: cli.NewOutput(std.Out), std: std, happened: happened}
	r.begin(web)
	r.notes(notes)
	r.watch(ctx)
	r.end()
	if r.out.Err != nil {
		return r.out.End()
	}
	return o.Until.Ended(nil)
}

// tell sends an event to watch. If there is no room for it, the metrics alone have it; but it ends the relay if Until is that event.
func (o *Options) tell(happened chan<- relay.Event, e relay.Event) {
	select {
	case happened <- e:
		return
	default:
	}
	if o.Until.Printed(nameOf(e)) {
		select {
		case happened <- e: // watch has emptied the channel, and may have looked at Until before
		default: // it has events to print, and then looks at Until
		}
	}
}

// A running is a relay that runs.
type running struct {
	*Options
	server   *relay.Server
	out      *cli.Output
	std      cli.Streams
	happened <-chan relay.Event
	told     map[relay.Reason]uint64 // refusals that the lines of the minutes before have told
	load     relay.Load              // that they have told
}

// watch says what happens, until the context is done or nobody reads any more.
func (r *running) watch(ctx context.Context) {
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	for r.out.Err == nil && !r.Until.Came() {
		select {
		case e := <-r.happened:
			r.add(nameOf(e), e)
		case <-minute.C:
			r.loaded()
			r.refusals()
		case <-ctx.Done():
			return
		}
	}
}

// end lets those who are there finish, for a while. A second interrupt ends that.
func (r *running) end() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, r.Grace)
	defer cancel()
	r.ending()
	empty := make(chan struct{})
	go func() {
		defer close(empty)
		r.server.Drain(ctx) //nolint:errcheck // it was told how many are left
	}()
	for waiting := true; waiting; {
		select {
		case e := <-r.happened:
			r.add(nameOf(e), e)
		case <-empty:
			waiting = false
		}
	}
	r.ended()
}

// prepare reads the files and looks at the network cards. The notes are for who begins the relay.
func (o *Options) prepare() (notes []string, err error) {
	if o.Config.Secret, notes, err = secret(o.SecretFile); err != nil {
		return nil, err
	}
	if at, err := netip.ParseAddrPort(o.Metrics); err == nil {
		if exposed := cli.Exposed("--metrics", at, "the metrics"); exposed != "" {
			notes = append(notes, exposed)
		}
	}
	if o.Config.TLSPort != 0 {
		if o.CertFile != "" {
			o.Config.Certificate, err = relay.Files(o.CertFile, o.KeyFile)
		} else {
			o.Config.Certificate, err = relay.SelfMade(o.Config.Public)
		}
		if err != nil {
			return nil, fmt.Errorf("the certificate for TLS: %w", err)
		}
	}
	own := sock.Addresses()
	if len(o.Config.Listen) == 0 {
		o.Config.Listen = listenAt(o.Config.Public, own)
	}
	return append(notes, aboutPublic(o.Config, own)...), nil
}

// heldBy says which program has the port that a relay needs.
func heldBy(err error) error {
	var l *relay.ListenError
	if !errors.As(err, &l) {
		return err
	}
	name := strings.ToUpper(l.Network)
	switch {
	case errors.Is(l.Err, syscall.EADDRINUSE) || errors.Is(l.Err, wsaAddressInUse):
		return fmt.Errorf("%s port %d of %s is held by %s: end it, or choose another port with --port or --tls-port",
			name, l.At.Port(), l.At.Addr(), cmp.Or(holder(name, l.At), "another program"))
	case errors.Is(l.Err, syscall.EADDRNOTAVAIL) || errors.Is(l.Err, wsaAddressNotAvailable):
		return fmt.Errorf("no card of this machine has %s: leave --listen away, and it listens at all", l.At.Addr())
	}
	return fmt.Errorf("%s port %d of %s: %w", name, l.At.Port(), l.At.Addr(), l.Err)
}

// Winsock's own error numbers, for which package syscall has others.
const (
	wsaAddressInUse        syscall.Errno = 10048
	wsaAddressNotAvailable syscall.Errno = 10049
)
