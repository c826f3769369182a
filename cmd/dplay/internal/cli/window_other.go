//go:build !windows

package cli

// OwnWindow returns what Windows alone does: elsewhere a program is started in a terminal that is there.
func OwnWindow() Window { return NoWindow }
