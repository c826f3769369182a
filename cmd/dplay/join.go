package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// joinFlags are the flags of "dplay join".
type joinFlags struct {
	playFlags
	host       string
	code       flags.Code
	session    string
	timeout    time.Duration
	group      string
	say        []string
	sendHex    []string
	payloads   [][]byte // of sendHex
	unreliable bool
	internet   bridgeFlags
	joining    *sock.Found // the session that is to let us in; nil: not yet, or it has
}

var joinLong = `Join a DirectPlay 4 session: the one on the local network, or at HOST, a name or IPv4 address, that --session names.
It can be left out where there is only one that takes newcomers. A CODE, which "dplay host" prints with --share, leads to a session
over the internet.

` + playHelp + `
` + flags.AppHelp() + `

Exit status: 0 the session was left, 1 there is none, it could not be joined, was lost, or left before the event of --until, 2 wrong usage.`

const joinExamples = `  dplay join --app lotr2
  dplay join 192.0.2.7 --session Test --player Ann --password sesame
  dplay join ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR --player Bob
  dplay join 192.0.2.7 --password-file password.txt
  dplay join 192.0.2.7 --tcp 31415 --udp 31415
  dplay join 192.0.2.7 --say hello --send-hex 'de ad be ef' --unreliable --for 5s --events ndjson
  dplay join 192.0.2.7 --send-hex c0ffee --until message --for 1m
  dplay join 192.0.2.7 --player Bot --commands ndjson`

func newJoin(std cli.Streams) *cobra.Command {
	f := &joinFlags{playFlags: playFlags{player: "guest", events: flags.NewChoice("text", "ndjson"), text: flags.NewText()}}
	cmd := &cobra.Command{
		Use:                   "join [flags] [HOST|CODE]",
		Short:                 "Join a session",
		Long:                  joinLong,
		Example:               joinExamples,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if flags.IsCode(strings.Join(args, " ")) {
				return nil // it may have been pasted with spaces
			}
			return atMostHost(cmd, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			args, err := f.code.Args(args)
			if err != nil {
				return err
			}
			f.host = strings.Join(args, " ")
			over, err := f.bridge(std, cmd.Flags())
			if err = errors.Join(err, f.bridgeOver(over)); err != nil {
				return err
			}
			p := newPlaying(&f.playFlags, std)
			p.bridged = over
			p.guaranteed, p.party = !f.unreliable, newParty(f.group)
			p.why = func(ctx context.Context, err error) error { return f.why(ctx, p, err) }
			return std.Told(p.run(cmd.Context(), f.open, f.settle))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.Var(&f.app, "app", "the game: a GUID, or a name that is known (default: any); see above")
	set.StringVar(&f.session, "session", "", "the session, by its `NAME|GUID`")
	flags.Password(cmd, &f.password, "the session's `PASSWORD`")
	set.DurationVar(&f.timeout, "timeout", 5*time.Second, "look so long for the session")
	set.StringVar(&f.group, "group", "", "enter the group called `NAME`, made if there is none, and again if it goes; chat and messages go to it")
	set.StringArrayVar(&f.say, "say", nil, "say `TEXT` when in the session; may be repeated")
	set.StringArrayVar(&f.sendHex, "send-hex", nil, "send these octets as a game message then, `HEX`; may be repeated")
	set.BoolVar(&f.unreliable, "unreliable", false, "send chat and messages without guarantee, by UDP")
	f.code.Register(cmd)
	f.internet.registerForce(set)
	f.internet.refuseRelay(set)
	f.register(cmd)
	acceptStrict(cmd)
	flags.NoFiles(cmd, "session", "timeout", "group", "say", "send-hex")
	return cmd
}

func (f *joinFlags) check(set *pflag.FlagSet) error {
	f.payloads = nil
	for _, s := range f.sendHex {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		switch {
		case err != nil:
			return fmt.Errorf("--send-hex %s: it takes pairs of hexadecimal digits, such as 0a1b2c", flags.Quoted(s))
		case len(b) > dpsp.MaxPayload:
			return fmt.Errorf("--send-hex: %d octets, and a message has %d at most", len(b), dpsp.MaxPayload)
		}
		f.payloads = append(f.payloads, b)
	}
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: must be more than nothing", f.timeout)
	case f.player == "" && (len(f.say) > 0 || len(f.payloads) > 0 || f.group != ""):
		return errors.New("--say, --send-hex and --group need a player: they do not go with an empty --player")
	}
	return errors.Join(f.internet.refused(), f.playFlags.check(set))
}

// open finds the session and joins it.
func (f *joinFlags) open(ctx context.Context, p *playing) error {
	at, err := f.find(ctx, p)
	if err != nil || p.until.Came() {
		return err
	}
	f.joining, p.past = &at, true
	result := make(chan error, 1)
	go func() { result <- p.session.Join(ctx, at, cli.Typed(f.password)) }()
	for e := range p.session.Events() { // the last one of these tells how it went
		p.print(e)
		if err := p.happened(ctx, e); err != nil {
			return err
		}
		switch e.(type) {
		case dpsp.SessionOpened, dpsp.JoinFailed:
			err := <-result
			if err == nil {
				f.joining = nil
			}
			return err
		}
	}
	return sock.ErrClosed
}

// settle makes our player and enters the group.
func (f *joinFlags) settle(ctx context.Context, p *playing) error {
	if err := p.bePlayer(ctx, 0); err != nil {
		return err
	}
	if f.group != "" {
		if err := p.enterGroup(ctx); err != nil {
			return fmt.Errorf("group %q: %w", f.group, err)
		}
	}
	p.first = func(ctx context.Context) error { return f.begin(ctx, p) }
	return nil
}

// begin says and sends what is to be said and sent.
func (f *joinFlags) begin(ctx context.Context, p *playing) error {
	for _, text := range f.say {
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

// matches reports whether a session is the one that the user wants, as far as was said.
func (f *joinFlags) matches(s *sock.Found) bool {
	if f.app.Given() && s.Desc.Application != f.app.GUID { // to GUID_NULL every game answers
		return false
	}
	if g, err := wire.ParseGUID(f.session); err == nil {
		return g == s.Desc.Instance
	}
	return f.session == "" || strings.EqualFold(f.session, s.Name)
}
