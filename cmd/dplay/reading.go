package main

import (
	"fmt"
	"strings"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gameprint"
)

// A reading is the decoding of one file.
type reading struct {
	*decoding
	conversations int // the highest number met
	shown         int // messages
	games         gameprint.Seen
}

// record takes a message that was decoded.
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

// finding takes a finding that belongs to no message. Where only some messages are wanted it is left to the
// summary.
func (r *reading) finding(f *captures.Finding) {
	if r.flags.following || r.filter != nil {
		return
	}
	r.append(func(b []byte) []byte { return r.printer.finding(b, f) })
}

// summary writes to standard error what became of the file, and what the user may want to do about it.
func (r *reading) summary(name string, s *captures.Summary) {
	if r.flags.following && r.conversations < r.flags.follow {
		r.std.Tell(fmt.Sprintf("%s: there is no conversation %d, only %d", displayName(name), r.flags.follow, r.conversations))
	}
	if why := r.filter.Failures(); why != "" {
		r.std.Tell(displayName(name) + ": " + why)
	}
	if r.flags.quiet {
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

// appendShown says how many of the messages are shown, where only some may be; and if none is, what the filter looked for and
// no message had.
func appendShown(b []byte, shown, of int, absent []string) []byte {
	b = fmt.Appendf(b, "%d of %s shown", shown, cli.Numbered(of, "message"))
	if shown == 0 && len(absent) > 0 {
		b = fmt.Appendf(b, ": none that the filter looked at has %s", strings.Join(absent, " or "))
	}
	return append(b, ". "...)
}

// appendHints says what may be missing and how to get at it.
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
