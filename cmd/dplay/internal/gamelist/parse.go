package gamelist

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/games"
	"dplay4/wire"
)

// An entry is a game of the user's file: a table [[game]].
type entry struct {
	Name   title       `toml:"name"`
	Short  short       `toml:"short"`
	GUID   guid        `toml:"guid"`
	Text   text        `toml:"text"`
	TCP    ports       `toml:"tcp"`
	UDP    ports       `toml:"udp"`
	Flags  sessionFlag `toml:"flags"`
	Source string      `toml:"source"`
}

// The values of the keys. Each reads itself, so that the library says on which line a wrong one stands.
type (
	title       struct{ string }
	short       struct{ string }
	guid        struct{ wire.GUID }
	text        struct{ wire.Encoding }
	ports       struct{ wire.Ports }
	sessionFlag struct{ wire.SessionFlags }
)

// keys says what each key takes.
var keys = map[string]string{
	"game":   "[[game]] begins a game",
	"name":   `text in quotes, such as name = "Monsters II"`,
	"short":  `letters and digits in quotes, such as short = "monsters2"`,
	"guid":   `a GUID in quotes, such as guid = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"`,
	"text":   `"utf16" or "8bit"`,
	"tcp":    `a port or FROM-TO in quotes, such as tcp = "2300-2349"`,
	"udp":    `a port or FROM-TO in quotes, such as udp = "2350-2399"`,
	"flags":  `names with commas between in quotes, such as flags = "migratehost,keepalive", or a number such as "0xa044"`,
	"source": `text in quotes: where the GUID is from`,
}

// Parse reads a user's file, which is called name. The error says which line and key of it is wrong.
func Parse(name string, b []byte) (games.List, error) {
	var file struct {
		Game []entry `toml:"game"`
	}
	var words struct { // a number where text is wanted has its line in the error only if it is to become text
		Game []struct{ Name, Short, GUID, Text, TCP, UDP, Flags, Source string }
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // Windows' Notepad writes one
	for _, into := range []any{&words, &file} {
		const takes = "a [[game]] has name, short, guid, text, tcp, udp, flags, source"
		if err := cli.DecodeTOML(name, b, into, takes, explain); err != nil {
			return nil, err
		}
	}
	var list games.List
	for i := range file.Game {
		e := &file.Game[i]
		g := games.Game{Title: e.Name.string, Short: games.Bare(e.Short.string), GUID: e.GUID.GUID, Text: e.Text.Encoding, Flags: e.Flags.SessionFlags,
			StreamPorts: e.TCP.Ports, DatagramPorts: e.UDP.Ports, Source: captures.Printable(e.Source)}
		if g.Source == "" {
			g.Source = name
		}
		if why := missing(e, list); why != "" {
			return nil, fmt.Errorf("%s: game %d, %q: %s", name, i+1, g.Title, why)
		}
		list = append(list, g)
	}
	return list, nil
}

// missing says what an entry lacks, or has that one of those before it has; "" for nothing.
func missing(e *entry, before games.List) string {
	if e.Name.string == "" {
		return "it has no name: " + keys["name"]
	}
	if e.GUID.IsZero() {
		return "it has no guid: " + keys["guid"]
	}
	for _, name := range []string{e.Name.string, e.Short.string} {
		if g, ok := before.ByName(name); ok {
			return fmt.Sprintf("%q is the name of another game above, %q", name, g.Title)
		}
	}
	if g, ok := before.ByGUID(e.GUID.GUID); ok {
		return fmt.Sprintf("%s is the GUID of another game above, %q", e.GUID, g.Title)
	}
	return ""
}

// explain describes a wrong value to the author of the file, after its key.
func explain(wrong *toml.DecodeError) string {
	why := strings.TrimPrefix(wrong.Error(), "toml: ")
	key := wrong.Key()
	if len(key) == 0 {
		return ": " + why
	}
	if takes := keys[key[len(key)-1]]; takes != "" {
		if strings.HasPrefix(why, "cannot decode") { // the rest names types of Go
			why = "is of the wrong kind"
		}
		why += ": it takes " + takes
	}
	return fmt.Sprintf(", %s: %s", strings.Join(key, "."), why)
}

func (v *title) UnmarshalText(b []byte) error {
	v.string = captures.Printable(string(b))
	if games.Bare(v.string) == "" {
		return errors.New("has neither letters nor digits")
	}
	if _, err := wire.ParseGUID(v.string); err == nil {
		return errors.New("is a GUID")
	}
	return nil
}

func (v *short) UnmarshalText(b []byte) error {
	v.string = string(b)
	if games.Bare(v.string) != strings.ToLower(v.string) {
		return errors.New("has more than letters and digits")
	}
	return nil
}

func (v *guid) UnmarshalText(b []byte) (err error) {
	if v.GUID, err = wire.ParseGUID(string(b)); err != nil {
		return fmt.Errorf("%q is no GUID", b)
	}
	if v.IsZero() {
		return errors.New("is zero, which all games without a GUID of their own share (--app blitz3d)")
	}
	return nil
}

func (v *text) UnmarshalText(b []byte) error {
	switch string(b) {
	case "utf16":
		v.Encoding = wire.UTF16
	case "8bit":
		v.Encoding = wire.EightBit
	default:
		return fmt.Errorf("%q is none", b)
	}
	return nil
}

func (v *ports) UnmarshalText(b []byte) (err error) {
	v.Ports, err = cli.ParsePorts(string(b))
	return err
}

func (v *sessionFlag) UnmarshalText(b []byte) (err error) {
	v.SessionFlags, err = cli.ParseSessionFlags(string(b))
	return err
}
