package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// joinFlags are the flags of "dplay join".
type joinFlags struct {
	playFlags
	host       string
	session    string
	timeout    time.Duration
	group      string
	say        []string
	sendHex    []string
	payloads   [][]byte // of sendHex
	unreliable bool
}

var joinLong = `Join a DirectPlay 4 session: the one on the local network, or at HOST, a name or IPv4 address, that --session names.
It can be left out where there is only one that takes newcomers.

` + playHelp + `
` + gamesHelp() + `

Exit status: 0 the session was left, 1 there is none, it could not be joined or was lost, 2 wrong usage.`

const joinExamples = `  dplay join --app lotr2
  dplay join 192.0.2.7 --session Test --player Ann --password sesame
  dplay join 192.0.2.7 --say hello --send-hex 'de ad be ef' --unreliable --for 5s --events ndjson`

func newJoin(std streams) *cobra.Command {
	f := &joinFlags{playFlags: playFlags{player: "guest", events: newChoice("text", "ndjson")}}
	cmd := &cobra.Command{
		Use:                   "join [flags] [HOST]",
		Short:                 "Join a session",
		Long:                  joinLong,
		Example:               joinExamples,
		DisableFlagsInUseLine: true,
		Args:                  atMostHost,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			f.host = hostOf(args)
			p := newPlaying(&f.playFlags, std)
			p.guaranteed = !f.unreliable
			return told(std, p.run(cmd.Context(), f.open, f.settle))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.app, "app", "the game: a GUID, or a name that is known (default: any); see above")
	flags.StringVar(&f.session, "session", "", "the session, by its `NAME|GUID`")
	flags.StringVar(&f.password, "password", "", "the session's `PASSWORD`")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Second, "look so long for the session")
	flags.StringVar(&f.group, "group", "", "enter the group called `NAME`, made if there is none; chat and messages then go to it")
	flags.StringArrayVar(&f.say, "say", nil, "say `TEXT` when in the session; may be repeated")
	flags.StringArrayVar(&f.sendHex, "send-hex", nil, "send these octets as a game message then, `HEX`; may be repeated")
	flags.BoolVar(&f.unreliable, "unreliable", false, "send chat and messages without guarantee, by UDP")
	flags.BoolVar(&f.strict, "strict", false, "believe of what members say about others only what they can know")
	f.register(cmd)
	noFiles(cmd, "session", "timeout", "group", "say", "send-hex")
	return cmd
}

func (f *joinFlags) check() error {
	f.payloads = nil
	for _, s := range f.sendHex {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		switch {
		case err != nil:
			return fmt.Errorf("--send-hex %q: %w", s, err)
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
	return f.playFlags.check()
}

// open finds the session and joins it.
func (f *joinFlags) open(ctx context.Context, p *playing) (*sock.Session, error) {
	at, err := f.find(ctx, p)
	if err != nil {
		return nil, err
	}
	return sock.Join(ctx, f.options(p.rec), at, f.password)
}

// settle makes our player and enters the group.
func (f *joinFlags) settle(ctx context.Context, p *playing) error {
	if err := p.bePlayer(ctx, 0); err != nil {
		return err
	}
	if f.group != "" {
		if err := p.enterGroup(ctx, f.group); err != nil {
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
		if err := p.session.Send(ctx, p.player, p.to, b, p.guaranteed); err != nil {
			return fmt.Errorf("--send-hex: %w", err)
		}
	}
	return nil
}

// matches says whether a session is the one that the user wants, as far as was said.
func (f *joinFlags) matches(s *sock.Found) bool {
	if g, err := wire.ParseGUID(f.session); err == nil {
		return g == s.Desc.Instance
	}
	return f.session == "" || strings.EqualFold(f.session, s.Name)
}
