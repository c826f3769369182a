package main

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
)

// "make release" sets these by the linker's -X. In other builds they are empty, and the Go tool's record counts.
var releaseVersion, releaseCommit, releaseDate string

const versionLong = `Print what this program was built from: its version, the commit and its date, the compiler, and what it runs on.
Put that line into a report of a bug.

What is not known is left out, in JSON too: commit and date when it was built outside a clone of the repository.

Exit status: 0 it was printed, 2 wrong usage.`

func newVersion(std cli.Streams) *cobra.Command {
	var o struct {
		Format flags.Choice `flag:"format" choice:"text,json" usage:"write a line for people, or a JSON object"`
	}
	return flags.Register(&cobra.Command{
		Use:     "version [flags]",
		Short:   "Print the version of this program",
		Long:    versionLong,
		Example: "  dplay version\n  dplay version --format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			line := []byte("dplay " + version() + "\n")
			if o.Format.Value == "json" {
				line = events.AppendJSON(nil, built())
			}
			if _, err := std.Out.Write(line); err != nil {
				return std.Told(fmt.Errorf("writing the output: %w", err))
			}
			return nil
		},
	}, &o)
}

// version returns the line about this build.
func version() string { return built().String() }

// A build is what a program was made from.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit, RFC 3339
	Modified bool   `json:"modified"`       // built with changes that are not committed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// built returns what this program was made from.
func built() build {
	b := build{Version: "(devel)", Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		b = describe(info)
	}
	b.Platform = runtime.GOOS + "/" + runtime.GOARCH
	if releaseVersion != "" {
		b.Version, b.Commit, b.Date, b.Modified = releaseVersion, releaseCommit, releaseDate, false
	}
	return b
}

// pseudoVersion matches the version that the Go tool makes for a commit without a tag, with its time and hash.
var pseudoVersion = regexp.MustCompile(`[-.](\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-([0-9a-f]{12})$`)

// describe reads the Go tool's record: the commit of a clone, or the version that "go install" was given.
func describe(info *debug.BuildInfo) build {
	b := build{Version: cmp.Or(info.Main.Version, "(devel)"), Go: info.GoVersion}
	if m := pseudoVersion.FindStringSubmatch(b.Version); m != nil {
		b.Commit, b.Date = m[7], fmt.Sprintf("%s-%s-%sT%s:%s:%sZ", m[1], m[2], m[3], m[4], m[5], m[6])
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns the build as one line.
func (b build) String() string {
	line := b.Version
	if b.Commit != "" {
		line += ", commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			line += " with changes"
		}
		if b.Date != "" {
			line += " of " + b.Date
		}
	}
	line += ", " + b.Go
	if b.Platform != "" {
		line += ", " + b.Platform
	}
	return line
}
