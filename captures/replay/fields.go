package replay

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A node is a field of a message, with the fields within it if it is a structure, a list or an inner message. Raw aliases the
// message.
type node struct {
	wire.Field
	parts []*node
}

// walk calls visit with the fields of a message. The [MC-DPL8CS] message of an EXTENSION TABLE is a structure "Message".
func walk(t captures.Transport, raw []byte, opts wire.Options, visit wire.Visitor) error {
	table := false
	_, err := decode(t, raw, opts, func(f *wire.Field) {
		table = table || f.Name == "Kind" && wire.ExtensionKind(f.Num) == wire.KindTable
		if table && f.Name == tableMessage {
			outer := *f
			if _, err := dpl8.Visit(outer.Raw, nil); err == nil {
				visit(&wire.Field{Name: outer.Name, Index: -1, Kind: wire.KindStruct})
				dpl8.Visit(outer.Raw, func(f *wire.Field) {
					f.Offset += outer.Offset
					visit(f)
				})
				f = &wire.Field{Index: -1, Kind: wire.KindEnd}
			}
		}
		visit(f)
	})
	return err
}

// tableMessage is the field of EXTENSION TABLE, and of the operations of EXTENSION VIEW.
const tableMessage = "Message"

// treeOf returns the fields of a message, and the error that ended decoding.
func treeOf(t captures.Transport, raw []byte, opts wire.Options) (*node, error) {
	root := &node{}
	open := []*node{root}
	err := walk(t, raw, opts, func(f *wire.Field) {
		last := len(open) - 1
		if f.Kind == wire.KindEnd {
			open = open[:last]
			return
		}
		n := &node{Field: *f}
		open[last].parts = append(open[last].parts, n)
		if n.brackets() {
			open = append(open, n)
		}
	})
	return root, err
}

// brackets reports whether a field has others within it.
func (n *node) brackets() bool {
	return n.Kind == wire.KindStruct || n.Kind == wire.KindList || n.Kind == wire.KindMessage
}

// find returns the field within a structure that has one of some names, a zero one if there is none.
func (n *node) find(names ...string) *node {
	i := slices.IndexFunc(n.parts, func(p *node) bool { return slices.Contains(names, p.Name) })
	if i < 0 {
		return &node{}
	}
	return n.parts[i]
}

// shownOctets bounds the octets of a value that are shown.
const shownOctets = 32

// text returns the value of a field for people.
func (n *node) text() string {
	if text := texts[n.Kind]; text != nil {
		return text(&n.Field)
	}
	return fmt.Sprintf("%d parts", len(n.parts))
}

// texts have the values of fields for people, by the kinds of the fields.
var texts = map[wire.Kind]func(f *wire.Field) string{
	wire.KindNumber:  func(f *wire.Field) string { return fmt.Sprint(f.Num) },
	wire.KindHex:     func(f *wire.Field) string { return fmt.Sprintf("0x%08x", f.Num) },
	wire.KindID:      func(f *wire.Field) string { return wire.PlayerID(f.Num).String() },
	wire.KindFlags:   namedText,
	wire.KindHResult: namedText,
	wire.KindNamed:   namedText,
	wire.KindGUID:    func(f *wire.Field) string { return wire.GUID(f.Raw).String() },
	wire.KindText: func(f *wire.Field) string {
		t := wire.Text(f.Raw)
		return fmt.Sprintf("%q (%s)", t.String(), t.Encoding())
	},
	wire.KindSockAddr: func(f *wire.Field) string { return wire.ParseSockAddr(f.Raw).String() },
	wire.KindOctets:   octetsText,
	wire.KindStray:    octetsText,
}

func namedText(f *wire.Field) string {
	if names := f.Names(); names != "" {
		return fmt.Sprintf("%s (0x%x)", names, f.Num)
	}
	return fmt.Sprintf("0x%x", f.Num)
}

func octetsText(f *wire.Field) string {
	s := hex.EncodeToString(f.Raw[:min(len(f.Raw), shownOctets)])
	if len(f.Raw) > shownOctets {
		s += "..."
	}
	return strings.TrimSpace(fmt.Sprintf("%d octets %s", len(f.Raw), s))
}

// shownFields bounds the fields in a summary.
const shownFields = 6

// unshown matches the fields of headers, offsets and sizes, which are in no summary.
var unshown = regexp.MustCompile(`^(size|token|SockAddr|Signature|Command|Version|PlayerVersion)$|(Offset|Size|Length)$`)

// summary returns the first values of a message that are not zero, without headers, addresses, offsets and sizes.
func (n *node) summary() string {
	var s []string
	n.each(func(v *node) {
		zero := v.Num == 0 && len(v.Raw) == 0
		if len(s) < shownFields && !zero && !v.brackets() && v.Kind != wire.KindSockAddr && !unshown.MatchString(v.Name) {
			s = append(s, v.Name+"="+v.text())
		}
	})
	return strings.Join(s, " ")
}

// each calls visit with all fields within one, in the order of decoding.
func (n *node) each(visit func(*node)) {
	for _, p := range n.parts {
		visit(p)
		p.each(visit)
	}
}

func (m *message) summary() string {
	tree, _ := treeOf(m.transport, m.raw, m.opts)
	return tree.summary()
}
