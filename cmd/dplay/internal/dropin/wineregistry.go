package dropin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
)

// maxRegistry bounds a file of Wine's registry, in octets.
const maxRegistry = 256 << 20

// wineRegistry is a file of Wine's registry, by its lines. What is not changed stays octet for octet.
type wineRegistry struct {
	path  string
	lines []string // with their ends
}

// overrides is the key of the overrides of all programs; those of one are below AppDefaults.
const overrides = `Software\\Wine\\DllOverrides`

func readWineRegistry(path string) (*wineRegistry, error) {
	b, err := cli.ReadFile(path, maxRegistry)
	switch {
	case errors.Is(err, cli.ErrTooLarge):
		return nil, fmt.Errorf("%s has more than %d octets", path, maxRegistry)
	case err != nil:
		return nil, err
	case !bytes.HasPrefix(b, []byte("WINE REGISTRY Version 2\n")):
		return nil, fmt.Errorf("%s is no registry of Wine that is understood here: it does not begin with WINE REGISTRY Version 2", path)
	}
	return &wineRegistry{path, slices.Collect(strings.Lines(string(b)))}, nil
}

// arch returns the architecture of the prefix: win32 or win64, or "".
func (r *wineRegistry) arch() string {
	for _, line := range r.lines[:min(len(r.lines), 8)] {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "#arch="); ok {
			return text
		}
	}
	return ""
}

// keyLine is a line such as [Software\\Wine] 1700000000, and textLine one such as "name"="value".
var (
	keyLine  = regexp.MustCompile(`^\[(.*)\]`)
	textLine = regexp.MustCompile(`^"(.*?)"="(.*)"[\r\n]*$`)
)

// A registryValue is a text value of a key, and the number of its line.
type registryValue struct {
	key, name, text string
	line            int
}

// values returns the text values of the keys for which wants returns true, in order. It keeps no other values, because a registry can
// have millions.
func (r *wineRegistry) values(wants func(key string) bool) (list []registryValue) {
	key, wanted := "", false
	for i, line := range r.lines {
		if m := keyLine.FindStringSubmatch(line); m != nil {
			key, wanted = m[1], wants(m[1])
		} else if wanted {
			if m := textLine.FindStringSubmatch(line); m != nil {
				list = append(list, registryValue{key, m[1], m[2], i})
			}
		}
	}
	return list
}

// value returns a text value of a key.
func (r *wineRegistry) value(key, name string) (v registryValue, ok bool) {
	list := r.values(func(k string) bool { return strings.EqualFold(k, key) })
	at := slices.IndexFunc(list, func(v registryValue) bool { return strings.EqualFold(v.name, name) })
	if at < 0 {
		return registryValue{}, false
	}
	return list[at], true
}

// set gives a key a text value, and makes the key. Neither name nor value has what would need escaping.
func (r *wineRegistry) set(key, name, value string) {
	if v, ok := r.value(key, name); ok {
		r.lines[v.line] = fmt.Sprintf("%q=%q\n", v.name, value) // its name may be in other letters
		return
	}
	text := fmt.Sprintf("%q=%q\n", name, value)
	from := slices.IndexFunc(r.lines, func(line string) bool {
		m := keyLine.FindStringSubmatch(line)
		return m != nil && strings.EqualFold(m[1], key)
	})
	if from < 0 {
		r.endLine(len(r.lines))
		r.lines = append(r.lines, "\n", fmt.Sprintf("[%s] %d\n", key, time.Now().Unix()), text)
		return
	}
	to := from + 1
	for to < len(r.lines) && !keyLine.MatchString(r.lines[to]) {
		to++
	}
	for strings.TrimSpace(r.lines[to-1]) == "" { // the line of the key is not empty
		to--
	}
	r.endLine(to)
	r.lines = slices.Insert(r.lines, to, text)
}

// endLine ends the last one of the first n lines, which are not empty: the file's first line ends as readWineRegistry wants it.
func (r *wineRegistry) endLine(n int) { r.lines[n-1] = strings.TrimSuffix(r.lines[n-1], "\n") + "\n" }

// unset removes a value.
func (r *wineRegistry) unset(key, name string) {
	if v, ok := r.value(key, name); ok {
		r.lines = slices.Delete(r.lines, v.line, v.line+1)
	}
}

// write replaces the file, whole or not at all.
func (r *wineRegistry) write() error {
	return replaceFile(r.path, []byte(strings.Join(r.lines, "")))
}

// appOverrides is the key of the overrides of one program.
var appOverrides = regexp.MustCompile(`(?i)^software\\\\wine\\\\appdefaults\\\\(.*)\\\\dlloverrides$`)

// applicationOverrides returns what single programs have set for a DLL, by their names.
func (r *wineRegistry) applicationOverrides(dll string) map[string]string {
	found := map[string]string{}
	for _, v := range r.values(appOverrides.MatchString) {
		if strings.EqualFold(v.name, dll) {
			found[appOverrides.FindStringSubmatch(v.key)[1]] = v.text
		}
	}
	return found
}

// replaceFile writes a file beside another one and puts it in its place, with its mode.
func replaceFile(path string, b []byte) error {
	info, err := os.Lstat(path)
	mode := os.FileMode(0o644)
	switch {
	case gone(err):
	case err != nil:
		return err
	case info.Mode().IsRegular():
		mode = info.Mode().Perm()
	case info.Mode()&os.ModeSymlink == 0:
		return fmt.Errorf("%s is no file", path)
	}
	fresh := path + ".dplay4-new"
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
}
