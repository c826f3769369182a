package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A list is what mutants.txt holds.
type list struct {
	want    int // mutants that the simulator has to notice within a minute each
	mutants []mutant
}

// A mutant is the engine with one rule taken out.
type mutant struct {
	name    string
	rule    string
	line    int // of the list
	changes []change
}

// A change replaces lines of a file.
type change struct {
	file     string // from the module's root, with slashes
	old, new string // whole lines
}

// errList is what every error of a list wraps.
var errList = errors.New(listFile)

// parseList reads a list of mutants. Its form is explained at the top of mutants.txt.
func parseList(text string) (*list, error) {
	l := &list{}
	var m *mutant
	var c *change
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		wrong := func(why string) error { return fmt.Errorf("%w:%d: %q: %s", errList, n, line, why) }
		switch {
		case line == "":
			m, c = nil, nil
		case line[0] == '#':
		case c != nil && (line[0] == ' ' || line[0] == '-' || line[0] == '+'):
			if line[0] != '+' {
				c.old += line[1:] + "\n"
			}
			if line[0] != '-' {
				c.new += line[1:] + "\n"
			}
		case word == "want" && m == nil:
			want, err := strconv.Atoi(rest)
			if err != nil || want < 0 {
				return nil, wrong("want takes a number of mutants")
			}
			l.want = want
		case word == "mutant" && m == nil:
			l.mutants = append(l.mutants, mutant{name: rest, line: n})
			m = &l.mutants[len(l.mutants)-1]
		case word == "rule" && m != nil && m.rule == "":
			m.rule = rest
		case word == "file" && m != nil:
			if !fs.ValidPath(rest) || path.Ext(rest) != ".go" {
				return nil, wrong("file takes the path of a Go file from the module's root")
			}
			m.changes = append(m.changes, change{file: rest})
			c = &m.changes[len(m.changes)-1]
		default:
			return nil, wrong("a mutant is the lines mutant NAME, rule TEXT, file PATH, then lines that begin with a space, - or +")
		}
	}
	return l, l.check()
}

// check returns an error for the first mutant that is incomplete, or has another one's name.
func (l *list) check() error {
	names := map[string]bool{}
	for i := range l.mutants {
		m := &l.mutants[i]
		why := ""
		switch {
		case m.name == "" || strings.ContainsAny(m.name, " ,/"):
			why = "its name is empty, or has a space, a comma or a slash"
		case names[m.name]:
			why = "another mutant has its name"
		case m.rule == "":
			why = "it has no line rule TEXT"
		case len(m.changes) == 0:
			why = "it has no line file PATH"
		case slices.ContainsFunc(m.changes, func(c change) bool { return c.old == "" || c.old == c.new }):
			why = "a change of it has no old text, or changes nothing"
		default:
			names[m.name] = true
			continue
		}
		return m.wrong(why)
	}
	if l.want > len(l.mutants) {
		return fmt.Errorf("%w: it wants %d mutants noticed, and has %d", errList, l.want, len(l.mutants))
	}
	return nil
}

// wrong returns an error about a mutant.
func (m *mutant) wrong(why string) error {
	return fmt.Errorf("%w:%d: mutant %s: %s", errList, m.line, m.name, why)
}

// apply returns the files of a mutant as they are in it. read returns a file of the tree.
func (m *mutant) apply(read func(file string) ([]byte, error)) (map[string]string, error) {
	files := map[string]string{}
	for _, c := range m.changes {
		text, ok := files[c.file]
		if !ok {
			b, err := read(c.file)
			if err != nil {
				return nil, m.wrong(err.Error())
			}
			text = string(b)
		}
		switch text = "\n" + text; strings.Count(text, "\n"+c.old) {
		case 0:
			return nil, m.wrong(c.file + " does not have its old text any more: rewrite the mutant so that it takes the same rule out")
		case 1:
			files[c.file] = strings.Replace(text, "\n"+c.old, "\n"+c.new, 1)[1:]
		default:
			return nil, m.wrong(c.file + " has its old text several times: add lines around it, which begin with a space")
		}
	}
	return files, nil
}
