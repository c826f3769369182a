package dropin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
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
	r := &wineRegistry{path: path}
	for line := range strings.Lines(string(b)) {
		r.lines = append(r.lines, line)
	}
	return r, nil
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
	if !strings.HasPrefix(line, "[") {
		return "", false
	}
	end := strings.LastIndex(line, "]")
	if end < 0 {
		return "", false
	}
	return line[1:end], true
}

// section returns the lines of a key, without that which begins it; from is -1 if it is not there.
func (r *wineRegistry) section(key string) (from, to int) {
	from = -1
	for i, line := range r.lines {
		k, begins := keyOf(line)
		switch {
		case begins && from >= 0:
			return from, i
		case begins && strings.EqualFold(k, key):
			from = i + 1
		}
	}
	return from, len(r.lines)
}

// value returns a text value of a key, and the number of its line.
func (r *wineRegistry) value(key, name string) (value string, line int, ok bool) {
	from, to := r.section(key)
	for i := from; i >= 0 && i < to; i++ {
		if n, v, isText := textValue(r.lines[i]); isText && strings.EqualFold(n, name) {
			return v, i, true
		}
	}
	return "", -1, false
}

// textValue splits a line such as "name"="value".
func textValue(line string) (name, value string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	rest, ok := strings.CutPrefix(line, `"`)
	if !ok {
		return "", "", false
	}
	name, value, ok = strings.Cut(rest, `"="`)
	if !ok || !strings.HasSuffix(value, `"`) {
		return "", "", false
	}
	return name, strings.TrimSuffix(value, `"`), true
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
	if from < 0 {
		if n := len(r.lines); n > 0 && !strings.HasSuffix(r.lines[n-1], "\n") {
			r.lines[n-1] += "\n"
		}
		r.lines = append(r.lines, "\n", fmt.Sprintf("[%s] %d\n", key, time.Now().Unix()), text)
		return
	}
	for to > from && strings.TrimSpace(r.lines[to-1]) == "" {
		to--
	}
	if to > 0 && !strings.HasSuffix(r.lines[to-1], "\n") {
		r.lines[to-1] += "\n"
	}
	r.lines = append(r.lines[:to:to], append([]string{text}, r.lines[to:]...)...)
}

// unset removes a value.
func (r *wineRegistry) unset(key, name string) {
	if _, line, ok := r.value(key, name); ok {
		r.lines = append(r.lines[:line:line], r.lines[line+1:]...)
	}
}

// write replaces the file, whole or not at all.
func (r *wineRegistry) write() error {
	return replaceFile(r.path, []byte(strings.Join(r.lines, "")))
}

// applicationOverrides returns what single programs have set for a DLL, by their names.
func (r *wineRegistry) applicationOverrides(dll string) map[string]string {
	const begin, end = `software\\wine\\appdefaults\\`, `\\dlloverrides`
	found := map[string]string{}
	for _, line := range r.lines {
		key, ok := keyOf(line)
		lower := strings.ToLower(key)
		if !ok || !strings.HasPrefix(lower, begin) || !strings.HasSuffix(lower, end) || len(key) < len(begin)+len(end) {
			continue
		}
		if v, _, ok := r.value(key, dll); ok {
			found[key[len(begin):len(key)-len(end)]] = v
		}
	}
	return found
}

// replaceFile writes a file beside another one and puts it in its place, with its mode.
func replaceFile(path string, b []byte) error {
	info, err := os.Lstat(path)
	mode := os.FileMode(0o644)
	switch {
	case err == nil && info.Mode().IsRegular():
		mode = info.Mode().Perm()
	case err == nil && info.Mode()&os.ModeSymlink == 0:
		return fmt.Errorf("%s is no file", path)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
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
