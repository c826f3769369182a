// Package wiretest is what the tests of package wire, wire/dpl8 and wire/reliable have in common: golden files, what every
// error promises, what a visitor has to be told, and random values.
package wiretest

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dplay4/wire"
)

// A Golden is a file of testdata/golden: octets in hex, with comments. Its first line says where the octets come from, a
// line "# form: " how they travel.
type Golden struct {
	Name, Source, Form string
	Raw                []byte
}

// Goldens returns all golden files of the package under test.
func Goldens(t testing.TB) (all []Golden) {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.hex")
	if err != nil || len(files) == 0 {
		t.Fatalf("golden files: %v, %v", files, err)
	}
	for _, file := range files {
		all = append(all, Read(t, strings.TrimSuffix(filepath.Base(file), ".hex")))
	}
	return all
}

// Read reads the golden file of a name.
func Read(t testing.TB, name string) Golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/golden", name+".hex"))
	if err != nil {
		t.Fatal(err)
	}
	g := Golden{Name: name}
	for i, line := range strings.Split(string(text), "\n") {
		if source, ok := strings.CutPrefix(line, "# source: "); ok && i == 0 {
			g.Source = source
		}
		if form, ok := strings.CutPrefix(line, "# form: "); ok {
			g.Form = form
		}
		line, _, _ = strings.Cut(line, "#")
		octets, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
		if err != nil {
			t.Fatalf("%s line %d: %v", name, i+1, err)
		}
		g.Raw = append(g.Raw, octets...)
	}
	if g.Source == "" || len(g.Raw) == 0 {
		t.Fatalf("%s has no source or no octets", name)
	}
	return g
}

// reasons are all that a DecodeError can wrap.
var reasons = []error{wire.ErrShort, wire.ErrLimit, wire.ErrOffset, wire.ErrOverlap, wire.ErrTerminator,
	wire.ErrSignature, wire.ErrValue, wire.ErrNesting}

// GoodError checks what every error of decoding octets of a number promises: a message, a field, an offset inside the
// octets, one reason.
func GoodError(t testing.TB, err error, size int) {
	t.Helper()
	var e *wire.DecodeError
	if !errors.As(err, &e) {
		t.Fatalf("%T %v", err, err)
	}
	known := 0
	for _, r := range reasons {
		if errors.Is(err, r) {
			known++
		}
	}
	if e.Message == "" || e.Field == "" || e.Offset < 0 || e.Offset > size || known != 1 {
		t.Errorf("%+v of %d octets wraps %d reasons", *e, size, known)
	}
}

// A Watcher checks the fields that a visitor is told of octets of a number: brackets pair and, in what decodes, every octet
// is in one field.
type Watcher struct {
	T     testing.TB
	Size  int
	depth int
	seen  []uint8
}

// See is told a field. Offsets may be negative in the SP header, which stands before what they count from.
func (w *Watcher) See(f *wire.Field) {
	_ = f.Names()
	if f.Offset+f.Size > w.Size || f.Offset < -wire.SPHeaderSize || f.Size < 0 || f.Index < -1 || f.Name == "" &&
		f.Kind != wire.KindEnd {
		w.T.Fatalf("%+v of %d octets", *f, w.Size)
	}
	switch f.Kind {
	case wire.KindStruct, wire.KindList, wire.KindMessage:
		w.depth++
	case wire.KindEnd:
		if w.depth--; w.depth < 0 {
			w.T.Fatal("an end without a beginning")
		}
	case wire.KindGUID, wire.KindText, wire.KindOctets, wire.KindSockAddr, wire.KindStray:
		if len(f.Raw) != f.Size {
			w.T.Fatalf("%s: %d octets of %d", f.Name, len(f.Raw), f.Size)
		}
	default:
		if f.Size < 1 || f.Size > 4 {
			w.T.Fatalf("%s: a number of %d octets", f.Name, f.Size)
		}
	}
	if w.seen == nil {
		w.seen = make([]uint8, w.Size)
	}
	for i := max(0, f.Offset); i < f.Offset+f.Size; i++ {
		w.seen[i] = min(w.seen[i]+1, 2)
	}
}

// Done is called after decoding without an error: every octet is in one field.
func (w *Watcher) Done() {
	w.T.Helper()
	if w.depth != 0 {
		w.T.Fatal("open brackets")
	}
	for i, n := range w.seen {
		if n != 1 {
			w.T.Fatalf("octet %d is in %d fields", i, n)
		}
	}
}

// Fill returns random values to the exported fields of what v is, lists of fewer than most elements; what own takes, which is
// given pointers, is left to it. A layout stays as it is: what is made by hand has none.
func Fill(r *rand.Rand, v reflect.Value, most int, own func(p any) bool) {
	p := v.Addr().Interface()
	if _, layout := p.(*wire.Layout); layout || own(p) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				Fill(r, v.Field(i), most, own)
			}
		}
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice {
			if n := r.IntN(most); n > 0 {
				v.Set(reflect.MakeSlice(v.Type(), n, n))
			}
		}
		for i := range v.Len() {
			Fill(r, v.Index(i), most, own)
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		if r.IntN(8) > 0 { // else zero
			v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
		}
	default:
		panic("no random value for " + v.Type().String())
	}
}
