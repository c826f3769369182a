// Package gameprint prints the games that are known: for people and in JSON, those of a registry, and those of a capture.
package gameprint

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp/games"
	"dplay4/wire"
)

// isOwn reports whether a game is from the user's file: they stand before the others.
func isOwn(g *games.Game) bool {
	known, _ := games.All().ByGUID(g.GUID) // the zero game if there is none
	return !g.GUID.IsZero() && known != *g
}

// trailing matches the spaces at the end of a line.
var trailing = regexp.MustCompile(` +\n`)

// Table returns the table of all games.
func Table(list games.List, width int) []byte {
	rows := [][]string{{"NAME", "GAME", "FLAGS", "TEXT", "PORTS"}}
	for _, g := range list {
		flags, _, _ := strings.Cut(flagsText(g.Flags), ":")
		rows = append(rows, []string{g.Short, g.Title, flags, cli.Written(g.Text), cli.Written(g.StreamPorts)})
	}
	var text bytes.Buffer
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	columns.Flush() //nolint:errcheck // a buffer takes all
	b := trailing.ReplaceAll(text.Bytes(), []byte("\n"))
	b = append(b, '\n')
	path, err := gamelist.Path()
	own := `"dplay games NAME" says more of one. `
	switch {
	case err != nil:
		own += "Yours cannot be kept: " + err.Error() + "."
	case len(list) > len(games.All()):
		own += "Yours stand first, from " + path + "."
	default:
		own += `Yours would stand first, from ` + path + `: see "dplay games --help".`
	}
	return cli.AppendWrapped(b, "", "", own, width)
}

// Details returns all that is known of a game.
func Details(g *games.Game, width int) []byte {
	b := append([]byte(g.Title), '\n')
	say := func(what, text string) {
		if text != "" {
			b = cli.AppendWrapped(b, fmt.Sprintf("  %-10s", what), "            ", text, width)
		}
	}
	say("--app", flagOf(g))
	say("GUID", g.GUID.String())
	say("sessions", cmp.Or(flagsText(g.Flags), "flags not known"))
	say("searches", flagsText(g.Asking))
	say("text", cmp.Or(cli.Written(g.Text), "utf-16, as far as is known"))
	usual := ""
	if cmp.Or(g.StreamPorts, g.DatagramPorts) == (wire.Ports{}) {
		usual = ", as most games"
	}
	say("ports", fmt.Sprintf("TCP %s, UDP %s%s; who hosts: TCP and UDP 47624 as well", cmp.Or(g.StreamPorts, wire.StreamPorts),
		cmp.Or(g.DatagramPorts, wire.DatagramPorts), usual))
	say("note", g.Note)
	say("source", g.Source)
	return b
}

// flagOf returns the value of --app that names a game.
func flagOf(g *games.Game) string { return cmp.Or(g.Short, "'"+g.Title+"'") }

// flagsText returns a flag word and its names, with spaces between where lines can be broken; "" for no flags.
func flagsText[F cli.FlagWord](flags F) string {
	if flags == 0 {
		return ""
	}
	return fmt.Sprintf("0x%x: %s", uint32(flags), strings.ToLower(strings.ReplaceAll(flags.String(), "|", ", ")))
}

// A gameObject is a game in JSON.
type gameObject struct {
	Type        string            `json:"type"`
	Name        string            `json:"name"`
	Short       string            `json:"short,omitzero"`
	Application wire.GUID         `json:"application"`
	Flags       wire.SessionFlags `json:"flags,omitzero"`
	Asking      wire.EnumFlags    `json:"asking,omitzero"`
	Text        wire.Encoding     `json:"text"`
	TCP         wire.Ports        `json:"tcp,omitzero"`
	UDP         wire.Ports        `json:"udp,omitzero"`
	Note        string            `json:"note,omitzero"`
	Source      string            `json:"source"`
	Own         bool              `json:"own"`
}

// Objects returns games in JSON, a line each.
func Objects(list games.List) (b []byte) {
	for _, g := range list {
		o := gameObject{"game", g.Title, g.Short, g.GUID, g.Flags, g.Asking, g.Text, g.StreamPorts, g.DatagramPorts, g.Note, g.Source, isOwn(&g)}
		b = append(b, events.Object("{").Fields(o, events.Object.Add).End()...)
	}
	return b
}

// Import adds the games of a file, and prints the result for each.
func Import(std cli.Streams, file string, dry bool) error {
	path, err := gamelist.Path()
	if err != nil {
		return err
	}
	apps, err := gamelist.ReadRegistry(file)
	switch {
	case err != nil:
		return err
	case len(apps) == 0:
		return fmt.Errorf(`%s: has no game: nothing stands below Software\Microsoft\DirectPlay\Applications`, captures.Printable(file))
	}
	outcomes, err := gamelist.Add(path, filepath.Base(file), apps, dry)
	if err != nil {
		return err
	}
	out := cli.NewOutput(std.Out)
	count := map[string]int{}
	for i := range outcomes {
		count[outcomes[i].What]++
		out.Add(appendOutcome(nil, &outcomes[i]))
	}
	verb := map[bool]string{false: "added to", true: "would be added to"}[dry]
	fmt.Fprintf(out, "%s: %d %s %s, %d known, %d refused\n", cli.Numbered(len(outcomes), "game"), count["added"], verb, path,
		count["known"], count["refused"])
	return out.End()
}

// appendOutcome appends the line about a game.
func appendOutcome(b []byte, o *gamelist.Outcome) []byte {
	b = fmt.Appendf(b, "%-8s %s", o.What, o.Name)
	switch {
	case o.Err != nil:
		b = fmt.Appendf(b, ": %s (line %d)", o.Err, o.Line)
	case o.What == "known" && o.Known != o.Name:
		b = fmt.Appendf(b, ", as %s %s", o.Known, o.GUID)
	default:
		b = fmt.Appendf(b, " %s", o.GUID)
	}
	return append(b, '\n')
}

// mostSeen bounds the games of a capture that are named.
const mostSeen = 16

// Seen are the applications that messages named, in the order of their first message.
type Seen []wire.GUID

// Note adds the application of a message.
func (g *Seen) Note(r *captures.Record) {
	var app wire.GUID
	switch m := r.Envelope.Message.(type) {
	case *wire.EnumSessions:
		app = m.Application
	case *wire.EnumSessionsReply:
		app = m.Desc.Application
	case *wire.SuperEnumPlayersReply:
		app = m.Desc.Application
	case *wire.SessionDescChanged:
		app = m.Desc.Application
	}
	if !app.IsZero() && len(*g) < mostSeen && !slices.Contains(*g, app) {
		*g = append(*g, app)
	}
}

// Append appends a line for each game: its name, and the flag that names it.
func (g Seen) Append(b []byte) []byte {
	for _, app := range g {
		if game, ok := gamelist.Games().ByGUID(app); ok {
			b = fmt.Appendf(b, "  Game: %s (--app %s).\n", game.Title, flagOf(&game))
		} else {
			b = fmt.Appendf(b, "  Game: one that \"dplay games\" does not list; other commands take it by --app %s.\n", app)
		}
	}
	return b
}
