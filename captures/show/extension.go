package show

import (
	"regexp"
	"strconv"
	"strings"

	"dplay4/wire"
)

// extension writes a message of the extension.
func (d *detail) extension(m *wire.Extension) {
	d.id("from", m.From)
	d.from = m.From
	if m.Body == nil {
		d.num("release", uint32(m.Release)).octets("body", m.Octets)
	}
	d.body(m.Body)
}

// body writes the fields of the body of an extension.
func (d *detail) body(b wire.ExtensionBody) {
	switch b := b.(type) {
	case *wire.ExtensionHello:
		d.text("abilities", b.AbilityNames()).num("answer", b.Answer).num("version", b.Version)
	case *wire.ExtensionTable:
		d.table(b.Message)
	case *wire.ExtensionClaim:
		d.id("host", d.from).text("instance", b.Instance.String()).num("version", b.Version).text("tcp", b.Stream.String())
	case *wire.ExtensionRejoinAt:
		d.id("host", b.Host).text("tcp", b.Stream.String())
	case *wire.ExtensionRejoin:
		d.text("instance", b.Instance.String()).sockets(b.SPData)
	case *wire.ExtensionArrived:
		d.text("incarnation", b.Mine.String()).text("receiver", b.Yours.String()).num("connection", b.Connection)
		d.text("next", strconv.FormatUint(b.Next, 10)).num("read", b.Read).text("count", strconv.FormatUint(b.Count, 10))
	case *wire.ExtensionView:
		d.view(b)
	case *wire.ExtensionObject:
		d.text("object", b.Object.String()).id("owner", b.Owner).num("counter", b.Counter).num("sequence", b.Sequence)
		d.octets("state", b.State)
	}
}

// table writes a message of [MC-DPL8CS]: its own fields, without those that say where others stand. What is in its
// lists is for the tree.
func (d *detail) table(octets []byte) {
	var t tableFields
	depth := 0
	whole := t.walk(&wire.Field{Raw: octets, Size: len(octets)}, func(f *wire.Field) {
		switch f.Kind {
		case wire.KindEnd:
			depth--
			return
		case wire.KindList, wire.KindStruct:
			depth++
			return
		}
		if depth == 1 && f.Offset > 0 {
			d.tableField(f)
		}
	})
	if !whole {
		d.octets("message", octets)
	}
}

// elsewhere matches the fields that say where others stand, or nothing.
var elsewhere = regexp.MustCompile(`(Offset|Size|NotUsed)$`)

// tableField writes a field of such a message. Its name loses the sign of its type.
func (d *detail) tableField(f *wire.Field) {
	if elsewhere.MatchString(f.Name) {
		return
	}
	name := Snake(strings.TrimPrefix(f.Name, "dw"))
	switch f.Kind {
	case wire.KindNumber:
		d.num(name, f.Num)
	case wire.KindHex:
		d.key(name)
		d.b = appendHex(d.b, f.Num, 8)
	case wire.KindID:
		d.id(name, wire.PlayerID(f.Num))
	case wire.KindFlags, wire.KindNamed:
		d.text(name, f.Names())
	case wire.KindHResult:
		d.text(name, wire.HResult(f.Num).String())
	case wire.KindGUID:
		d.text(name, wire.GUID(f.Raw).String())
	case wire.KindText:
		d.name(name, wire.Text(f.Raw))
	default:
		d.octets(name, f.Raw)
	}
}
