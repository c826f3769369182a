package replay

import (
	"net/netip"
	"slices"
	"time"
)

// A Role is what a machine was in its session.
type Role string

// The roles.
const (
	Host    Role = "host"
	Joiner  Role = "joiner"
	Unknown Role = "unknown" // how it came into the session is not in the capture
)

// A Report says how what engines of ours did compares with what a capture shows.
type Report struct {
	Parties []Party `json:"parties"`
}

// A Party is one machine of a capture, and the engine in its place.
type Party struct {
	Role        Role           `json:"role"`
	Address     netip.AddrPort `json:"address"`            // its TCP listener
	Dialect     uint16         `json:"dialect"`            // as its messages have it
	NotPlayed   string         `json:"not_played"`         // why it was not replayed; "": it was
	Notes       []string       `json:"notes"`              // what our engine did not do at the beginning
	Compared    int            `json:"compared"`           // messages of the recording that ours stood against
	Equal       int            `json:"equal"`              // of them, without any difference
	Missing     int            `json:"missing"`            // messages of the recording that ours did not send
	Extra       int            `json:"extra"`              // messages of ours that the recording does not have
	Unseen      int            `json:"unseen"`             // messages of ours to machines that the capture never shows it with
	Frames      Frames         `json:"frames"`             // of the reliable protocol, which are counted, not compared
	Differences []Difference   `json:"differences"`        // at most MaxDifferences
	More        int            `json:"more_differences"`   // beyond those
	Mapped      Mapped         `json:"mapped"`             // what was equal up to a mapping
	Ignored     []Ignored      `json:"ignored"`            // messages that our engine took no notice of, at most MaxDifferences
	StoodStill  []Still        `json:"stood_still"`        // when the machine is taken to have done nothing at all
	Commands    map[string]int `json:"commands,omitempty"` // what the program is taken to have done, by name
}

// Mapped counts what was equal up to a mapping of the recording's values to ours, each value once. The mapping is one
// to one: the first pair of values settles it, and what contradicts it is a difference.
type Mapped struct {
	IDs   int `json:"ids"`   // players, groups, machines
	GUIDs int `json:"guids"` // instances, fragments, secrets of the extension
	Ticks int `json:"ticks"` // TickCount of PING
	Masks int `json:"masks"` // Reserved1 of a session, which ids are made with
	Ports int `json:"ports"` // sockets that it sent from: an engine knows no such ports, so they are not compared
	// Sockets are those that messages name; only between two captures (Diff).
	Sockets int `json:"sockets,omitempty"`
}

// A Kind says what kind of difference one is.
type Kind string

// The kinds.
const (
	Field   Kind = "field"   // a field has another value
	Missing Kind = "missing" // the recorded machine sent it, ours does not
	Extra   Kind = "extra"   // ours sends it, the recorded machine did not
)

// A Difference is one thing that differs.
type Difference struct {
	Kind     Kind           `json:"kind"`
	N        int            `json:"n"`       // number of the message in the capture; for Extra the last one before it, 0: none
	Frame    int            `json:"frame"`   // its last frame
	At       time.Duration  `json:"at"`      // since the first message, in nanoseconds
	Message  string         `json:"message"` // the command's name
	To       netip.AddrPort `json:"to"`
	Field    string         `json:"field"` // "SessionDesc.Flags", "Players[1].ShortName"; "" for a whole message
	Recorded string         `json:"recorded"`
	Ours     string         `json:"ours"`
	Note     string         `json:"note"` // why, if the engine said so
	// Octets are, of octets, the first and the last offset of each run that differs, at most 64 runs; the last one takes in the rest.
	Octets [][2]int `json:"octets,omitempty"`
}

// An Ignored is a message of the recording that our engine took no notice of.
type Ignored struct {
	N       int    `json:"n"`
	Frame   int    `json:"frame"`
	Message string `json:"message"`
	Reason  string `json:"reason"` // a dpsp.Reason
	Text    string `json:"text"`
}

// A Still is a time in which a machine is taken to have been stopped, because timers of ours went off in it and the
// recording shows nothing.
type Still struct {
	From  time.Duration `json:"from"`
	Until time.Duration `json:"until"`
}

// Equal reports whether there was something to replay, all of it was replayed, and nothing differs.
func (r *Report) Equal() bool {
	differs := func(p Party) bool { return len(p.Differences) > 0 || p.NotPlayed != "" }
	return len(r.Parties) > 0 && !slices.ContainsFunc(r.Parties, differs)
}
