package gamelist

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// An Application is what a registry says of a game that registered itself for DirectPlay's lobbies.
type Application struct {
	Name string // of its key
	GUID wire.GUID
	Line int   // where its Guid stands, or the key without one
	Err  error // why it is no game that can be played; nil if it is
}

// The kinds of files, by what their first line begins with.
const (
	registry5    = "Windows Registry Editor Version 5.00"
	registry4    = "REGEDIT4"
	registryWine = "WINE REGISTRY Version 2"
)

// applications is the key below which games register, for all users or for one. What stands before it names the hive.
var applications = []string{"software", "microsoft", "directplay", "applications"}

// errNoRegistry is about a file that is something else.
var errNoRegistry = errors.New("is no exported registry: it begins neither with \"" + registry5 + "\" nor with " + registry4 +
	" (in regedit: File, Export), nor is it a system.reg of Wine")

// What is taken of an exported registry: a whole one of Windows has hundreds of megabytes, and is not what is wanted.
const (
	mostRegistry     = 64 << 20 // octets
	mostApplications = 1000
	mostValue        = 4 << 10 // octets of a value on several lines
)

// ReadRegistry returns the games in a file of exported registry.
func ReadRegistry(path string) ([]Application, error) {
	b, err := readBounded(path, mostRegistry)
	if err != nil {
		return nil, err
	}
	list, err := parseRegistry(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// parseRegistry returns the games in an exported registry: UTF-16 with a mark, UTF-8, or 8 bits, and Wine's own files.
func parseRegistry(b []byte) ([]Application, error) {
	lines := append(joinedLines(registryText(b)), numbered{}) // so that there is a first one
	kind := lines[0].text
	r := registryReader{wine: strings.HasPrefix(kind, registryWine), wide: kind == registry5}
	if !r.wine && !r.wide && kind != registry4 {
		return nil, errNoRegistry
	}
	for _, line := range lines[1:] {
		if r.read(line); len(r.found) > mostApplications {
			return nil, fmt.Errorf("has more than %d games: no machine has", mostApplications)
		}
	}
	r.endKey()
	return r.found, nil
}

// registryText returns a file's text, whatever it is written in.
func registryText(b []byte) string {
	if b = cli.Unmarked(b); utf8.Valid(b) {
		return string(b)
	}
	return wire.Text(b).As(wire.EightBit)
}

// A numbered is a line, with those that continue it.
type numbered struct {
	text string
	n    int
}

// joinedLines splits a text into lines that are not empty; one that ends with a backslash goes on in the next.
func joinedLines(text string) (list []numbered) {
	open := false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		more := strings.HasSuffix(line, `\`) && !strings.HasPrefix(line, "[")
		piece := strings.TrimSuffix(line, `\`)
		switch {
		case open && len(list[len(list)-1].text) > mostValue: // no GUID is so long
		case open:
			list[len(list)-1].text += piece
		case line != "":
			list = append(list, numbered{piece, n})
			if !more {
				list[len(list)-1].text = line
			}
		}
		open = more
	}
	return list
}

// A registryReader reads lines.
type registryReader struct {
	wine, wide bool // which kind of file; wide: hexadecimal text is UTF-16

	name  string // of the application whose key is open; "" outside of one
	at    int    // its line
	seen  bool   // its Guid was there
	found []Application
}

// read takes a line.
func (r *registryReader) read(line numbered) {
	switch {
	case strings.HasPrefix(line.text, "["):
		r.endKey()
		r.name, r.at, r.seen = r.application(line.text), line.n, false
	case r.name != "" && !r.seen && strings.HasPrefix(strings.ToLower(line.text), `"guid"=`):
		r.seen = true
		guid, err := r.guid(line.text[len(`"guid"=`):])
		r.found = append(r.found, Application{r.name, guid, line.n, err})
	}
}

// endKey notes an application without a GUID.
func (r *registryReader) endKey() {
	if r.name != "" && !r.seen {
		r.found = append(r.found, Application{Name: r.name, Line: r.at, Err: errors.New("its key has no Guid")})
	}
	r.name = ""
}

// application returns the name of the game that a key is of; "" for others, keys below that of a game, and removed ones.
func (r *registryReader) application(line string) string {
	key, _, closed := strings.Cut(line[1:], "]")
	if end := strings.LastIndex(line, "]"); end > 0 && !r.wine { // a name may have one, too
		key, closed = line[1:end], true
	}
	if !closed || strings.HasPrefix(key, "-") {
		return ""
	}
	if r.wine {
		key = `\` + strings.ReplaceAll(key, `\\`, `\`)
	}
	parts := strings.Split(key, `\`)
	// On 64-bit Windows 32-bit programs see another place under the same name.
	parts = slices.DeleteFunc(parts, func(p string) bool { return strings.EqualFold(p, "wow6432node") })
	at := len(parts) - len(applications) - 1
	if at < 0 || parts[len(parts)-1] == "" {
		return ""
	}
	if !slices.EqualFunc(applications, parts[at:len(parts)-1], strings.EqualFold) {
		return ""
	}
	return captures.Printable(parts[len(parts)-1])
}

// guid reads a value: text in quotes, text as octets, or the sixteen octets themselves.
func (r *registryReader) guid(value string) (wire.GUID, error) {
	kind, digits, isHex := strings.Cut(value, ":")
	switch {
	case strings.HasPrefix(value, `"`):
		text := strings.TrimSuffix(value[1:], `"`)
		return parseGUID(text)
	case isHex && strings.HasPrefix(kind, "str("): // of Wine, a text with variables
		return parseGUID(strings.Trim(digits, `"`))
	case !isHex || !strings.HasPrefix(kind, "hex"):
		return wire.GUID{}, errors.New("its Guid is neither text nor octets")
	}
	b, err := hex.DecodeString(strings.NewReplacer(",", "", " ", "", "\t", "").Replace(digits))
	switch {
	case err != nil:
		return wire.GUID{}, errors.New("the octets of its Guid are no hexadecimal digits")
	case kind == "hex" || kind == "hex(3)": // the octets themselves
		var g wire.GUID
		if len(b) != len(g) {
			return g, fmt.Errorf("its Guid has %d octets, not %d", len(b), len(g))
		}
		copy(g[:], b)
		return g, usable(g)
	case r.wide:
		b = append([]byte{0xFF, 0xFE}, b...)
	}
	return parseGUID(strings.TrimRight(registryText(b), "\x00"))
}

// parseGUID reads the text of a GUID that a game can have.
func parseGUID(s string) (wire.GUID, error) {
	g, err := wire.ParseGUID(strings.TrimSpace(s))
	if err != nil {
		return g, fmt.Errorf("%q is no GUID", captures.Printable(s))
	}
	return g, usable(g)
}

// usable says why a GUID is no game's.
func usable(g wire.GUID) error {
	if g.IsZero() {
		return errors.New("its Guid is zero")
	}
	return nil
}
