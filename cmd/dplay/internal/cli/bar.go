package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// LongFile is the size from which a file is long enough for a progress bar, in octets.
const LongFile = 8 << 20

// A Bar shows how much was done. Nil shows nothing.
type Bar struct {
	bar *progressbar.ProgressBar
	of  int64
}

// FileBar shows how much of a long file was read, in octets; see CountBar.
func FileBar(off bool, stderr io.Writer, name string, size int64) *Bar {
	return newBar(off || size < LongFile, stderr, name, size, progressbar.OptionShowBytes(true))
}

// CountBar shows a bar on standard error if that is a terminal and the bar is not turned off. It disappears at the end.
func CountBar(off bool, stderr io.Writer, name string, of int) *Bar {
	return newBar(off, stderr, name, int64(of))
}

func newBar(off bool, stderr io.Writer, name string, of int64, more ...progressbar.Option) *Bar {
	f := Terminal(stderr)
	if off || f == nil {
		return nil
	}
	return &Bar{progressbar.NewOptions64(of, append(more,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(name),
		progressbar.OptionFullWidth(),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(Escapes(f)), // without them it stays where it is on Windows
	)...), of}
}

// Set says how much was done. A file may have grown since its size was looked up.
func (b *Bar) Set(done int64) {
	if b != nil && done < b.of {
		b.bar.Set64(done) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
}

// End removes the bar.
func (b *Bar) End() {
	if b != nil {
		b.bar.Finish() //nolint:errcheck // likewise
	}
}
