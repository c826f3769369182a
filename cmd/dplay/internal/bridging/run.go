package bridging

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/commands"
	"dplay4/dpsp/bridge"
)

// Options say how a session is shown.
type Options struct {
	Std      cli.Streams
	NDJSON   bool          // events as objects
	Commands bool          // standard input is commands, a JSON object a line
	Length   time.Duration // leave then; 0: never
	Shared   bool          // this machine opened the session
}

// A shown is a session that is shown.
type shown struct {
	*Options
	s     Session
	out   *cli.Output
	asked asking
	typed <-chan string // lines; nil: none come
}

// Run shows a session until the user, the clock or the session ends it, and closes it.
func (o *Options) Run(ctx context.Context, s Session) error {
	defer Answer(s, o.Std)()
	if o.Length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Length)
		defer cancel()
	}
	if screen := o.screen(); screen != nil {
		return o.table(ctx, s, screen)
	}
	r := &shown{Options: o, s: s, out: cli.NewOutput(o.Std.Out)}
	return errors.Join(r.lines(ctx), r.out.End())
}

// lines prints what happens, and does what is typed or commanded.
func (r *shown) lines(ctx context.Context) error {
	var commanded <-chan commands.Line
	if r.Commands {
		in := commands.Read(r.Std.In)
		defer in.Stop()
		commanded = in.All
	} else if !r.NDJSON {
		r.typed = readLines(ctx, r.Std.In)
	}
	for r.out.Err == nil {
		select {
		case e, ok := <-r.s.Events():
			if !ok {
				return errors.New("the session ended")
			}
			r.print(e)
			if ended, over := e.(bridge.Ended); over {
				if ended.Reason != "" {
					return cli.ErrFailed // the line said why
				}
				return nil
			}
		case line, ok := <-commanded:
			if !ok {
				commanded = nil
				if r.Length == 0 {
					return r.leave()
				}
				break
			}
			a, leave := do(r.s, line)
			r.out.Add(a.append(r.out.Buffer(), time.Now()))
			r.out.Flush()
			if leave {
				return r.leave()
			}
		case text, ok := <-r.typed:
			if !ok {
				r.typed = nil
			} else if r.obey(text) {
				return r.leave()
			}
		case <-ctx.Done():
			return r.leave()
		}
	}
	return r.leave()
}

// readLines gives the lines that are typed.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// print prints an event.
func (r *shown) print(e bridge.Event) {
	r.asked.learn(e)
	if r.NDJSON {
		r.out.Add(AppendJSON(r.out.Buffer(), time.Now(), e))
	} else {
		lines := Lines(e)
		switch e := e.(type) {
		case bridge.Opened:
			lines = Opening(&e, r.Shared)
		case bridge.Asked:
			if r.typed != nil {
				lines = []string{Question(e, "yes or no?")}
			}
		}
		r.tell(lines...)
		if e, is := e.(bridge.HostElsewhere); is && e.On {
			r.tell(`type "host" to have one here host nonetheless`)
		}
	}
	r.out.Flush()
}

// tell prints lines.
func (r *shown) tell(lines ...string) {
	for _, l := range lines {
		fmt.Fprintln(r.out, l)
	}
	r.out.Flush()
}

// Opening says what to do now.
func Opening(e *bridge.Opened, shared bool) []string {
	if shared {
		return []string{"Tell this code to those who are to join:", "", "    " + e.Code, "",
			"They type: dplay bridge join " + e.Code, "Now start the game here and host. Ctrl-C ends the session for nobody but you."}
	}
	return []string{"You are in the session. Now start the game here and look for sessions in it;",
		"where it asks for an address, that is 127.0.0.1. Ctrl-C leaves."}
}

// obey does what a line says that somebody typed, and reports whether we leave.
func (r *shown) obey(text string) (leave bool) {
	word, rest, _ := strings.Cut(text, " ")
	var err error
	var m *bridge.Member
	switch word = strings.ToLower(word); word {
	case "":
	case "y", "yes", "n", "no":
		if err = errNobodyAsks; len(r.asked) > 0 {
			err = r.asked.answer(r.s, r.asked[0].ID, word[0] == 'y')
		}
	case "kick":
		if m, err = kick(r.s, strings.TrimSpace(rest)); err == nil {
			r.tell(SentAway(nameOf(m)))
		}
	case "cut":
		if m, err = cut(r.s, strings.TrimSpace(rest)); err == nil {
			r.tell(CutOff(nameOf(m)))
		}
	case "host", "join":
		err = r.s.LetHost(strings.ToLower(word) == "host")
	case "who":
		r.tell(tableLines(r.s.Members())...)
	case "code":
		r.tell(r.s.Code())
	case "quit":
		return true
	default:
		r.tell("there are: who, code, kick NAME, cut NAME, yes and no for those who ask, host and join for a game here while another one hosts, quit")
	}
	if err != nil {
		r.tell(err.Error())
	}
	return false
}

// leaveTime is how long saying goodbye may take.
const leaveTime = 2 * time.Second

// leave says goodbye, and prints what happened up to then.
func (r *shown) leave() error {
	closed := make(chan error, 1)
	go func() { closed <- r.s.Close() }()
	over := time.After(leaveTime)
	for {
		select {
		case e, ok := <-r.s.Events():
			if !ok {
				return nil
			}
			r.print(e)
		case <-over:
			return nil
		}
	}
}
