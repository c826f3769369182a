package play

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
)

// Join are the flags of "dplay join".
type Join struct {
	App        flags.App     `flag:"app" usage:"the game: a GUID, or a name that is known (default: any); see above"`
	Session    string        `flag:"session" usage:"the session, by its <NAME|GUID>"`
	Password   string        `flag:"password" secret:"password-file" usage:"the session's <PASSWORD>"`
	Timeout    time.Duration `flag:"timeout" default:"5s" usage:"look so long for the session"`
	Group      string        `flag:"group" usage:"enter the group called <NAME>, made if there is none, and again if it goes; chat and messages go to it"`
	Say        []string      `flag:"say" usage:"say <TEXT> when in the session; may be repeated"`
	SendHex    []string      `flag:"send-hex" usage:"send these octets as a game message then, <HEX>; may be repeated"`
	Unreliable bool          `flag:"unreliable" usage:"send chat and messages without guarantee, by UDP"`
	Code       flags.Code    `flag:"code-file" usage:"the CODE is the line in this <FILE>, so that the command line does not show it"`
	bridging.ForceRelay
	bridging.NoRelays
	Common
	Strict bool `flag:"strict" default:"true" deprecated:"it is the default; the other way is --compatible" exclusive:"compatible"` // scripts have it

	host     string
	payloads [][]byte    // of SendHex
	joining  *sock.Found // the session that is to let us in; nil: not yet, or it has
}

// NewJoin returns the defaults.
func NewJoin() *Join { return &Join{Common: common("guest")} }

// Run joins the session that arguments and flags name, until it is left. Errors of these are returned; others are printed.
func (f *Join) Run(ctx context.Context, std cli.Streams, set *pflag.FlagSet, args []string) error {
	if err := f.check(set); err != nil {
		return err
	}
	args, err := f.Code.Args(args)
	if err != nil {
		return err
	}
	f.app, f.password, f.host = f.App, f.Password, strings.Join(args, " ")
	over, err := f.bridge(std, set)
	if err = errors.Join(err, f.bridgeOver(&over)); err != nil {
		return err
	}
	p := newPlaying(&f.Common, std)
	p.bridged = over
	p.guaranteed, p.party = !f.Unreliable, newParty(f.Group, p.roster)
	p.why = func(ctx context.Context, err error) error { return f.why(ctx, p, err) }
	return std.Told(p.run(ctx, f.open, f.settle))
}

func (f *Join) check(set *pflag.FlagSet) error {
	f.payloads = nil
	for _, s := range f.SendHex {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		switch {
		case err != nil:
			return fmt.Errorf("--send-hex %s: it takes pairs of hexadecimal digits, such as 0a1b2c", flags.Quoted(s))
		case len(b) > dpsp.MaxPayload:
			return fmt.Errorf("--send-hex: %d octets, and a message has %d at most", len(b), dpsp.MaxPayload)
		}
		f.payloads = append(f.payloads, b)
	}
	return cmp.Or(
		flags.Refuse(f.Timeout <= 0, "--timeout %s: must be more than nothing", f.Timeout),
		flags.Refuse(f.Player == "" && (len(f.Say) > 0 || len(f.payloads) > 0 || f.Group != ""),
			"--say, --send-hex and --group need a player: they do not go with an empty --player"),
		errors.Join(f.Refused(), f.Common.check(set)))
}

// open finds the session and joins it.
func (f *Join) open(ctx context.Context, p *playing) error {
	at, err := f.find(ctx, p)
	if err != nil || p.until.Came() {
		return err
	}
	f.joining, p.past = &at, true
	result := make(chan error, 1)
	go func() { result <- p.session.Join(ctx, at, cli.Typed(f.Password)) }()
	if err := p.await(ctx); err != nil {
		return err
	}
	if err = <-result; err == nil {
		f.joining = nil
	}
	return err
}

// settle creates our player and enters the group.
func (f *Join) settle(ctx context.Context, p *playing) error {
	if err := p.bePlayer(ctx, 0); err != nil {
		return err
	}
	if f.Group != "" {
		if err := p.enterGroup(ctx); err != nil {
			return fmt.Errorf("group %q: %w", f.Group, err)
		}
	}
	p.first = func(ctx context.Context) error { return f.begin(ctx, p) }
	return nil
}

// begin sends the chat of --say and the messages of --send-hex.
func (f *Join) begin(ctx context.Context, p *playing) error {
	for _, text := range f.Say {
		if err := p.say(ctx, text); err != nil {
			return fmt.Errorf("--say %q: %w", text, err)
		}
	}
	for _, b := range f.payloads {
		if err := p.session.Send(ctx, p.player, p.party.id, b, p.guaranteed); err != nil {
			return fmt.Errorf("--send-hex: %w", err)
		}
	}
	return nil
}
