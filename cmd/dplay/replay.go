package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/liveplay"
	"dplay4/dpsp"
)

// replayFlags are the flags of "dplay replay". The number 5e-324 is the least one above 0.
type replayFlags struct {
	As         flags.Choice  `flag:"as" choice:"both,host,joiner" usage:"replay the machines of this role"`
	Speed      float64       `flag:"speed" range:"5e-324,1e6" must:"more than nothing, and a million at most" usage:"show the messages at <N> times the recorded pace, each as it is compared"`
	Format     flags.Choice  `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
	Verbose    bool          `flag:"verbose,V" usage:"print every message that is compared, and what our engines ignore"`
	Compatible bool          `flag:"compatible" usage:"engines that believe whatever members say about others, as Windows does"`
	Strict     bool          `flag:"strict" default:"true" deprecated:"it is the default; the other way is --compatible" exclusive:"compatible"`
	Period     time.Duration `flag:"period" range:"10ms,24h" must:"from 10ms to a day" shown:"" usage:"the ping timer of the recorded session, <DURATION>"`
	Probes     int           `flag:"probes" range:"1,1000" must:"from 1 to 1000" usage:"how many pings in a row, <N>, it leaves unanswered"`
	To         string        `flag:"to" usage:"play the joiner's messages to the host that runs at this <ADDRESS> or ADDRESS:PORT instead"`
	For        time.Duration `flag:"for" default:"1m" range:"1ns,1h" must:"more than nothing, and 1h0m0s at most" usage:"with --to, end after this <TIME>, an hour at most"`
	Messages   int           `flag:"messages" default:"1000" range:"1,1000000" must:"from 1 to 1000000" usage:"with --to, send <N> messages at most"`
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
	f := &replayFlags{Probes: dpsp.DefaultProbes, std: std}
	return takesFiles(flags.Register(&cobra.Command{
		Use:     "replay [flags] FILE",
		Short:   "Compare a capture with what this program would have sent",
		Long:    replayLong,
		Example: replayExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one FILE (\"-\" is standard input)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.changed = cmd.Flags().Changed
			return f.run(cmd.Context(), args[0])
		},
	}, f))
}

// run replays one file.
func (f *replayFlags) run(ctx context.Context, name string) error {
	play, err := f.player()
	if err != nil {
		return err
	}
	c, err := readReplay(ctx, f.std.In, name)
	if err != nil {
		return unread(f.std, name, err)
	}
	p := &replayPrinter{out: cli.NewOutput(f.std.Out), ndjson: f.Format.Value == "ndjson", verbose: f.Verbose, as: f.As.Value}
	equal, err := play(ctx, c, p)
	if p.out.Err == nil && err != nil {
		p.out.Flush()
		return unread(f.std, name, err)
	}
	return endComparison(f.std, p.out, equal)
}

// player returns the function that replays a capture: to a live host, or with engines of ours. It refuses flags that do not go together.
func (f *replayFlags) player() (func(context.Context, *replay.Capture, *replayPrinter) (equal bool, err error), error) {
	switch {
	case f.To == "" && (f.changed("for") || f.changed("messages")):
		return nil, errors.New("--for and --messages go with --to")
	case f.To == "":
		return f.engines, nil
	case f.As.Value == "host":
		return nil, errors.New("--to plays a joiner: --as host does not go with it")
	}
	to, err := liveplay.ParseTarget(f.To)
	if err != nil {
		return nil, fmt.Errorf("--to %w", err)
	}
	return func(ctx context.Context, c *replay.Capture, p *replayPrinter) (bool, error) {
		o := liveplay.Options{To: to, Length: f.For, Messages: f.Messages, Speed: f.Speed, Show: p.live, Note: p.note}
		return o.Play(ctx, c)
	}, nil
}

// readReplay reads a capture, to be replayed or compared.
func readReplay(ctx context.Context, stdin io.Reader, name string) (*replay.Capture, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return replay.Read(ctx, in.r, captures.Options{Name: displayName(name)})
}

// endComparison ends the output of a comparison, and returns the error of the command.
func endComparison(std cli.Streams, out *cli.Output, equal bool) error {
	if err := std.Told(out.End()); err != nil || equal {
		return err
	}
	return errFindings
}

// engines replays with engines of ours.
func (f *replayFlags) engines(ctx context.Context, c *replay.Capture, p *replayPrinter) (equal bool, err error) {
	opt := replay.Options{Config: dpsp.Config{Compatible: f.Compatible, Period: f.Period, Probes: f.Probes},
		As: map[string]replay.Role{"host": replay.Host, "joiner": replay.Joiner}[f.As.Value]}
	if f.Speed > 0 || f.Verbose {
		opt.Watch = p.step
	}
	if f.Speed > 0 {
		pace := pacer{speed: f.Speed}
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
	if !(f.changed("probes") && f.changed("period")) && slices.ContainsFunc(r.Parties, func(q replay.Party) bool { return timersDiffer(&q) }) {
		p.gap()
		p.note("hint: the differences begin with pings, as they do if the recorded session had other timers than --probes and --period say; " +
			"try those that it had, such as --probes 3 --period 500ms")
	}
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

// A replayPrinter writes what becomes of a replay.
type replayPrinter struct {
	out     *cli.Output
	ndjson  bool
	verbose bool
	as      string // the role that is wanted
	parties bool   // one was written
}

// put writes something: an object in JSON, a text for people.
func (p *replayPrinter) put(object any, format string, args ...any) {
	if p.ndjson {
		p.out.Add(events.AppendJSON(p.out.Buffer(), object))
		return
	}
	fmt.Fprintf(p.out, format, args...)
}

// gap writes an empty line for people.
func (p *replayPrinter) gap() {
	if !p.ndjson {
		p.out.Add([]byte{'\n'})
	}
}

// A replayStep is a message in JSON.
type replayStep struct {
	Type    string  `json:"type"`
	Party   string  `json:"party"`
	N       int     `json:"n"`
	Frame   int     `json:"frame"`
	Time    float64 `json:"time"`
	Message string  `json:"message"`
	To      string  `json:"to"`
	Equal   bool    `json:"equal"`
}

// step writes a message that was compared.
func (p *replayPrinter) step(party *replay.Party, s replay.Step) {
	what := "differs"
	if s.Equal {
		what = "equal"
	} else if len(s.Differences) == 1 {
		what = cmp.Or(map[replay.Kind]string{replay.Missing: "not sent by ours", replay.Extra: "only sent by ours"}[s.Differences[0].Kind], what)
	}
	p.put(replayStep{"step", party.Address.String(), s.N, s.Frame, inSeconds(s.At), s.Message, s.To, s.Equal},
		"%6d %12.6f  %-6s %-21s > %-21s  %s: %s\n", s.N, s.At.Seconds(), party.Role, party.Address, s.To, s.Message, what)
}

// A replayDifference is a difference in JSON.
type replayDifference struct {
	Type string  `json:"type"`
	Role string  `json:"role"`
	From string  `json:"party"`
	Time float64 `json:"time"`
	replay.Difference
	At any `json:"at,omitempty"` // hides that of Difference: Time is in seconds
}

// A replayIgnored is a message that our engine ignored, in JSON.
type replayIgnored struct {
	Type string `json:"type"`
	From string `json:"party"`
	replay.Ignored
}

// A replayParty is a party in JSON, without its differences, which are objects of their own.
type replayParty struct {
	Type string `json:"type"`
	replay.Party
	Differences int       `json:"differences"`
	Ignored     int       `json:"ignored"`
	Still       []float64 `json:"stood_still"` // from, until, from, until
}

// party writes a machine that was replayed.
func (p *replayPrinter) party(party *replay.Party) {
	if !p.ndjson {
		if p.parties {
			p.gap()
		}
		p.parties = true
		p.out.Add(replay.AppendParty(p.out.Buffer(), party, p.verbose))
		return
	}
	for _, d := range party.Differences {
		p.put(replayDifference{Type: "difference", Role: string(party.Role), From: party.Address.String(), Time: inSeconds(d.At), Difference: d}, "")
	}
	for _, ignored := range party.Ignored {
		p.put(replayIgnored{"ignored", party.Address.String(), ignored}, "")
	}
	o := replayParty{Type: "party", Party: *party, Differences: len(party.Differences) + party.More, Ignored: len(party.Ignored),
		Still: []float64{}}
	for _, s := range party.StoodStill {
		o.Still = append(o.Still, inSeconds(s.From), inSeconds(s.Until))
	}
	p.put(o, "")
}

// result writes what became of all.
func (p *replayPrinter) result(r *replay.Report) {
	compared, equal, other := 0, 0, 0
	for i := range r.Parties {
		q := &r.Parties[i]
		compared, equal, other = compared+q.Compared, equal+q.Equal, other+q.Missing+q.Extra
	}
	text := fmt.Sprintf("\n%s: %s compared, %d equal, %d sent by one side only", cli.Numbered(len(r.Parties), "machine"),
		cli.Numbered(compared, "message"), equal, other)
	if len(r.Parties) == 0 {
		text = map[string]string{
			"both":   "no machine of the capture was sent or sent a DirectPlay 4 message that says what it is",
			"host":   "no machine of the capture was seen to be host; without --as, every machine is shown",
			"joiner": "no machine of the capture was seen to be a joiner; without --as, every machine is shown",
		}[p.as]
	}
	p.put(struct {
		Type     string `json:"type"`
		Parties  int    `json:"parties"`
		Compared int    `json:"compared"`
		Equals   int    `json:"equal_messages"`
		Equal    bool   `json:"equal"`
	}{"result", len(r.Parties), compared, equal, r.Equal()}, "%s\n", text)
}

// lossNews are the messages with which machines tell each other that one is gone, or call the next host.
var lossNews = []string{"DELETEPLAYER", "IAMNAMESERVER"}

// timersDiffer reports whether a machine and its engine first disagree about pings, or about who is gone after pings.
// Then they most likely count in other timers.
func timersDiffer(q *replay.Party) bool {
	if len(q.Differences) == 0 {
		return false
	}
	first := slices.MinFunc(q.Differences, func(a, b replay.Difference) int { return cmp.Compare(a.N, b.N) })
	if first.Kind == replay.Field {
		return false
	}
	return first.Message == "PING" || q.Mapped.Ticks > 0 && slices.Contains(lossNews, first.Message)
}

// inSeconds returns a time for JSON, without the noise of a sum.
func inSeconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// live writes a message that was sent to, or came from, a running host.
func (p *replayPrinter) live(what string, a *replay.Act, host netip.AddrPort, diffs []replay.Difference) {
	defer p.out.Flush()
	p.put(struct {
		replayStep
		What string `json:"what"`
	}{replayStep{"step", host.String(), a.N, a.Frame, inSeconds(a.At), a.Message, "", len(diffs) == 0}, what},
		"%6d %12.6f  %-12s %s  %s\n", a.N, a.At.Seconds(), what, strings.ToUpper(a.Transport.String()), a.Message)
	for _, d := range diffs {
		text := d.Note
		if d.Kind == replay.Field {
			text = fmt.Sprintf("%s: recorded %s, the host has %s", d.Field, d.Recorded, d.Ours)
		}
		p.put(replayDifference{Type: "difference", Role: string(replay.Host), From: host.String(), Time: inSeconds(a.At), Difference: d},
			"         %s\n", text)
	}
}

// note writes something that is about no message.
func (p *replayPrinter) note(text string) {
	p.put(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"note", text}, "%s\n", text)
}
