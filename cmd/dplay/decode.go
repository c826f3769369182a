package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/show"
)

// decodeFlags are the flags of "dplay decode".
type decodeFlags struct {
	verbose, hex       bool
	format             choice
	filter             string
	stats              bool
	follow             int
	payload            choice
	color              choice
	time               choice
	ports              []uint
	messageIDs         choice
	reliable           choice
	noProgress, quiet  bool
	payloadFormat      show.PayloadFormat
	several, following bool
	options            captures.Options
}

func newDecode(std streams) *cobra.Command {
	f := &decodeFlags{
		format:     newChoice("text", "ndjson", "json"),
		payload:    newChoice("hex", "base64", "none"),
		color:      newChoice("auto", "always", "never"),
		time:       newChoice("relative", "absolute"),
		messageIDs: newChoice("auto", "yes", "no"),
		reliable:   newChoice("auto", "yes", "no"),
	}
	cmd := &cobra.Command{
		Use:                   "decode [flags] FILE...",
		Short:                 "Print every DirectPlay 4 message of packet captures",
		Long:                  decodeLong,
		Example:               decodeExamples,
		DisableFlagsInUseLine: true,
		Args:                  wantFiles,
		ValidArgsFunction:     completeFiles,
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
	return cmd
}

func (f *decodeFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVarP(&f.verbose, "verbose", "V", false, "print every field of a message, with its offset")
	flags.BoolVarP(&f.hex, "hex", "x", false, "print the octets of a message")
	f.format.addTo(cmd, "format", "write lines for people, a JSON object a line, or one JSON array of such objects")
	flags.StringVar(&f.filter, "filter", "", "print only messages for which `EXPR` is true; see above")
	flags.BoolVar(&f.stats, "stats", false, "print statistics instead of messages: by command, player and conversation, and pings")
	flags.IntVar(&f.follow, "follow", 0, "print only conversation `N`; --stats and JSON show the numbers")
	f.payload.addTo(cmd, "payload", "how to write octets that are the game's own")
	f.color.addTo(cmd, "color", "colour text; auto: on a terminal, unless NO_COLOR is set")
	f.time.addTo(cmd, "time", "times in text: seconds since the first message, or time of day (UTC)")
	flags.UintSliceVar(&f.ports, "port", nil, "take `PORT` for DirectPlay's without proof, TCP and UDP; may be repeated")
	flags.Lookup("port").DefValue = "" // pflag would show an empty list
	f.messageIDs.addTo(cmd, "message-ids", "do game messages carry player ids? auto: by the session's flags")
	f.reliable.addTo(cmd, "reliable", "does UDP carry the reliable protocol? auto: by the session's flags")
	flags.BoolVar(&f.noProgress, "no-progress", false, "no progress bar for long files on a terminal")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no summary on standard error")
	noFiles := []string{"filter", "follow", "port"}
	for _, name := range noFiles {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions); err != nil {
			panic(err) // only if the flag has one already
		}
	}
}

func wantFiles(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no FILE given (\"-\" is standard input)")
	}
	return nil
}

// completeFiles lets a shell offer the names of captures.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"pcap", "pcapng", "cap", "gz", "zst"}, cobra.ShellCompDirectiveFilterFileExt
}

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *decodeFlags) check(cmd *cobra.Command, args []string) error {
	f.following = cmd.Flags().Changed("follow")
	switch text := f.format.value == "text"; {
	case !text && f.verbose:
		return errors.New("--verbose is for --format text; JSON has every field anyway")
	case !text && f.hex:
		return errors.New("--hex is for --format text")
	case f.stats && (f.verbose || f.hex):
		return errors.New("--stats prints no messages: it does not go with --verbose or --hex")
	case f.following && f.follow < 1:
		return fmt.Errorf("--follow %d: conversations are numbered from 1", f.follow)
	}
	for _, p := range f.ports {
		if p == 0 || p > 65535 {
			return fmt.Errorf("--port %d: ports go from 1 to 65535", p)
		}
		f.options.Ports = append(f.options.Ports, uint16(p))
	}
	f.options.MessageIDs = captureChoice(f.messageIDs)
	f.options.Reliable = captureChoice(f.reliable)
	f.payloadFormat = map[string]show.PayloadFormat{
		"hex": show.PayloadHex, "base64": show.PayloadBase64, "none": show.PayloadNone,
	}[f.payload.value]
	f.several = len(args) > 1
	return nil
}

func captureChoice(c choice) captures.Choice {
	return map[string]captures.Choice{"auto": captures.Auto, "yes": captures.Yes, "no": captures.No}[c.value]
}
