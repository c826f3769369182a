package replay

import (
	"encoding/hex"
	"fmt"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A node is a field of a message, with what stands in it. Its Raw aliases the message.
type node struct {
	wire.Field
	parts []*node
}

// A tree is a message as fields.
type tree struct {
	parts []*node
	err   error // why the rest of it did not decode
}

// treeOf reads the fields of a message as it travelled. The [MC-DPL8CS] message of an EXTENSION TABLE is read as well.
func treeOf(t captures.Transport, raw []byte, opts wire.Options) *tree {
	g := grower{open: []*node{{}}}
	_, err := decode(t, raw, opts, g.visit)
	return &tree{parts: g.open[0].parts, err: err}
}

// A grower makes a tree of what a Visitor is told.
type grower struct {
	open  []*node // the root, and the brackets that are open
	table bool    // an EXTENSION of the kind TABLE: what its Message is
}

func (g *grower) visit(f *wire.Field) {
	top := g.open[len(g.open)-1]
	n := &node{Field: *f}
	switch f.Kind {
	case wire.KindEnd:
		if len(g.open) > 1 {
			g.open = g.open[:len(g.open)-1]
		}
		return
	case wire.KindStruct, wire.KindList, wire.KindMessage:
		g.open = append(g.open, n)
	}
	top.parts = append(top.parts, n)
	switch {
	case f.Name == "Kind" && len(g.open) == 1:
		g.table = wire.ExtensionKind(f.Num) == wire.KindTable
	case f.Name == "Message" && f.Kind == wire.KindOctets && g.table:
		n.parts = tableParts(f)
	}
}

// tableParts reads the [MC-DPL8CS] message in a field; nil if it does not decode.
func tableParts(outer *wire.Field) []*node {
	g := grower{open: []*node{{}}}
	if _, err := dpl8.Visit(outer.Raw, g.visit); err != nil {
		return nil
	}
	offset(g.open[0].parts, outer.Offset)
	return g.open[0].parts
}

func offset(all []*node, by int) {
	for _, n := range all {
		n.Offset += by
		offset(n.parts, by)
	}
}

// leaves calls visit for every field of the tree that is a value.
func leaves(all []*node, visit func(*node)) {
	for _, n := range all {
		if len(n.parts) > 0 {
			leaves(n.parts, visit)
		} else {
			visit(n)
		}
	}
}

// find returns the first part of the name, nil if there is none.
func find(all []*node, name string) *node {
	for _, n := range all {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// shownOctets is how many octets of a value are shown.
const shownOctets = 32

// text returns a value for people.
func (n *node) text() string {
	switch n.Kind {
	case wire.KindNumber:
		return fmt.Sprint(n.Num)
	case wire.KindHex:
		return fmt.Sprintf("0x%08x", n.Num)
	case wire.KindID:
		return wire.PlayerID(n.Num).String()
	case wire.KindFlags, wire.KindHResult, wire.KindNamed:
		if names := n.Names(); names != "" {
			return fmt.Sprintf("%s (0x%x)", names, n.Num)
		}
		return fmt.Sprintf("0x%x", n.Num)
	case wire.KindGUID:
		return wire.GUID(n.Raw).String()
	case wire.KindText:
		t := wire.Text(n.Raw)
		return fmt.Sprintf("%q (%s)", t.String(), t.Encoding())
	case wire.KindSockAddr:
		return wire.ParseSockAddr(n.Raw).String()
	case wire.KindOctets, wire.KindStray:
		s := hex.EncodeToString(n.Raw[:min(len(n.Raw), shownOctets)])
		if len(n.Raw) > shownOctets {
			s += "..."
		}
		return strings.TrimSpace(fmt.Sprintf("%d octets %s", len(n.Raw), s))
	}
	return fmt.Sprintf("%d parts", len(n.parts))
}
