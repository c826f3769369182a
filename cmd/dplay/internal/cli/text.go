// Package cli holds what the subcommands of dplay share.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Numbered returns a number with its noun: "1 machine", "2 machines", "2 addresses".
func Numbered(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Written returns the text of v, "" for the zero value.
func Written[T interface {
	comparable
	fmt.Stringer
}](v T) string {
	if v == *new(T) {
		return ""
	}
	return v.String()
}

// Nearest suggests the word of a list that a misspelt one may mean: the first one that begins so, else the one with the fewest
// letters to change, at most two, and one of three.
func Nearest(name string, list []string) string {
	if len(name) < 3 || len(list) == 0 {
		return ""
	}
	changes := func(word string) int {
		if strings.HasPrefix(word, name) {
			return 0
		}
		return distance(word, name)
	}
	best := slices.MinFunc(list, func(a, b string) int { return changes(a) - changes(b) })
	if changes(best) >= min(3, len(name)-1) {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", best)
}

// distance counts the letters to add, drop or change to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// TextWidth is how wide texts are where the screen does not say; beyond WidestText lines are hard to read.
const (
	TextWidth  = 80
	WidestText = 100
)

// Width returns how wide texts are on an output.
func Width(out any) int { return min(cmp.Or(ScreenWidth(out), TextWidth), WidestText) }

// ScreenWidth returns the width of the terminal that an output is; 0 if it is none, or not known.
func ScreenWidth(out any) int {
	f := Terminal(out)
	if f == nil {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd())) // 0 beside an error
	return max(width, 0)
}

// AppendWrapped writes words in lines that are no longer than the width, unless a single word is. What is given stands
// before the first line, and before the next ones.
func AppendWrapped(b []byte, first, next, text string, width int) []byte {
	const least = 16 // columns for words, on the narrowest screen
	width = max(width, utf8.RuneCountInString(next)+least)
	line, gap := first, ""
	for word := range strings.FieldsSeq(text) {
		if gap != "" && utf8.RuneCountInString(line+gap+word) > width {
			b = append(append(b, line...), '\n')
			line, gap = next, ""
		}
		line, gap = line+gap+word, " "
	}
	return append(append(b, strings.TrimRight(line, " ")...), '\n')
}

// Fit returns a text whose lines are broken between words where an output is a terminal, which would break them within words.
func Fit(out any, text string) string {
	if width := ScreenWidth(out); width > 0 {
		return fit(text, width)
	}
	return text
}

// fit breaks lines that are longer than a width. What is longer without a space, such as a code, is left whole: it is to be copied.
func fit(text string, width int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		used := width // so that the first word begins a line
		for word := range strings.SplitSeq(line, " ") {
			n, gap := ansi.StringWidth(word), " "
			if used+1+n > width {
				used, gap = -1, "\n"
			}
			b.WriteString(gap + word)
			used += 1 + n
		}
	}
	return b.String()[1:]
}

// Plain returns an error's text without the words in which package net tells what the system said.
func Plain(err error) string {
	text := err.Error()
	for _, op := range networkErrors(err) {
		text = strings.ReplaceAll(text, op.Error(), plainNetwork(op))
	}
	return text
}

// networkErrors returns the errors of package net in a tree of errors.
func networkErrors(err error) (list []*net.OpError) {
	switch e := err.(type) { //nolint:errorlint // the tree is walked
	case *net.OpError:
		return []*net.OpError{e}
	case interface{ Unwrap() error }:
		return networkErrors(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			list = append(list, networkErrors(inner)...)
		}
	}
	return list
}

// plainNetwork says what could not be done where, and why.
func plainNetwork(op *net.OpError) string {
	what := map[string]string{"listen": "listen at", "dial": "reach", "read": "read from", "write": "send to"}[op.Op]
	where := strings.ToUpper(strings.TrimRight(op.Net, "46"))
	if op.Addr != nil {
		where += " " + op.Addr.String()
	}
	why := op.Err.Error()
	var system *os.SyscallError
	switch {
	case errors.Is(op.Err, os.ErrDeadlineExceeded), op.Timeout():
		why = "no answer in time"
	case errors.Is(op.Err, syscall.EADDRNOTAVAIL):
		why = "this machine does not have that address"
	case errors.As(op.Err, &system):
		why = system.Err.Error()
	}
	return fmt.Sprintf("cannot %s %s: %s", cmp.Or(what, op.Op), where, why)
}
