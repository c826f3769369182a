package dropin

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Install places our DLLs, and sets the overrides of a prefix. What is as it should be stays; the steps say so. Dry changes
// nothing, and says what would be done.
func (t *Target) Install(from Source, dry bool) ([]Step, error) {
	r, err := readRecord(t.Folder)
	if err != nil {
		return nil, err
	}
	if err := t.quiet(); err != nil {
		return nil, err
	}
	var steps []Step
	for _, arch := range t.archs {
		for _, name := range Names {
			done, err := t.place(r, from, arch, name, dry)
			steps = append(steps, done...)
			if err != nil {
				return steps, err
			}
		}
	}
	if t.Prefix {
		done, err := t.override(r, dry)
		return append(steps, done...), err
	}
	return steps, nil
}

// place places a DLL.
func (t *Target) place(r *record, from Source, arch, name string, dry bool) (steps []Step, err error) {
	source, err := from.file(arch)
	if err != nil {
		return nil, err
	}
	fresh, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	image, err := Examine(source)
	if err != nil {
		return nil, err
	}
	file := path.Join(t.folders[arch], name)
	folder := filepath.Dir(t.path(file))
	noted := r.of(file)
	if noted == nil {
		r.Placed = append(r.Placed, placed{File: file})
		noted = &r.Placed[len(r.Placed)-1]
	}
	found, err := present(folder, name)
	if err != nil {
		return nil, err
	}
	done := Step{"placed", file, image.described()}
	for _, other := range found {
		old := filepath.Join(folder, other)
		was, err := Examine(old)
		if err == nil && was.Kind == Ours {
			b, err := os.ReadFile(old)
			if err == nil && bytes.Equal(b, fresh) && other == name {
				return append(steps, Step{"same", file, image.described()}), t.note(r, dry)
			}
			done = Step{"replaced", file, was.described() + ", by " + image.described()}
			if other != name && !dry {
				if err := os.Remove(old); err != nil {
					return steps, err
				}
			}
			continue
		}
		noted.Was, noted.Kept = path.Join(t.folders[arch], other), path.Join(t.folders[arch], freeName(folder, other))
		what := was.described()
		if err != nil {
			what = "unknown"
		}
		steps = append(steps, Step{"kept", noted.Was, what + ", as " + path.Base(noted.Kept)})
		if err := t.note(r, dry); err != nil || dry {
			if err != nil {
				return steps, err
			}
			continue
		}
		if err := os.Rename(old, t.path(noted.Kept)); err != nil { // a link, as Proton has them, stays one
			return steps, err
		}
	}
	if err := t.note(r, dry); err != nil {
		return steps, err
	}
	if !dry {
		if err := replaceFile(t.path(file), fresh); err != nil {
			return steps, err
		}
	}
	return append(steps, done), nil
}

// note writes the record, before the change that it is about.
func (t *Target) note(r *record, dry bool) error {
	if dry {
		return nil
	}
	return r.write(t.Folder)
}

// override has Wine prefer our DLLs.
func (t *Target) override(r *record, dry bool) (steps []Step, err error) {
	reg, err := readWineRegistry(t.path("user.reg"))
	if err != nil {
		return nil, err
	}
	changed := false
	for _, name := range Names {
		name = strings.TrimSuffix(name, ".dll")
		value, _, ok := reg.value(overrides, name)
		if ok && value == wanted {
			steps = append(steps, Step{"same", name, "override " + value})
			continue
		}
		before := overrideBefore{Name: name}
		detail := "override " + wanted
		if ok {
			before.Before = &value
			detail += ", was " + shownOverride(value)
		}
		r.rememberOverride(before)
		reg.set(overrides, name, wanted)
		changed = true
		steps = append(steps, Step{"set", name, detail})
	}
	if !changed || dry {
		return steps, nil
	}
	if err := r.write(t.Folder); err != nil {
		return steps, err
	}
	return steps, reg.write()
}

// rememberOverride notes what was before us, and not what became of ours since.
func (r *record) rememberOverride(b overrideBefore) {
	for i := range r.Overrides {
		if r.Overrides[i].Name == b.Name {
			return
		}
	}
	r.Overrides = append(r.Overrides, b)
}

// shownOverride returns an override for people.
func shownOverride(value string) string {
	if value == "" {
		return "disabled"
	}
	return value
}

// Remove takes our DLLs away and puts back what was there. What others put there since stays.
func (t *Target) Remove(dry bool) ([]Step, error) {
	r, err := readRecord(t.Folder)
	if err != nil {
		return nil, err
	}
	if err := t.quiet(); err != nil {
		return nil, err
	}
	for _, arch := range t.archs { // also those of which nothing is noted
		for _, name := range Names {
			if file := path.Join(t.folders[arch], name); r.of(file) == nil {
				r.Placed = append(r.Placed, placed{File: file})
			}
		}
	}
	var steps []Step
	for i := range r.Placed {
		done, err := t.takeAway(&r.Placed[i], dry)
		steps = append(steps, done...)
		if err != nil {
			return steps, err
		}
	}
	if t.Prefix && len(r.Overrides) > 0 {
		done, err := t.unsetOverrides(r, dry)
		steps = append(steps, done...)
		if err != nil {
			return steps, err
		}
	}
	if !dry {
		if err := os.Remove(filepath.Join(t.Folder, recordName)); err != nil && !gone(err) {
			return steps, err
		}
	}
	return steps, nil
}

// takeAway removes a DLL of ours and puts back what was there.
func (t *Target) takeAway(p *placed, dry bool) (steps []Step, err error) {
	image, err := Examine(t.path(p.File))
	there := !gone(err)
	switch {
	case there && err == nil && image.Kind == Ours:
		steps = append(steps, Step{"removed", p.File, image.described()})
		if !dry {
			if err := os.Remove(t.path(p.File)); err != nil {
				return nil, err
			}
		}
	case there && p.Kept != "":
		return []Step{{"left", p.File, image.described() + ": it is not ours; what was there before is " + path.Base(p.Kept)}}, nil
	case there, p.Kept == "":
		return nil, nil
	}
	if p.Kept == "" {
		return steps, nil
	}
	if _, err := os.Lstat(t.path(p.Kept)); gone(err) {
		return append(steps, Step{"left", p.Kept, "what was there before is gone"}), nil
	}
	steps = append(steps, Step{"restored", p.Was, "from " + path.Base(p.Kept)})
	if dry {
		return steps, nil
	}
	return steps, os.Rename(t.path(p.Kept), t.path(p.Was))
}

// unsetOverrides puts the overrides back, where they are still ours.
func (t *Target) unsetOverrides(r *record, dry bool) (steps []Step, err error) {
	reg, err := readWineRegistry(t.path("user.reg"))
	if err != nil {
		return nil, err
	}
	for _, o := range r.Overrides {
		value, _, ok := reg.value(overrides, o.Name)
		switch {
		case !ok || value != wanted:
			steps = append(steps, Step{"left", o.Name, "its override was changed since"})
		case o.Before == nil:
			reg.unset(overrides, o.Name)
			steps = append(steps, Step{"unset", o.Name, "override " + wanted})
		default:
			reg.set(overrides, o.Name, *o.Before)
			steps = append(steps, Step{"set", o.Name, "override " + shownOverride(*o.Before) + ", as before"})
		}
	}
	if dry {
		return steps, nil
	}
	return steps, reg.write()
}
