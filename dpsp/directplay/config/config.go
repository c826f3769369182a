// Package config is what a player may set of the drop-in DLL without touching the game: a file, dplayx.toml, and the
// environment over it. Without either nothing is written and nothing differs. Whatever is wrong with them is told, and the
// rest holds: a game never fails because of its configuration.
package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"dplay4/dpsp/directplay"
	"dplay4/dpsp/sock"
)

// FileName is the name of the file.
const FileName = "dplayx.toml"

// Settings are what was set, and by what.
type Settings struct {
	directplay.Config
	LogFile, RecordFile string    // full names; "": none
	Path                string    // of the file that was read; "": none
	Given               []Given   // what was set, in the order of the keys
	Problems            []Problem // what was not understood, and is as if it had not been said
}

// Given is a setting that counts.
type Given struct{ Key, Value, Where string }

// A Problem is something that was not understood.
type Problem struct {
	Where string // a file and a line, or a variable
	Why   string
}

func (p Problem) String() string { return p.Where + ": " + p.Why }

// Places returns where the file may be, in the order in which it is looked for: beside the DLL, beside the game's program, in
// the user's configuration folder. A folder that is not known is "".
func Places(dll, game, user string) (files []string) {
	for _, folder := range []string{dll, game} {
		if folder != "" {
			files = append(files, filepath.Join(folder, FileName))
		}
	}
	if user != "" {
		files = append(files, filepath.Join(user, "dplay4", FileName))
	}
	return files
}

// Read reads the first of the files that is there, or the one that DPLAY_CONFIG names, and the environment. What they do not set
// is as usual.
func Read(usual directplay.Config, files []string, getenv func(string) string) *Settings {
	s := &Settings{Config: usual}
	values := map[string]text{}
	if named := getenv("DPLAY_CONFIG"); named != "" {
		files = []string{named}
		if _, err := os.Stat(named); err != nil {
			s.Problems = append(s.Problems, Problem{"DPLAY_CONFIG", plain(err)})
		}
	}
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		s.Path = name
		b, err := readFile(name)
		if err != nil {
			s.Problems = append(s.Problems, Problem{name, plain(err)})
			break
		}
		values = s.parse(name, b)
		break
	}
	for _, k := range keys {
		if v := getenv(k.variable()); v != "" {
			values[k.name] = text{v, k.variable(), ""}
		}
	}
	for _, k := range keys {
		v, ok := values[k.name]
		if !ok {
			continue
		}
		if why := k.set(s, v); why != "" {
			s.Problems = append(s.Problems, Problem{v.where, fmt.Sprintf("%s = %q %s; it takes %s", k.name, v.value, why, k.takes)})
			continue
		}
		s.Given = append(s.Given, Given{k.name, v.value, v.where})
	}
	return s
}

// plain says what a file's error is without its name, which is told before it.
func plain(err error) string {
	text := err.Error()
	if at := strings.LastIndex(text, ": "); at >= 0 {
		text = text[at+2:]
	}
	return text
}

// maxFile bounds the file, in octets.
const maxFile = 64 << 10

// readFile reads a file that is one, and not something that may never end.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("is no file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("has more than %d octets", maxFile)
	}
	b, err := os.ReadFile(name)
	return b[:min(len(b), maxFile)], err
}

// Begin opens the log and the recording that were asked for, and tells what was not understood: in the log, or on standard
// error where there is none. version is that of the DLL, for the log.
func (s *Settings) Begin(version string) directplay.Config {
	c := s.Config
	var out *limited
	if s.LogFile != "" {
		var err error
		if out, err = openLog(s.LogFile); err != nil {
			s.Problems = append(s.Problems, Problem{"log", s.LogFile + ": " + plain(err)})
		}
	}
	if out == nil {
		for _, p := range s.Problems {
			fmt.Fprintln(os.Stderr, "dplayx:", p) // if nobody reads it, nobody does
		}
	} else {
		c.Log = slog.New(slog.NewTextHandler(out, nil))
		c.Log.Info("begin", "version", version, "process", os.Getpid(), "file", cmp.Or(s.Path, "none"))
		for _, g := range s.Given {
			if g.Key != "address" { // whose it is may be private; logs are shown to others
				c.Log.Info("set", "key", g.Key, "value", g.Value, "by", g.Where)
			}
		}
		for _, p := range s.Problems {
			c.Log.Warn("not understood", "where", p.Where, "why", p.Why)
		}
	}
	if s.RecordFile != "" {
		r, err := openRecording(s.RecordFile, c.Log)
		switch {
		case err == nil:
			c.Record = sock.Addressed(r)
		case c.Log != nil:
			c.Log.Warn("no recording", "why", err.Error())
		default:
			fmt.Fprintln(os.Stderr, "dplayx: record:", err)
		}
	}
	return c
}
