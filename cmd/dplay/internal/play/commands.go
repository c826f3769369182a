package play

import (
	"context"
	"fmt"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/commands"
	"dplay4/dpsp"
)

// A commanded does the commands of another program, one after the other: the answers come in the order of the commands, and
// nothing piles up here. The other program waits meanwhile, once the pipe is full.
type commanded struct {
	p       *playing
	in      *commands.Lines[commands.Line]
	busy    bool // a command is under way
	ended   bool // no more lines come, or are read
	line    int  // its line
	done    chan outcome
	outcome outcome            // of the command under way, once it is done
	abandon context.CancelFunc // of the command
}

// An outcome is the answer to a command.
type outcome struct {
	answer  *commands.Answer
	request dpsp.Command // of the command; nil for the command "list"
	told    uint64       // the number of events by then, its own included: these are printed before the answer
}

// obey begins to read commands, with --commands ndjson.
func (c *commanded) obey() {
	c.in, c.done, c.ended = commands.Read(c.p.std.In), make(chan outcome, 1), false
}

// lines returns the channel of lines; nil while a command is under way, or while held, because the group is being made.
func (c *commanded) lines(held bool) <-chan commands.Line {
	if c.busy || c.ended || held {
		return nil
	}
	return c.in.All
}

// take handles a line, or the end of the input, and reports whether to leave.
func (c *commanded) take(ctx context.Context, line commands.Line, ok bool) (leave bool) {
	if !ok {
		if c.in.Err != nil {
			fmt.Fprintln(c.p.std.Err, "dplay: standard input is not read any further: "+c.in.Err.Error())
		}
		c.ended = true
		return c.p.flags.Length == 0 && c.p.until == nil
	}
	c.line = line.Number
	command, wrong := &commands.Command{}, commands.TooLong()
	if !line.TooLong {
		command, wrong = commands.Decode(line.Text)
	}
	var request dpsp.Command
	if wrong == nil {
		request, wrong = command.Request(c.p.situation())
	}
	_, leave = request.(dpsp.Leave)
	switch {
	case wrong != nil && wrong.Code == commands.NoGroup:
		c.p.findGroup(ctx) // for the next one
		fallthrough
	case wrong != nil, leave:
		c.print(command.Answer(c.line, wrong))
	default:
		c.begin(ctx, command, request)
	}
	return leave
}

// begin starts a command. It may wait for the host; events are printed meanwhile.
func (c *commanded) begin(ctx context.Context, command *commands.Command, request dpsp.Command) {
	ctx, c.abandon = context.WithCancel(ctx)
	c.busy = true
	go func() {
		answer := command.Do(ctx, c.p.session, request)
		c.done <- outcome{answer, request, c.p.session.Told()}
	}()
}

// tell prints the answer of a command once its events are printed.
func (c *commanded) tell() {
	if c.outcome.answer == nil || c.p.read < c.outcome.told {
		return
	}
	a, request := c.outcome.answer, c.outcome.request
	c.outcome, c.busy = outcome{}, false
	c.abandon()
	switch r := request.(type) {
	case nil:
		a.Listing = c.p.roster.List(c.p.session.Info(), c.p.session.Objects())
	case dpsp.SetDesc:
		if a.OK {
			c.p.flags.password, c.p.otherPassword = r.Password.String(), false
		}
	}
	a.Line = c.line
	c.print(a)
}

// finish aborts the command under way, and prints its answer.
func (c *commanded) finish() {
	c.in.Stop()
	c.abandon()
	c.ended = true
	if c.busy && c.outcome.answer == nil {
		select {
		case c.outcome = <-c.done:
		case <-time.After(cli.LeaveTime):
		}
	}
	c.outcome.told = 0 // no matter what is read
	c.tell()
}

func (c *commanded) print(a *commands.Answer) {
	c.p.out.Add(a.Append(c.p.out.Buffer(), time.Now()))
	c.p.out.Flush()
}

// situation returns the defaults for fields that a command leaves out.
func (p *playing) situation() *commands.Situation {
	s := &commands.Situation{From: p.player, To: p.party.id, Guaranteed: p.guaranteed, Session: p.session.Info(),
		Password: p.flags.password, Unknown: p.otherPassword}
	if p.party.missing() {
		s.NoGroup = p.party.name
	}
	return s
}
