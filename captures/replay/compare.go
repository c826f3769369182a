package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dplay4/wire"
)

// A comparison is of a message of ours with one of the recording.
type comparison struct {
	ours    *message
	base    *mapping
	added   mapping // pairs of values that commit adds to base
	command string
	diffs   []Difference // with Field, Recorded, Ours and Octets alone
}

// compare compares two messages up to a mapping.
func compare(base *mapping, recorded, ours *message) *comparison {
	c := &comparison{ours: ours, base: base, command: recorded.command}
	r, err := recorded.fields()
	o, oursErr := ours.fields()
	c.parts("", r.split(), o.split())
	if err != nil {
		c.differ("", "does not decode: "+err.Error(), "")
	}
	if oursErr != nil {
		c.differ("", "", "does not decode: "+oursErr.Error())
	}
	if len(c.diffs) > 1 { // the size in the header follows from the rest
		c.diffs = slices.DeleteFunc(c.diffs, func(d Difference) bool { return d.Field == "size" })
	}
	if base.exact && len(c.diffs) == 0 && !bytes.Equal(recorded.raw, ours.raw) {
		c.differ("octets", "those of the recording", "others")
	}
	return c
}

// equal reports whether there is a comparison, and nothing differs.
func (c *comparison) equal() bool { return c != nil && len(c.diffs) == 0 }

// commit adds the pairs that the comparison found to the mapping.
func (c *comparison) commit() {
	for r, o := range c.added.ours {
		c.base.bind(r, o)
	}
}

func (c *comparison) differ(field, recorded, ours string) {
	c.diffs = append(c.diffs, Difference{Kind: Field, Field: field, Recorded: recorded, Ours: ours})
}

// pathOf returns the place of a part.
func pathOf(above string, f *wire.Field) string {
	if f.Index >= 0 {
		return fmt.Sprintf("%s[%d]", above, f.Index)
	}
	return strings.TrimPrefix(above+"."+f.Name, ".")
}

// absent stands for a field that is not there.
const absent = "absent"

// parts compares the parts of two structures: those of a name with each other, in order.
func (c *comparison) parts(above string, recorded, ours []fields) {
	for _, r := range recorded {
		path := pathOf(above, &r[0])
		i := slices.IndexFunc(ours, func(o fields) bool { return o != nil && o[0].Name == r[0].Name && o[0].Index == r[0].Index })
		if i < 0 {
			c.differ(path, r.text(), absent)
			continue
		}
		c.part(path, r, ours[i])
		ours[i] = nil
	}
	for _, o := range ours {
		if o != nil {
			c.differ(pathOf(above, &o[0]), absent, o.text())
		}
	}
}

func (c *comparison) part(path string, r, o fields) {
	within, ownWithin := r.inside(), o.inside()
	value := func(p fields) bool { return p[0].Kind != wire.KindStruct }
	switch {
	case r[0].Kind != o[0].Kind:
		c.differ(path, r.text(), o.text())
	case r[0].Kind == wire.KindList && !slices.ContainsFunc(within, value) && !slices.ContainsFunc(ownWithin, value):
		c.list(path, within, ownWithin)
	case len(within)+len(ownWithin) > 0:
		c.parts(path, within, ownWithin)
	case !c.same(&r[0], &o[0]):
		c.differ(path, r.text(), o.text())
		if r[0].Kind == wire.KindOctets {
			c.diffs[len(c.diffs)-1].Octets = differing(r[0].Raw, o[0].Raw)
		}
	}
}

// same reports whether two values are equal, or may stand for each other.
func (c *comparison) same(r, o *wire.Field) bool {
	equal := r.Num == o.Num && bytes.Equal(r.Raw, o.Raw)
	v, w := c.base.value(r, c.command), c.base.value(o, c.command)
	switch {
	case c.base.exact, equal && (v.space == fixed || v.space > runs), v.common(), w.common():
		return equal
	case r.Kind == wire.KindOctets && strings.HasPrefix(c.command, "EXTENSION TABLE"): // operations, which dpl8 does not decode
		b := bytes.Clone(r.Raw)
		c.base.opaque(b)
		return bytes.Equal(b, o.Raw)
	case r.Name == "Abilities" && c.command == "EXTENSION HELLO": // the recording's release may lack this ability
		return r.Num&wire.HelloArrived == 0 && r.Num == o.Num&^wire.HelloArrived
	case v.space == fixed:
		return equal
	case v.space == masks && c.command == "ADDFORWARDREQUEST": // the joiner received it from the host
		return c.base.own(v) == w
	}
	for _, m := range []*mapping{c.base, &c.added} {
		if agree, known := m.agree(v, w); known {
			return agree
		}
	}
	c.added.bind(v, w)
	return true
}

// list compares lists of players and groups: elements of the same id with each other, in any order.
func (c *comparison) list(path string, r, o []fields) {
	recorded, ours := elements(r), elements(o)
	c.align(recorded, ours)
	last, ordered := -1, true
	var with []int
	for _, e := range recorded {
		with = append(with, e.with)
		if e.with < 0 {
			c.differ(pathOf(path, e.field), e.text(), absent)
			continue
		}
		ordered = ordered && e.with > last
		last = e.with
		c.parts(pathOf(path, e.field), e.parts, ours[e.with].parts)
	}
	for _, e := range ours {
		if e.with < 0 {
			c.differ(pathOf(path, e.field), absent, e.text())
		}
	}
	if !ordered {
		c.differ(path, "another order", fmt.Sprintf("of ours in the recording's order: %v", with))
	}
}

// An element of a list of players or groups.
type element struct {
	field  *wire.Field
	parts  []fields
	id     value
	system bool
	name   string
	with   int // place of the element that it is compared with; -1: none
}

func elements(list []fields) (all []element) {
	for _, part := range list {
		e := element{field: &part[0], parts: part.inside(), with: -1}
		for _, name := range [...]string{"dpnid", "PlayerID", "ID"} {
			if f := find(e.parts, name); f.Name != "" {
				e.id = idOf(wire.PlayerID(f.Num))
			}
		}
		e.system = find(e.parts, "Flags").Num&uint32(wire.PlayerSystem) != 0
		e.name = wire.Text(find(e.parts, "ShortName").Raw).String()
		all = append(all, e)
	}
	return all
}

// align pairs elements whose ids are paired, then those of ids that are not paired: first those of the same kind and name, then
// those of the same kind.
func (c *comparison) align(recorded, ours []element) {
	for pass := range 3 {
		for i := range recorded {
			r := &recorded[i]
			if r.with >= 0 {
				continue
			}
			j := slices.IndexFunc(ours, func(o element) bool {
				agree, known := c.base.agree(r.id, o.id)
				return o.with < 0 && known == (pass == 0) && (agree || pass > 0 && r.system == o.system && (pass > 1 || r.name == o.name))
			})
			if j >= 0 {
				r.with, ours[j].with = j, i
			}
		}
	}
}

// text names an element.
func (e *element) text() string {
	s := wire.PlayerID(e.id.num).String()
	if e.name != "" {
		s += fmt.Sprintf(" %q", e.name)
	}
	return s
}
