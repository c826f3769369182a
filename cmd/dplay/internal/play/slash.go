package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
)

// A slash is a command that is typed among the chat, such as /who.
type slash struct {
	name  string
	args  string // its argument, in brackets if it is optional; "": it has none
	about string
	do    func(p *playing, ctx context.Context, rest string) error
}

// slashes returns all commands, in the order of /help.
func (p *playing) slashes() []slash {
	return slices.Concat([]slash{
		{"/who", "", "who is in the session, and where", (*playing).slashWho},
		{"/to", "NAME TEXT", "say something to one player or group alone", (*playing).slashTo},
		{"/name", "NAME", "be called so from now on", (*playing).slashName},
	}, p.bridged.slashes(), []slash{
		{"/quit", "", "leave; Ctrl-D does the same", func(p *playing, _ context.Context, _ string) error {
			p.interrupt()
			return nil
		}},
		{"/help", "", "this list", (*playing).slashHelp},
	})
}

// slash runs a line that begins with a slash.
func (p *playing) slash(ctx context.Context, text string) error {
	name, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	var known []string
	for _, s := range p.slashes() {
		known = append(known, s.name)
		switch {
		case !strings.EqualFold(s.name, name):
		case !strings.HasPrefix(s.args, "[") && (rest == "") != (s.args == ""):
			return errors.New("it is " + strings.TrimSpace(s.name+" "+s.args))
		default:
			return s.do(p, ctx, rest)
		}
	}
	return fmt.Errorf("there is no %s%s; /help lists what there is, and //... says what begins with a slash", name,
		cli.Nearest(strings.ToLower(name), known))
}

// tell prints lines in the form of events, to people.
func (p *playing) tell(lines ...string) {
	if p.flags.ndjson() {
		return
	}
	for _, l := range lines {
		p.out.Add([]byte("* " + l + "\n"))
	}
	p.out.Flush()
}

func (p *playing) slashHelp(context.Context, string) error {
	for _, s := range p.slashes() {
		p.tell(fmt.Sprintf("%-15s %s", strings.TrimSpace(s.name+" "+s.args), s.about))
	}
	p.tell(fmt.Sprintf("%-15s %s", "//...", "say what begins with a slash"))
	return nil
}

func (p *playing) slashWho(context.Context, string) error {
	p.tell(p.roster.Who(p.session.Info())...)
	return nil
}

func (p *playing) slashTo(ctx context.Context, rest string) error {
	id, text, err := p.roster.Find(rest)
	switch {
	case err != nil:
		return err
	case text == "":
		return errors.New("it is /to NAME TEXT")
	case p.player == 0:
		return errNoPlayer
	}
	return p.session.Chat(ctx, p.player, id, cli.Typed(text), p.guaranteed)
}

func (p *playing) slashName(ctx context.Context, name string) error {
	if p.player == 0 {
		return errNoPlayer
	}
	return p.session.SetName(ctx, p.player, cli.Typed(name), "")
}

// errNoPlayer is the error of commands that need a player.
var errNoPlayer = errors.New("you are no player: --player NAME")

// sayTyped sends a typed line as chat, to everybody or to the group of --group.
func (p *playing) sayTyped(ctx context.Context, text string) error {
	switch {
	case p.party.missing():
		p.findGroup(ctx) // for the next line
		return p.noGroup()
	case p.player == 0:
		return errNoPlayer
	}
	return p.say(ctx, text)
}

// typed sends a typed line as chat. On a terminal a line that begins with a slash is a command.
func (p *playing) typed(ctx context.Context, text string) {
	if text == "" {
		return
	}
	what, do := "not said: ", p.sayTyped
	if command, ok := strings.CutPrefix(text, "/"); ok && p.person {
		if strings.HasPrefix(command, "/") {
			text = command
		} else {
			what, do = "", p.slash
		}
	}
	if err := do(ctx, text); err != nil && ctx.Err() == nil && !errors.Is(err, dpsp.ErrNoSession) {
		p.std.Tell(what + err.Error())
	}
}
