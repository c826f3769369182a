// Package recorder records what DirectPlay sends and gets on this machine into capture files: "dplay record".
//
// On Linux it opens raw sockets, with a filter that the kernel runs. On Windows it drives pktmon, which is part of Windows,
// and takes from its file what the filter takes. Elsewhere it says what to type.
package recorder

import (
	"context"
	"fmt"
	"os"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

// Options say what is recorded, and into what.
type Options struct {
	Interfaces []string // names; none: all
	File       string   // the first file's name
	For        time.Duration
	Size       int64        // octets of one file
	Files      int          // at most
	Ports      []wire.Ports // beside DirectPlay's own
	// Create opens a file that is to be written. Its error wraps fs.ErrExist if the name is taken.
	Create func(name string) (*os.File, error)
	Tell   func(text string) // what the user should know, in lines
	// Game names the game that an application GUID belongs to, "" if it is not known; nil: none is.
	Game func(application wire.GUID) string
	// Progress is told how much was seen, every Every.
	Progress func(passed time.Duration, seen string)
	Every    time.Duration
}

// A Result is what became of a recording.
type Result struct {
	Report  *doctor.Report // what the doctor says; of all that was recorded, also where files had to go
	Files   []string       // that are there
	Deleted int            // that had to go
	Seen    string         // how much was recorded, in words
	Why     string         // why it ended, in words; "" if the user ended it
}

// Run records until the time is over, ctx ends, or there is no room. Beside an error there may be a result, of what was
// recorded up to there.
func (o *Options) Run(ctx context.Context) (*Result, error) { return o.record(ctx) }

// timeOver is why a recording ended by itself.
const timeOver = "the time is over"

// finish ends a tape.
func (o *Options) finish(t *tape, why string) (*Result, error) {
	report, err := t.end()
	report.File = t.files.list[0]
	return &Result{Report: report, Files: t.files.list, Deleted: t.files.deleted, Seen: t.seen(), Why: why}, err
}

// begin says that it goes on.
func (o *Options) begin(where string) {
	o.Tell(fmt.Sprintf("recording at %s into %s for %s; Ctrl-C ends it earlier", where, captures.Printable(o.File), o.For))
}
