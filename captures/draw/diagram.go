package draw

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"dplay4/captures/doctor"
)

// A Diagram is a picture before it is drawn: lanes from left to right, steps from top to bottom.
type Diagram struct {
	Title    string
	Start    time.Time // what the times of the steps count from
	Duration time.Duration
	Lanes    []Lane
	Steps    []Step
	Messages int // in all steps together
	Findings []doctor.Finding
	Players  []Player
	Left     int  // findings that are not shown because there are too many
	Looked   bool // somebody looked for findings

	lanes    []int // the lane of each endpoint
	machines []int // the endpoint that stands for the machine of each
}

// A LaneKind says what a lane stands for.
type LaneKind uint8

// The kinds of lanes.
const (
	Machine   LaneKind = iota
	Broadcast          // everybody in a network
	Others             // machines that have no lane of their own
)

// A Lane is a machine with its players, or one of the stand-ins that LaneKind names.
type Lane struct {
	Kind     LaneKind
	At       netip.AddrPort // where the machine listens for TCP, as far as that is known
	Players  []string       // names of those who play there, quoted; ids where they have none
	Host     bool           // it was host of a session
	Machines int            // of Others: how many
	Others   []string       // of Others: their addresses, with who plays there; the first maxOthers
	Messages int            // that it sent
	Octets   int64
}

// Who returns the players of a lane in one line, "no player" if there are none.
func (l *Lane) Who() string {
	switch {
	case l.Kind == Broadcast:
		return "everybody"
	case l.Kind == Others && l.Machines == 0:
		return "nobody"
	case l.Kind == Others:
		return "others"
	case len(l.Players) == 0:
		return "no player"
	}
	return strings.Join(l.Players, ", ")
}

// Where returns the address of a lane; of others, the first one and how many there are.
func (l *Lane) Where() string {
	switch {
	case l.Kind != Others:
		return l.At.String()
	case l.Machines == 0:
		return "no machine"
	case l.Machines == len(l.Others) && l.Machines <= 2:
		return strings.Join(l.Others, ", ")
	}
	first, _, _ := strings.Cut(l.Others[0], " ") // there is no place for who plays there, nor for its port
	if at, err := netip.ParseAddrPort(first); err == nil {
		first = at.Addr().String()
	}
	return fmt.Sprintf("%s and %s more", first, grouped(l.Machines-1))
}

// A StepKind says what a step stands for.
type StepKind uint8

// The kinds of steps.
const (
	Message StepKind = iota // one message
	Fold                    // several of one command
	Band                    // several of any command among any machines
	Silence                 // nothing is said
	Note                    // a finding that belongs to no message
)

// A Class says what a message is about. It decides the colour.
type Class uint8

// The classes.
const (
	System Class = iota
	Game
	Ping
	Failed // it does not decode
	Answer // an ACK of the reliable protocol
	Again  // a frame of it that was sent before, or that comes after a gap
	Missed // a NACK of it
)

// classes are the words for them.
var classes = [...]string{"system", "game", "ping", "failed", "answer", "again", "missed"}

// String returns the class as a word.
func (c Class) String() string { return classes[c] }

// A Step is one row of a Diagram.
type Step struct {
	Kind     StepKind
	At, Last time.Duration // after the diagram's start: of the first and the last message; the ends of a silence
	N, LastN int           // numbers of the first and the last message
	Frame    int           // in which the first message was completed; 0: none
	From     int           // lane
	To       []int         // lanes, more than one where the same was sent to several machines at once
	UDP      bool
	Class    Class
	Command  string // of a band: ""
	Text     string // the fields that matter
	Count    int    // messages
	Lost     int    // those of them that stayed without an answer, and were sent again, or that a NACK missed
	Min, Max int    // octets of the smallest and the largest message
	Octets   int64
	Findings []int    // indices into the diagram's findings
	Others   []string // addresses of machines without lanes that it came from or went to, a few of them
}

// Label returns the command, with the number of messages where it is not one: "PLAYERMESSAGE ×412".
func (s *Step) Label() string {
	switch {
	case s.Kind == Band:
		return grouped(s.Count) + " messages"
	case s.Kind == Fold:
		return s.Command + " ×" + grouped(s.Count)
	}
	return s.Command
}

// Details returns what is said about a step beside its label: the fields of a message, or what was folded.
func (s *Step) Details() string {
	if len(s.Others) > 0 {
		return strings.TrimSpace("[" + strings.Join(s.Others, ", ") + "] " + s.said())
	}
	return s.said()
}

func (s *Step) said() string {
	switch s.Kind {
	case Silence:
		return "nothing for " + Span(s.Last-s.At)
	case Fold, Band:
		d := counted(s.Count, "message") + ", " + sizes(s.Min, s.Max)
		if s.Last > s.At {
			d += ", over " + Span(s.Last-s.At)
		}
		if s.Lost > 0 {
			d += ", " + grouped(s.Lost) + " without an answer"
		}
		return d + s.Text
	}
	if s.Lost > 0 {
		return "no answer " + strings.TrimSpace(s.Text)
	}
	return strings.TrimSpace(s.Text)
}

// stopped reports whether a step is one message that stayed without an answer.
func (s *Step) stopped() bool { return s.Kind == Message && s.Lost > 0 }

func sizes(least, most int) string {
	if least == most {
		return counted(least, "octet")
	}
	return grouped(least) + "-" + grouped(most) + " octets"
}

// counted returns a number with its noun: "1 octet", "12,345 octets".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped returns a number with its thousands apart.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Span returns a duration for people: "1.50 s", "3 min 20 s", "2 h 5 min".
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 2, 64) + " ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 2*time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	case d < 2*time.Hour:
		s := int(d.Seconds())
		return strconv.Itoa(s/60) + " min " + strconv.Itoa(s%60) + " s"
	}
	m := int(d.Minutes())
	return grouped(m/60) + " h " + strconv.Itoa(m%60) + " min"
}
