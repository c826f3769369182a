package replay

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// fields are the fields of a message in the order of decoding. Each structure, list and inner message among them stands between
// a bracket and its KindEnd. Raw aliases the message.
type fields []wire.Field

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

// fieldsOf returns the fields of a message, and the error that ended decoding. Brackets that it left open are closed.
func fieldsOf(t captures.Transport, raw []byte, opts wire.Options) (all fields, err error) {
	depth := 0
	err = walk(t, raw, opts, func(f *wire.Field) {
		depth += nesting(f)
		all = append(all, *f)
	})
	for range depth {
		all = append(all, wire.Field{Index: -1, Kind: wire.KindEnd})
	}
	return all, err
}

// nesting returns 1 for a field that opens a bracket, -1 for one that closes it, else 0.
func nesting(f *wire.Field) int {
	switch f.Kind {
	case wire.KindStruct, wire.KindList, wire.KindMessage:
		return 1
	case wire.KindEnd:
		return -1
	}
	return 0
}

// split returns the parts of a structure: values, and brackets with all that is in them.
func (all fields) split() (parts []fields) {
	depth, from := 0, 0
	for i := range all {
		if depth += nesting(&all[i]); depth == 0 {
			parts = append(parts, all[from:i+1])
			from = i + 1
		}
	}
	return parts
}

// inside returns the parts of a bracket, none of a value.
func (part fields) inside() []fields { return part[1:max(1, len(part)-1)].split() }

// find returns the value of a name among parts, a zero Field if there is none.
func find(parts []fields, name string) *wire.Field {
	for _, p := range parts {
		if p[0].Name == name {
			return &p[0]
		}
	}
	return &wire.Field{}
}

// shownOctets bounds the octets of a value that are shown.
const shownOctets = 32

// text returns the value of a part for people.
func (part fields) text() string {
	f := &part[0]
	switch f.Kind {
	case wire.KindNumber:
		return fmt.Sprint(f.Num)
	case wire.KindHex:
		return fmt.Sprintf("0x%08x", f.Num)
	case wire.KindID:
		return wire.PlayerID(f.Num).String()
	case wire.KindFlags, wire.KindHResult, wire.KindNamed:
		if names := f.Names(); names != "" {
			return fmt.Sprintf("%s (0x%x)", names, f.Num)
		}
		return fmt.Sprintf("0x%x", f.Num)
	case wire.KindGUID:
		return wire.GUID(f.Raw).String()
	case wire.KindText:
		t := wire.Text(f.Raw)
		return fmt.Sprintf("%q (%s)", t.String(), t.Encoding())
	case wire.KindSockAddr:
		return wire.ParseSockAddr(f.Raw).String()
	case wire.KindOctets, wire.KindStray:
		s := hex.EncodeToString(f.Raw[:min(len(f.Raw), shownOctets)])
		if len(f.Raw) > shownOctets {
			s += "..."
		}
		return strings.TrimSpace(fmt.Sprintf("%d octets %s", len(f.Raw), s))
	}
	return fmt.Sprintf("%d parts", len(part.inside()))
}

// shownFields bounds the fields in a summary.
const shownFields = 6

// unshown matches the fields of headers, offsets and sizes, which are in no summary.
var unshown = regexp.MustCompile(`^(size|token|SockAddr|Signature|Command|Version|PlayerVersion)$|(Offset|Size|Length)$`)

// summary returns the first values of a message that are not zero, without headers, addresses, offsets and sizes.
func (all fields) summary() string {
	var s []string
	for i, f := range all {
		zero := f.Num == 0 && len(f.Raw) == 0
		if len(s) < shownFields && !zero && nesting(&f) == 0 && f.Kind != wire.KindSockAddr && !unshown.MatchString(f.Name) {
			s = append(s, f.Name+"="+all[i:i+1].text())
		}
	}
	return strings.Join(s, " ")
}

func (m *message) summary() string {
	all, _ := fieldsOf(m.transport, m.raw, m.opts)
	return all.summary()
}
