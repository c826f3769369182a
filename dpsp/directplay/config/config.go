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
	"slices"
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
	named := getenv("DPLAY_CONFIG")
	if named != "" {
		files = []string{named}
		_, err := os.Stat(named)
		s.note("DPLAY_CONFIG", err)
	}
	var values map[string]text
	if i := slices.IndexFunc(files, func(name string) bool { _, err := os.Stat(name); return err == nil }); i >= 0 {
		s.Path = files[i]
		b, err := readFile(s.Path)
		if s.note(s.Path, err); err == nil {
			values = s.parse(s.Path, b)
		}
	}
	for _, k := range keys {
		v := values[k.name]
		if set := getenv(k.variable()); set != "" {
			v = text{set, k.variable(), ""}
		}
		if v.value == "" {
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

// note adds a problem if err is not nil. Its text leaves out the name of the file, which where has.
func (s *Settings) note(where string, err error) {
	if err != nil {
		s.Problems = append(s.Problems, Problem{where, plain(err)})
	}
}

// plain returns the last part of an error's text, which has no file name.
func plain(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}

// maxFile bounds the file, in octets.
const maxFile = 64 << 10

// readFile reads a regular file of at most maxFile octets.
func readFile(name string) ([]byte, error) {
	size, err := sizeOf(name)
	if err != nil {
		return nil, err
	}
	if size > maxFile {
		return nil, fmt.Errorf("has more than %d octets", maxFile)
	}
	b, err := os.ReadFile(name)
	return b[:min(len(b), maxFile)], err
}

// sizeOf returns the size of a regular file. Others are refused, because reading a device or a pipe may never end.
func sizeOf(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, errNoFile
	}
	return info.Size(), nil
}

// Begin opens the log and the recording that were asked for, and reports all problems: in the log, or on standard error where
// there is none. version is that of the DLL, for the log.
func (s *Settings) Begin(version string) directplay.Config {
	c, log := s.Config, slog.New(slog.DiscardHandler)
	tell := func(_ string, p Problem) { fmt.Fprintln(os.Stderr, "dplayx:", p) } // without standard error the text is lost
	if s.LogFile != "" {
		out, err := openLog(s.LogFile)
		if err != nil {
			s.Problems = append(s.Problems, Problem{"log", s.LogFile + ": " + plain(err)})
		} else {
			log = slog.New(slog.NewTextHandler(out, nil))
			c.Log = log
			tell = func(message string, p Problem) { log.Warn(message, "where", p.Where, "why", p.Why) }
			log.Info("begin", "version", version, "process", os.Getpid(), "file", cmp.Or(s.Path, "none"))
			for _, g := range s.Given {
				if g.Key != "address" { // which may be private, and logs are shown to others
					log.Info("set", "key", g.Key, "value", g.Value, "by", g.Where)
				}
			}
		}
	}
	for _, p := range s.Problems {
		tell("not understood", p)
	}
	if s.RecordFile != "" {
		r, err := openRecording(s.RecordFile, log)
		if err != nil {
			tell("no recording", Problem{"record", err.Error()})
			return c
		}
		c.Record = sock.Addressed(r)
	}
	return c
}
