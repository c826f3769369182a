package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A summary is all that is told in the end.
type summary struct {
	Minutes   float64 `json:"minutes"` // of processor time for each
	Base      uint64  `json:"base"`
	Unmutated int     `json:"unmutated_runs"`
	Bad       int     `json:"unmutated_runs_with_violations"`
	Caught    int     `json:"caught"`
	Want      int     `json:"want"`
	Mutants   []row   `json:"mutants"`
}

// A row is a mutant in the table.
type row struct {
	Name    string  `json:"name"`
	Rule    string  `json:"rule"`
	Caught  bool    `json:"caught"`
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	Differ  int     `json:"runs_that_differ"`
	Same    int     `json:"runs_that_do_not_differ"`
	Kind    string  `json:"kind,omitempty"` // of the run that caught it
	Seed    *uint64 `json:"seed,omitempty"`
	Broken  string  `json:"violated,omitempty"` // which rule of the simulator
	Text    string  `json:"text,omitempty"`
}

func rowOf(r *result, s *schedule) row {
	w := row{Name: r.mutant.name, Rule: r.mutant.rule, Caught: r.caught, Seconds: r.seconds, Runs: r.runs, Differ: r.differ, Same: r.same}
	if r.caught {
		at := s.at(r.first)
		w.Kind, w.Seed, w.Broken, w.Text = string(at.kind), &at.seed, r.report.Rule, r.report.Text
	}
	return w
}

// short says what became of a mutant in a line.
func (w *row) short() string {
	if w.Caught {
		return fmt.Sprintf("caught by %s %d after %.1f s: %s: %s", w.Kind, *w.Seed, w.Seconds, w.Broken, w.Text)
	}
	return fmt.Sprintf("survived %d runs in %.1f s; %s", w.Runs, w.Seconds, w.differing())
}

// differing says how many runs differed, which tells a blind check from a rule that no run needs.
func (w *row) differing() string { return fmt.Sprintf("%d of %d differ", w.Differ, w.Differ+w.Same) }

// cells returns the columns of a row.
func (w *row) cells() []string {
	by := "survived"
	if w.Caught {
		by = fmt.Sprintf("%s %d: %s", w.Kind, *w.Seed, w.Broken)
	}
	return []string{w.Name, w.Rule, by, fmt.Sprintf("%.1f", w.Seconds), fmt.Sprint(w.Runs), w.differing()}
}

var heads = []string{"mutant", "rule taken out", "caught by", "seconds", "runs", "runs unlike the unmutated engine's"}

func (s *summary) write(out io.Writer, format string) error {
	if format == "json" {
		e := json.NewEncoder(out)
		e.SetIndent("", "\t")
		return e.Encode(s)
	}
	if format == "markdown" {
		fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
		for i := range s.Mutants {
			fmt.Fprintf(out, "| %s |\n", strings.Join(s.Mutants[i].cells(), " | "))
		}
		_, err := fmt.Fprintf(out, "\n%s\n", s.last())
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(heads, "\t"))
	for i := range s.Mutants {
		fmt.Fprintln(t, strings.Join(s.Mutants[i].cells(), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", s.last())
	return err
}

// last returns the sentence that sums it up.
func (s *summary) last() string {
	return fmt.Sprintf("%d of %d mutants caught, %d wanted, with %g minutes of processor time each; the unmutated engine failed in %d of %d runs.",
		s.Caught, len(s.Mutants), s.Want, s.Minutes, s.Bad, s.Unmutated)
}
