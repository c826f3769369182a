package main

import (
	"bytes"
	"regexp"
	"strings"

	"dplay4/cmd/dplay/internal/markdown"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What makes manual pages takes Markdown: the texts of commands, which are plain, are put into it here.

// manualWidth is what is left of 80 columns for lines that are not filled, in parts of a page that are indented.
const manualWidth = 68

var markdownSpecial = regexp.MustCompile("[\\\\`*_<>\\[\\]&]")

// escaped writes plain text as Markdown.
func escaped(text string) string { return markdownSpecial.ReplaceAllString(text, `\$0`) }

// fenced has lines stay as they are.
func fenced(lines string) string { return "```\n" + strings.Trim(lines, "\n") + "\n```\n\n" }

// A shownValue is a flag's, as pages show it: what stands for it is no string in quotes.
type shownValue struct{ pflag.Value }

// Type returns a word that nothing is quoted for.
func (shownValue) Type() string { return "value" }

// readable puts what a command says of itself into Markdown.
func readable(c *cobra.Command) {
	c.DisableAutoGenTag = true
	if c.HasParent() {
		c.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true}) // there is one help, of the whole program
	}
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	c.Long = helpMarkdown(strings.TrimSpace(long))
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" && d != "0s" && !strings.Contains(usage, "(default") {
			usage += " (default " + d + ")"
		}
		f.Value, f.DefValue, f.NoOptDefVal = shownValue{f.Value}, escaped(value), ""
		f.Usage = escaped(usage)
	})
}

// helpMarkdown writes a help text as Markdown: parts with a heading, paragraphs that can be filled, and lines that cannot.
func helpMarkdown(text string) string {
	var md strings.Builder
	for block := range strings.SplitSeq(text, "\n\n") {
		heading, rest, _ := strings.Cut(block, "\n")
		if name, ok := strings.CutSuffix(heading, ":"); ok && len(name) < 40 && !strings.HasPrefix(heading, " ") && strings.HasPrefix(rest, " ") {
			md.WriteString("### " + escaped(name) + "\n\n")
			block = rest
		}
		if status, ok := strings.CutPrefix(block, "Exit status: "); ok {
			md.WriteString("### Exit status\n\n")
			block = status
		}
		if block == "" {
			continue
		}
		if isPlain(block) {
			md.WriteString(escaped(strings.Join(strings.Fields(block), " ")) + "\n\n")
		} else {
			md.WriteString(fenced(string(appendReflowed(nil, outdented(block), manualWidth))))
		}
	}
	return md.String()
}

// isPlain reports whether a block is one paragraph: lines of one indent, without lists and commands.
func isPlain(block string) bool {
	first := ""
	for i, line := range strings.Split(block, "\n") {
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		if i == 0 {
			first = indent
		}
		if indent != first || listed.MatchString(line) || strings.HasPrefix(words, "- ") || strings.Contains(line, "\t") || commandLine.MatchString(line) {
			return false
		}
	}
	return true
}

// outdented takes away what all lines of a block are indented by.
func outdented(block string) string {
	least := len(block)
	lines := strings.Split(block, "\n")
	for _, line := range lines {
		least = min(least, len(line)-len(strings.TrimLeft(line, " ")))
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i][least:], "\t", "    ")
	}
	return strings.Join(lines, "\n")
}

// topicMarkdown writes a topic for its page: with tables as "dplay help" prints them, and headings below the page's own.
func topicMarkdown(text string) string {
	var md strings.Builder
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "|") {
			end++
		}
		if end > i {
			md.WriteString("\n" + fenced(string(markdown.AppendTable(nil, "", lines[i:end], manualWidth))))
			i = end - 1
			continue
		}
		line := lines[i]
		if strings.HasPrefix(line, "## ") {
			line = "#" + line
		} else if !strings.HasPrefix(line, "    ") {
			line = markdownSpecial.ReplaceAllStringFunc(markdown.PlainLinks(line), func(c string) string {
				if strings.ContainsAny(c, "_*<>&") {
					return `\` + c
				}
				return c
			})
			line = strings.ReplaceAll(markdown.Code.ReplaceAllStringFunc(line, func(c string) string { return strings.ReplaceAll(c, `\`, "") }), "`", "**")
		}
		md.WriteString(line + "\n")
	}
	return md.String()
}

var (
	flagEntry = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t(.*)$`)
	noValue   = regexp.MustCompile(`(?m)^(\\fB-.*\\fP)=$`)
	titleLine = regexp.MustCompile(`(?m)^\.TH .*$`)
	section7  = regexp.MustCompile(`(?m)^\.TH "[^"]*" "7"`)
	synopsis  = regexp.MustCompile(`(?m)^(\.SH SYNOPSIS\n\\fBdplay )`)
	bareMinus = regexp.MustCompile(`(^|[^\\])-`)
)

// mended makes of a page what its generator has no words for: options with what is said of them below, minus signs, which
// else are hyphens that nobody can paste into a shell, and how to read a topic.
func mended(page []byte) []byte {
	page = flagEntry.ReplaceAll(page, []byte(".TP\n$1\n$2"))
	page = noValue.ReplaceAll(page, []byte("$1"))
	var out bytes.Buffer
	for line := range bytes.Lines(page) {
		if !bytes.HasPrefix(line, []byte(".")) {
			for range 2 { // neighbours overlap
				line = bareMinus.ReplaceAll(line, []byte(`$1\-`))
			}
		}
		out.Write(line)
	}
	page = bytes.ReplaceAll(out.Bytes(), []byte("\\fBdplay(7)\\fP"), []byte("\\fBdplay(1)\\fP"))
	if section7.Match(page) {
		page = synopsis.ReplaceAll(page, []byte("${1}help "))
	}
	return titleLine.ReplaceAll(page, []byte("$0\n.ad l\n.nr HY 0\n.nh")) // words and names are not broken
}
