package gamelist

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/dpsp/games"
	"dplay4/wire"
)

// An Outcome says what became of an application of a registry.
type Outcome struct {
	Application
	What  string // "added", "known" or "refused"
	Known string // the title of the game that has its GUID already
}

// Add adds applications that source has to the user's file, behind what is there, and returns what became of each. With dry it
// writes nothing.
func Add(path, source string, list []Application, dry bool) ([]Outcome, error) {
	old, err := readBounded(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	own, err := Parse(path, old)
	if err != nil {
		return nil, err
	}
	text, outcomes, err := extend(old, own, source, list)
	if err != nil || dry || len(text) == len(old) {
		return outcomes, err
	}
	if _, err := Parse(path, text); err != nil {
		return nil, fmt.Errorf("nothing is added, for then it would be wrong: %w", err)
	}
	defer Forget()
	return outcomes, replaceFile(path, text)
}

// extend returns the text of a user's file, which has games, with more of them.
func extend(old []byte, own games.List, source string, list []Application) ([]byte, []Outcome, error) {
	newline := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		newline = "\r\n"
	}
	var blocks []string
	var outcomes []Outcome
	for _, app := range list {
		o := Outcome{Application: app, What: "refused"}
		taken, isTaken := own.ByName(app.Name)
		switch o.Known = append(own, games.All()...).Title(app.GUID); {
		case app.Err != nil:
		case o.Known != "":
			o.What = "known"
		case isTaken:
			o.Err = fmt.Errorf("your file has another game of this name, %s", taken.GUID)
		case new(title).UnmarshalText([]byte(app.Name)) != nil:
			o.Err = errors.New("its name is none that can be typed")
		default:
			o.What = "added"
			own = append(own, games.Game{Title: app.Name, GUID: app.GUID})
			block, err := gameText(app.Name, app.GUID, fmt.Sprintf("%s, line %d", source, app.Line))
			if err != nil {
				return nil, nil, err
			}
			blocks = append(blocks, block)
		}
		outcomes = append(outcomes, o)
	}
	text := strings.Join(blocks, "\n")
	switch {
	case len(blocks) == 0 || len(old) == 0:
	case bytes.HasSuffix(old, []byte("\n")):
		text = "\n" + text
	default:
		text = "\n\n" + text
	}
	return append(bytes.Clone(old), strings.ReplaceAll(text, "\n", newline)...), outcomes, nil
}

// gameText returns a game as it stands in the user's file.
func gameText(name string, guid wire.GUID, source string) (string, error) {
	b, err := toml.Marshal(struct {
		Name   string `toml:"name"`
		GUID   string `toml:"guid"`
		Source string `toml:"source"`
	}{name, guid.String(), source})
	return "[[game]]\n" + string(b), err
}

// replaceFile puts a text into the user's file, all of it or nothing.
func replaceFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return plainPath(err)
	}
	return plainPath(outfile.Write(path, text, outfile.Options{Mode: outfile.Public, Force: true}))
}
