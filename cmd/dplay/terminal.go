package main

import (
	"os"

	"golang.org/x/term"
)

// terminal gives the file behind a stream if that is a terminal, otherwise nil.
func terminal(stream any) *os.File {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// useColor decides whether to write colours to standard output. Automatically means on a terminal that knows
// them, unless NO_COLOR is set to anything (no-color.org).
func useColor(mode string, out any) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	f := terminal(out)
	if f == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return enableColor(f)
}
