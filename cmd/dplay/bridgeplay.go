package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
	"dplay4/wire"
)

// A bridged is the bridge below a session of "dplay host --share" or "dplay join CODE". Nil: there is none.
type bridged struct {
	open    func(context.Context, bridge.Options) (*bridge.Session, error)
	options bridge.Options
	shared  bool
	session *bridge.Session
	events  <-chan bridge.Event // nil: none come any more
	stop    func()
}

// loopback is where the bridge stands for the other machines.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// machineName has the bridge call this machine as its player is called, if the user said how.
func (f *playFlags) machineName(set *pflag.FlagSet) string {
	if set.Changed("player") {
		return f.player
	}
	return ""
}

// bridge returns the bridge of who hosts.
func (f *hostFlags) bridge(std cli.Streams, set *pflag.FlagSet) (*bridged, error) {
	if !f.share {
		if len(f.internet.relays) > 0 || f.internet.forceRelay {
			return nil, errors.New("--relay and --force-relay are for --share")
		}
		return nil, nil
	}
	f.internet.name = f.machineName(set)
	opt, err := f.internet.options(std, true)
	return &bridged{shared: true, open: bridge.Share, options: opt}, err
}

// bridge returns the bridge of who joins by a code.
func (f *joinFlags) bridge(std cli.Streams, set *pflag.FlagSet) (*bridged, error) {
	if !isCode(f.host) {
		if f.internet.forceRelay {
			return nil, errors.New("--force-relay is for who joins by a CODE")
		}
		return nil, nil
	}
	with, err := parseCode([]string{f.host})
	if err != nil {
		return nil, err
	}
	f.host, f.internet.name = loopback.String(), f.machineName(set)
	opt, err := f.internet.options(std, false)
	return &bridged{options: opt, open: func(ctx context.Context, opt bridge.Options) (*bridge.Session, error) {
		return bridge.Join(ctx, with, opt)
	}}, err
}

// bridgeOver has a run of host or join go over a bridge, if there is to be one.
func (f *playFlags) bridgeOver(b *bridged) error {
	switch {
	case b == nil:
	case f.bind.IsValid() || f.advertise.IsValid():
		return errors.New("--bind and --advertise do not go with a session over the internet: its machines have addresses of their own")
	default:
		f.bind.Addr = loopback
	}
	return nil
}

// begin opens the bridge.
func (b *bridged) begin(ctx context.Context, p *playing) error {
	if b == nil {
		return nil
	}
	var err error
	if !p.flags.ndjson() {
		b.options.Waits = func(w bridge.Wait) { p.tell(bridging.WaitText(w)) }
	}
	if b.session, err = b.open(ctx, b.options); err != nil {
		if err = bridging.Trouble(ctx, err); errors.Is(err, bridge.ErrAnother) && !b.shared {
			err = fmt.Errorf("%w. If it is in this session, leave the code out: dplay join", err)
		}
		return err
	}
	b.events, b.stop = b.session.Events(), bridging.Answer(b.session, p.std)
	e, ok := <-b.events
	if err := b.happened(p, e, ok); err != nil {
		return err
	}
	for _, m := range b.session.Members() {
		if m.Self {
			p.ports = &[2]wire.Ports{{First: m.Ports.TCP, Last: m.Ports.TCP}, {First: m.Ports.UDP, Last: m.Ports.UDP}}
		}
	}
	return nil
}

// next returns what happens.
func (b *bridged) next() <-chan bridge.Event {
	if b == nil {
		return nil
	}
	return b.events
}

// happened prints an event. An error ends the session.
func (b *bridged) happened(p *playing, e bridge.Event, ok bool) error {
	if !ok {
		b.events = nil
		b.stop()
		return errors.New("the way over the internet is gone")
	}
	switch e := e.(type) {
	case bridge.Opened:
		p.roster.Code = e.Code
	case bridge.CodeChanged:
		p.roster.Code = e.Code
	}
	if p.flags.ndjson() {
		p.out.Add(bridging.AppendJSON(p.out.Buffer(), time.Now(), e))
		p.out.Flush()
		return nil
	}
	switch e := e.(type) {
	case bridge.Opened:
		if b.shared {
			p.tell("the code for those who are to join is "+e.Code, "they type: dplay join "+e.Code+" (or with a game: dplay bridge join "+e.Code+")")
		} else {
			p.tell("connected over the internet")
		}
	case bridge.Local:
		switch e.Event.(type) {
		case local.Searching, local.Hosting, local.Playing: // that is us
			return nil
		}
	case bridge.HostElsewhere: // we join it
		return nil
	}
	p.tell(bridgeLines(e)...)
	return nil
}

// bridgeLines says what happened, beside lines about players, who may have the same names.
func bridgeLines(e bridge.Event) []string {
	lines := bridging.Lines(e)
	switch e.(type) {
	case bridge.Joined, bridge.Left, bridge.WayChanged:
		for i := range lines {
			lines[i] = "the bridge of " + lines[i]
		}
	}
	return lines
}

// end says goodbye.
func (b *bridged) end() {
	if b == nil || b.session == nil {
		return
	}
	b.stop()
	closed := make(chan struct{})
	go func() { b.session.Close(); close(closed) }() //nolint:errcheck // it is left
	select {
	case <-closed:
	case <-time.After(leaveTime):
	}
}
