package dropin

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/config"
)

// Where are the flags that say where the DLLs are, or go.
type Where struct {
	Prefix string       `flag:"wine-prefix" usage:"a Wine prefix, <DIR>, or the data of a Steam game (compatdata/NUMBER)"`
	Game   string       `flag:"game" usage:"a game's folder or .exe, <DIR>"`
	Format flags.Choice `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
}

// Check refuses flags that do not go together.
func (w *Where) Check() error {
	if w.Prefix != "" && w.Game != "" {
		return errors.New("either --wine-prefix or --game: where are the games?")
	}
	return nil
}

// target returns what the flags name.
func (w *Where) target() (*Target, error) {
	switch {
	case w.Prefix != "":
		return OpenPrefix(w.Prefix)
	case w.Game != "":
		return OpenGame(w.Game)
	}
	return Default()
}

// A printer prints objects for programs, or lines for people.
type printer struct {
	*cli.Output
	ndjson bool
}

func (w *Where) printer(std cli.Streams) printer {
	return printer{cli.NewOutput(std.Out), w.Format.Value == "ndjson"}
}

// tell prints an object, or the text for people; nil: programs are told nothing.
func (p printer) tell(object any, format string, args ...any) {
	switch {
	case !p.ndjson:
		fmt.Fprintf(p, format, args...)
	case object != nil:
		p.Add(events.AppendJSON(nil, object))
	}
}

// A changeObject is a step in JSON.
type changeObject struct {
	Type string `json:"type"`
	Step
	DryRun bool `json:"dry_run"`
}

// Change changes a target, and prints each step.
func (w *Where) Change(std cli.Streams, dry bool, change func(*Target) ([]Step, error)) error {
	t, err := w.target()
	if err != nil {
		return err
	}
	steps, err := change(t)
	out := w.printer(std)
	for _, s := range steps {
		out.tell(changeObject{"change", s, dry}, "%-9s %s: %s\n", s.What, s.Name, s.Detail)
	}
	switch {
	case err != nil:
	case len(steps) == 0:
		out.tell(nil, "nothing of dplay is in %s\n", t.Folder)
	case dry:
		out.tell(nil, "in %s; nothing was changed (--dry-run)\n", t.Folder)
	default:
		out.tell(nil, "in %s\n", t.Folder)
		installed := slices.Contains([]string{"kept", "placed", "replaced", "same"}, steps[0].What)
		if installed && !t.Prefix && runtime.GOOS != "windows" {
			out.tell(nil, "start the game with WINEDLLOVERRIDES=\"dplayx,dplay=n,b\", or Wine prefers its own\n")
		}
	}
	return errors.Join(err, out.End())
}

// A dllObject is a status in JSON, a settingObject what was set, and a problemObject what was not understood.
type (
	dllObject struct {
		Type string `json:"type"`
		Status
	}
	settingObject struct {
		Type  string `json:"type"`
		Key   string `json:"key"`
		Value string `json:"value"`
		Where string `json:"where"`
	}
	problemObject struct {
		Type  string `json:"type"`
		Where string `json:"where"`
		Why   string `json:"why"`
	}
)

// Tell prints which DLLs are there, and their settings.
func (w *Where) Tell(std cli.Streams) error {
	t, err := w.target()
	if err != nil {
		return err
	}
	list, err := t.Status()
	if err != nil {
		return err
	}
	out := w.printer(std)
	folders := map[string]bool{}
	out.tell(nil, "in %s\n", t.Folder)
	for _, s := range list {
		if s.File != "" {
			folders[filepath.Dir(t.path(s.File))] = true
		}
		out.tell(dllObject{"dll", s}, "%s", cli.AppendWrapped(nil, fmt.Sprintf("%-5s %-10s  ", s.Arch, s.Name), "                   ",
			dllText(&s), cli.Width(std.Out)))
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		set := config.Read(directplay.Config{}, []string{filepath.Join(folder, config.FileName)}, func(string) string { return "" })
		for _, g := range set.Given {
			out.tell(settingObject{"setting", g.Key, g.Value, g.Where}, "setting %s = %s (%s)\n", g.Key, g.Value, g.Where)
		}
		for _, p := range set.Problems {
			out.tell(problemObject{"problem", p.Where, p.Why}, "problem %s\n", p)
		}
	}
	if v := os.Getenv("WINEDLLOVERRIDES"); v != "" {
		out.tell(nil, "WINEDLLOVERRIDES is set here, to %s: it goes before the prefix\n", v)
	}
	return out.End()
}

// dllText returns which DLL a program loads, and why.
func dllText(s *Status) string {
	text := s.Loads.Text()
	if s.Version != "" && s.Loads == s.Is && s.Is != Wine { // which pretends to be a version of Microsoft's
		text += " " + s.Version
	}
	text += ": " + s.Why
	if s.File != "" && s.Is != s.Loads {
		text += " (" + s.File + " is " + s.Is.Text() + ")"
	}
	return text
}
