package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/hexdump"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/outfile"
)

// captureFlags are the flags of commands that read captures.
type captureFlags struct {
	Ports      flags.PortList `flag:"port" usage:"take <PORT> for DirectPlay's without proof, TCP and UDP; may be repeated"`
	MessageIDs flags.Choice   `flag:"message-ids" choice:"auto,yes,no" usage:"do game messages carry player ids? auto: by the session's flags"`
	Reliable   flags.Choice   `flag:"reliable" choice:"auto,yes,no" usage:"does UDP carry the reliable protocol? auto: by the session's flags"`
	NoProgress bool           `flag:"no-progress" usage:"no progress bar for long files on a terminal"`
	Quiet      bool           `flag:"quiet,q" usage:"no summary on standard error"`
}

// read returns the options of package captures.
func (f *captureFlags) read() captures.Options {
	return captures.Options{Ports: f.Ports, MessageIDs: captureChoice(f.MessageIDs), Reliable: captureChoice(f.Reliable)}
}

func captureChoice(c flags.Choice) captures.Choice {
	return map[string]captures.Choice{"auto": captures.Auto, "yes": captures.Yes, "no": captures.No}[c.Value]
}

// appendShown appends how many of the messages are shown. If none is, it appends the fields in absent, which the filter looked
// for and no message had.
func appendShown(b []byte, shown, of int, absent []string) []byte {
	b = fmt.Appendf(b, "%d of %s shown", shown, cli.Numbered(of, "message"))
	if shown == 0 && len(absent) > 0 {
		b = fmt.Appendf(b, ": none that the filter looked at has %s", strings.Join(absent, " or "))
	}
	return append(b, ". "...)
}

// appendHints appends what could not be decoded, and which flag or command helps.
func appendHints(b []byte, s *captures.Summary) []byte {
	if s.Unproven > 0 {
		b = fmt.Appendf(b,
			"  UDP datagrams on the usual ports that nothing shows to be DirectPlay 4, not decoded: %d, %d octets. If they are, name "+
				"the port: --port PORT.\n",
			s.Unproven, s.Unclaimed)
	}
	if s.DirectPlay8 > 0 {
		b = fmt.Appendf(b, "  %s of DirectPlay 8, another protocol: not decoded. \"dplay doctor FILE\" says more.\n", cli.Numbered(s.DirectPlay8, "datagram"))
	}
	if s.Messages == 0 {
		b = append(b, "  There is no DirectPlay 4 in it. \"dplay doctor FILE\" says what is, and how to record again.\n"...)
	}
	return b
}

// shellGlobs reports whether the shell expands patterns. The shells of Windows do not.
const shellGlobs = runtime.GOOS != "windows"

// takesFiles makes the arguments of a command names of captures, and returns the command: shells complete them, and patterns are expanded.
func takesFiles(cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"pcap", "pcapng", "cap", "gz", "zst"}, cobra.ShellCompDirectiveFilterFileExt)
	if shellGlobs {
		return cmd
	}
	check, run := cmd.Args, cmd.RunE
	if check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, globs(args)) }
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, globs(args)) }
	return cmd
}

// globs expands patterns, in the order of the names. A pattern that nothing matches stays.
func globs(args []string) (names []string) {
	for _, arg := range args {
		var found []string
		if isGlob(arg) {
			found, _ = filepath.Glob(foldedGlob(arg)) // none beside an error
		}
		if len(found) == 0 {
			found = []string{arg}
		}
		names = append(names, found...)
	}
	return names
}

// isGlob reports whether a name is a pattern. No name of a file on Windows has these characters.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// foldedGlob translates a pattern for filepath.Glob: the parts with * or ? match without regard to case, and brackets match
// themselves.
func foldedGlob(name string) string {
	var b strings.Builder
	for part := range strings.SplitAfterSeq(name, string(filepath.Separator)) {
		folds := isGlob(part)
		for _, r := range part {
			switch lower, upper := unicode.ToLower(r), unicode.ToUpper(r); {
			case r == '[':
				b.WriteString("[[]")
			case folds && lower != upper:
				b.WriteString("[" + string(lower) + string(upper) + "]")
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// stdinName is what standard input is called on the command line.
const stdinName = "-"

// An input is one capture to read.
type input struct {
	r     io.Reader
	name  string // for people
	size  int64  // in octets; 0: not known
	live  bool   // it may pause, so that output must not wait for more of it
	close func()

	spooled bool  // it is a copy of a stream
	start   int64 // the offset at which it begins; set by openTwice
}

// watched sets the name and the progress of a reading. The caller ends the bar.
func (in *input) watched(opt *captures.Options, off bool, stderr io.Writer, what string) *cli.Bar {
	opt.Name = in.name
	bar := cli.FileBar(off, stderr, what+in.name, in.size)
	opt.Progress = bar.Set
	return bar
}

// again seeks to the beginning of a capture that openTwice opened.
func (in *input) again() error {
	_, err := in.r.(io.Seeker).Seek(in.start, io.SeekStart)
	return err
}

// eachFile calls read for files in sequence, and reports whether one of them could not be read. Such a file does not stop the others.
func eachFile(ctx context.Context, std cli.Streams, out *cli.Output, names []string, read func(i int, name string) error) (failed bool) {
	for i, name := range names {
		if err := read(i, name); err != nil {
			failed = true
			out.Flush()
			std.Tell(fileReason(name, err))
		}
		if out.Err != nil || ctx.Err() != nil {
			break
		}
	}
	return failed
}

// unread prints why a capture was not read, and returns the error of the command.
func unread(std cli.Streams, name string, err error) error {
	std.Tell(fileReason(name, err))
	return cli.ErrFailed
}

// openInput opens a file, or takes standard input.
func openInput(name string, stdin io.Reader) (*input, error) {
	if name == stdinName {
		return newInput(stdin, displayName(name), func() {}), nil
	}
	if !shellGlobs && isGlob(name) {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New("no file matches")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &os.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	return newInput(f, name, func() { f.Close() }), nil // only read from
}

// newInput returns a capture that is open. It may pause, unless it is a regular file.
func newInput(r io.Reader, name string, end func()) *input {
	in := &input{r: r, name: name, live: true, close: end}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			in.size, in.live = info.Size(), false
		}
	}
	return in
}

// openTwice opens a capture that can be read twice. A pipe is copied to a temporary file first.
func openTwice(name string, stdin io.Reader) (*input, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	if f, ok := in.r.(io.Seeker); ok {
		if in.start, err = f.Seek(0, io.SeekCurrent); err == nil {
			return in, nil
		}
	}
	defer in.close()
	return spool(in)
}

// spool copies a stream to a temporary file, which closing removes.
func spool(stream *input) (*input, error) {
	f, err := os.CreateTemp("", "dplay-*")
	if err != nil {
		return nil, err
	}
	drop := func() {
		f.Close()           //nolint:errcheck // it goes away
		os.Remove(f.Name()) //nolint:errcheck // the system clears its temporary files
	}
	size, err := io.Copy(f, stream.r)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		drop()
		return nil, err
	}
	return &input{r: f, name: stream.name, size: size, close: drop, spooled: true}, nil
}

// headSize is the number of octets that decide whether a text is hexadecimal.
const headSize = 4096

// fromHex converts hexadecimal text to a capture. It returns any other input unchanged.
func fromHex(r io.Reader) (out io.Reader, isHex bool, err error) {
	in := bufio.NewReaderSize(r, headSize)
	if head, _ := in.Peek(4); !isText(head) {
		return in, false, nil
	}
	if head, _ := in.Peek(headSize); !hexdump.Recognized(head) {
		return in, false, nil
	}
	var file bytes.Buffer
	return &file, true, hexdump.Capture(in, &file)
}

// isText reports whether a file begins with text. The magic number of pcapng consists of line ends, and is no text.
func isText(head []byte) bool {
	const byteOrderMark = "\ufeff" // as PowerShell begins files
	return bytes.HasPrefix(head, []byte(byteOrderMark)) || len(head) > 0 && string(head) != "\n\r\r\n" &&
		!bytes.ContainsFunc(head, func(r rune) bool { return r > '~' || r < ' ' && !strings.ContainsRune("\t\r\n", r) })
}

// fileReason returns the text of an error, with the name of the file once.
func fileReason(name string, err error) string {
	called := displayName(name) + ": "
	var pe *os.PathError
	switch {
	case errors.Is(err, context.Canceled):
		return called + "interrupted"
	case errors.As(err, &pe) && pe.Path == name:
		return called + pe.Err.Error()
	}
	return called + strings.TrimPrefix(err.Error(), called)
}

// displayName returns the name of a file in messages for people.
func displayName(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// ofCapture returns the options of an output file that shows a capture. It is private, because passwords are in it.
func ofCapture(in *input, force bool) outfile.Options {
	opt := outfile.Options{Mode: outfile.Private, Force: force}
	if f, ok := in.r.(*os.File); ok {
		opt.Input, _ = f.Stat() // nil: it is no file then
	}
	return opt
}
