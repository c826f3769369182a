package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

// The exit statuses.
const (
	exitOK    = 0
	exitInput = 1 // an input could not be read, or the output not written
	exitUsage = 2 // unknown command or flag, bad value, wrong expression
)

// run runs the command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(cli.Streams{In: stdin, Out: stdout, Err: stderr})
	root.SetArgs(args)
	cmd, err := root, errors.New("no command given")
	if len(args) > 0 {
		cmd, err = root.ExecuteContextC(ctx)
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, cli.ErrFailed):
		return exitInput
	case errors.Is(err, errFindings):
		return exitFindings
	}
	// All other errors are about the command line itself.
	text, path := strings.TrimRight(err.Error(), "\n"), cmd.CommandPath()
	if cmd == root && len(args) > 0 && bridgeCommand(root, args[0]) {
		path = "dplay bridge " + args[0]
		text = fmt.Sprintf("there is no %q, but a %q", args[0], path)
	}
	fmt.Fprintln(stderr, cli.Fit(stderr, fmt.Sprintf("dplay: %s\nTry '%s --help'.", text, path)))
	return exitUsage
}

// bridgeCommand reports whether a word is a command below "dplay bridge".
func bridgeCommand(root *cobra.Command, word string) bool {
	bridge, _, err := root.Find([]string{"bridge"})
	return err == nil && slices.ContainsFunc(bridge.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
}

func init() {
	cobra.MousetrapHelpText = "" // it would refuse to run where the Explorer started it; see OwnWindow
}

// newRoot makes the command tree: each subcommand is in a file of its own.
func newRoot(std cli.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "dplay",
		Short: "Read and play the DirectPlay 4 protocol of games",
		Long: `dplay reads and speaks the network protocol of games that use DirectPlay 4 (DirectX 6 to 9): see what they
say to each other in a packet capture, find their sessions, host and join them. DirectPlay 8, of some games from 2001
on, is another protocol.`,
		Version:           version(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetFlagErrorFunc(flags.Explain)
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { warnOfGames(std, cmd) }
	root.SetVersionTemplate("dplay {{.Version}}\n")
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.AddCommand(newDecode(std), newSessions(std), newHost(std), newJoin(std), newSimulate(std), newDraw(std), newDoctor(std),
		newRecord(std), newAnnotate(std), newReplay(std), newDiff(std), newGames(std), newDLL(std), newLaunch(std), newBridge(std),
		newMenu(std), newVersion(std))
	plain(root)
	help := newHelp(std)
	root.SetHelpCommand(help)
	addTopics(root, help)
	root.InitDefaultCompletionCmd() // after the streams: it writes where they say now
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.RunE = func(*cobra.Command, []string) error {
			return errors.New("which shell? bash, zsh, fish or powershell")
		}
	}
	return root
}

// whichOne returns the function of a command that does nothing without one of those below it.
func whichOne(below string) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no %q: %s", args[0], below)
		}
		return errors.New("which one? " + below)
	}
}

// plain keeps cobra from adding to the usage lines, and shells from offering files for arguments that are none.
func plain(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.DisableFlagsInUseLine = true
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		plain(cmd)
	}
}

// anyFile makes shells offer all files.
var anyFile = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
