package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/dropin"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/outfile"
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
		Use:   "dll COMMAND",
		Short: "Install the drop-in dplayx.dll for games, look at it, remove it",
		Long:  dllLong,
		RunE:  whichOne("install, status, remove or config"),
	}
	cmd.AddCommand(newDLLInstall(std), newDLLStatus(std), newDLLRemove(std), newDLLConfig(std))
	return cmd
}

// whereHelp is the help that the commands with these flags share.
const whereHelp = `
Where: a Wine prefix (--wine-prefix), for all that runs in it; or the folder of a game, or its .exe (--game). Without either it is
the prefix that WINEPREFIX names, or ~/.wine; on Windows the game in the current folder.`

// dllCommand makes a command that has no arguments, with its flags.
func dllCommand(use, short, long, example string, options any, run func() error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: example,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return run() }}
	if where, ok := options.(interface{ Check() error }); ok {
		cmd.PreRunE = func(*cobra.Command, []string) error { return where.Check() }
	}
	flags.Register(cmd, options)
	cmd.Flags().SortFlags = true
	return cmd
}

const dllInstallLong = `Place dplayx.dll and dplay.dll where games find them. What was there is kept beside them, and "dplay dll remove" puts it back;
what to put back is noted in dplay4-dll.json. Run it again to have the DLLs of a newer release.

In a Wine prefix they go into its system folders, and the prefix is told to prefer them: that serves games that import the DLL, load
it by name, or create its objects by CoCreateInstance. Nothing of the prefix may run meanwhile. Beside a game they serve the first
two kinds; below Wine the game then has to be started with WINEDLLOVERRIDES="dplayx,dplay=n,b".
` + whereHelp

func newDLLInstall(std cli.Streams) *cobra.Command {
	var o struct {
		dropin.Where
		From string `flag:"from" usage:"take the DLLs from here, <DIR>: it has windows-386 and windows-amd64 (default: beside dplay)"`
		Dry  bool   `flag:"dry-run,n" usage:"change nothing: say what would be done"`
	}
	return dllCommand("install [flags]", "Place the DLLs for games", dllInstallLong,
		"  dplay dll install --wine-prefix ~/.wine-game\n  dplay dll install --game C:\\Games\\Castle\n"+
			"  dplay dll install --dry-run", &o, func() error {
			return std.Told(o.Change(std, o.Dry, func(t *dropin.Target) ([]dropin.Step, error) {
				source, err := dropin.FindSource(o.From)
				if err != nil {
					return nil, err
				}
				return t.Install(source, o.Dry)
			}))
		})
}

func newDLLRemove(std cli.Streams) *cobra.Command {
	var o struct {
		dropin.Where
		Dry bool `flag:"dry-run,n" usage:"change nothing: say what would be done"`
	}
	return dllCommand("remove [flags]", "Take the DLLs away and put back what was there",
		"Take away what \"dplay dll install\" placed, and put back what was there before. What others changed since stays, and is told.\n"+whereHelp,
		"  dplay dll remove --wine-prefix ~/.wine-game\n  dplay dll remove --game C:\\Games\\Castle", &o, func() error {
			return std.Told(o.Change(std, o.Dry, func(t *dropin.Target) ([]dropin.Step, error) { return t.Remove(o.Dry) }))
		})
}

const dllStatusLong = `Say which dplayx.dll and dplay.dll a game would load, and why: that of this project, Microsoft's, Wine's own, or the stub that
Windows has without its optional feature. Settings of a dplayx.toml beside the DLL are told as well, and what is wrong with them.
` + whereHelp

func newDLLStatus(std cli.Streams) *cobra.Command {
	w := &dropin.Where{}
	return dllCommand("status [flags]", "Say which DLL a game would load, and why", dllStatusLong,
		"  dplay dll status --wine-prefix ~/.wine-game\n  dplay dll status --game C:\\Games\\Castle --format ndjson", w,
		func() error { return std.Told(w.Tell(std)) })
}

func newDLLConfig(std cli.Streams) *cobra.Command {
	var o struct {
		File  string `flag:"output,o" usage:"write it into this <FILE> (default: standard output)"`
		Force bool   `flag:"force" usage:"replace the FILE if there is one"`
	}
	return dllCommand("config [flags]", "Write a dplayx.toml with everything that can be set",
		`Write a file of settings for the DLL, dplayx.toml, in which everything is off and explained. Put it beside the DLL or the game; for
all games of a user it is dplay4/dplayx.toml in the configuration folder, which is AppData\Roaming on Windows and in a prefix. The
environment goes before it: DPLAY_ADDRESS for address, and so on. "dplay dll status" says what is wrong with one.

Exit status: 0 it was written, 1 it could not be, or there is such a file, 2 wrong usage.`,
		"  dplay dll config\n  dplay dll config -o dplayx.toml", &o, func() error {
			switch {
			case o.File != "":
				return std.Told(outfile.Write(o.File, []byte(config.Sample()), outfile.Options{Mode: outfile.Public, Force: o.Force}))
			case o.Force:
				return errors.New("--force replaces the file of --output: it does nothing without it")
			}
			out := cli.NewOutput(std.Out)
			fmt.Fprint(out, config.Sample())
			return std.Told(out.End())
		})
}
