package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// shellGlobs reports whether the shell puts names of files in the place of patterns. Those of Windows do not.
const shellGlobs = runtime.GOOS != "windows"

// takesFiles has a command take names of captures: a shell offers them, and a pattern stands for those that match.
func takesFiles(cmd *cobra.Command) {
	cmd.ValidArgsFunction = completeFiles
	if shellGlobs {
		return
	}
	check, run := cmd.Args, cmd.RunE
	if check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return check(cmd, globs(args)) }
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, globs(args)) }
}

// completeFiles lets a shell offer the names of captures.
func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"pcap", "pcapng", "cap", "gz", "zst"}, cobra.ShellCompDirectiveFilterFileExt
}

// globs puts the names of files in the place of patterns, in the order of their names. A pattern that nothing matches stays.
func globs(args []string) (names []string) {
	for _, arg := range args {
		matches := []string{arg}
		if isGlob(arg) {
			if found, err := filepath.Glob(foldedGlob(arg)); err == nil && len(found) > 0 {
				matches = found
			}
		}
		names = append(names, matches...)
	}
	return names
}

// isGlob reports whether a name has characters of which no file's name on Windows has any.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// foldedGlob returns a pattern as package filepath takes it, for capital and small letters alike where it has * and ?. Brackets are
// letters as any.
func foldedGlob(name string) string {
	var b strings.Builder
	for part := range strings.SplitAfterSeq(name, string(filepath.Separator)) {
		folds := isGlob(part)
		for _, r := range part {
			switch lower, upper := unicode.ToLower(r), unicode.ToUpper(r); {
			case r == '[':
				b.WriteString("[[]")
			case folds && lower != upper:
				b.WriteString("[" + string(lower) + string(upper) + "]")
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
