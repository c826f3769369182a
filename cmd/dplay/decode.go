package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/hexdump"
	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/filter"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/gameprint"
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

// decodeLong and decodeExamples are the help of "dplay decode". A test runs the examples.
const decodeLong = `Print every DirectPlay 4 message of packet captures (pcap or pcapng, plain or compressed with gzip or
zstd; "-" is standard input): number, #frame, time, source > destination, transport, command, fields that matter.

Findings, what is odd or could not be read, stand with a "!" under the message that they are about. A summary on
standard error accounts for every octet. Which traffic is DirectPlay is learnt from the traffic itself; where the
capture does not show enough, --port, --message-ids and --reliable help.

Hexadecimal text:
  FILE may also be text with the octets of messages: plain digits, with or without separators, or the output of xxd,
  hexdump -C, od -A x -t x1, tcpdump -X, Wireshark's Copy menu, or a C array. Offsets and characters beside the octets
  are recognised. An empty line or offset 0 begins the next message. A message may be an Ethernet or IPv4 packet, a
  datagram, or messages of TCP; without IPv4 they get the addresses 192.0.2.1 and 192.0.2.2. They have no times.

Filters:
  --filter takes an expression (github.com/expr-lang/expr: and or not == != < <= > >= in contains startsWith
  matches, any(list, condition), ...) that may use
    n, frames                   number of the message, those of its packets, as Wireshark counts
    time, relative, gap         when it was captured, as in JSON: time > "2006-01-02 15:04"; seconds since the file's
                                first message; seconds since the message before it in the file
    transport, src, dst         "tcp" or "udp", "ip:port"
    src_ip, src_port, dst_ip, dst_port
    size, command, dialect      octets, "PING", version word of the header (nil for game messages); of this program's
                                own messages "EXTENSION HELLO", "EXTENSION VIEW INSTALL", ...
    conversation, via           as in JSON; via is "" for most
    from, to                    ids of sender and addressee, nil where the message names none
    from_name, to_name          their names, "" where unknown
    link, again, missing        of frames of the reliable protocol: the direction between two players that it is about, how often it
                                was sent before, messageids that it leaves out
    answers, trip, foreign      the message that an ACK answers, and how many seconds later; true if it is another machine's
    payload                     the game's own octets, as hexadecimal digits; nil where the message has none
    findings                    list of codes
    header, message             all fields, under the keys that they have in JSON; ids are numbers, octets hexadecimal
    text(x)                     octets as characters: text(payload) contains "hello"
    bytes(x)                    octets to search: bytes("de ad") in payload, len(bytes(payload)) > 100
    has(flags, "NAME")          whether a flag word has a flag; flags.value is the number, flags.names the list
    player(x)                   whether the message names player x anywhere: id or name
    address(x)                  whether it came from, went to, or mentions x: "10.0.0.1", "10.0.0.1:2300", "10.0.0.0/8"
  A field that a message does not have is nil: comparing it is false. Alone it says whether it is there. The names
  are those of the JSON; "dplay help filters" says more.

Times:
  --time absolute has the date and the zone, which is the machine's (TZ=Asia/Tokyo, or another one) or UTC with --utc.

Payloads:
  Beside the digits of octets stands in quotes what can be read in them, if there is something. --payload text
  writes all octets so, in JSON as well: which octets are text, in 8 bits or UTF-16, is a guess.

JSON:
  One object a message; "dplay help json" describes the keys. With several files each begins with "file".
  A finding that belongs to no message is an object {"finding": ...}. With --filter or --follow such findings
  are left to the summary.

Exit status: 0 all was read, 1 an input could not be read, 2 wrong usage.`

const decodeExamples = `  dplay decode captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode -V --filter 'command == "ENUMSESSIONSREPLY"' captures/lab/*.pcap
  dplay decode --filter 'command != "PING" and relative > 2' --time absolute captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --filter 'from == 0x000003eb or player("HostGuy")' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode --filter 'has(message.session_desc.flags, "PASSWORDREQUIRED")' captures/lab/07a-rzhost-password-w10join-right.pcap
  dplay decode --filter 'any(message.players, .short_name != nil)' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode -x --payload none --filter 'transport == "udp" and size < 100' captures/lab/04-rzhost-w10join-unreliable-udp.pcap
  dplay decode --filter 'command startsWith "EXTENSION VIEW" and message.view.epoch > 2' captures/migration/killed-modern.pcapng
  dplay decode --filter 'text(payload) contains "says"' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode --time delta --payload text captures/lab/04-rzhost-w10join-unreliable-udp.pcap
  dplay decode --stats captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --follow 2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --format ndjson captures/lab/13-w10join-group-setdata-setname-chat.pcap | jq -c '[.time, .command, .from_name]'
  xxd message.bin | dplay decode -V -
  tcpdump -i eth0 -U -w - | dplay decode -`

func newDecode(std cli.Streams) *cobra.Command {
	f := &decodeFlags{
		format:  flags.NewChoice("text", "ndjson", "json"),
		payload: flags.NewChoice("hex", "text", "base64", "none"),
		color:   flags.NewChoice("auto", "always", "never"),
		time:    flags.NewChoice("relative", "delta", "absolute", "epoch"),
	}
	cmd := &cobra.Command{
		Use:     "decode [flags] FILE...",
		Short:   "Print every DirectPlay 4 message of packet captures",
		Long:    decodeLong,
		Example: decodeExamples,
		Args:    wantFiles,
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
	flags.Register(cmd, &f.captureFlags)
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

// check refuses flags that do not go together and values out of range.
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
	f.payloadFormat = map[string]show.PayloadFormat{
		"hex": show.PayloadHex, "text": show.PayloadText, "base64": show.PayloadBase64, "none": show.PayloadNone,
	}[f.payload.Value]
	f.several = len(args) > 1
	return nil
}

// A decoding is one run of "dplay decode".
type decoding struct {
	flags   *decodeFlags
	std     cli.Streams
	out     *cli.Output
	printer printer
	filter  *filter.Filter // nil: everything
}

// A printer writes messages and findings in one of the formats. Its methods append to a buffer. If that is empty they may return
// another buffer, which is valid until the next call.
type printer interface {
	file(b []byte, name string) []byte // a file begins
	record(b []byte, r *captures.Record) []byte
	finding(b []byte, f *captures.Finding) []byte // one that belongs to no record
	held(b []byte) []byte                         // some of what is held back; nothing if there is no more
	fileEnd(b []byte) []byte
	end(b []byte) []byte
}

// A silence prints nothing. Printers embed it for methods that they do not need.
type silence struct{}

func (silence) finding(b []byte, _ *captures.Finding) []byte { return b }
func (silence) held(b []byte) []byte                         { return b }
func (silence) fileEnd(b []byte) []byte                      { return b }
func (silence) end(b []byte) []byte                          { return b }

func newDecoding(f *decodeFlags, std cli.Streams) (*decoding, error) {
	d := &decoding{flags: f, std: std, out: cli.NewOutput(std.Out)}
	d.printer = newPrinter(f, cli.UseColor(f.color.Value, std.Out))
	var err error
	d.filter, err = filter.New(f.filter, f.zone())
	return d, err
}

func newPrinter(f *decodeFlags, color bool) printer {
	switch {
	case f.stats && f.format.Value == "text":
		return &statsText{several: f.several}
	case f.stats:
		return newStatsJSON(f)
	case f.format.Value == "text":
		return newTextPrinter(f, color)
	}
	return newJSONPrinter(f)
}

// files decodes files in sequence. A file that cannot be read does not stop the others.
func (d *decoding) files(ctx context.Context, names []string) error {
	failed := false
	for _, name := range names {
		if err := d.file(ctx, name); err != nil {
			failed = true
			d.out.Flush()
			d.std.Tell(fileReason(name, err))
		}
		if d.out.Err != nil || ctx.Err() != nil {
			break
		}
	}
	d.append(d.printer.end)
	switch err := d.out.End(); {
	case err != nil:
		return d.std.Told(err)
	case failed && d.out.Err == nil:
		return cli.ErrFailed
	}
	return nil
}

// release writes the messages that the printer holds back.
func (d *decoding) release() {
	for b := d.printer.held(d.out.Buffer()); len(b) > 0; b = d.printer.held(d.out.Buffer()) {
		d.out.Add(b)
	}
}

// show writes everything that was decoded so far.
func (d *decoding) show() {
	d.release()
	d.out.Flush()
}

// append adds to the output.
func (d *decoding) append(write func(b []byte) []byte) {
	d.out.Add(write(d.out.Buffer()))
}

// file decodes one file. It leaves errors of the output in d.out.
func (d *decoding) file(ctx context.Context, name string) error {
	in, err := openInput(name, d.std.In)
	if err != nil {
		return err
	}
	defer in.close()
	r, isHex, err := fromHex(in.r)
	if err != nil {
		return err
	}
	d.append(func(b []byte) []byte { return d.printer.file(b, name) })
	reading := &reading{decoding: d}
	opt := d.flags.read()
	if isHex {
		opt.Ports = append(slices.Clip(opt.Ports), hexdump.Port)
	}
	if in.live || cli.Terminal(d.std.Out) != nil { // output is wanted at once
		opt.Waiting = d.show
	}
	shown := cli.Terminal(d.std.Out) != nil && !d.flags.stats // lines on the same terminal show as much as a bar
	bar := in.watched(&opt, d.flags.NoProgress || shown, d.std.Err, "")
	sum, err := captures.Read(ctx, r, opt, reading.record, reading.finding)
	bar.End()
	d.release()
	d.append(d.printer.fileEnd)
	d.out.Flush()
	if d.out.Err != nil { // which may be what Read returned
		return nil
	}
	reading.summary(name, sum)
	if in.live && errors.Is(err, context.Canceled) {
		return nil // an interrupt is how a running capture ends
	}
	return err
}

// A reading is the decoding of one file.
type reading struct {
	*decoding
	conversations int // the highest number met
	shown         int // messages
	games         gameprint.Seen
}

// record prints a message, if it is wanted.
func (r *reading) record(rec *captures.Record) error {
	r.games.Note(rec)
	if r.flags.following && rec.Conversation != r.flags.follow {
		r.conversations = max(r.conversations, rec.Conversation)
		return nil
	}
	if !r.filter.Matches(rec) {
		return nil
	}
	r.conversations = max(r.conversations, rec.Conversation)
	r.shown++
	r.out.Add(r.printer.record(r.out.Buffer(), rec))
	return r.out.Err
}

// finding prints a finding that belongs to no message. With --follow or --filter only the summary counts it.
func (r *reading) finding(f *captures.Finding) {
	if r.flags.following || r.filter != nil {
		return
	}
	r.append(func(b []byte) []byte { return r.printer.finding(b, f) })
}

// summary writes to standard error how much of the file was decoded, and which flags may help.
func (r *reading) summary(name string, s *captures.Summary) {
	if r.flags.following && r.conversations < r.flags.follow {
		r.std.Tell(fmt.Sprintf("%s: there is no conversation %d, only %d", displayName(name), r.flags.follow, r.conversations))
	}
	if why := r.filter.Failures(); why != "" {
		r.std.Tell(displayName(name) + ": " + why)
	}
	if r.flags.Quiet {
		return
	}
	b := []byte(displayName(name) + ": ")
	if r.flags.following || r.filter != nil {
		b = appendShown(b, r.shown, s.Messages, r.filter.Absent())
	}
	b = show.AppendSummary(b, s)
	b = r.games.Append(b)
	b = appendHints(b, s)
	r.std.Err.Write(b) //nolint:errcheck // there is nowhere to tell it
}
