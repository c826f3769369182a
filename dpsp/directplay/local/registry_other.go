//go:build !windows

package local

import (
	"os/exec"

	"dplay4/dpsp/directplay"
)

// raw is for Windows: elsewhere a program is given its arguments one by one, and no registry has a command line.
func raw(*exec.Cmd, string) {}

func registry() directplay.Registry { return directplay.MapRegistry{} }
