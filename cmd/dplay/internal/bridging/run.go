package bridging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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
	Until    *cli.Until    // leave once this event came; nil: there is none
	Shared   bool          // this machine opened the session
}

// An opener is bridge.Share, or bridge.Join with a code.
type opener func(context.Context, bridge.Options) (*bridge.Session, error)

// errLate is why a session that is not there in time is given up.
var errLate = errors.New("the session was not there within the time of --for")

// Show opens a session, and runs it.
func (o *Options) Show(ctx context.Context, opt bridge.Options, open opener) error {
	began := time.Now()
	s, err := o.Enter(ctx, opt, open)
	if err != nil {
		return o.Until.Ended(err)
	}
	if o.Length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, began.Add(o.Length))
		defer cancel()
	}
	return o.Run(ctx, s)
}

// never is longer than anybody waits.
const never time.Duration = math.MaxInt64

// Enter opens a session, within the time, and tells what it waits for. The error is one for people. Done of ctx gives up while that
// is under way; a session that is there has to be closed, so that a game can say goodbye over it before.
func (o *Options) Enter(ctx context.Context, opt bridge.Options, open opener) (*bridge.Session, error) {
	within, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	late := time.AfterFunc(cmp.Or(o.Length, never), func() { giveUp(errLate) })
	defer late.Stop()
	lasting, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(within, func() { end(context.Cause(within)) })()
	waits := o.waits()
	opt.Waits = func(what bridge.Wait) {
		waits.tell(what)
		if o.Until.Printed(waitingName) {
			giveUp(nil)
		}
	}
	s, err := open(lasting, opt)
	waits.over()
	if err == nil {
		return s, nil
	}
	why := Trouble(within, err)
	o.failed(err, cli.Plain(why))
	return nil, why
}

// Run shows a session until the user, the context or the session ends it, and closes it.
func (o *Options) Run(ctx context.Context, s Session) error {
	defer Answer(s, o.Std)()
	if screen := o.screen(); screen != nil {
		return o.table(ctx, s, screen)
	}
	r := &shown{Options: o, state: newState(s), out: cli.NewOutput(o.Std.Out)}
	err := r.lines(ctx)
	if r.out.Err == nil {
		err = o.Until.Ended(err)
	}
	return errors.Join(err, r.out.End())
}

// A shown is a session that is shown as lines, or objects.
type shown struct {
	*Options
	state
	out   *cli.Output
	over  *bridge.Ended // nil: the session goes on
	typed <-chan string // lines; nil: none come
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
	for leave := false; !leave && r.over == nil && r.out.Err == nil && !r.Until.Came(); {
		select {
		case e := <-r.s.Events():
			r.print(e)
		case line, ok := <-commanded:
			if ok {
				leave = r.command(line)
			} else {
				commanded, leave = nil, r.Length == 0 && r.Until == nil
			}
		case text, ok := <-r.typed:
			if ok {
				leave = r.obey(text)
			} else {
				r.typed = nil
			}
		case <-r.steady.wait(time.Now()):
			r.lasting()
		case <-ctx.Done():
			leave = true
		}
	}
	return r.leave()
}

// command does what a program commands, and reports whether we leave. If the session is over there is no answer: its end is the
// last that is printed.
func (r *shown) command(line commands.Line) (leave bool) {
	a, leave := do(r.s, line)
	for !leave && r.over == nil && len(r.s.Events()) > 0 { // what it did is told first
		r.print(<-r.s.Events())
	}
	if r.over == nil {
		r.out.Add(a.append(r.out.Buffer(), time.Now()))
		r.out.Flush()
	}
	return leave
}

// print prints an event.
func (r *shown) print(e bridge.Event) {
	r.Until.Printed(NameOf(e))
	if ended, over := e.(bridge.Ended); over {
		r.over = &ended
	}
	r.learn(e)
	if r.NDJSON {
		r.out.Add(AppendJSON(r.out.Buffer(), time.Now(), e))
		r.out.Flush()
	} else if !r.steady.hold(time.Now(), e) {
		r.tell(r.linesOf(e)...)
	}
}

// linesOf says what happened, and what can be typed then.
func (r *shown) linesOf(e bridge.Event) []string {
	lines := Lines(e)
	switch e := e.(type) {
	case bridge.Opened:
		return opening(&e, r.Shared)
	case bridge.Asked:
		if r.typed != nil {
			return []string{Bell(r.Std.Out) + Question(e, "yes or no?")}
		}
	case bridge.HostElsewhere:
		if e.On && r.typed != nil {
			return append(lines, `type "host" to have one here host nonetheless`)
		}
	}
	return lines
}

// Bell returns what rings the terminal, if the output is one: who asks waits, and who sits there may look at the game.
func Bell(out io.Writer) string {
	if cli.Terminal(out) == nil {
		return ""
	}
	return bell
}

// bell rings a terminal.
const bell = "\a"

// lasting prints what has lasted long enough.
func (r *shown) lasting() {
	for _, e := range r.steady.due(time.Now()) {
		r.tell(r.linesOf(e)...)
	}
}

// tell prints lines.
func (r *shown) tell(lines ...string) {
	for _, l := range lines {
		fmt.Fprintln(r.out, l)
	}
	r.out.Flush()
}

// opening says what to do now.
func opening(e *bridge.Opened, shared bool) []string {
	if shared {
		return []string{"Tell this code to those who are to join:", "", "    " + e.Code, "",
			"They type dplay bridge join and the code. Now start the game here and host. Ctrl-C ends the session for nobody but you."}
	}
	return []string{"You are in the session. Now start the game here and look for sessions in it;",
		"where it asks for an address, that is 127.0.0.1. Ctrl-C leaves. Others can join, too, by the code " + e.Code}
}

// leave says goodbye if the session is not over, and prints what happened up to its end.
func (r *shown) leave() error {
	if r.over == nil {
		go r.s.Close() //nolint:errcheck // it is left
	}
	late := time.After(cli.LeaveTime)
	for r.over == nil {
		select {
		case e := <-r.s.Events():
			r.print(e)
		case <-late:
			return nil
		}
	}
	if r.over.Reason != "" {
		return cli.ErrFailed // the line said why
	}
	if !r.NDJSON {
		r.tell(leftText(r.s))
	}
	return nil
}
