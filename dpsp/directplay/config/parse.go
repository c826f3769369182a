package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// parse returns the values in a file, by their keys. It reads line by line with the parser of the library, and not with its
// decoder, which gives up at the first thing that it does not want. Behind what is no TOML nothing can be read.
func (s *Settings) parse(name string, b []byte) map[string]text {
	values := map[string]text{}
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // Windows' Notepad writes one
	problem := func(line int, why string, args ...any) {
		s.Problems = append(s.Problems, Problem{fmt.Sprintf("%s, line %d", name, line), fmt.Sprintf(why, args...)})
	}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) { // PowerShell writes such files
		problem(1, "the file is UTF-16: save it as UTF-8")
		return values
	}
	var p unstable.Parser
	p.Reset(b)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		path, at := keyPath(e)
		line := 1 + bytes.Count(b[:min(at, len(b))], []byte("\n"))
		if e.Kind != unstable.KeyValue {
			table = path
			problem(line, "there are no tables such as [%s]: nothing of it is taken", table)
			continue
		}
		if table != "" {
			continue // that was told
		}
		k := slices.IndexFunc(keys, func(k key) bool { return k.name == path })
		value := string(e.Value().Data)
		switch _, twice := values[path]; {
		case k < 0:
			problem(line, "there is no key %q%s", path, known())
		case !slices.Contains(scalars, e.Value().Kind):
			problem(line, "%s takes %s", path, keys[k].takes)
		case value == "": // as if it were not there
		case twice:
			problem(line, "%s is there twice: the first one counts", path)
		default:
			values[path] = text{value, fmt.Sprintf("%s, line %d", name, line), filepath.Dir(name)}
		}
	}
	if err := p.Error(); err != nil {
		at := len(b)
		if wrong, ok := err.(*unstable.ParserError); ok { //nolint:errorlint // the parser gives it as it is
			at = cap(b) - cap(wrong.Highlight)
		}
		problem(1+bytes.Count(b[:max(0, min(at, len(b)))], []byte("\n")), "%s: nothing is read from here on", err)
	}
	return values
}

// keyPath returns the key of an expression, with dots between its parts, and the octet that it begins at.
func keyPath(e *unstable.Node) (path string, at int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if len(parts) == 0 {
			at = int(it.Node().Raw.Offset)
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), at
}

// scalars are the kinds of values that are taken: text, a whole number or a truth.
var scalars = []unstable.Kind{unstable.String, unstable.Integer, unstable.Bool}

// known lists the keys.
func known() string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return "; there are " + strings.Join(names, ", ")
}
