//go:build !windows

package sock

// plainAdapters is for Windows; elsewhere Go sees all there is.
func plainAdapters() []Adapter { return nil }
