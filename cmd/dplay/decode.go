package main

import (
	"cmp"
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
	Verbose bool         `flag:"verbose,V" usage:"print every field of a message, with its offset"`
	Hex     bool         `flag:"hex,x" usage:"print the octets of a message"`
	Format  flags.Choice `flag:"format" choice:"text,ndjson,json" usage:"write lines for people, a JSON object a line, or one JSON array of such objects"`
	Filter  string       `flag:"filter" usage:"print only messages for which <EXPR> is true; see above"`
	Stats   bool         `flag:"stats" usage:"print statistics instead of messages: by command, player and conversation, pings, links of the reliable protocol"`
	Follow  int          `flag:"follow" range:"1" must:"conversations are numbered from 1" usage:"print only conversation <N>; --stats and JSON show the numbers"`
	Payload flags.Choice `flag:"payload" choice:"hex,text,base64,none" usage:"how to write octets that are the game's own"`
	Color   flags.Choice `flag:"color" choice:"auto,always,never" usage:"colour text; auto: on a terminal, unless NO_COLOR is set"`
	Time    flags.Choice `flag:"time" choice:"relative,delta,absolute,epoch" usage:"times in text: seconds since the file's first message, since the line before, date and time, seconds since 1970"`
	UTC     bool         `flag:"utc" usage:"--time absolute, and times without a zone in --filter, are UTC, not local time"`
	captureFlags
	several bool // files
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
	f := &decodeFlags{}
	return takesFiles(flags.Register(&cobra.Command{
		Use:     "decode [flags] FILE...",
		Short:   "Print every DirectPlay 4 message of packet captures",
		Long:    decodeLong,
		Example: decodeExamples,
		Args:    wantFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			f.several = len(args) > 1
			d, err := newDecoding(f, std)
			if err != nil {
				return err
			}
			return d.files(cmd.Context(), args)
		},
	}, f))
}

// timeFormats are the values of --time.
var timeFormats = map[string]show.TimeFormat{
	"relative": show.Relative, "delta": show.Delta, "absolute": show.Absolute, "epoch": show.Epoch,
}

// zone returns the zone of times for people.
func (f *decodeFlags) zone() *time.Location {
	if f.UTC {
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

// check refuses flags that do not go together.
func (f *decodeFlags) check() error {
	json := f.Format.Value != "text"
	return cmp.Or(
		flags.Refuse(json && f.Verbose, "--verbose is for --format text; JSON has every field anyway"),
		flags.Refuse(json && f.Hex, "--hex is for --format text"),
		flags.Refuse(f.Stats && (f.Verbose || f.Hex), "--stats prints no messages: it does not go with --verbose or --hex"))
}

// payloadFormats are the values of --payload.
var payloadFormats = map[string]show.PayloadFormat{
	"hex": show.PayloadHex, "text": show.PayloadText, "base64": show.PayloadBase64, "none": show.PayloadNone,
}

// A decoding is one run of "dplay decode".
type decoding struct {
	flags   *decodeFlags
	std     cli.Streams
	out     *cli.Output
	printer printer
	filter  *filter.Filter // nil: everything
}

func newDecoding(f *decodeFlags, std cli.Streams) (*decoding, error) {
	d := &decoding{flags: f, std: std, out: cli.NewOutput(std.Out)}
	d.printer = newPrinter(f, cli.UseColor(f.Color.Value, std.Out))
	var err error
	d.filter, err = filter.New(f.Filter, f.zone())
	return d, err
}

// files decodes files in sequence.
func (d *decoding) files(ctx context.Context, names []string) error {
	failed := eachFile(ctx, d.std, d.out, names, func(_ int, name string) error { return d.file(ctx, name) })
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
	shown := cli.Terminal(d.std.Out) != nil && !d.flags.Stats // lines on the same terminal show as much as a bar
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
	if r.flags.Follow > 0 && rec.Conversation != r.flags.Follow {
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
	if r.flags.Follow > 0 || r.filter != nil {
		return
	}
	r.append(func(b []byte) []byte { return r.printer.finding(b, f) })
}

// summary writes to standard error how much of the file was decoded, and which flags may help.
func (r *reading) summary(name string, s *captures.Summary) {
	if r.conversations < r.flags.Follow {
		r.std.Tell(fmt.Sprintf("%s: there is no conversation %d, only %d", displayName(name), r.flags.Follow, r.conversations))
	}
	if why := r.filter.Failures(); why != "" {
		r.std.Tell(displayName(name) + ": " + why)
	}
	if r.flags.Quiet {
		return
	}
	b := []byte(displayName(name) + ": ")
	if r.flags.Follow > 0 || r.filter != nil {
		b = appendShown(b, r.shown, s.Messages, r.filter.Absent())
	}
	b = show.AppendSummary(b, s)
	b = r.games.Append(b)
	b = appendHints(b, s)
	r.std.Err.Write(b) //nolint:errcheck // there is nowhere to tell it
}
