package simulated

import (
	"fmt"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/internal/sim"
)

// writeRunText writes a run for people.
func writeRunText(out *cli.Output, r *sim.Result) {
	o := &r.Options
	loss := 0.0
	if o.Faults&sim.Lose != 0 {
		loss = 100 * o.Loss
	}
	fmt.Fprintf(out,
		"seed %d: %d machines, %d legacy%s; rule %s; flags %s; faults %s; loss %.3g%%; ping timer %v, %d probes; %v, faults until %v\n\n",
		o.Seed, o.Members, o.Legacy, olderText(o), o.Rule, sessionFlagText(o), o.Faults, loss, o.Period, o.Probes, o.Time,
		o.FaultsEnd().Round(time.Millisecond))
	r.WriteText(out) //nolint:errcheck // the output keeps it
	s := &r.Stats
	fmt.Fprintf(out, "\n%d steps, %d messages; %d joins, %d failed; %d commands, %d failed\n", r.Steps, r.Messages, s.Joins,
		s.JoinsFailed, s.Operations, s.Failed)
	if o.Objects > 0 {
		fmt.Fprintf(out, "objects made %d, got another owner %d times\n", s.Objects, s.ObjectsMoved)
	}
	fmt.Fprintf(out, "hosts gone %d, elections %d, sessions lost %d; splits %d, %.1fs long together, %d in the end\n",
		s.HostsLost, s.Elections, s.SessionsLost, s.Splits, s.SplitTime.Seconds(), s.SplitAtEnd)
	fmt.Fprintf(out, "connections broken %d; members thrown out %d, out for a reason %s; %d of these do not know it\n",
		s.Breaks, s.ThrownOut, reasonsText(sim.Excuses(), s.Excused), s.Stranded)
	fmt.Fprintf(out, "time to a new host: median %s, 95th %s, worst %s; operations lost %d of %d\n",
		secondsText(s.NewHost, .5), secondsText(s.NewHost, .95), secondsText(s.NewHost, 1), s.LostOperations, s.Known)
	fmt.Fprintf(out, "members without a host %d times, %.2fs together, median %s, worst %s; in the end %d\n", len(s.NoHost),
		s.NoHost.Total().Seconds(), secondsText(s.NoHost, .5), secondsText(s.NoHost, 1), s.HostlessAtEnd)
	fmt.Fprintf(out, "guaranteed messages %d: lost %d, doubled %d, out of order %d; "+
		"lost for a reason %s; out of order for a reason %s\n", s.Guaranteed,
		s.NeverCame[sim.NoCause], s.Doubled, s.Overtaken[sim.NoCause]+s.Stale, reasonsText(sim.LossCauses(), s.NeverCame),
		reasonsText(sim.OrderCauses(), s.Overtaken))
	fmt.Fprintf(out, "new things said in the end %d, not heard %d, failed %d; memberships lost %d, shortcuts lost %d\n",
		s.Said, s.Unheard, s.Unsaid, s.Outside, s.Unlinked)
	fmt.Fprintf(out, "violations %d; hash %s\n", len(r.Violations), r.Hash)
}

// reasonsText writes the sum of some counts, and each count with its reason.
func reasonsText[R ~string](order []R, counts map[R]int) string {
	sum := 0
	var all []string
	for _, why := range order {
		if n := counts[why]; n > 0 {
			sum += n
			all = append(all, fmt.Sprintf("%s %d", why, n))
		}
	}
	if sum == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(all, ", "))
}

func sessionFlagText(o *sim.Options) string {
	if o.Flags == 0 {
		return "none"
	}
	return strings.ToLower(strings.ReplaceAll(o.Flags.String(), "|", ","))
}

// secondsText writes a quantile, "-" where there is none.
func secondsText(t sim.Times, q float64) string {
	if len(t) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fs", t.Quantile(q).Seconds())
}

// A Line is one line of JSON. Keys that do not belong to its type are left out.
type Line struct {
	Type       string         `json:"type"`
	Seed       *uint64        `json:"seed,omitempty"`
	Members    int            `json:"members,omitempty"`
	Legacy     *int           `json:"legacy,omitempty"`
	Older      int            `json:"older,omitempty"`
	Rule       string         `json:"rule,omitempty"`
	Flags      string         `json:"flags,omitempty"`
	Faults     string         `json:"faults,omitempty"`
	Loss       *float64       `json:"loss,omitempty"`
	Length     float64        `json:"length,omitempty"`
	Time       *float64       `json:"time,omitempty"`
	Machine    string         `json:"machine,omitempty"`
	Kind       string         `json:"kind,omitempty"`
	Text       string         `json:"text,omitempty"`
	Hash       string         `json:"hash,omitempty"`
	Violations *int           `json:"violations,omitempty"`
	Numbers    map[string]int `json:"numbers,omitempty"`
	NewHost    *timesJSON     `json:"new_host,omitempty"`
	NoHost     *timesJSON     `json:"no_host,omitempty"`
}

// A timesJSON sums up durations, in seconds.
type timesJSON struct {
	Count  int     `json:"count"`
	Total  float64 `json:"total"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Worst  float64 `json:"worst"`
}

func timesOf(t sim.Times) *timesJSON {
	if len(t) == 0 {
		return nil
	}
	return &timesJSON{len(t), t.Total().Seconds(), t.Quantile(.5).Seconds(), t.Quantile(.95).Seconds(), t.Quantile(1).Seconds()}
}

// numbersOf returns what one run or many are measured by.
func numbersOf(s *sim.Stats) map[string]int {
	numbers := map[string]int{
		"joins": s.Joins, "joins_failed": s.JoinsFailed, "commands": s.Operations,
		"commands_failed": s.Failed, "hosts_gone": s.HostsLost, "elections": s.Elections, "sessions_lost": s.SessionsLost,
		"splits": s.Splits, "splits_in_the_end": s.SplitAtEnd, "operations": s.Known, "operations_lost": s.LostOperations,
		"machines_lost": s.PeersLost, "tables_unequal": s.Unequal, "ids_twice": s.DoubleIDs, "dropped": s.Dropped,
		"objects": s.Objects, "objects_moved": s.ObjectsMoved, "objects_unequal": s.ObjectsUnequal,
		"breaks": s.Breaks, "thrown_out": s.ThrownOut, "out_in_the_end": s.Stranded, "without_host_in_the_end": s.HostlessAtEnd,
		"guaranteed": s.Guaranteed, "lost": s.NeverCame[sim.NoCause], "doubled": s.Doubled,
		"out_of_order": s.Overtaken[sim.NoCause] + s.Stale,
		"said":         s.Said, "unheard": s.Unheard, "unsaid": s.Unsaid,
		"memberships_lost": s.Outside, "shortcuts_lost": s.Unlinked,
	}
	for _, why := range sim.Excuses() {
		numbers["out_"+string(why)] = s.Excused[why]
	}
	for _, why := range sim.LossCauses() {
		numbers["lost_"+string(why)] = s.NeverCame[why]
	}
	for _, why := range sim.OrderCauses() {
		numbers["out_of_order_"+string(why)] = s.Overtaken[why]
	}
	return numbers
}

// writeRunJSON writes a run as JSON.
func writeRunJSON(out *cli.Output, r *sim.Result) {
	write := func(line *Line) { out.Add(events.AppendJSON(out.Buffer(), line)) }
	o := &r.Options
	loss := o.Loss
	if o.Faults&sim.Lose == 0 {
		loss = 0
	}
	write(&Line{Type: "run", Seed: &o.Seed, Members: o.Members, Legacy: &o.Legacy, Older: o.OlderMembers(), Rule: string(o.Rule),
		Flags: sessionFlagText(o), Faults: o.Faults.String(), Loss: &loss, Length: o.Time.Seconds()})
	for i := range r.Timeline {
		m := &r.Timeline[i]
		line := &Line{Type: "moment", Time: new(m.At.Seconds()), Machine: r.Name(m.Lane), Kind: m.Kind, Text: m.Text}
		if m.Kind == "violation" {
			line.Type = m.Kind
			line.Kind, line.Text, _ = strings.Cut(m.Text, ": ")
		}
		write(line)
	}
	numbers := numbersOf(&r.Stats)
	numbers["steps"], numbers["messages"] = r.Steps, r.Messages
	write(&Line{Type: "statistics", Hash: r.Hash, Violations: new(len(r.Violations)), NewHost: timesOf(r.Stats.NewHost),
		NoHost: timesOf(r.Stats.NoHost), Numbers: numbers})
}

// olderText writes how many machines have an older release, if some do.
func olderText(o *sim.Options) string {
	if n := o.OlderMembers(); n > 0 {
		return fmt.Sprintf(", %d of an older release", n)
	}
	return ""
}
