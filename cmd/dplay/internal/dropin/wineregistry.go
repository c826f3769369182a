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
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.Size() > maxRegistry:
		return nil, fmt.Errorf("%s has more than %d octets", path, maxRegistry)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte("WINE REGISTRY Version 2\n")) {
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

// keyOf returns the key that a line begins; ok is false if it begins none.
func keyOf(line string) (key string, ok bool) {
	key, ok = strings.CutPrefix(line, "[")
	end := strings.LastIndex(key, "]")
	if !ok || end < 0 {
		return "", false
	}
	return key[:end], true
}

// section returns the lines of a key, without that which begins it; both are 0 if it is not there.
func (r *wineRegistry) section(key string) (from, to int) {
	from = 1 + slices.IndexFunc(r.lines, func(line string) bool {
		k, begins := keyOf(line)
		return begins && strings.EqualFold(k, key)
	})
	if from == 0 {
		return 0, 0
	}
	for to = from; to < len(r.lines); to++ {
		if _, begins := keyOf(r.lines[to]); begins {
			break
		}
	}
	return from, to
}

// value returns a text value of a key, and the number of its line.
func (r *wineRegistry) value(key, name string) (value string, line int, ok bool) {
	from, to := r.section(key)
	for i := from; i < to; i++ {
		if n, v, isText := textValue(r.lines[i]); isText && strings.EqualFold(n, name) {
			return v, i, true
		}
	}
	return "", -1, false
}

// textLine is a line such as "name"="value".
var textLine = regexp.MustCompile(`^"(.*?)"="(.*)"[\r\n]*$`)

// textValue splits a line that gives a text value.
func textValue(line string) (name, value string, ok bool) {
	m := textLine.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// set gives a key a text value, and makes the key. Neither name nor value has what would need escaping.
func (r *wineRegistry) set(key, name, value string) {
	if _, line, ok := r.value(key, name); ok {
		as, _, _ := textValue(r.lines[line]) // it may be in other letters
		r.lines[line] = fmt.Sprintf("%q=%q\n", as, value)
		return
	}
	text := fmt.Sprintf("%q=%q\n", name, value)
	from, to := r.section(key)
	if from == 0 {
		r.endLine(len(r.lines))
		r.lines = append(r.lines, "\n", fmt.Sprintf("[%s] %d\n", key, time.Now().Unix()), text)
		return
	}
	for to > from && strings.TrimSpace(r.lines[to-1]) == "" {
		to--
	}
	r.endLine(to)
	r.lines = slices.Insert(r.lines, to, text)
}

// endLine ends the last one of the first n lines, which are not empty: the file's first line ends as readWineRegistry wants it.
func (r *wineRegistry) endLine(n int) { r.lines[n-1] = strings.TrimSuffix(r.lines[n-1], "\n") + "\n" }

// unset removes a value.
func (r *wineRegistry) unset(key, name string) {
	if _, line, ok := r.value(key, name); ok {
		r.lines = slices.Delete(r.lines, line, line+1)
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
	for _, line := range r.lines {
		key, _ := keyOf(line)
		m := appOverrides.FindStringSubmatch(key)
		if m == nil { // looking for its value goes through all lines
			continue
		}
		if v, _, ok := r.value(key, dll); ok {
			found[m[1]] = v
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
