package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

// annotateFlags are the flags of "dplay annotate".
type annotateFlags struct {
	captureFlags
	out   string
	force bool
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
	f := &annotateFlags{captureFlags: newCaptureFlags()}
	cmd := &cobra.Command{
		Use:                   "annotate [flags] FILE -o OUT.pcapng",
		Short:                 "Write a packet capture with messages and findings as comments for Wireshark",
		Long:                  annotateLong,
		Example:               annotateExamples,
		DisableFlagsInUseLine: true,
		Args:                  wantOneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.out == "" {
				return errors.New("where to? Give -o OUT.pcapng (\"-\" is standard output)")
			}
			if err := f.captureFlags.check(); err != nil {
				return err
			}
			a := &annotation{flags: f, std: std, name: args[0]}
			return a.run(cmd.Context())
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVarP(&f.out, "output", "o", "", "write to `FILE`, as pcapng; \"-\" is standard output")
	set.BoolVar(&f.force, "force", false, "replace the file of --output if there is one")
	f.captureFlags.register(cmd)
	flags.Complete(cmd, "output", cobra.ShellCompDirectiveFilterFileExt, "pcapng")
	takesFiles(cmd)
	return cmd
}
