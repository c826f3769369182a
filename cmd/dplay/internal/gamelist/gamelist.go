// Package gamelist is the games that dplay knows: those of package games, and before them those of the user's own file,
// games.toml in the configuration folder.
package gamelist

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"dplay4/dpsp/games"
	"dplay4/wire"
)

// maxFile bounds the user's file, in octets.
const maxFile = 1 << 20

// known are the lists that were read, by the path of the user's file, which the environment says.
var known = struct {
	sync.Mutex
	lists map[string]loaded
}{lists: map[string]loaded{}}

// A loaded is a list, and what was wrong with the user's part of it.
type loaded struct {
	list games.List
	err  error
}

// Path returns where the user's file is, or would be.
func Path() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", errors.New("there is no configuration folder: neither XDG_CONFIG_HOME nor HOME is set")
	}
	return filepath.Join(folder, "dplay4", "games.toml"), nil
}

// Games returns the games that are known, the user's own first.
func Games() games.List { return load().list }

// Err says what is wrong with the user's file: none of its games is in the list then. A file that is not there is right.
func Err() error { return load().err }

// Title returns the title of the game with an application GUID; "" if it is not known.
func Title(guid wire.GUID) string { return Games().Title(guid) }

// Forget has the user's file read again.
func Forget() {
	known.Lock()
	defer known.Unlock()
	clear(known.lists)
}

// load reads the user's file, once.
func load() loaded {
	path, _ := Path() // "" for a service: then there is no such file
	known.Lock()
	defer known.Unlock()
	got, ok := known.lists[path]
	if !ok {
		own, err := readFile(path)
		got = loaded{append(own, games.All()...), err}
		known.lists[path] = got
	}
	return got
}

// readFile returns the games of a file; none if it is not there.
func readFile(path string) (games.List, error) {
	text, err := readBounded(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return Parse(path, text)
}
