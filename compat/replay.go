package compat

import (
	"regexp"
	"slices"

	"dplay4/captures/replay"
)

// An Implementation is what a recorded machine ran.
type Implementation string

// The implementations of the captures.
const (
	Ours    Implementation = "ours"    // this project, at the time of the recording
	Wine10  Implementation = "wine10"  // stock dplayx of Wine 10.0
	RZ      Implementation = "rz"      // an unfinished branch of Wine (captures/lab/README.md)
	Raw     Implementation = "raw"     // a hand-made joiner
	Windows Implementation = "windows" // DirectPlay 4 of Windows, dialect 14
)

// A ReplayDifference is something that a recorded machine did and an engine of ours in its place does otherwise.
type ReplayDifference struct {
	By      Implementation
	In      []string // numbers or names of captures, which it has to occur in; nil: wherever the implementation is
	Role    replay.Role
	Kind    replay.Kind
	Message string
	Field   string // without the places in lists: "Players[].Size"; "" for a whole message, or one that does not decode
	Reason  string
}

// A NotReplayed is machines of a capture that cannot be replayed from it.
type NotReplayed struct {
	In       string
	Machines []string // their listeners
	Reason   string
}

var listPlaces = regexp.MustCompile(`\[\d+\]`)

// ReplayField returns the field of a difference without the places in lists.
func ReplayField(d *replay.Difference) string { return listPlaces.ReplaceAllString(d.Field, "[]") }

// Covers reports whether the entry is about a difference.
func (r *ReplayDifference) Covers(by Implementation, capture string, role replay.Role, d *replay.Difference) bool {
	return r.By == by && r.Role == role && r.Kind == d.Kind && r.Message == d.Message && r.Field == ReplayField(d) &&
		(r.In == nil || slices.Contains(r.In, capture))
}
