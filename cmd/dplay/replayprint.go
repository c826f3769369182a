package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
)

// A replayPrinter writes what becomes of a replay.
type replayPrinter struct {
	out     *cli.Output
	ndjson  bool
	verbose bool
	as      string // the role that is wanted
	parties bool   // one was written
}

func newReplayPrinter(f *replayFlags) *replayPrinter {
	return &replayPrinter{out: cli.NewOutput(f.std.Out), ndjson: f.format.Value == "ndjson", verbose: f.verbose, as: f.as.Value}
}

// object writes a JSON object.
func (p *replayPrinter) object(v any) { p.out.Add(events.AppendJSON(p.out.Buffer(), v)) }

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
	if p.ndjson {
		p.object(replayStep{"step", party.Address.String(), s.N, s.Frame, inSeconds(s.At), s.Message, s.To, s.Equal})
		return
	}
	what := "differs"
	switch {
	case s.Equal:
		what = "equal"
	case len(s.Differences) == 1 && s.Differences[0].Kind != replay.Field:
		what = map[replay.Kind]string{replay.Missing: "not sent by ours", replay.Extra: "only sent by ours"}[s.Differences[0].Kind]
	}
	fmt.Fprintf(p.out, "%6d %12.6f  %-6s %-21s > %-21s  %s: %s\n", s.N, s.At.Seconds(), party.Role, party.Address,
		s.To, s.Message, what)
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
			p.out.Add([]byte{'\n'})
		}
		p.parties = true
		p.out.Add(replay.AppendParty(p.out.Buffer(), party, p.verbose))
		return
	}
	for i := range party.Differences {
		d := &party.Differences[i]
		p.object(replayDifference{Type: "difference", Role: string(party.Role), From: party.Address.String(),
			Time: inSeconds(d.At), Difference: *d})
	}
	for i := range party.Ignored {
		p.object(replayIgnored{"ignored", party.Address.String(), party.Ignored[i]})
	}
	o := replayParty{Type: "party", Party: *party, Differences: len(party.Differences) + party.More, Ignored: len(party.Ignored),
		Still: []float64{}}
	for _, s := range party.StoodStill {
		o.Still = append(o.Still, inSeconds(s.From), inSeconds(s.Until))
	}
	p.object(o)
}

// result writes what became of all.
func (p *replayPrinter) result(r *replay.Report) {
	compared, equal, other := 0, 0, 0
	for i := range r.Parties {
		q := &r.Parties[i]
		compared, equal, other = compared+q.Compared, equal+q.Equal, other+q.Missing+q.Extra
	}
	switch {
	case p.ndjson:
		p.object(struct {
			Type     string `json:"type"`
			Parties  int    `json:"parties"`
			Compared int    `json:"compared"`
			Equals   int    `json:"equal_messages"`
			Equal    bool   `json:"equal"`
		}{"result", len(r.Parties), compared, equal, r.Equal()})
	case len(r.Parties) == 0 && p.as != "both":
		fmt.Fprintf(p.out, "no machine of the capture was seen to be %s; without --as, every machine is shown\n",
			map[string]string{"host": "host", "joiner": "a joiner"}[p.as])
	case len(r.Parties) == 0:
		fmt.Fprintln(p.out, "no machine of the capture was sent or sent a DirectPlay 4 message that says what it is")
	default:
		fmt.Fprintf(p.out, "\n%s: %s compared, %d equal, %d sent by one side only\n", cli.Numbered(len(r.Parties), "machine"),
			cli.Numbered(compared, "message"), equal, other)
	}
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

// hint says which flags may explain the differences.
func (p *replayPrinter) hint(r *replay.Report, f *replayFlags) {
	if f.changed("probes") && f.changed("period") ||
		!slices.ContainsFunc(r.Parties, func(q replay.Party) bool { return timersDiffer(&q) }) {
		return
	}
	if !p.ndjson {
		p.out.Add([]byte{'\n'})
	}
	p.note("hint: the differences begin with pings, as they do if the recorded session had other timers than --probes and " +
		"--period say; " +
		"try those that it had, such as --probes 3 --period 500ms")
}

// inSeconds returns a time for JSON, without the noise of a sum.
func inSeconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// live writes a message that was sent to, or came from, a running host.
func (p *replayPrinter) live(what string, a *replay.Act, host netip.AddrPort, diffs []replay.Difference) {
	defer p.out.Flush()
	if p.ndjson {
		p.object(struct {
			replayStep
			What string `json:"what"`
		}{replayStep{"step", host.String(), a.N, a.Frame, inSeconds(a.At), a.Message, "", len(diffs) == 0}, what})
		for i := range diffs {
			p.object(replayDifference{Type: "difference", Role: string(replay.Host), From: host.String(), Time: inSeconds(a.At),
				Difference: diffs[i]})
		}
		return
	}
	transport := "TCP"
	if a.Transport == captures.UDP {
		transport = "UDP"
	}
	fmt.Fprintf(p.out, "%6d %12.6f  %-12s %s  %s\n", a.N, a.At.Seconds(), what, transport, a.Message)
	for i := range diffs {
		if d := &diffs[i]; d.Kind == replay.Field {
			fmt.Fprintf(p.out, "         %s: recorded %s, the host has %s\n", d.Field, d.Recorded, d.Ours)
		} else {
			fmt.Fprintf(p.out, "         %s\n", d.Note)
		}
	}
}

// note writes something that is about no message.
func (p *replayPrinter) note(text string) {
	if p.ndjson {
		p.object(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{"note", text})
		return
	}
	fmt.Fprintln(p.out, text)
}
