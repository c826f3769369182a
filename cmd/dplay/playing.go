package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A playing is one run of "dplay host" or "dplay join".
type playing struct {
	flags   *playFlags
	std     streams
	out     *output
	printer eventPrinter
	roster  *roster
	rec     *record
	session *sock.Session

	player     wire.PlayerID               // ours; 0: none
	to         wire.PlayerID               // whom chat and messages go to
	group      string                      // the name of that group; "" if it is none
	guaranteed bool                        // how they go
	first      func(context.Context) error // what is sent once we have settled; nil for nothing
	listing    <-chan time.Time            // when to see whether we are found as host; nil: never
	dropped    int
	firstDrop  dpsp.Dropped
}

func newPlaying(f *playFlags, std streams) *playing {
	p := &playing{flags: f, std: std, out: newOutput(std.out), printer: textEvents{}, roster: newRoster(), to: wire.IDAll, guaranteed: true}
	if f.events.value == "ndjson" {
		p.printer = &ndjsonEvents{}
	}
	return p
}

// run opens a session, settles in it and stays there until the user, the clock or the session ends it.
func (p *playing) run(ctx context.Context, open func(context.Context, *playing) (*sock.Session, error), settle func(context.Context, *playing) error) (err error) {
	// A reader of our output that goes away must not end us before the others in the session were told.
	signal.Ignore(syscall.SIGPIPE)
	if p.flags.record != "" {
		if p.rec, err = newRecord(p.flags.record); err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		defer func() {
			if e := p.rec.close(); e != nil && err == nil {
				err = fmt.Errorf("--record: %w", e)
			}
		}()
	}
	if p.session, err = open(ctx, p); err == nil {
		err = p.stay(ctx, settle)
		p.session.Close() //nolint:errcheck // it has none
	}
	p.tellDropped()
	switch {
	case p.out.readerGone():
		return nil
	case p.out.err != nil:
		return fmt.Errorf("writing the output: %w", p.out.err)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted before the session was there")
	}
	return trouble(err, p.flags.password != "")
}

// tellDropped says at the end how many messages made no sense. Objects told each one.
func (p *playing) tellDropped() {
	if p.dropped > 0 && p.flags.events.value == "text" {
		d := &p.firstDrop
		fmt.Fprintf(p.std.err, "dplay: %d messages were dropped; the first one, %s from %s: %s\n", p.dropped, d.Command, d.From, printable(d.Text))
	}
}

// stay is in the session.
func (p *playing) stay(ctx context.Context, settle func(context.Context, *playing) error) error {
	p.roster.stream, p.roster.datagram, p.roster.advertised = p.session.StreamAddr(), p.session.DatagramAddr(), p.flags.advertise.Addr
	err := p.meet(ctx)
	if err == nil {
		err = settle(ctx, p)
	}
	switch {
	case ctx.Err() != nil:
		return p.leave() // interrupted on the way
	case err != nil:
		return err
	}
	in := readLines(p.std.in)
	defer in.stop()
	lines := in.lines
	var over <-chan time.Time
	if p.flags.length > 0 {
		over = time.After(p.flags.length)
	}
	begin := time.After(p.delay())
	for p.out.err == nil {
		select {
		case <-begin:
			if p.first == nil {
				break
			}
			if err := p.first(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		case e, ok := <-p.session.Events():
			if err := p.events(ctx, e, ok); err != nil {
				return err
			}
		case text, ok := <-lines:
			if ok {
				p.typed(ctx, text)
				break
			}
			if p.inputEnded(in.err) {
				return p.leave()
			}
			lines = nil
		case <-p.listing:
			p.tellUnlisted(p.session.ListingError())
		case <-over:
			return p.leave()
		case <-ctx.Done():
			return p.leave()
		}
	}
	return p.leave()
}

// overtake is how long the first datagram waits. It would overtake the message over TCP that tells of our player,
// and be dropped as nobody's.
const overtake = 250 * time.Millisecond

func (p *playing) delay() time.Duration {
	if p.guaranteed {
		return 0
	}
	return overtake
}

// meet takes in who is there already.
func (p *playing) meet(ctx context.Context) error {
	for {
		select {
		case e, ok := <-p.session.Events():
			if !ok {
				return sock.ErrClosed
			}
			p.print(e)
			if err := p.happened(ctx, e); err != nil {
				return err
			}
			if _, opened := e.(dpsp.SessionOpened); opened {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// maxBurst bounds the events that are taken in a row: the user and the clock want to be heard, too.
const maxBurst = 256

// events takes an event, and those that wait behind it: what they print goes out in one write. An error ends the
// session.
func (p *playing) events(ctx context.Context, e dpsp.Event, ok bool) error {
	defer p.out.flush() //nolint:errcheck // the output keeps it
	for n := 1; ; n++ {
		if !ok {
			return errors.New("the session was left: more happened in it than could be printed")
		}
		p.write(e)
		if err := p.happened(ctx, e); err != nil {
			return err
		}
		if n == maxBurst {
			return nil
		}
		select {
		case e, ok = <-p.session.Events():
		default:
			return nil
		}
	}
}

// happened does what an event asks for, beside printing. An error ends the session.
func (p *playing) happened(ctx context.Context, e dpsp.Event) error {
	switch e := e.(type) {
	case dpsp.SessionLost:
		return fmt.Errorf("the session is lost: %s", e.Reason)
	case dpsp.SessionClosed:
		return errors.New("the session was closed")
	case dpsp.Dropped:
		if p.dropped++; p.dropped == 1 {
			p.firstDrop = e
		}
	case dpsp.HostChanged:
		p.watchListing(e.Hosting)
	case dpsp.PlayerCreated, dpsp.GroupCreated:
		p.returned(e)
	case dpsp.Message:
		if p.flags.echo && e.From != 0 {
			// It fails if the sender has gone, or we have: nobody is there to be told then.
			p.session.Send(ctx, e.To, e.From, e.Payload, e.Guaranteed) //nolint:errcheck
		}
	}
	return nil
}

// returned notes the ids that our player and our group have from now on. They are new ones if a part of the session comes
// over to another one that gave theirs to somebody else.
func (p *playing) returned(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		if e.Local {
			p.player = e.ID
		}
	case dpsp.GroupCreated:
		if _, there := p.roster.groups[p.to]; !there && p.group != "" && e.ShortName == p.group {
			p.to = e.ID
		}
	}
}

// write writes an event, and remembers the names in it.
func (p *playing) write(e dpsp.Event) {
	p.out.write(p.printer.append(p.out.buffer(), time.Now(), e, p.roster)) //nolint:errcheck // the output keeps it
	p.roster.learn(e)
}

// print writes an event, for somebody who reads it at once.
func (p *playing) print(e dpsp.Event) {
	p.write(e)
	p.out.flush() //nolint:errcheck // the output keeps it
}

// leaveTime is how long the session may take to say that we left.
const leaveTime = 2 * time.Second

// leave tells the others that we go, and prints what happened up to then.
func (p *playing) leave() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if _, err := p.session.Do(ctx, dpsp.Leave{}); err != nil {
		return nil // it ended a moment before
	}
	for {
		select {
		case e, ok := <-p.session.Events():
			if !ok {
				return nil
			}
			p.print(e)
			if _, closed := e.(dpsp.SessionClosed); closed {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// typed sends a line that the user typed.
func (p *playing) typed(ctx context.Context, text string) {
	if text == "" {
		return
	}
	err := errors.New("you are no player: --player NAME")
	if p.player != 0 {
		err = p.say(ctx, text)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, dpsp.ErrNoSession) {
		fmt.Fprintln(p.std.err, "dplay: not said: "+err.Error())
	}
}

// inputEnded says whether the user ended the session with the input: on a terminal.
func (p *playing) inputEnded(err error) bool {
	if err != nil {
		fmt.Fprintln(p.std.err, "dplay: standard input is not read any further: "+err.Error())
		return false
	}
	return terminal(p.std.in) != nil
}

// say sends chat.
func (p *playing) say(ctx context.Context, text string) error {
	_, err := p.session.Do(ctx, dpsp.Chat{From: p.player, To: p.to, Guaranteed: p.guaranteed, Text: text})
	return err
}

// bePlayer makes our player, if the user wants one.
func (p *playing) bePlayer(ctx context.Context, flags wire.PlayerFlags) (err error) {
	if p.flags.player == "" {
		return nil
	}
	p.player, err = p.session.Do(ctx, dpsp.CreatePlayer{ShortName: wire.NewText(p.flags.player), Flags: flags})
	return err
}

// enterGroup puts our player into a group, made if there is none of that name.
func (p *playing) enterGroup(ctx context.Context, name string) (err error) {
	id, there := p.roster.group(name)
	if !there {
		if id, err = p.session.CreateGroup(ctx, name, nil); err != nil {
			return err
		}
	}
	if _, err = p.session.Do(ctx, dpsp.AddToGroup{Player: p.player, Group: id}); err == nil {
		p.to, p.group = id, name
	}
	return err
}
