package play

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
	"dplay4/wire"
)

// A bridged is the bridge below a session of "dplay host --share" or "dplay join CODE".
type bridged struct {
	open    func(context.Context, bridge.Options) (*bridge.Session, error) // nil: there is no bridge
	options bridge.Options
	line    bridging.Line
	shared  bool
	session *bridge.Session
	events  <-chan bridge.Event // nil: none come any more
	stop    func()
}

// loopback is the address at which the bridge represents the other machines.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// machineName returns the player's name for the bridge, if it was given.
func (f *Common) machineName(set *pflag.FlagSet) string {
	if set.Changed("player") {
		return f.Player
	}
	return ""
}

// bridge returns the bridge of who hosts.
func (f *Host) bridge(std cli.Streams, set *pflag.FlagSet) (bridged, error) {
	if !f.Share {
		return bridged{}, flags.Refuse(len(f.Relay) > 0 || f.ForceRelay.Value || f.Ask.Value, "--relay, --force-relay and --ask are for --share")
	}
	line := bridging.Line{Relays: f.Relay, Name: f.machineName(set), ForceRelay: f.ForceRelay.Bool, Ask: f.Ask}
	opt, err := line.Options(std, true)
	return bridged{shared: true, open: bridge.Share, options: opt, line: line}, err
}

// bridge returns the bridge of who joins by a code.
func (f *Join) bridge(std cli.Streams, set *pflag.FlagSet) (bridged, error) {
	if !f.Code.Given() && !flags.IsCode(f.host) {
		return bridged{}, flags.Refuse(f.ForceRelay.Value, "--force-relay is for who joins by a CODE")
	}
	with, err := flags.ParseCode([]string{f.host})
	if err != nil {
		return bridged{}, err
	}
	f.host = loopback.String()
	line := bridging.Line{Name: f.machineName(set), ForceRelay: f.ForceRelay.Bool}
	opt, err := line.Options(std, false)
	return bridged{options: opt, open: func(ctx context.Context, opt bridge.Options) (*bridge.Session, error) {
		return bridge.Join(ctx, with, opt)
	}}, err
}

// bridgeOver binds to loopback if there is a bridge, and refuses flags that do not go with that.
func (f *Common) bridgeOver(b *bridged) error {
	if b.open == nil {
		return flags.Refuse(slices.Contains(bridging.Names(), f.Until.Name), "--until %s: that happens only in a session over the internet",
			f.Until.Name)
	}
	err := flags.Refuse(f.Bind.IsValid() || f.Advertise.IsValid(),
		"--bind and --advertise do not go with a session over the internet: its machines have addresses of their own")
	f.Bind.Addr = loopback
	return err
}

// begin opens the session over the internet, or joins it, within the time of --for. Without one it looks for a bridge that runs in another program of this machine.
func (b *bridged) begin(ctx context.Context, p *playing) error {
	if b.open == nil {
		if running, err := bridging.Ask(ctx, "list", ""); err == nil {
			p.roster.Code, p.roster.Beside = running.Code, true
		}
		return nil
	}
	show := &bridging.Options{Std: p.std, NDJSON: p.flags.ndjson(), Length: p.flags.Length, Until: p.until}
	var err error
	if b.session, err = show.Enter(ctx, b.options, b.open); err != nil {
		if errors.Is(err, bridge.ErrAnother) && !b.shared {
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

// happened prints an event. An error ends the session.
func (b *bridged) happened(p *playing, e bridge.Event, ok bool) error {
	if !ok {
		b.events = nil
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
	}
	p.tell(b.lines(p, e)...)
	p.until.Printed(bridging.NameOf(e))
	if ended, over := e.(bridge.Ended); over && ended.Reason != "" {
		return errors.New("out of the session over the internet: " + captures.Printable(ended.Reason))
	}
	return nil
}

// lines returns the lines about an event; none for events that the session reports itself.
func (b *bridged) lines(p *playing, e bridge.Event) []string {
	switch e := e.(type) {
	case bridge.Opened:
		if b.shared {
			return []string{"those who are to join type: dplay join " + e.Code, "with a game they type dplay bridge join, and the same code"}
		}
		return []string{"connected over the internet"}
	case bridge.Asked:
		if p.person {
			return []string{bridging.Bell(p.std.Out) + bridging.Question(e, "/admit lets it in, /refuse does not")}
		}
	case bridge.Local:
		switch e.Event.(type) {
		case local.Searching, local.Hosting, local.Playing: // that is us
			return nil
		}
	case bridge.GameHosts, bridge.HostElsewhere, bridge.Ended: // we play with it; it is told at the end
		return nil
	}
	return bridging.LinesBeside(e)
}

// slashes returns the commands that answer newcomers.
func (b *bridged) slashes() []slash {
	if b.open == nil {
		return nil
	}
	answer := func(yes bool) func(*playing, context.Context, string) error {
		return func(p *playing, _ context.Context, who string) error {
			a, err := bridging.Admit(b.session, who, yes)
			if err == nil && yes { // of the other one an event tells
				p.tell(bridging.MayComeIn(a.Name))
			}
			return err
		}
	}
	return []slash{
		{"/admit", "[NAME]", "let in who asks to come in", answer(true)},
		{"/refuse", "[NAME]", "do not let in who asks to come in", answer(false)},
	}
}

// end closes the bridge.
func (b *bridged) end() {
	if b.session == nil {
		return
	}
	b.stop()
	closed := make(chan struct{})
	go func() { b.session.Close(); close(closed) }() //nolint:errcheck // it is left
	select {
	case <-closed:
	case <-time.After(cli.LeaveTime):
	}
}
