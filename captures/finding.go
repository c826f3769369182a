package captures

import (
	"net/netip"
	"strconv"
)

// A Code says what kind of thing a finding is. Codes are stable: programs may test for them.
type Code string

// The codes of findings.
const (
	FileDamaged         Code = "file-damaged"         // the file cannot be read further, or is cut short
	FrameMalformed      Code = "frame-malformed"      // a link, IP, TCP or UDP header that cannot be
	FragmentsMissing    Code = "ip-fragments-missing" // a datagram of which not all IP fragments are in the file
	OctetsLost          Code = "octets-lost"          // a gap in a TCP stream, or a frame cut by the snap length
	OctetsSkipped       Code = "octets-skipped"       // octets of a DirectPlay stream where no header could be found
	MessageIncomplete   Code = "message-incomplete"   // a stream ended, or has a gap, inside a message
	MessageMalformed    Code = "message-malformed"    // a message that does not decode
	UnknownCommand      Code = "unknown-command"      // a command that the specification does not assign
	StrayOctets         Code = "stray-octets"         // octets inside a message that no field covers
	TrailingOctets      Code = "trailing-octets"      // octets of a datagram after the size in its header
	UnknownToken        Code = "unknown-token"        // a token that the specification does not list
	FragmentsIncomplete Code = "fragments-incomplete" // a message whose PACKET fragments are not all there
	FragmentRefused     Code = "fragment-refused"     // a PACKET fragment that contradicts its siblings or a limit
	ReliableIncomplete  Code = "reliable-incomplete"  // a message whose reliable frames are not all there
	RetransmitConflict  Code = "retransmit-conflict"  // octets that came again with other content
	LimitReached        Code = "limit-reached"        // more sockets, sessions or players than are remembered
	DirectPlay8         Code = "directplay-8"         // sockets that speak DirectPlay 8, another protocol
)

// A Finding is something about a capture that a reader should know. Place what it says by File, Frame,
// Field and Offset.
type Finding struct {
	Code   Code
	File   string
	Frame  int    // 0: no frame in particular
	Field  string // "" where the finding is about no field
	Offset int64  // octets from the start of what Field is part of; from the start of the file for FileDamaged; -1: none
	Text   string // one sentence

	Src, Dst netip.AddrPort // the direction of a TCP connection that it is about; invalid: none, or that of its record
}

// String returns the finding in one line: "game.pcap: frame 12: message-malformed: CHAT.IDTo at octet 32: ...".
func (f *Finding) String() string {
	s := f.File
	if f.Frame > 0 {
		s += ": frame " + strconv.Itoa(f.Frame)
	}
	return s + ": " + string(f.Code) + ": " + f.Text
}
