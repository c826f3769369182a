package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/liveplay"
	"dplay4/dpsp"
)

// replayFlags are the flags of "dplay replay".
type replayFlags struct {
	as         flags.Choice
	speed      float64
	format     flags.Choice
	verbose    bool
	compatible bool
	period     time.Duration
	probes     int
	to         string
	live       liveplay.Options
	changed    func(name string) bool
	std        cli.Streams
}

const replayLong = `Feed what the machines of a packet capture were sent to fresh engines of this program, one in the place of each
machine, and compare what they answer with what was answered: message by message, field by field. Nothing is sent on
the network, unless --to asks for it.

What the machines' programs did (look for sessions, join, make players, send, leave) is told from what the machines sent
that is no answer. Ids, GUIDs, tick counts and the ports that messages were sent from may differ, if always in the
same way; how many did is said. A machine whose way into its session is not in the capture is not replayed.

Timers:
  Pings and what follows from them depend on the timers of the recorded session. --period is taken from the pings in the
  capture, if there are any, and else is the specification's; --probes cannot be seen. If pings differ
  then, timers like that of Windows are tried, which elapses every 7.5 s whoever is there. A machine that got several pings
  of another one at once is taken to have stood still until then, if the recording is explained better so.

A live host:
  --to plays the joiner's messages of the capture to a host that is running, as they are but for ids, GUIDs and our
  ports, waits for the answers that the capture has, and compares those. What the recorded host's game said of itself, and
  what the joiner and other machines said to each other, is left out. It is for testing a host of one's own: name an
  address, which may not be a broadcast address. It ends after --for or --messages.

JSON:
  --format ndjson prints an object a line, told apart by "type": step (with --speed or --verbose), difference,
  ignored, party, note (a text for people), and result at the end. Times are in seconds since the first message.

Exit status: 0 all is equal and every machine was replayed, 3 something differs or a machine was not replayed, 1 the
file could not be read, the output not written or the host not reached, 2 wrong usage.`

const replayExamples = `  dplay replay captures/lab/04-rzhost-w10join-unreliable-udp.pcap
  dplay replay --as joiner captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay replay --format ndjson captures/interop/ourhost-third-machine.pcap
  dplay replay --speed 100 captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay replay --period 500ms --probes 3 captures/migration/killed-modern.pcapng
  dplay replay --to 127.0.0.1 captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap`

func newReplay(std cli.Streams) *cobra.Command {
	f := &replayFlags{as: flags.NewChoice("both", "host", "joiner"), format: flags.NewChoice("text", "ndjson"), std: std}
	cmd := &cobra.Command{
		Use:                   "replay [flags] FILE",
		Short:                 "Compare a capture with what this program would have sent",
		Long:                  replayLong,
		Example:               replayExamples,
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one FILE (\"-\" is standard input)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = cmd.Flags().Changed
			if err := f.check(); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[0])
		},
	}
	f.register(cmd)
	takesFiles(cmd)
	return cmd
}

func (f *replayFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	f.as.AddTo(cmd, "as", "replay the machines of this role")
	set.Float64Var(&f.speed, "speed", 0, "show the messages at `N` times the recorded pace, each as it is compared")
	f.format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	set.BoolVarP(&f.verbose, "verbose", "V", false, "print every message that is compared, and what our engines ignore")
	set.BoolVar(&f.compatible, "compatible", false, "engines that believe whatever members say about others, as Windows does")
	acceptStrict(cmd)
	set.DurationVar(&f.period, "period", 0, "the ping timer of the recorded session, `DURATION`")
	set.IntVar(&f.probes, "probes", dpsp.DefaultProbes, "how many pings in a row, `N`, it leaves unanswered")
	set.StringVar(&f.to, "to", "", "play the joiner's messages to the host that runs at this `ADDRESS` or ADDRESS:PORT instead")
	set.DurationVar(&f.live.Length, "for", time.Minute, "with --to, end after this `TIME`, an hour at most")
	set.IntVar(&f.live.Messages, "messages", 1000, "with --to, send `N` messages at most")
	flags.NoFiles(cmd, "speed", "period", "probes", "to", "for", "messages")
}

func (f *replayFlags) check() error {
	switch {
	case f.changed("speed") && !(f.speed > 0 && f.speed <= 1e6) || math.IsNaN(f.speed):
		return fmt.Errorf("--speed %v: more than nothing, and a million at most", f.speed)
	case f.changed("period") && (f.period < minPeriod || f.period > 24*time.Hour):
		return fmt.Errorf("--period %v: from %v to a day", f.period, minPeriod)
	case f.probes < 1 || f.probes > 1000:
		return fmt.Errorf("--probes %d: from 1 to 1000", f.probes)
	case f.to == "" && (f.changed("for") || f.changed("messages")):
		return errors.New("--for and --messages go with --to")
	case f.to != "" && f.as.Value == "host":
		return errors.New("--to plays a joiner: --as host does not go with it")
	}
	return f.checkLive()
}

// The most that a replay to a live host may be asked for.
const (
	maxLiveLength = time.Hour
	maxLiveCount  = 1_000_000
)

func (f *replayFlags) checkLive() (err error) {
	switch {
	case f.to == "":
		return nil
	case f.live.Length <= 0 || f.live.Length > maxLiveLength:
		return fmt.Errorf("--for %v: more than nothing, and %v at most", f.live.Length, maxLiveLength)
	case f.live.Messages < 1 || f.live.Messages > maxLiveCount:
		return fmt.Errorf("--messages %d: from 1 to %d", f.live.Messages, maxLiveCount)
	}
	if f.live.To, err = liveplay.ParseTarget(f.to); err != nil {
		return fmt.Errorf("--to %w", err)
	}
	return nil
}

// run replays one file.
func (f *replayFlags) run(ctx context.Context, name string) error {
	c, err := f.read(ctx, name)
	if err != nil {
		f.std.Tell(fileReason(name, err))
		return cli.ErrFailed
	}
	p := newReplayPrinter(f)
	equal := false
	if f.to != "" {
		f.live.Speed, f.live.Show, f.live.Note = f.speed, p.live, p.note
		equal, err = f.live.Play(ctx, c)
	} else {
		equal, err = f.engines(ctx, c, p)
	}
	if p.out.Err == nil && err != nil {
		p.out.Flush()
		f.std.Tell(fileReason(name, err))
		return cli.ErrFailed
	}
	return f.end(p, equal)
}

func (f *replayFlags) read(ctx context.Context, name string) (*replay.Capture, error) {
	in, err := openInput(name, f.std.In)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return replay.Read(ctx, in.r, captures.Options{Name: displayName(name)})
}

// end ends the output and gives the exit status.
func (f *replayFlags) end(p *replayPrinter, equal bool) error {
	if err := f.std.Told(p.out.End()); err != nil {
		return err
	}
	if !equal {
		return errFindings
	}
	return nil
}

// engines replays with engines of ours.
func (f *replayFlags) engines(ctx context.Context, c *replay.Capture, p *replayPrinter) (equal bool, err error) {
	opt := replay.Options{Config: dpsp.Config{Compatible: f.compatible, Period: f.period, Probes: f.probes}}
	if f.as.Value != "both" {
		opt.As = replay.Role(f.as.Value)
	}
	if f.speed > 0 || f.verbose {
		opt.Watch = p.step
	}
	if f.speed > 0 {
		pace := pacer{speed: f.speed}
		opt.Progress = func(at time.Duration) error {
			p.out.Flush()
			return pace.until(ctx, at)
		}
	}
	r, err := c.Run(ctx, opt)
	if err != nil {
		return false, err
	}
	for i := range r.Parties {
		p.party(&r.Parties[i])
	}
	p.hint(r, f)
	p.result(r)
	return r.Equal(), nil
}

// A pacer waits for moments of a recording.
type pacer struct {
	speed float64
	from  time.Time     // when it began
	first time.Duration // the moment then
	last  time.Duration
}

// until waits for a moment. One before the last begins anew: the next machine is replayed.
func (p *pacer) until(ctx context.Context, at time.Duration) error {
	if p.from.IsZero() || at < p.last {
		p.from, p.first = time.Now(), at
	}
	p.last = at
	return cli.Wait(ctx, time.Until(p.from.Add(time.Duration(float64(at-p.first)/p.speed))))
}
