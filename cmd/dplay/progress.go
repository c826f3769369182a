package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"dplay4/cmd/dplay/internal/cli"
)

// progressFrom is the size from which a file is long enough for a progress bar, in octets.
const progressFrom = 8 << 20

// progressEvery is how often the bar is drawn at most.
const progressEvery = 100 * time.Millisecond

// A progress shows how much of a file was read. Nil shows nothing.
type progress struct {
	bar  *progressbar.ProgressBar
	size int64
}

// startProgress shows a bar on standard error if that is a terminal and the file is long, and the bar is not turned off. It
// disappears at the end.
func startProgress(off bool, stderr io.Writer, name string, size int64) *progress {
	f := cli.Terminal(stderr)
	if off || f == nil || size < progressFrom {
		return nil
	}
	bar := progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(name),
		progressbar.OptionFullWidth(),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(progressEvery),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(cli.Escapes(f)), // without them it stays where it is on Windows
	)
	return &progress{bar, size}
}

// set says how many octets were read. The file may have grown since its size was looked up.
func (p *progress) set(octets int64) {
	if p != nil && octets < p.size {
		p.bar.Set64(octets) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
}

// end removes the bar.
func (p *progress) end() {
	if p != nil {
		p.bar.Finish() //nolint:errcheck // likewise
	}
}
