package main

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"dplay4/captures/show"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/markdown"
)

//go:embed topics/*.md
var topicTexts embed.FS

//go:embed EVENTS.md
var eventsText string

// references are the topics whose texts are in other packages and files. They may be long.
var references = map[string]string{"json": show.NDJSON, "events": eventsText}

// A topic is a text of "dplay help".
type topic struct {
	name  string
	short string   // what the list says about it
	also  []string // other words by which people look for it; the first letters of a word are enough
}

var topics = []topic{
	{"start", "Start here: for players", []string{"beginners", "begin", "first-steps", "howto"}},
	{"playing", "What \"dplay host\" and \"dplay join\" do", []string{"chatting", "typing", "recording", "text-encoding", "players"}},
	{"captures", "Make a packet capture, and what to do with it",
		[]string{"pcap", "pcapng", "wireshark", "tcpdump", "recordings"}},
	{"filters", "Show only some messages: the expressions of --filter", []string{"expressions", "fields"}},
	{"flags", "The flags of a session, and what each does here", []string{"session-flags", "private", "keepalive", "passwords"}},
	{"ports", "Ports, firewalls, routers and VPNs: why nobody can join",
		[]string{"firewalls", "routers", "nat", "hosting", "joining", "network"}},
	{"migration", "What happens when the host goes", []string{"host-migration", "hostmigration", "migrate", "new-host", "splits"}},
	{"reliable", "Sessions with the reliable protocol, and what is open about it",
		[]string{"directplayprotocol", "nacks", "loco", "stronghold", "forsaken", "descent"}},
	{"internet", "Playing over the internet: the bridge", []string{"bridging", "share", "code", "online", "cgnat"}},
	{"vpn", "A VPN, or forwarding: over the internet without the bridge", []string{"forwarding", "tailscale", "zerotier", "wireguard"}},
	{"relay", "Run a relay, through which players find each other", []string{"turn", "stun", "server", "systemd", "prometheus", "metrics"}},
	{"community", "Relays for a community: several, DNS, coturn", []string{"coturn", "dns", "srv", "relays", "lobbies", "nats"}},
	{"website", "A website of sessions: hosts, proxies, Prometheus", []string{"webpage", "serve", "cors", "proxy", "nginx"}},
	{"windows", "Windows: firewall, DirectPlay feature, network cards", []string{"netsh", "powershell", "dism", "feature", "metric"}},
	{"wine", "Wine, Proton and the Steam Deck: what works", []string{"proton", "steamdeck", "winetricks", "linux", "ufw", "nftables"}},
	{"dll", "The drop-in dplayx.dll: have games host and join by this project",
		[]string{"dropin", "drop-in", "install", "lutris", "bottles", "heroic", "flatpak", "lobby", "dplay.dll"}},
	{"differences", "What differs from Windows and from Wine", []string{"microsoft", "dplayx", "directplay8", "compatibility"}},
	{"json", "The JSON of \"dplay decode\": every key", []string{"ndjson", "jq", "format", "keys"}},
	{"events", "The JSON of sessions, host, join and bridge: events and commands", []string{"bots", "scripts", "programs", "commands", "bridges"}},
}

// text returns a topic's Markdown.
func (t *topic) text() string {
	if text, ok := references[t.name]; ok {
		return text
	}
	b, err := topicTexts.ReadFile("topics/" + t.name + ".md")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(b)
}

// indexTopic returns the index of the topic with a name, -1 if there is none.
func indexTopic(name string) int {
	return slices.IndexFunc(topics, func(t topic) bool { return t.name == name })
}

func newHelp(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		Long: `Print the help of a COMMAND, or the text about a TOPIC. Without either, list them.

Exit status: 0 it was printed, 2 there is no such command or topic.`,
		DisableFlagsInUseLine: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeHelp(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if i := indexTopic(strings.Join(args, " ")); i >= 0 {
				return std.Told(printTopic(std.Out, &topics[i]))
			}
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownTopic(cmd.Root(), args)
			}
			about.InitDefaultHelpFlag() // as cobra's own help does: the flags belong to what is printed
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// addTopics adds the list of topics to the help of the whole program and of "dplay help".
func addTopics(root, help *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		out := cmd.OutOrStdout()
		b := appendHelp(nil, cmd, cli.Width(out))
		if cmd == root || cmd == help {
			b = append(b, "\nTopics:\n"...)
			for _, t := range topics {
				b = appendReflowed(b, fmt.Sprintf("  %-11s %s", t.name, t.short), cli.Width(out))
			}
			b = append(b, "\nUse \"dplay help TOPIC\" to read about one.\n"...)
		}
		out.Write(b) //nolint:errcheck // cobra's own help does not look, either
	})
}

func printTopic(out io.Writer, t *topic) error {
	if _, err := out.Write(markdown.Append(nil, t.text(), cli.Width(out))); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// completeHelp returns the commands and topics that may follow "help".
func completeHelp(root *cobra.Command, args []string) (list []cobra.Completion) {
	if len(args) > 0 {
		return nil
	}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && indexTopic(c.Name()) < 0 {
			list = append(list, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	for _, t := range topics {
		list = append(list, cobra.CompletionWithDesc(t.name, t.short))
	}
	return list
}

// unknownTopic returns the error for arguments that are neither command nor topic, with the nearest name.
func unknownTopic(root *cobra.Command, args []string) error {
	asked, word := strings.Join(args, " "), strings.ToLower(strings.Join(args, "-"))
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	listed := strings.Join(names, ", ")
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	meant := cli.Nearest(word, names)
	for _, t := range topics {
		if meant == "" && cli.Nearest(word, t.also) != "" {
			meant = fmt.Sprintf(": did you mean %q?", t.name)
		}
	}
	return fmt.Errorf("there is no help about %q%s\nThe topics are %s; \"dplay help\" lists the commands as well",
		asked, meant, listed)
}

// The help texts of commands are written in lines of any length: what a reader sees is as wide as the screen. Lines of the same
// indent are a paragraph; one of a list has its words behind two spaces, and goes on below them; commands stay as they are.

// listed matches a line of a list: what it is about, and what is said.
var listed = regexp.MustCompile(`^( *\S+(?: \S+)*  +)(\S.*)$`)

// onItsOwn is how long a line can be without reaching where authors break: the next one begins anew, for it ended on purpose.
const onItsOwn = 72

// A paragraph is lines that belong together.
type paragraph struct {
	first, next string // what stands before its first line, and before the others
	words       string
	last        int // how long its last line was
}

// appendHelp appends the help of a command for a screen so wide.
func appendHelp(b []byte, cmd *cobra.Command, width int) []byte {
	b = append(appendReflowed(b, strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), width), '\n')
	usage := cmd.UsageString()
	for _, flags := range []interface {
		FlagUsages() string
		FlagUsagesWrapped(cols int) string
	}{cmd.LocalFlags(), cmd.InheritedFlags()} {
		if long := strings.TrimRight(flags.FlagUsages(), "\n"); long != "" {
			usage = strings.Replace(usage, long, strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"), 1)
		}
	}
	example := false
	for line := range strings.Lines(usage) {
		switch {
		case line == "Examples:\n" || example && line != "\n":
			example = true // commands are there to be copied
			b = append(b, line...)
		case utf8.RuneCountInString(line) > width+1:
			b = appendReflowed(b, strings.TrimRight(line, "\n"), width)
		default:
			example = false
			b = append(b, line...)
		}
	}
	return b
}

// appendReflowed appends a text in lines no longer than the width, unless a single word is.
func appendReflowed(b []byte, text string, width int) []byte {
	var open *paragraph
	end := func() {
		if open != nil {
			b = cli.AppendWrapped(b, open.first, open.next, open.words, width)
			open = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		row := listed.FindStringSubmatch(line)
		switch {
		case words == "", commandLine.MatchString(line):
			end()
			b = append(append(b, line...), '\n')
		case open != nil && indent == open.next && open.goesOn(words) && (row == nil || open.first != open.next):
			open.words += " " + words
			open.last = utf8.RuneCountInString(line)
		default:
			end()
			open = newParagraph(indent, words, row)
			open.last = utf8.RuneCountInString(line)
		}
	}
	end()
	return b
}

// commandLine matches a line that is there to be copied.
var commandLine = regexp.MustCompile(`^( *\t| +(dplay|reg|tcpdump|tshark|curl|\$) )`)

// newParagraph begins a paragraph with a line, which may be one of a list.
func newParagraph(indent, words string, row []string) *paragraph {
	if row != nil {
		return &paragraph{first: row[1], next: strings.Repeat(" ", utf8.RuneCountInString(row[1])), words: row[2]}
	}
	if item, ok := strings.CutPrefix(words, "- "); ok {
		return &paragraph{first: indent + "- ", next: indent + "  ", words: item}
	}
	return &paragraph{first: indent, next: indent, words: words}
}

// goesOn reports whether a line with the same indent belongs to the paragraph: the one before has no room for its first word,
// or is one of a list, whose words stand nowhere else.
func (p *paragraph) goesOn(words string) bool {
	word, _, _ := strings.Cut(words, " ")
	return p.first != p.next || p.last+1+utf8.RuneCountInString(word) > onItsOwn
}
