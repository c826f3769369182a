package dropin

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A plan is the steps of a change.
type plan []planned

// A planned step is one with what it does; nil if that is nothing.
type planned struct {
	Step
	do func() error
}

func (p *plan) add(what, name, detail string, do func() error) {
	*p = append(*p, planned{Step{what, name, detail}, do})
}

// carry does the steps, unless dry, and returns those that were done.
func (p plan) carry(dry bool) (steps []Step, err error) {
	for _, s := range p {
		if !dry && s.do != nil {
			if err := s.do(); err != nil {
				return steps, err
			}
		}
		steps = append(steps, s.Step)
	}
	return steps, nil
}

// Install places our DLLs, and sets the overrides of a prefix. What is as it should be stays; the steps say so. Dry changes
// nothing, and says what would be done.
func (t *Target) Install(from Source, dry bool) ([]Step, error) {
	r, err := t.begin()
	if err != nil {
		return nil, err
	}
	var p plan
	for _, d := range t.dlls() {
		if err := t.place(&p, r, from, d); err != nil {
			return nil, err
		}
	}
	if t.Prefix {
		if err := t.override(&p, r); err != nil {
			return nil, err
		}
	}
	if !dry { // before the changes that it is about
		if err := r.write(t.Folder); err != nil {
			return nil, err
		}
	}
	return p.carry(dry)
}

// begin returns the record of a target that may be changed.
func (t *Target) begin() (*record, error) {
	r, err := readRecord(t.Folder)
	if err != nil {
		return nil, err
	}
	return r, t.quiet()
}

// place plans to place a DLL.
func (t *Target) place(p *plan, r *record, from Source, d dll) error {
	source, image, err := from.file(d.arch)
	if err != nil {
		return err
	}
	fresh, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	folder := filepath.Dir(t.path(d.file))
	noted := r.of(d.file)
	found, err := present(folder, d.name)
	if err != nil {
		return err
	}
	what, detail := "placed", image.described()
	var spelled []string // ours in other letters
	tidy := func() (err error) {
		for _, old := range spelled {
			err = errors.Join(err, os.Remove(old))
		}
		return err
	}
	for _, other := range found {
		old := filepath.Join(folder, other)
		was, _ := Examine(old)
		if was.Kind != Ours {
			noted.Was, noted.Kept = path.Join(path.Dir(d.file), other), path.Join(path.Dir(d.file), freeName(folder, other))
			kept := t.path(noted.Kept)
			p.add("kept", noted.Was, was.described()+", as "+path.Base(noted.Kept), func() error {
				return os.Rename(old, kept) // a link, as Proton has them, stays one
			})
			continue
		}
		what, detail = "replaced", was.described()+", by "+image.described()
		if other != d.name {
			spelled = append(spelled, old)
		} else if b, _ := os.ReadFile(old); bytes.Equal(b, fresh) {
			p.add("same", d.file, image.described(), tidy)
			return nil
		}
	}
	p.add(what, d.file, detail, func() error {
		if err := tidy(); err != nil {
			return err
		}
		return replaceFile(t.path(d.file), fresh)
	})
	return nil
}

// override plans to have Wine prefer our DLLs. The record keeps what was before us, and not what became of ours since.
func (t *Target) override(p *plan, r *record) error {
	reg, err := readWineRegistry(t.path("user.reg"))
	if err != nil {
		return err
	}
	for _, name := range Names {
		name = strings.TrimSuffix(name, ".dll")
		old, ok := reg.value(overrides, name)
		if old.text == wanted {
			p.add("same", name, "override "+wanted, nil)
			continue
		}
		before := overrideBefore{Name: name}
		detail := "override " + wanted
		if ok {
			before.Before = &old.text
			detail += ", was " + shownOverride(old.text)
		}
		if !slices.ContainsFunc(r.Overrides, func(o overrideBefore) bool { return o.Name == name }) {
			r.Overrides = append(r.Overrides, before)
		}
		reg.set(overrides, name, wanted)
		p.add("set", name, detail, reg.write)
	}
	return nil
}

// shownOverride returns an override for people.
func shownOverride(value string) string { return cmp.Or(value, "disabled") }

// Remove takes our DLLs away and puts back what was there. What others put there since stays.
func (t *Target) Remove(dry bool) ([]Step, error) {
	r, err := t.begin()
	if err != nil {
		return nil, err
	}
	for _, d := range t.dlls() { // also those of which nothing is noted
		r.of(d.file)
	}
	var p plan
	for i := range r.Placed {
		t.takeAway(&p, &r.Placed[i])
	}
	if t.Prefix && len(r.Overrides) > 0 {
		if err := t.unsetOverrides(&p, r); err != nil {
			return nil, err
		}
	}
	steps, err := p.carry(dry)
	if !dry && err == nil {
		if err = os.Remove(filepath.Join(t.Folder, recordName)); gone(err) {
			err = nil
		}
	}
	return steps, err
}

// takeAway plans to remove a DLL of ours and to put back what was there.
func (t *Target) takeAway(p *plan, was *placed) {
	file, kept := t.path(was.File), t.path(was.Kept)
	image, err := Examine(file)
	ours := image.Kind == Ours
	if ours {
		p.add("removed", was.File, image.described(), func() error { return os.Remove(file) })
	}
	_, lost := os.Lstat(kept)
	switch {
	case was.Kept == "":
	case !ours && !gone(err):
		p.add("left", was.File, image.described()+": it is not ours; what was there before is "+path.Base(was.Kept), nil)
	case gone(lost):
		p.add("left", was.Kept, "what was there before is gone", nil)
	default:
		p.add("restored", was.Was, "from "+path.Base(was.Kept), func() error { return os.Rename(kept, t.path(was.Was)) })
	}
}

// unsetOverrides plans to put the overrides back, where they are still ours.
func (t *Target) unsetOverrides(p *plan, r *record) error {
	reg, err := readWineRegistry(t.path("user.reg"))
	if err != nil {
		return err
	}
	for _, o := range r.Overrides {
		switch now, _ := reg.value(overrides, o.Name); {
		case now.text != wanted:
			p.add("left", o.Name, "its override was changed since", nil)
		case o.Before == nil:
			reg.unset(overrides, o.Name)
			p.add("unset", o.Name, "override "+wanted, reg.write)
		default:
			reg.set(overrides, o.Name, *o.Before)
			p.add("set", o.Name, "override "+shownOverride(*o.Before)+", as before", reg.write)
		}
	}
	return nil
}
