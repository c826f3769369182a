//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a folder says whose the files in it are.
func keepOwner(*os.File, fs.FileInfo) {}

// isOthers returns false: a folder says who writes into it.
func isOthers(fs.FileInfo) bool { return false }
