package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/annotate"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/cmd/dplay/internal/outfile"
)

// annotateFlags are the flags of "dplay annotate".
type annotateFlags struct {
	Out   string `flag:"output,o" offer:"pcapng" usage:"write to <FILE>, as pcapng; \"-\" is standard output"`
	Force bool   `flag:"force" usage:"replace the file of --output if there is one"`
	captureFlags
}

const annotateLong = `Write a packet capture again with what this program knows of it as comments,
which Wireshark and tshark show: each message of DirectPlay 4 and each finding at
its frame, and on the file the verdict of "dplay doctor", the sessions, who hosts
them and who plays. FILE is pcap or pcapng, plain or compressed with gzip or
zstd; "-" is standard input. OUT is pcapng, and never FILE itself.

Packets, their order and times, and the interfaces stay as they are. Of pcapng
everything stays, also comments, names and keys that are in it.

In Wireshark:
  frame.comment                     a display filter: packets with a comment
  frame.comment contains "CHAT"     messages of a kind, with the numbers and
                                    fields that "dplay decode" prints
  frame.comment contains "finding"  what is odd about messages and packets
  frame.comment contains "doctor"   where something went wrong in the game
  Comments stand on top of a packet's details; a right click on one and "Apply as
  Column" lists them. Analyze, Expert Information has all of them; Statistics,
  Capture File Properties has what is said of the file.

A message that came in several frames is told at the last one; the others say
where it goes on ("continues in frame 12"). Long texts are cut.

OUT gets its name when it is whole: a full disk or Ctrl-C leaves a file of that
name as it was. A new one is for you alone (mode 0600), because the passwords of
sessions are in the comments. With --force a file that is there is replaced and
keeps its mode; so is the file behind a symbolic link.

A capture of any length takes the same memory. It is read twice: standard input
is copied to a temporary file, and so are the comments of a long capture, in the
folder that TMPDIR names. Ctrl-C ends a capture that comes from a pipe.

Exit status: 0 all was read and written, 1 an input could not be read or an output not written, 2 wrong usage.`

const annotateExamples = `  dplay annotate game.pcap -o annotated.pcapng
  wireshark annotated.pcapng
  dplay annotate game.pcap -o - | tshark -r - -Y frame.comment -T fields -e frame.comment
  ssh host tcpdump -i any -s 0 -w - | dplay annotate - -o game.pcapng`

func newAnnotate(std cli.Streams) *cobra.Command {
	f := &annotateFlags{}
	return takesFiles(flags.Register(&cobra.Command{
		Use:     "annotate [flags] FILE -o OUT.pcapng",
		Short:   "Write a packet capture with messages and findings as comments for Wireshark",
		Long:    annotateLong,
		Example: annotateExamples,
		Args:    wantOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Out == "" {
				return errors.New("where to? Give -o OUT.pcapng (\"-\" is standard output)")
			}
			a := &annotation{annotateFlags: f, std: std, name: args[0]}
			return a.run(cmd.Context())
		},
	}, f))
}

// An annotation is one run of "dplay annotate".
type annotation struct {
	*annotateFlags
	std  cli.Streams
	name string        // of the capture
	file *outfile.File // nil: standard output
	to   *cli.Output
}

// run reads the capture twice and writes it. Of a damaged one it writes the part before the damage.
func (a *annotation) run(ctx context.Context) error {
	in, err := openTwice(a.name, a.std.In)
	if err != nil {
		return unread(a.std, a.name, err)
	}
	defer in.close()
	if in.spooled && ctx.Err() != nil { // an interrupt is how a running capture ends
		ctx = context.WithoutCancel(ctx)
	}
	if err := a.create(in); err != nil {
		return a.std.Told(err)
	}
	defer a.file.Abort()
	notes, done, err := a.copy(ctx, in)
	ended := a.to.End()
	switch {
	case a.to.ReaderGone():
		return nil
	case ended == nil && err != nil && (ctx.Err() != nil || done.Frames == 0):
		return unread(a.std, a.name, err)
	case ended == nil && a.file != nil:
		ended = a.file.Commit()
	}
	if ended != nil {
		return a.std.Told(ended)
	}
	a.tell(notes, done)
	if err != nil {
		return a.std.Told(fmt.Errorf("%s; %s has the %d frames before", fileReason(a.name, err), a.outName(), done.Frames))
	}
	return nil
}

func (a *annotation) outName() string {
	if a.file == nil {
		return "the output"
	}
	return a.Out
}

// create opens the output, and refuses to overwrite the input.
func (a *annotation) create(in *input) error {
	if a.Out == stdinName {
		if cli.Terminal(a.std.Out) != nil {
			return errors.New("a capture is nothing for a terminal: name a file, -o OUT.pcapng")
		}
		a.to = cli.NewOutput(a.std.Out)
		return nil
	}
	opt := ofCapture(in, a.Force)
	opt.Tell = a.std.Tell
	f, err := outfile.Create(a.Out, opt)
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	a.file, a.to = f, cli.NewOutput(f)
	return nil
}

// copy reads the capture and writes it to the output.
func (a *annotation) copy(ctx context.Context, in *input) (notes *annotate.Notes, done annotate.Written, err error) {
	opt := annotate.Options{Options: a.read(), Game: gamelist.Title, Program: "dplay " + version()}
	bar := in.watched(&opt.Options, a.NoProgress, a.std.Err, "reading ")
	notes, err = annotate.Read(ctx, in.r, opt)
	bar.End()
	if notes == nil {
		return nil, done, err
	}
	defer notes.Close()
	if err := in.again(); err != nil {
		return notes, done, err
	}
	bar = cli.FileBar(a.NoProgress, a.std.Err, "writing "+a.outName(), in.size)
	done, err = notes.Write(ctx, a.to, in.r, bar.Set)
	bar.End()
	return notes, done, err
}

// tell prints what was written.
func (a *annotation) tell(notes *annotate.Notes, done annotate.Written) {
	if a.Quiet {
		return
	}
	b := fmt.Appendf(nil, "%s: %d frames, %d with comments; %s\n", captures.Printable(a.outName()), done.Frames, done.Commented,
		captures.Printable(notes.Report.Verdict()))
	if done.Bare > 0 {
		b = fmt.Appendf(b, "  Frames in simple packet blocks, which cannot have comments: %d.\n", done.Bare)
	}
	a.std.Err.Write(appendHints(b, notes.Report.Summary)) //nolint:errcheck // there is nowhere to tell it
}
