package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os/signal"
	"syscall"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/commands"
	"dplay4/cmd/dplay/internal/console"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/recordfile"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A playing is one run of "dplay host" or "dplay join".
type playing struct {
	flags   *Common
	std     cli.Streams
	out     *cli.Output
	append  func(b []byte, at time.Time, e dpsp.Event, who *events.Roster) []byte // appends the lines of an event
	roster  *events.Roster
	until   *cli.Until // the event to leave after; nil: there is none
	past    bool       // events are about the time before we joined: --until ignores them
	rec     *recordfile.File
	session *sock.Session
	bridged bridged        // over the internet
	ports   *[2]wire.Ports // the ports for TCP and UDP that the bridge assigns; nil: those of the flags

	player     wire.PlayerID               // ours; 0: none
	party      party                       // the group that chat and messages go to
	guaranteed bool                        // how they go
	first      func(context.Context) error // sends what is to be sent once we have settled
	listing    <-chan time.Time            // when to check that searches find this host; nil: never
	read       uint64                      // events of the session
	dropped    int
	firstDrop  *dpsp.Dropped
	why        func(context.Context, error) error // explains an error, or none, once the ports are free again
	nonsense   *dpsp.Dropped                      // the first answer to our search that does not decode

	console   *console.Console // the terminal that the user types on; nil: lines are read as they come
	person    bool             // somebody types at a terminal
	interrupt func()           // leaves the session

	commanded     commanded // another program's commands
	otherPassword bool      // another machine may have changed the session's password
}

func newPlaying(f *Common, std cli.Streams) *playing {
	p := &playing{flags: f, std: std, out: cli.NewOutput(std.Out), append: events.Text{Color: cli.UseColor("auto", std.Out)}.Append,
		roster: events.NewRoster(), guaranteed: true, until: cli.NewUntil(f.Until.Name),
		first: func(context.Context) error { return nil }, why: func(_ context.Context, err error) error { return err }}
	p.commanded = commanded{p: p, in: &commands.Lines[commands.Line]{Stop: func() {}}, ended: true, abandon: func() {}}
	if f.ndjson() {
		p.append = events.AppendNDJSON
		p.out = cli.NewOutput(newUnread(std.Out, func() { std.Tell("nobody reads standard output: the session waits for that, and may be lost") }))
	} else if cli.Terminal(std.In) != nil {
		p.person, p.console = true, console.Of(std.In, std.Out)
	}
	if p.console != nil {
		p.out = cli.NewOutput(p.console)
		if cli.Terminal(std.Err) != nil {
			p.std.Err = p.console
		}
	}
	return p
}

// run opens the sockets and a session, and stays in it until the user, --for, --until or the session itself ends it.
func (p *playing) run(ctx context.Context, open, settle func(context.Context, *playing) error) (err error) {
	// A closed pipe must not end this program before it has left the session.
	signal.Ignore(syscall.SIGPIPE)
	if p.flags.Record != "" {
		failed := func(err error) {
			fmt.Fprintln(p.std.Err, "dplay: --record: "+err.Error()+"; the file ends here, the session goes on")
		}
		if p.rec, err = recordfile.Create(p.flags.Record, p.flags.Force, p.std.Tell, failed); err != nil {
			return fmt.Errorf("--record: %w", err)
		}
		p.tell(recordfile.Note(p.flags.Record))
		defer func() {
			if e := p.rec.Close(err == nil); e != nil && err == nil {
				err = fmt.Errorf("--record: %w", e)
			}
		}()
	}
	if err = p.bridged.begin(ctx, p); err != nil {
		return p.until.Ended(err)
	}
	defer p.bridged.end()
	if p.until.Came() {
		return nil
	}
	if p.session, err = sock.Open(p.options()); err == nil {
		p.roster.Stream, p.roster.Datagram, p.roster.Advertised = p.session.StreamAddr(), p.session.DatagramAddr(),
			p.flags.Advertise.Addr
		p.roster.Own = ownAddresses()
		if err = open(ctx, p); err == nil {
			err = p.stay(ctx, settle)
		}
		p.session.Close() //nolint:errcheck // it has none
	}
	p.tellDropped()
	if p.until.Came() {
		err = nil // such as that the session is lost, which was waited for
	}
	err = p.why(ctx, err)
	if p.bridged.open == nil {
		err = bridging.Beside(ctx, err)
	}
	if p.out.Err != nil {
		return p.out.End()
	}
	tcp, _ := p.flags.listening()
	return p.until.Ended(trouble(err, p.flags.password != "", tcp))
}

// options returns the options of the sockets.
func (p *playing) options() sock.Options {
	opt := p.flags.options(p.rec)
	if p.ports != nil {
		opt.StreamPorts, opt.DatagramPorts = p.ports[0], p.ports[1]
	}
	return opt
}

// ownAddresses returns the IPv4 addresses of this machine, link-local ones last. Without a network it returns the loopback address,
// and nothing if the addresses cannot be listed.
func ownAddresses() []netip.Addr {
	list, _ := sock.Adapters()
	var given, made, self []netip.Addr
	for _, a := range list {
		for _, p := range a.Addrs {
			switch at := p.Addr().Unmap(); {
			case !at.Is4():
			case a.Loopback:
				self = append(self, at)
			case at.IsLinkLocalUnicast():
				made = append(made, at)
			default:
				given = append(given, at)
			}
		}
	}
	if all := append(given, made...); len(all) > 0 {
		return all
	}
	return self
}

// tellDropped prints at the end how many messages were dropped. With --events ndjson there was an event for each.
func (p *playing) tellDropped() {
	if p.dropped > 0 && !p.flags.ndjson() {
		d := p.firstDrop
		fmt.Fprintf(p.std.Err, "dplay: %d messages were dropped; the first one, %s from %s: %s\n", p.dropped, d.Command, d.From,
			captures.Printable(d.Text))
	}
}

// stay settles in the session, and plays until it ends.
func (p *playing) stay(ctx context.Context, settle func(context.Context, *playing) error) error {
	if p.until.Came() {
		return p.leave()
	}
	err := settle(ctx, p)
	switch {
	case ctx.Err() != nil:
		return p.leave() // interrupted on the way
	case err != nil:
		return err
	}
	ctx, p.interrupt = context.WithCancel(ctx)
	defer p.interrupt()
	// No deadline: what is cut off by --for fails as by an interrupt, which is not told as an error.
	defer time.AfterFunc(cmp.Or(p.flags.Length, math.MaxInt64), p.interrupt).Stop()
	in := p.input()
	defer p.console.End()
	defer in.Stop()
	defer p.unsaid(in.All)
	defer p.commanded.finish()
	return p.play(ctx, in)
}

// play handles input and events until the session is left.
func (p *playing) play(ctx context.Context, in *typedLines) error {
	lines := in.All
	begin := time.After(p.delay())
	for p.out.Err == nil && !p.until.Came() {
		p.commanded.tell()
		first, typed := p.party.hold(begin, lines)
		select {
		case <-first:
			if err := p.first(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		case e, ok := <-p.session.Events():
			if err := p.events(ctx, e, ok); err != nil {
				return err
			}
		case text, ok := <-typed:
			if ok {
				p.typed(ctx, text)
				break
			}
			if p.inputEnded(in.Err) {
				return p.leave()
			}
			lines = nil
		case line, ok := <-p.commanded.lines(p.party.missing() && p.party.making):
			if p.commanded.take(ctx, line, ok) {
				return p.leave()
			}
		case p.commanded.outcome = <-p.commanded.done:
		case e, ok := <-p.bridged.events:
			if err := p.bridged.happened(p, e, ok); err != nil {
				return err
			}
		case m := <-p.party.made:
			p.groupMade(ctx, m)
		case <-p.listing:
			p.tellUnlisted(p.session.ListingError())
		case <-ctx.Done():
			return p.leave()
		}
	}
	return p.leave()
}

// overtake is how long the first datagram waits. It could overtake the message over TCP that creates our player, and would be
// dropped then.
const overtake = 250 * time.Millisecond

func (p *playing) delay() time.Duration {
	if p.guaranteed {
		return 0
	}
	return overtake
}

// await handles events up to the one that settles us.
func (p *playing) await(ctx context.Context) error {
	for e := range p.session.Events() {
		if err := p.handle(ctx, e); err != nil || settled(e) {
			return err
		}
	}
	return sock.ErrClosed
}

// handle prints an event and updates the state. An error ends the session.
func (p *playing) handle(ctx context.Context, e dpsp.Event) error {
	p.print(e)
	return p.happened(ctx, e)
}

// settled reports whether an event is the answer to our wish to be in a session.
func settled(e dpsp.Event) bool {
	switch e.(type) {
	case dpsp.SessionOpened, dpsp.JoinFailed:
		return true
	}
	return false
}

// maxBurst bounds the events that are handled in a row, so that input and timers are handled, too.
const maxBurst = 256

// events handles an event and those that wait behind it, and prints them in one write. An error ends the session.
func (p *playing) events(ctx context.Context, e dpsp.Event, ok bool) error {
	defer p.out.Flush()
	for n := 1; ; n++ {
		if !ok {
			return errors.New("the session was left: more happened in it than could be printed")
		}
		p.write(e)
		if err := p.happened(ctx, e); err != nil {
			return err
		}
		if n == maxBurst || p.until.Came() {
			return nil
		}
		select {
		case e, ok = <-p.session.Events():
		default:
			return nil
		}
	}
}

// happened updates the state after an event. An error ends the session.
func (p *playing) happened(ctx context.Context, e dpsp.Event) error {
	p.read++
	switch e := e.(type) {
	case dpsp.SessionLost:
		return fmt.Errorf("the session is lost: %s", e.Reason)
	case dpsp.SessionClosed:
		return errors.New("the session was closed")
	case dpsp.Dropped:
		p.dropped++
		p.firstDrop = cmp.Or(p.firstDrop, &e)
	case dpsp.HostChanged:
		p.listing = nil
		if e.Hosting {
			p.listing = time.After(listingPatience)
		}
	case dpsp.PlayerCreated:
		if e.Local {
			p.player = cmp.Or(p.player, e.ID)
		}
	case dpsp.PlayerDeleted:
		if e.ID == p.player {
			p.player = p.roster.Ours() // a new one if we came back into a session that gave ours to somebody else
		}
	case dpsp.SessionChanged:
		p.otherPassword = p.otherPassword || !p.session.Hosting()
	case dpsp.Message:
		if p.flags.Echo && e.From != 0 {
			// It fails only if the sender or our player is gone.
			p.session.Send(ctx, e.To, e.From, e.Payload, e.Guaranteed) //nolint:errcheck
		}
	}
	p.regroup(ctx, e)
	return nil
}

// write adds an event to the output, and the names in it to the roster.
func (p *playing) write(e dpsp.Event) {
	p.out.Add(p.append(p.out.Buffer(), time.Now(), e, p.roster))
	p.roster.Learn(e)
	if _, opened := e.(dpsp.SessionOpened); opened {
		p.rec.Opened()
	}
	if p.past = p.past && !settled(e); !p.past {
		p.until.Printed(events.NameOf(e))
	}
}

// print writes an event and flushes the output.
func (p *playing) print(e dpsp.Event) {
	p.write(e)
	p.out.Flush()
}

// leave leaves the session, and prints the events up to its end.
func (p *playing) leave() error {
	p.commanded.finish()
	ctx, cancel := context.WithTimeout(context.Background(), cli.LeaveTime)
	defer cancel()
	if err := p.session.Leave(ctx); err != nil {
		return nil // it ended a moment before
	}
	defer time.AfterFunc(cli.LeaveTime, func() { p.session.Close() }).Stop()
	for e := range p.session.Events() {
		p.print(e)
		if _, closed := e.(dpsp.SessionClosed); closed {
			break
		}
	}
	return nil
}

// input begins to read standard input: commands of another program, or lines that somebody types.
func (p *playing) input() *typedLines {
	switch {
	case p.flags.Commands.Value == "ndjson":
		p.commanded.obey()
		return &typedLines{Stop: func() {}}
	case p.console.Begin(p.interrupt):
		return commands.Each(p.console.ReadLine)
	}
	return readLines(p.std.In)
}

// inputEnded reports whether the user ended the session with the input: on a terminal.
func (p *playing) inputEnded(err error) bool {
	if err != nil {
		fmt.Fprintln(p.std.Err, "dplay: standard input is not read any further: "+err.Error())
		return false
	}
	return cli.Terminal(p.std.In) != nil
}

// say sends chat.
func (p *playing) say(ctx context.Context, text string) error {
	return p.session.Chat(ctx, p.player, p.party.id, cli.Typed(text), p.guaranteed)
}

// bePlayer creates our player, unless --player is empty.
func (p *playing) bePlayer(ctx context.Context, flags wire.PlayerFlags) (err error) {
	if p.flags.Player == "" {
		return nil
	}
	p.player, err = p.session.Do(ctx, dpsp.CreatePlayer{ShortName: cli.Typed(p.flags.Player),
		LongName: cli.Typed(p.flags.LongName), Flags: flags})
	return err
}

// listingPatience is how long a machine that became host may fail to open the port of hosts before the user is told. It suffices
// for two more tries, because the former host may still hold the port.
const listingPatience = 5 * time.Second

// tellUnlisted prints why searches do not find the session here, once each time that this machine becomes host.
func (p *playing) tellUnlisted(why error) {
	p.listing = nil
	if why != nil {
		fmt.Fprintf(p.std.Err, "dplay: we are the host, but who looks for the session does not find it here: %s; we keep trying\n",
			captures.Printable(why.Error()))
	}
}
