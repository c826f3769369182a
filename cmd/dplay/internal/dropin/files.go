package dropin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// recordName is the file, in the target's folder, in which install notes what remove has to put back.
const recordName = "dplay4-dll.json"

const recordRelease = 1

// A record is what was changed.
type record struct {
	Release   int              `json:"release"`
	Placed    []placed         `json:"placed"`
	Overrides []overrideBefore `json:"overrides,omitempty"`
}

// placed is a DLL of ours, and what was there before it.
type placed struct {
	File string `json:"file"`           // below the target's folder, with slashes
	Was  string `json:"was,omitempty"`  // the name of what was there, which may be in other letters
	Kept string `json:"kept,omitempty"` // and its name since
}

// overrideBefore is an override that was set, and its value before; nil if it had none.
type overrideBefore struct {
	Name   string  `json:"name"`
	Before *string `json:"before"`
}

// readRecord reads the record of a target; one without anything if there is none.
func readRecord(folder string) (*record, error) {
	name := filepath.Join(folder, recordName)
	b, err := os.ReadFile(name)
	if gone(err) {
		return &record{Release: recordRelease}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &record{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w): what was there before is beside our DLLs, with %q behind the names", name, err, keptMark)
	}
	if r.Release != recordRelease {
		return nil, fmt.Errorf("%s is of another release of dplay: use that one", name)
	}
	for _, p := range r.Placed {
		for _, part := range []string{p.File, p.Was, p.Kept} {
			if !filepath.IsLocal(cmp.Or(part, ".")) {
				return nil, fmt.Errorf("%s names %q, which is not below its folder", name, part)
			}
		}
	}
	return r, nil
}

func (r *record) write(folder string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(folder, recordName), append(b, '\n'))
}

// of returns what is noted of a file. It begins a note if there is none.
func (r *record) of(file string) *placed {
	at := slices.IndexFunc(r.Placed, func(p placed) bool { return p.File == file })
	if at < 0 {
		at = len(r.Placed)
		r.Placed = append(r.Placed, placed{File: file})
	}
	return &r.Placed[at]
}

// keptMark stands behind the names of files that were there before.
const keptMark = ".before-dplay4"

// present returns the names of the files in a folder that Windows takes for one.
func present(folder, name string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.EqualFold(e.Name(), name) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// freeName returns a name for what was there before.
func freeName(folder, name string) string {
	kept := name + keptMark
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(folder, kept)); gone(err) {
			return kept
		}
		kept = fmt.Sprintf("%s%s-%d", name, keptMark, n)
	}
}
