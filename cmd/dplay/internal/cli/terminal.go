package cli

import (
	"os"

	"golang.org/x/term"
)

// Terminal returns the file behind a stream if that is a terminal, otherwise nil.
func Terminal(stream any) *os.File {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}

// UseColor decides whether to write colours to standard output. Automatically means on a terminal that knows
// them, unless NO_COLOR is set to anything (no-color.org).
func UseColor(mode string, out any) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	f := Terminal(out)
	return f != nil && os.Getenv("NO_COLOR") == "" && Escapes(f)
}

// Escapes reports whether a terminal understands escape sequences.
func Escapes(f *os.File) bool { return os.Getenv("TERM") != "dumb" && enableEscapes(f) }
