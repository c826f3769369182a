//go:build !windows

package cli

import (
	"io"
	"os"
	"syscall"
)

// brokenPipes are the errors of writing to a pipe that nobody reads.
var brokenPipes = []error{io.ErrClosedPipe, syscall.EPIPE}

// FromCodePage is for Windows; text is UTF-8 elsewhere.
func FromCodePage(text string) string { return text }

// enableEscapes is for Windows; other terminals understand escape sequences as they are.
func enableEscapes(*os.File) bool { return true }

// OwnWindow returns what Windows alone does: elsewhere a program is started in a terminal that is there.
func OwnWindow() Window { return NoWindow }
