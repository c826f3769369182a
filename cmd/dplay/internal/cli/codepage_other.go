//go:build !windows

package cli

// FromCodePage is for Windows; text is UTF-8 elsewhere.
func FromCodePage(text string) string { return text }
