package main

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
		"seed %d: %d machines, %d legacy; rule %s; flags %s; faults %s; loss %.3g%%; ping timer %v, %d probes; %v, faults until %v\n\n",
		o.Seed, o.Members, o.Legacy, o.Rule, sessionFlagText(o), o.Faults, loss, o.Period, o.Probes, o.Time,
		o.FaultsEnd().Round(time.Millisecond))
	r.WriteText(out) //nolint:errcheck // the output keeps it
	s := &r.Stats
	var row sim.Row
	row.Add(r)
	fmt.Fprintf(out, "\n%d steps, %d messages; %d joins, %d failed; %d commands, %d failed\n", r.Steps, r.Messages, s.Joins,
		s.JoinsFailed, s.Operations, s.Failed)
	if o.Objects > 0 {
		fmt.Fprintf(out, "objects made %d, got another owner %d times\n", s.Objects, s.ObjectsMoved)
	}
	fmt.Fprintf(out, "hosts gone %d, elections %d, sessions lost %d; splits %d, %.1fs long together, %d in the end\n",
		s.HostsLost, s.Elections, s.SessionsLost, s.Splits, s.SplitTime.Seconds(), s.SplitAtEnd)
	fmt.Fprintf(out, "connections broken %d; members thrown out %d, out for a reason %d%s\n", s.Breaks, s.ThrownOut,
		s.SessionsLost-s.ThrownOut, excusesText(s))
	fmt.Fprintf(out, "time to a new host: median %s, 95th %s, worst %s; operations lost %d of %d\n",
		secondsText(&row, .5), secondsText(&row, .95), secondsText(&row, 1), s.LostOperations, s.Known)
	fmt.Fprintf(out, "violations %d; hash %s\n", len(r.Violations), r.Hash)
}

// excusesText writes for which reasons members lost their session although their programs live.
func excusesText(s *sim.Stats) string {
	var all []string
	for _, why := range sim.Excuses() {
		if n := s.Excused[why]; n > 0 {
			all = append(all, fmt.Sprintf("%s %d", why, n))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

func sessionFlagText(o *sim.Options) string {
	if o.Flags == 0 {
		return "none"
	}
	return strings.ToLower(strings.ReplaceAll(o.Flags.String(), "|", ","))
}

// secondsText writes a quantile, "-" where there is none.
func secondsText(r *sim.Row, q float64) string {
	if len(r.NewHost) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fs", r.Quantile(q).Seconds())
}

// A simulateJSON is one line of JSON. Keys that do not belong to its type are left out.
type simulateJSON struct {
	Type       string         `json:"type"`
	Seed       *uint64        `json:"seed,omitempty"`
	Members    int            `json:"members,omitempty"`
	Legacy     *int           `json:"legacy,omitempty"`
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
	NewHost    *quantilesJSON `json:"new_host,omitempty"`
}

// A quantilesJSON has the time to a new host, in seconds.
type quantilesJSON struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Worst  float64 `json:"worst"`
}

func quantiles(r *sim.Row) *quantilesJSON {
	if len(r.NewHost) == 0 {
		return nil
	}
	return &quantilesJSON{r.Quantile(.5).Seconds(), r.Quantile(.95).Seconds(), r.Quantile(1).Seconds()}
}

// writeRunJSON writes a run as JSON.
func writeRunJSON(out *cli.Output, r *sim.Result) {
	write := func(line *simulateJSON) { out.Add(events.AppendJSON(out.Buffer(), line)) }
	o := &r.Options
	loss := o.Loss
	if o.Faults&sim.Lose == 0 {
		loss = 0
	}
	write(&simulateJSON{Type: "run", Seed: &o.Seed, Members: o.Members, Legacy: &o.Legacy, Rule: string(o.Rule),
		Flags: sessionFlagText(o), Faults: o.Faults.String(), Loss: &loss, Length: o.Time.Seconds()})
	for i := range r.Timeline {
		m := &r.Timeline[i]
		line := &simulateJSON{Type: "moment", Time: new(m.At.Seconds()), Machine: r.Name(m.Lane), Kind: m.Kind, Text: m.Text}
		if m.Kind == "violation" {
			line.Type = m.Kind
			line.Kind, line.Text, _ = strings.Cut(m.Text, ": ")
		}
		write(line)
	}
	s := &r.Stats
	var row sim.Row
	row.Add(r)
	numbers := map[string]int{
		"steps": r.Steps, "messages": r.Messages, "joins": s.Joins, "joins_failed": s.JoinsFailed, "commands": s.Operations,
		"commands_failed": s.Failed, "hosts_gone": s.HostsLost, "elections": s.Elections, "sessions_lost": s.SessionsLost,
		"splits": s.Splits, "splits_in_the_end": s.SplitAtEnd, "operations": s.Known, "operations_lost": s.LostOperations,
		"machines_lost": s.PeersLost, "tables_unequal": s.Unequal, "ids_twice": s.DoubleIDs, "dropped": s.Dropped,
		"objects": s.Objects, "objects_moved": s.ObjectsMoved, "objects_unequal": s.ObjectsUnequal,
		"breaks": s.Breaks, "thrown_out": s.ThrownOut,
	}
	for _, why := range sim.Excuses() {
		numbers["out_"+string(why)] = s.Excused[why]
	}
	write(&simulateJSON{Type: "statistics", Hash: r.Hash, Violations: new(len(r.Violations)), NewHost: quantiles(&row), Numbers: numbers})
}
