package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

// decodeFlags are the flags of "dplay decode".
type decodeFlags struct {
	captureFlags
	verbose, hex       bool
	format             flags.Choice
	filter             string
	stats              bool
	follow             int
	payload            flags.Choice
	color              flags.Choice
	time               flags.Choice
	utc                bool
	payloadFormat      show.PayloadFormat
	several, following bool
}

func newDecode(std cli.Streams) *cobra.Command {
	f := &decodeFlags{
		format:       flags.NewChoice("text", "ndjson", "json"),
		payload:      flags.NewChoice("hex", "text", "base64", "none"),
		color:        flags.NewChoice("auto", "always", "never"),
		time:         flags.NewChoice("relative", "delta", "absolute", "epoch"),
		captureFlags: newCaptureFlags(),
	}
	cmd := &cobra.Command{
		Use:                   "decode [flags] FILE...",
		Short:                 "Print every DirectPlay 4 message of packet captures",
		Long:                  decodeLong,
		Example:               decodeExamples,
		DisableFlagsInUseLine: true,
		Args:                  wantFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return err
			}
			d, err := newDecoding(f, std)
			if err != nil {
				return err
			}
			return d.files(cmd.Context(), args)
		},
	}
	f.register(cmd)
	takesFiles(cmd)
	return cmd
}

func (f *decodeFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	set.BoolVarP(&f.verbose, "verbose", "V", false, "print every field of a message, with its offset")
	set.BoolVarP(&f.hex, "hex", "x", false, "print the octets of a message")
	f.format.AddTo(cmd, "format", "write lines for people, a JSON object a line, or one JSON array of such objects")
	set.StringVar(&f.filter, "filter", "", "print only messages for which `EXPR` is true; see above")
	set.BoolVar(&f.stats, "stats", false, "print statistics instead of messages: by command, player and conversation, pings, links of the reliable protocol")
	set.IntVar(&f.follow, "follow", 0, "print only conversation `N`; --stats and JSON show the numbers")
	f.payload.AddTo(cmd, "payload", "how to write octets that are the game's own")
	f.color.AddTo(cmd, "color", "colour text; auto: on a terminal, unless NO_COLOR is set")
	f.time.AddTo(cmd, "time",
		"times in text: seconds since the file's first message, since the line before, date and time, seconds since 1970")
	set.BoolVar(&f.utc, "utc", false, "--time absolute, and times without a zone in --filter, are UTC, not local time")
	f.captureFlags.register(cmd)
	flags.NoFiles(cmd, "filter", "follow")
}

// timeFormats are the values of --time.
var timeFormats = map[string]show.TimeFormat{
	"relative": show.Relative, "delta": show.Delta, "absolute": show.Absolute, "epoch": show.Epoch,
}

// zone returns the zone of times for people.
func (f *decodeFlags) zone() *time.Location {
	if f.utc {
		return time.UTC
	}
	return time.Local
}

func wantFiles(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no FILE given (\"-\" is standard input)")
	}
	return nil
}

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *decodeFlags) check(cmd *cobra.Command, args []string) error {
	f.following = cmd.Flags().Changed("follow")
	switch text := f.format.Value == "text"; {
	case !text && f.verbose:
		return errors.New("--verbose is for --format text; JSON has every field anyway")
	case !text && f.hex:
		return errors.New("--hex is for --format text")
	case f.stats && (f.verbose || f.hex):
		return errors.New("--stats prints no messages: it does not go with --verbose or --hex")
	case f.following && f.follow < 1:
		return fmt.Errorf("--follow %d: conversations are numbered from 1", f.follow)
	}
	if err := f.captureFlags.check(); err != nil {
		return err
	}
	f.payloadFormat = map[string]show.PayloadFormat{
		"hex": show.PayloadHex, "text": show.PayloadText, "base64": show.PayloadBase64, "none": show.PayloadNone,
	}[f.payload.Value]
	f.several = len(args) > 1
	return nil
}
