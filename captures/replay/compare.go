package replay

import (
	"bytes"
	"fmt"
	"slices"

	"dplay4/wire"
)

// A comparison holds a message of ours against one of the recording.
type comparison struct {
	overlay
	exact   bool // nothing is mapped
	command string
	table   bool         // it is an EXTENSION TABLE, which captures of releases before views have: Diff compares these
	diffs   []Difference // with Field, Recorded and Ours alone
}

// compare compares the fields of two messages up to a mapping.
func compare(base *mapping, exact bool, command string, recorded, ours *tree) *comparison {
	c := &comparison{overlay: overlay{base: base}, exact: exact, command: command, table: isTable(recorded)}
	c.parts("", recorded.parts, ours.parts)
	if recorded.err != nil {
		c.differ("", "does not decode: "+recorded.err.Error(), "")
	}
	if ours.err != nil {
		c.differ("", "", "does not decode: "+ours.err.Error())
	}
	// The size in the header follows from the rest.
	if len(c.diffs) > 1 {
		c.diffs = slices.DeleteFunc(c.diffs, func(d Difference) bool { return d.Field == "size" })
	}
	return c
}

// isTable reports whether a message is an EXTENSION TABLE. In the octets that package dpl8 leaves alone are operations,
// with ids, and texts, with Reserved1 (see hostmigrate).
func isTable(t *tree) bool {
	n := find(t.parts, "Message")
	return n != nil && len(n.parts) > 0 && find(t.parts, "Kind") != nil
}

func (c *comparison) differ(field, recorded, ours string) {
	c.diffs = append(c.diffs, Difference{Kind: Field, Field: field, Recorded: recorded, Ours: ours})
}

// pathOf returns the place of a part.
func pathOf(above string, n *node) string {
	s := n.Name
	if n.Index >= 0 {
		s = fmt.Sprintf("[%d]", n.Index)
		return above + s
	}
	if above != "" {
		s = above + "." + s
	}
	return s
}

// parts compares what stands in two structures: parts of a name with each other, in order.
func (c *comparison) parts(above string, recorded, ours []*node) {
	used := make([]bool, len(ours))
	for _, r := range recorded {
		i := slices.IndexFunc(ours, func(o *node) bool { return o.Name == r.Name && o.Index == r.Index })
		for i >= 0 && used[i] {
			next := slices.IndexFunc(ours[i+1:], func(o *node) bool { return o.Name == r.Name && o.Index == r.Index })
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		if i < 0 {
			c.differ(pathOf(above, r), r.text(), absent)
			continue
		}
		used[i] = true
		c.part(pathOf(above, r), r, ours[i])
	}
	for i, o := range ours {
		if !used[i] {
			c.differ(pathOf(above, o), absent, o.text())
		}
	}
}

// absent stands for a field that is not there.
const absent = "absent"

func (c *comparison) part(path string, r, o *node) {
	switch {
	case r.Kind != o.Kind:
		c.differ(path, r.text(), o.text())
	case r.Kind == wire.KindList && structures(r) && structures(o):
		c.list(path, r, o)
	case len(r.parts) > 0 || len(o.parts) > 0:
		c.parts(path, r.parts, o.parts)
	case !c.same(r, o):
		c.differ(path, r.text(), o.text())
		if r.Kind == wire.KindOctets {
			c.diffs[len(c.diffs)-1].Octets = differing(r.Raw, o.Raw)
		}
	}
}

func structures(n *node) bool {
	return !slices.ContainsFunc(n.parts, func(p *node) bool { return p.Kind != wire.KindStruct })
}

// same reports whether two values are equal, or may stand for each other.
func (c *comparison) same(r, o *node) bool {
	numbers := r.Num == o.Num && bytes.Equal(r.Raw, o.Raw)
	switch {
	case c.exact:
		return numbers
	case numbers && r.Kind != wire.KindID && r.Kind != wire.KindGUID && !isIncarnation(r):
		return true
	case c.table && r.Kind == wire.KindOctets:
		b := bytes.Clone(r.Raw)
		c.base.opaque(b)
		return bytes.Equal(b, o.Raw)
	case isIncarnation(r):
		return pair(&c.base.runs, &c.added.runs, string(r.Raw), string(o.Raw))
	case r.Name == nonce, r.Name == "Base" && c.command == "EXTENSION VIEW ACK": // INSTALL returns this as its nonce
		return pair(&c.base.asked, &c.added.asked, r.Num, o.Num)
	case r.Kind == wire.KindID:
		return c.pairID(wire.PlayerID(r.Num), wire.PlayerID(o.Num))
	case r.Kind == wire.KindGUID && r.Name != "ApplicationGUID" && r.Name != "guidApplication":
		return c.pairGUID(wire.GUID(r.Raw), wire.GUID(o.Raw))
	case isMask(r) && c.command == "ADDFORWARDREQUEST": // a joiner has it from the host, and settles nothing
		return c.base.masks.own(r.Num) == o.Num
	case isMask(r):
		return pair(&c.base.masks, &c.added.masks, r.Num, o.Num)
	case r.Kind == wire.KindSockAddr && c.base.recordings:
		return pair(&c.base.sockets, &c.added.sockets, r.text(), o.text())
	case r.Name == "Abilities" && r.Num&wire.HelloArrived == 0 && c.command == "EXTENSION HELLO": // of a release without the ability
		return r.Num == o.Num&^wire.HelloArrived
	case r.Name == tickCount && (c.command == "PING" || c.base.recordings):
		return pair(&c.base.ticks, &c.added.ticks, r.Num, o.Num)
	}
	return numbers
}

// list compares lists of players and groups: elements about the same id with each other, whatever their order.
func (c *comparison) list(path string, r, o *node) {
	with := c.align(r.parts, o.parts)
	last, ordered := -1, true
	used := make([]bool, len(o.parts))
	for i, e := range r.parts {
		j := with[i]
		if j < 0 {
			c.differ(pathOf(path, e), described(e), absent)
			continue
		}
		used[j] = true
		ordered = ordered && j > last
		last = j
		c.parts(pathOf(path, e), e.parts, o.parts[j].parts)
	}
	for j, e := range o.parts {
		if !used[j] {
			c.differ(pathOf(path, e), absent, described(e))
		}
	}
	if !ordered {
		c.differ(path, "another order", fmt.Sprintf("of ours in the recording's order: %v", with))
	}
}

// align returns the place of ours for each recorded element, -1 for none: those whose ids stand for each other; of the
// rest, those that are alike, in order.
func (c *comparison) align(recorded, ours []*node) []int {
	with, used := make([]int, len(recorded)), make([]bool, len(ours))
	each := func(alike func(r, o *node) bool) {
		for i, r := range recorded {
			if with[i] >= 0 {
				continue
			}
			for j, o := range ours {
				if !used[j] && alike(r, o) {
					with[i], used[j] = j, true
					break
				}
			}
		}
	}
	for i := range with {
		with[i] = -1
	}
	each(func(r, o *node) bool {
		own, known := c.base.ids.ours[elementID(r)]
		return known && own == elementID(o)
	})
	free := func(r, o *node) bool {
		_, a := c.base.ids.ours[elementID(r)]
		_, b := c.base.ids.recorded[elementID(o)]
		return !a && !b
	}
	each(func(r, o *node) bool {
		return free(r, o) && elementFlags(r)&wire.PlayerSystem == elementFlags(o)&wire.PlayerSystem && elementName(r) == elementName(o)
	})
	each(func(r, o *node) bool {
		return free(r, o) && elementFlags(r)&wire.PlayerSystem == elementFlags(o)&wire.PlayerSystem
	})
	return with
}

// elementID returns the id that an element of a list is about.
func elementID(n *node) wire.PlayerID {
	for _, name := range [...]string{"ID", "PlayerID", "dpnid"} {
		if f := find(n.parts, name); f != nil {
			return wire.PlayerID(f.Num)
		}
	}
	return 0
}

func elementFlags(n *node) wire.PlayerFlags {
	if f := find(n.parts, "Flags"); f != nil {
		return wire.PlayerFlags(f.Num)
	}
	return 0
}

func elementName(n *node) string {
	if f := find(n.parts, "ShortName"); f != nil {
		return wire.Text(f.Raw).String()
	}
	return ""
}

// described names an element of a list.
func described(n *node) string {
	s := elementID(n).String()
	if name := elementName(n); name != "" {
		s += fmt.Sprintf(" %q", name)
	}
	return s
}
