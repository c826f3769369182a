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

// visit calls visit with the fields of a message, and returns the error that ended decoding. A message in frames has the ends of the
// link first.
func (m *message) visit(visit wire.Visitor) error {
	if m.transport == inFrames {
		visit(m.ends[0].field("IdFrom"))
		visit(m.ends[1].field("IdTo"))
	}
	return walk(m.transport, m.raw, m.opts, visit)
}

// tree returns the fields of a message, and the error that ended decoding.
func (m *message) tree() (*node, error) {
	root := &node{}
	open := []*node{root}
	err := m.visit(func(f *wire.Field) {
		last := len(open) - 1
		if f.Kind == wire.KindEnd {
			open = open[:last]
			return
		}
		n := &node{Field: *f}
		open[last].parts = append(open[last].parts, n)
		if texts[n.Kind] == nil {
			open = append(open, n)
		}
	})
	return root, err
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

// texts have the values of fields for people, by the kinds of the fields. Kinds that are not in it have fields within them.
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

// summarize returns the first values of a message that are not zero, without headers, addresses, offsets and sizes.
func summarize(fields func(wire.Visitor) error) string {
	var s []string
	fields(func(f *wire.Field) {
		text, zero := texts[f.Kind], f.Num == 0 && len(f.Raw) == 0
		if len(s) < shownFields && text != nil && !zero && f.Kind != wire.KindSockAddr && !unshown.MatchString(f.Name) {
			s = append(s, f.Name+"="+text(f))
		}
	})
	return strings.Join(s, " ")
}

// summary returns a summary of a message. The ends of the link are not in it.
func (m *message) summary() string {
	return summarize(func(visit wire.Visitor) error { return walk(m.transport, m.raw, m.opts, visit) })
}
