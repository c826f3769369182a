//go:build !windows

package cli

import "os"

// enableEscapes is for Windows; other terminals understand escape sequences as they are.
func enableEscapes(*os.File) bool { return true }
