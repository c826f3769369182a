package wire_test

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"dplay4/wire"
)

// lines lists the fields of a message, one a line: offset, size, name, value, names.
type lines struct {
	text  strings.Builder
	depth int
}

// visit is a wire.Visitor.
func (l *lines) visit(f *wire.Field) {
	if f.Kind == wire.KindEnd {
		l.depth--
		return
	}
	name := strings.Repeat("  ", l.depth) + f.Name
	if f.Index >= 0 {
		name += fmt.Sprintf("[%d]", f.Index)
	}
	switch f.Kind {
	case wire.KindStruct:
		fmt.Fprintf(&l.text, "%4d      %s\n", f.Offset, name)
		l.depth++
	case wire.KindList:
		fmt.Fprintf(&l.text, "%4d      %s, %d of them\n", f.Offset, name, f.Num)
		l.depth++
	case wire.KindMessage:
		fmt.Fprintf(&l.text, "%4d      %s, a %v\n", f.Offset, name, wire.Command(f.Num))
		l.depth++
	default:
		line := fmt.Sprintf("%4d %4d %-32s %s", f.Offset, f.Size, name, fieldValue(f))
		if n := f.Names(); n != "" {
			line += "  " + n
		}
		l.text.WriteString(line + "\n")
	}
}

func fieldValue(f *wire.Field) string {
	switch f.Kind {
	case wire.KindNumber, wire.KindNamed:
		return fmt.Sprint(f.Num)
	case wire.KindID:
		return wire.PlayerID(f.Num).String()
	case wire.KindGUID:
		return wire.GUID(f.Raw).String()
	case wire.KindText:
		t := wire.Text(f.Raw)
		return fmt.Sprintf("%q %v", t.String(), t.Encoding())
	case wire.KindSockAddr:
		a := wire.ParseSockAddr(f.Raw)
		s := fmt.Sprintf("family %d %v", a.Family, a)
		if a.Zero != [8]byte{} {
			s += fmt.Sprintf(" % x", a.Zero)
		}
		return s
	case wire.KindOctets, wire.KindStray:
		if len(f.Raw) > 32 {
			return hex.EncodeToString(f.Raw[:32]) + "..."
		}
		return hex.EncodeToString(f.Raw)
	}
	return fmt.Sprintf("0x%08x", f.Num)
}

// goValue lists the exported fields of a decoded message, so that one that landed in the wrong Go field is seen
// although the visitor names it rightly.
func goValue(b *strings.Builder, path string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case wire.Layout:
		fmt.Fprintf(b, "%s regular %v, stray %d\n", path, x.Regular(), len(x.Stray()))
		return
	case wire.Text:
		if x == nil {
			fmt.Fprintf(b, "%s nil\n", path)
		} else {
			fmt.Fprintf(b, "%s %q\n", path, x.String())
		}
		return
	case []byte:
		fmt.Fprintf(b, "%s %d octets %x\n", path, len(x), x[:min(len(x), 32)])
		return
	case fmt.Stringer:
		fmt.Fprintf(b, "%s %v\n", path, x)
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			fmt.Fprintf(b, "%s nil\n", path)
			return
		}
		goValue(b, path, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				goValue(b, path+"."+f.Name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Len() == 0 {
			fmt.Fprintf(b, "%s none\n", path)
		}
		for i := range v.Len() {
			goValue(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	default:
		fmt.Fprintf(b, "%s %v\n", path, v.Interface())
	}
}

// sameLines compares two texts and reports the lines that differ, not the whole.
func sameLines(t *testing.T, want, got string) {
	t.Helper()
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			t.Errorf("line %d:\nwant %s\ngot  %s", i+1, a, b)
		}
	}
}
