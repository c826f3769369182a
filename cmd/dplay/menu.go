package main

import (
	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/menu"
)

const menuLong = `A menu for players: find a game, join one, find out why nobody can join, record for somebody who helps.
It asks for what it needs, says which command line it runs, and runs it. A FILE is a capture to judge first.
"dplay help start" is one page about these things.

It comes by itself when dplay.exe is started with a double click on Windows, or when capture files are dropped on it.
Choose by number or by first letter. Ctrl-C ends what runs; q, Ctrl-C or the end of the input ends the menu.

Exit status: 0 the menu was left, 1 something could not be read or run, 2 wrong usage.`

func newMenu(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:               "menu [FILE...] [flags]",
		Short:             "Choose what to do from a menu",
		Long:              menuLong,
		Example:           "  dplay menu",
		ValidArgsFunction: anyFile,
		RunE: func(_ *cobra.Command, files []string) error {
			return std.Told((&menu.Menu{Streams: std, Version: built().Version}).Show(files))
		},
	}
}
