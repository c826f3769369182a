//go:build !windows

package cli

import "os"

// enableColor is for Windows; other terminals understand escape sequences as they are.
func enableColor(*os.File) bool { return true }
