package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
)

const diffLong = `Compare two packet captures message by message: the first conversation of A with the first one of B, and so on.
Messages of the same command, direction and transport stand against each other in order; messages that only one
capture has are listed. Of a pair the fields that differ are printed, and of octets the offsets that differ.

Ids, GUIDs, tick counts and sockets in messages may differ, if always in the same way; how many did is printed. Times,
the sockets of packets and resent frames of the reliable protocol are not compared.

Payloads:
  --columns prints which octets of the game's own payloads vary, in both captures together: for each size of payload
  the offsets with one value, and how many values the others have. For one capture, name it twice.

JSON:
  --format ndjson prints an object a line, told apart by "type". "difference" has "message", "a" and "b" (null where
  the capture lacks the message), and "fields" with "field", "a", "b" and "octets", the first and last offset of each
  run. "columns" has "message", "size", "count", and "values" and "first" by offset. "result" is the last one.

Exit status: 0 nothing differs, 3 something differs, 1 a file could not be read or the output not written, 2 wrong usage.`

const diffExamples = `  dplay diff works.pcap fails.pcap
  dplay diff --columns game.pcap game.pcap
  dplay diff --format ndjson works.pcap fails.pcap | jq 'select(.type == "difference").fields'`

func newDiff(std cli.Streams) *cobra.Command {
	var o struct {
		Format  flags.Choice `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
		Columns bool         `flag:"columns" usage:"print which octets of payloads vary, by size of payload"`
	}
	return takesFiles(flags.Register(&cobra.Command{
		Use:     "diff [flags] A B",
		Short:   "Compare two captures message by message",
		Long:    diffLong,
		Example: diffExamples,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return errors.New("name two captures, A and B (\"-\" is standard input)")
			case args[0] == stdinName && args[1] == stdinName:
				return errors.New("only one capture can be standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return diff(cmd.Context(), std, args, o.Format.Value == "ndjson", o.Columns)
		},
	}, &o))
}

// A diffResult is the result in JSON.
type diffResult struct {
	Type     string        `json:"type"`
	Compared int           `json:"compared"`
	Equal    int           `json:"equal"`
	OnlyA    int           `json:"only_a"`
	OnlyB    int           `json:"only_b"`
	More     int           `json:"more_differences"`
	Mapped   replay.Mapped `json:"mapped"`
}

// diff compares two files.
func diff(ctx context.Context, std cli.Streams, names []string, ndjson, columns bool) error {
	var files [2]*replay.Capture
	for i, name := range names {
		var err error
		if files[i], err = readReplay(ctx, std.In, name); err != nil {
			return unread(std, name, err)
		}
	}
	d := replay.Diff(files[0], files[1])
	if !columns {
		d.Columns = nil
	}
	out := cli.NewOutput(std.Out)
	if ndjson {
		diffJSON(out, d)
	} else {
		diffText(out, d)
	}
	return endComparison(std, out, d.Equal == d.Compared && d.OnlyA+d.OnlyB == 0)
}

func diffJSON(out *cli.Output, d *replay.CaptureDiff) {
	object := func(v any) { out.Add(events.AppendJSON(out.Buffer(), v)) }
	for i := range d.Messages {
		object(struct {
			Type string `json:"type"`
			*replay.MessageDiff
		}{"difference", &d.Messages[i]})
	}
	for i := range d.Columns {
		object(struct {
			Type string `json:"type"`
			*replay.Columns
			First string `json:"first"`
		}{"columns", &d.Columns[i], fmt.Sprintf("%x", d.Columns[i].First)})
	}
	object(diffResult{"result", d.Compared, d.Equal, d.OnlyA, d.OnlyB, d.More, d.Mapped})
}

func diffText(out *cli.Output, d *replay.CaptureDiff) {
	for i := range d.Messages {
		out.Add(replay.AppendMessageDiff(out.Buffer(), &d.Messages[i]))
	}
	if d.More > 0 {
		fmt.Fprintf(out, "and %d messages more that differ\n", d.More)
	}
	for i := range d.Columns {
		out.Add(replay.AppendColumns(out.Buffer(), &d.Columns[i]))
	}
	fmt.Fprintf(out, "%d pairs of messages compared, %d equal; %d only in A, %d only in B\n", d.Compared, d.Equal, d.OnlyA, d.OnlyB)
	if s := d.Mapped.String(); s != "" {
		fmt.Fprintf(out, "mapped: %s\n", s)
	}
}
