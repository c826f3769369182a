package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/dropin"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/config"
)

const dllLong = `Have games play by this project: a dplayx.dll of its own, which games host and join with. "dplay help dll" says how to use it
with Lutris, Proton and the Steam Deck, and what was never tried.

JSON:
  One object a line, with its "type". change: what (kept, placed, replaced, set, same, restored, removed, unset, left), name (of a
  file or an override), detail, dry_run. dll: name, arch (of the program), file, is (ours, microsoft, stub, wine, other, none),
  version, override, loads (what a program gets, as is), why. setting: key, value, where. problem: where, why.

Exit status: 0 it was done, 1 it could not be done, or not all of it, 2 wrong usage.`

func newDLL(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "dll COMMAND",
		Short:                 "Install the drop-in dplayx.dll for games, look at it, remove it",
		Long:                  dllLong,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no %q: install, status, remove or config", args[0])
			}
			return errors.New("which one? install, status, remove or config")
		},
	}
	cmd.AddCommand(newDLLInstall(std), newDLLStatus(std), newDLLRemove(std), newDLLConfig(std))
	return cmd
}

// where are the flags that say where the DLLs are, or go.
type where struct {
	prefix, game string
	format       flags.Choice
}

// whereHelp is the help that the commands with these flags share.
const whereHelp = `
Where: a Wine prefix (--wine-prefix), for all that runs in it; or the folder of a game, or its .exe (--game). Without either it is
the prefix that WINEPREFIX names, or ~/.wine; on Windows the game in the current folder.`

func (w *where) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.prefix, "wine-prefix", "", "a Wine prefix, `DIR`, or the data of a Steam game (compatdata/NUMBER)")
	cmd.Flags().StringVar(&w.game, "game", "", "a game's folder or .exe, `DIR`")
	w.format = flags.NewChoice("text", "ndjson")
	w.format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if w.prefix != "" && w.game != "" {
			return errors.New("either --wine-prefix or --game: where are the games?")
		}
		return nil
	}
	for _, name := range []string{"wine-prefix", "game"} {
		flags.Complete(cmd, name, cobra.ShellCompDirectiveFilterDirs)
	}
}

// target returns what the flags name.
func (w *where) target() (*dropin.Target, error) {
	switch {
	case w.prefix != "":
		return dropin.OpenPrefix(w.prefix)
	case w.game != "":
		return dropin.OpenGame(w.game)
	}
	return dropin.Default()
}

// dllCommand makes a command that has no arguments.
func dllCommand(use, short, long, example string, run func() error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Example: example, DisableFlagsInUseLine: true,
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error { return run() }}
}

const dllInstallLong = `Place dplayx.dll and dplay.dll where games find them. What was there is kept beside them, and "dplay dll remove" puts it back;
what to put back is noted in dplay4-dll.json. Run it again to have the DLLs of a newer release.

In a Wine prefix they go into its system folders, and the prefix is told to prefer them: that serves games that import the DLL, load
it by name, or create its objects by CoCreateInstance. Nothing of the prefix may run meanwhile. Beside a game they serve the first
two kinds; below Wine the game then has to be started with WINEDLLOVERRIDES="dplayx,dplay=n,b".
` + whereHelp

func newDLLInstall(std cli.Streams) *cobra.Command {
	var w where
	var from string
	var dry bool
	cmd := dllCommand("install [flags]", "Place the DLLs for games", dllInstallLong,
		"  dplay dll install --wine-prefix ~/.wine-game\n  dplay dll install --game C:\\Games\\Castle\n"+
			"  dplay dll install --dry-run", func() error {
			return std.Told(changeDLLs(std, &w, dry, func(t *dropin.Target) ([]dropin.Step, error) {
				source, err := dropin.FindSource(from)
				if err != nil {
					return nil, err
				}
				return t.Install(source, dry)
			}))
		})
	w.register(cmd)
	cmd.Flags().StringVar(&from, "from", "", "take the DLLs from here, `DIR`: it has windows-386 and windows-amd64 (default: beside dplay)")
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "change nothing: say what would be done")
	flags.Complete(cmd, "from", cobra.ShellCompDirectiveFilterDirs)
	return cmd
}

func newDLLRemove(std cli.Streams) *cobra.Command {
	var w where
	var dry bool
	cmd := dllCommand("remove [flags]", "Take the DLLs away and put back what was there",
		"Take away what \"dplay dll install\" placed, and put back what was there before. What others changed since stays, and is told.\n"+whereHelp,
		"  dplay dll remove --wine-prefix ~/.wine-game\n  dplay dll remove --game C:\\Games\\Castle", func() error {
			return std.Told(changeDLLs(std, &w, dry, func(t *dropin.Target) ([]dropin.Step, error) { return t.Remove(dry) }))
		})
	w.register(cmd)
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "change nothing: say what would be done")
	return cmd
}

// A changeObject is a step in JSON.
type changeObject struct {
	Type string `json:"type"`
	dropin.Step
	DryRun bool `json:"dry_run"`
}

// changeDLLs changes a target, and says what was done.
func changeDLLs(std cli.Streams, w *where, dry bool, change func(*dropin.Target) ([]dropin.Step, error)) error {
	t, err := w.target()
	if err != nil {
		return err
	}
	steps, err := change(t)
	out := cli.NewOutput(std.Out)
	for _, s := range steps {
		if w.format.Value == "ndjson" {
			out.Add(events.AppendJSON(nil, changeObject{"change", s, dry}))
		} else {
			fmt.Fprintf(out, "%-9s %s: %s\n", s.What, s.Name, s.Detail)
		}
	}
	if w.format.Value != "ndjson" && err == nil {
		switch {
		case len(steps) == 0:
			fmt.Fprintf(out, "nothing of dplay is in %s\n", t.Folder)
		case dry:
			fmt.Fprintf(out, "in %s; nothing was changed (--dry-run)\n", t.Folder)
		default:
			fmt.Fprintf(out, "in %s\n", t.Folder)
			if !t.Prefix && runtime.GOOS != "windows" && steps[0].What != "removed" && steps[0].What != "restored" {
				fmt.Fprintln(out, `start the game with WINEDLLOVERRIDES="dplayx,dplay=n,b", or Wine prefers its own`)
			}
		}
	}
	return errors.Join(err, out.End())
}

const dllStatusLong = `Say which dplayx.dll and dplay.dll a game would load, and why: that of this project, Microsoft's, Wine's own, or the stub that
Windows has without its optional feature. Settings of a dplayx.toml beside the DLL are told as well, and what is wrong with them.
` + whereHelp

func newDLLStatus(std cli.Streams) *cobra.Command {
	var w where
	cmd := dllCommand("status [flags]", "Say which DLL a game would load, and why", dllStatusLong,
		"  dplay dll status --wine-prefix ~/.wine-game\n  dplay dll status --game C:\\Games\\Castle --format ndjson", func() error {
			return std.Told(tellDLLs(std, &w))
		})
	w.register(cmd)
	return cmd
}

// A dllObject is a status in JSON, a settingObject what was set, and a problemObject what was not understood.
type (
	dllObject struct {
		Type string `json:"type"`
		dropin.Status
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

// tellDLLs says what is there.
func tellDLLs(std cli.Streams, w *where) error {
	t, err := w.target()
	if err != nil {
		return err
	}
	list, err := t.Status()
	if err != nil {
		return err
	}
	out := cli.NewOutput(std.Out)
	folders := map[string]bool{}
	if w.format.Value != "ndjson" {
		fmt.Fprintf(out, "in %s\n", t.Folder)
	}
	for _, s := range list {
		if s.File != "" {
			folders[filepath.Dir(filepath.Join(t.Folder, filepath.FromSlash(s.File)))] = true
		}
		if w.format.Value == "ndjson" {
			out.Add(events.AppendJSON(nil, dllObject{"dll", s}))
			continue
		}
		out.Add(appendWrapped(nil, fmt.Sprintf("%-5s %-10s  ", s.Arch, s.Name), "                   ", dllText(&s), widthFor(std.Out)))
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		set := config.Read(directplay.Config{}, []string{filepath.Join(folder, config.FileName)}, func(string) string { return "" })
		tellSettings(out, set, w.format.Value == "ndjson")
	}
	if v := os.Getenv("WINEDLLOVERRIDES"); v != "" && w.format.Value != "ndjson" {
		fmt.Fprintf(out, "WINEDLLOVERRIDES is set here, to %s: it goes before the prefix\n", v)
	}
	return out.End()
}

// dllText says what a program gets.
func dllText(s *dropin.Status) string {
	text := s.Loads.Text()
	if s.Version != "" && s.Loads == s.Is && s.Is != dropin.Wine { // which pretends to be a version of Microsoft's
		text += " " + s.Version
	}
	text += ": " + s.Why
	if s.File != "" && s.Is != s.Loads {
		text += " (" + s.File + " is " + s.Is.Text() + ")"
	}
	return text
}

// tellSettings says what a dplayx.toml sets.
func tellSettings(out *cli.Output, s *config.Settings, ndjson bool) {
	for _, g := range s.Given {
		if ndjson {
			out.Add(events.AppendJSON(nil, settingObject{"setting", g.Key, g.Value, g.Where}))
		} else {
			fmt.Fprintf(out, "setting %s = %s (%s)\n", g.Key, g.Value, g.Where)
		}
	}
	for _, p := range s.Problems {
		if ndjson {
			out.Add(events.AppendJSON(nil, problemObject{"problem", p.Where, p.Why}))
		} else {
			fmt.Fprintf(out, "problem %s\n", p)
		}
	}
}

func newDLLConfig(std cli.Streams) *cobra.Command {
	var name string
	var force bool
	cmd := dllCommand("config [flags]", "Write a dplayx.toml with everything that can be set",
		`Write a file of settings for the DLL, dplayx.toml, in which everything is off and explained. Put it beside the DLL or the game; for
all games of a user it is dplay4/dplayx.toml in the configuration folder, which is AppData\Roaming on Windows and in a prefix. The
environment goes before it: DPLAY_ADDRESS for address, and so on. "dplay dll status" says what is wrong with one.

Exit status: 0 it was written, 1 it could not be, or there is such a file, 2 wrong usage.`,
		"  dplay dll config\n  dplay dll config -o dplayx.toml", func() error {
			if name == "" {
				if force {
					return errors.New("--force replaces the file of --output: it does nothing without it")
				}
				out := cli.NewOutput(std.Out)
				fmt.Fprint(out, config.Sample())
				return std.Told(out.End())
			}
			return std.Told(outfile.Write(name, []byte(config.Sample()), outfile.Options{Mode: outfile.Public, Force: force}))
		})
	cmd.Flags().StringVarP(&name, "output", "o", "", "write it into this `FILE` (default: standard output)")
	cmd.Flags().BoolVar(&force, "force", false, "replace the FILE if there is one")
	return cmd
}
