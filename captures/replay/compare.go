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
	recorded *message
	ours     *message
	base     *mapping
	added    mapping // pairs of values that commit adds to base
	diffs    []Difference
}

// compare compares two messages up to a mapping.
func compare(base *mapping, recorded, ours *message) *comparison {
	c := &comparison{recorded: recorded, ours: ours, base: base}
	r, err := recorded.tree()
	o, oursErr := ours.tree()
	c.parts("", r, o)
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
	d := c.recorded.difference(Field)
	d.Field, d.Recorded, d.Ours = field, recorded, ours
	c.diffs = append(c.diffs, d)
}

// below returns the path of a field in one with a path.
func (n *node) below(path string) string {
	if n.Index >= 0 {
		return fmt.Sprintf("%s[%d]", path, n.Index)
	}
	return strings.TrimPrefix(path+"."+n.Name, ".")
}

// absent stands for a field that is not there.
const absent = "absent"

// parts compares the fields in two structures: those of a name with each other, in order.
func (c *comparison) parts(path string, recorded, ours *node) {
	left := slices.Clone(ours.parts)
	for _, r := range recorded.parts {
		i := slices.IndexFunc(left, func(o *node) bool { return o.Name == r.Name && o.Index == r.Index })
		if i < 0 {
			c.differ(r.below(path), r.text(), absent)
			continue
		}
		c.part(r.below(path), r, left[i])
		left = slices.Delete(left, i, i+1)
	}
	for _, o := range left {
		c.differ(o.below(path), absent, o.text())
	}
}

func (c *comparison) part(path string, r, o *node) {
	value := func(p *node) bool { return p.Kind != wire.KindStruct }
	all := slices.Concat(r.parts, o.parts)
	switch {
	case r.Kind != o.Kind:
		c.differ(path, r.text(), o.text())
	case r.Kind == wire.KindList && !slices.ContainsFunc(all, value):
		c.list(path, elements(r), elements(o))
	case len(all) > 0:
		c.parts(path, r, o)
	case !c.same(&r.Field, &o.Field):
		c.differ(path, r.text(), o.text())
		if r.Kind == wire.KindOctets {
			c.diffs[len(c.diffs)-1].Octets = differing(r.Raw, o.Raw)
		}
	}
}

// same reports whether two values are equal, or may stand for each other.
func (c *comparison) same(r, o *wire.Field) bool {
	equal := r.Num == o.Num && bytes.Equal(r.Raw, o.Raw)
	v, w := c.base.value(r, c.recorded.command), c.base.value(o, c.recorded.command)
	switch {
	case c.base.exact, equal && (v.space == fixed || v.space > runs), v.common(), w.common():
		return equal
	case r.Kind == wire.KindOctets && strings.HasPrefix(c.recorded.command, "EXTENSION TABLE"): // operations, which dpl8 does not decode
		b := bytes.Clone(r.Raw)
		c.base.opaque(b)
		return bytes.Equal(b, o.Raw)
	case r.Name == "Abilities" && c.recorded.command == "EXTENSION HELLO": // the recording's release may lack this ability
		return r.Num&wire.HelloArrived == 0 && r.Num == o.Num&^wire.HelloArrived
	case v.space == fixed:
		return equal
	case v.space == masks && c.recorded.command == "ADDFORWARDREQUEST": // the joiner received it from the host
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
func (c *comparison) list(path string, recorded, ours []element) {
	c.align(recorded, ours)
	var with []int // of ours, in the order of the recording; -1 for none
	for _, e := range recorded {
		with = append(with, e.with)
		if e.with < 0 {
			c.differ(e.below(path), e.name(), absent)
		} else {
			c.parts(e.below(path), e.node, ours[e.with].node)
		}
	}
	for _, e := range ours {
		if e.with < 0 {
			c.differ(e.below(path), absent, e.name())
		}
	}
	if !slices.IsSorted(slices.DeleteFunc(slices.Clone(with), func(i int) bool { return i < 0 })) {
		c.differ(path, "another order", fmt.Sprintf("of ours in the recording's order: %v", with))
	}
}

// An element of a list of players or groups.
type element struct {
	*node
	id   wire.PlayerID
	like likeElement
	with int // place of the element that it is compared with; -1: none
}

// A likeElement is what elements of different ids may have in common.
type likeElement struct {
	system bool
	short  string // its short name
}

func elements(list *node) (all []element) {
	for _, n := range list.parts {
		like := likeElement{n.find("Flags").Num&uint32(wire.PlayerSystem) != 0, wire.Text(n.find("ShortName").Raw).String()}
		all = append(all, element{n, wire.PlayerID(n.find("dpnid", "PlayerID", "ID").Num), like, -1})
	}
	return all
}

// align pairs elements whose ids are paired, then those of ids that are not paired: first those of the same kind and name, then
// those of the same kind.
func (c *comparison) align(recorded, ours []element) {
	passes := []func(r, o *element) bool{
		func(r, o *element) bool { agree, _ := c.base.agree(idOf(r.id), idOf(o.id)); return agree },
		func(r, o *element) bool { return !c.known(r, o) && r.like == o.like },
		func(r, o *element) bool { return !c.known(r, o) && r.like.system == o.like.system },
	}
	for _, fits := range passes {
		for i := range recorded {
			r := &recorded[i]
			for j := range ours { // a function of slices would copy each element to the heap
				if r.with < 0 && ours[j].with < 0 && fits(r, &ours[j]) {
					r.with, ours[j].with = j, i
					break
				}
			}
		}
	}
}

// known reports whether the id of one of two elements is paired.
func (c *comparison) known(r, o *element) bool {
	_, known := c.base.agree(idOf(r.id), idOf(o.id))
	return known
}

// name names an element.
func (e *element) name() string {
	if e.like.short == "" {
		return e.id.String()
	}
	return fmt.Sprintf("%s %q", e.id, e.like.short)
}
