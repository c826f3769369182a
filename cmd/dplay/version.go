package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
)

func newVersion(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version of this program",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(std.Out, "dplay", version())
			return nil
		},
	}
}

// version says what the program was built from, as far as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown version)"
	}
	return describe(info)
}

// describe puts module version, revision and compiler in one line.
func describe(info *debug.BuildInfo) string {
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if rev := settings["vcs.revision"]; rev != "" {
		v += ", revision " + rev[:min(12, len(rev))]
		if settings["vcs.modified"] == "true" {
			v += " with changes"
		}
		if t := settings["vcs.time"]; t != "" {
			v += " of " + t
		}
	}
	return v + ", " + info.GoVersion
}
