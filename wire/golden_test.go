package wire_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dplay4/wire"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the decoded forms beside the golden files")

// A golden is a golden file: its form is a message of a TCP stream, a datagram, or bare, without an SP header.
type golden struct {
	wiretest.Golden
	opts wire.Options
}

func goldens(t testing.TB) (all []golden) {
	t.Helper()
	for _, g := range wiretest.Goldens(t) {
		all = append(all, asGolden(g))
	}
	return all
}

func readGolden(t testing.TB, name string) golden {
	t.Helper()
	return asGolden(wiretest.Read(t, name))
}

func asGolden(g wiretest.Golden) golden {
	form, _, noIDs := strings.Cut(g.Form, ", nomessageid")
	g.Form = form
	return golden{g, wire.Options{NoMessageID: noIDs}}
}

// decode decodes the golden message the way it travels.
func (g golden) decode(t testing.TB, d *wire.Decoder) (wire.Envelope, error) {
	t.Helper()
	d.Options = g.opts
	switch g.Form {
	case "stream":
		return d.DecodeStream(g.Raw)
	case "datagram":
		return d.DecodeDatagram(g.Raw)
	case "bare":
		return d.DecodeBare(g.Raw)
	}
	t.Fatalf("%s: unknown form %q", g.Name, g.Form)
	return wire.Envelope{}, nil
}

// message returns the golden message from its signature, or a game message from its ids on.
func (g golden) message() []byte {
	if g.Form == "stream" || g.Form == "datagram" && len(g.Raw) >= 24 && wire.HasSignature(g.Raw[20:]) {
		return g.Raw[wire.SPHeaderSize:]
	}
	return g.Raw
}

func (g golden) system() bool { return wire.HasSignature(g.message()) }

func (g golden) show(t testing.TB) string {
	t.Helper()
	var l lines
	e, err := g.decode(t, &wire.Decoder{Visitor: l.visit})
	require.NoError(t, err)
	fmt.Fprintf(&l.text, "\n%v in Go:\n", e.Message.Command())
	if e.HasSP {
		goValue(&l.text, ".SP", reflect.ValueOf(e.SP))
	}
	if e.System() {
		fmt.Fprintf(&l.text, ".Version %v\n", e.Version)
	}
	goValue(&l.text, "", reflect.ValueOf(e.Message))
	return l.text.String()
}

// TestGolden decodes each golden message, compares it to the text beside it, and encodes it again. With -update
// it writes the texts; read each against the specification before committing it.
func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			file := filepath.Join("testdata/golden", g.Name+".txt")
			got := g.show(t)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run go test -update, then read the file")
			sameLines(t, string(want), got)

			var d wire.Decoder
			e, err := g.decode(t, &d)
			require.NoError(t, err)
			again, err := e.Append([]byte("what was there before"))
			require.NoError(t, err)
			assert.Equal(t, hex.EncodeToString(g.Raw), hex.EncodeToString(bytes.TrimPrefix(again, []byte("what was there before"))))
		})
	}
}

// These golden messages have what an encoder would not do by itself.
var notByItself = map[string]string{
	"SUPERENUMPLAYERSREPLY":          "a gap after the name",
	"SUPERENUMPLAYERSREPLY-joiners":  "Size 20 in its entries",
	"SUPERENUMPLAYERSREPLY-group":    "Size 20 in its entries",
	"SUPERENUMPLAYERSREPLY-distinct": "lengths wider than they need to be",
}

// TestGoldenFromValues encodes golden messages from their exported fields alone, without anything that decoding
// remembers: sizes, lengths, counts, offsets and masks are computed, and are those of the golden octets.
func TestGoldenFromValues(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			var d wire.Decoder
			e, err := g.decode(t, &d)
			require.NoError(t, err)
			fresh := wire.Envelope{HasSP: e.HasSP, SP: wire.SPHeader{SockAddr: e.SP.SockAddr}, Version: e.Version}
			fresh.Message = exportedOnly(reflect.ValueOf(e.Message)).Interface().(wire.Message)
			got, err := fresh.Append(nil)
			require.NoError(t, err)
			if why, ok := notByItself[g.Name]; ok {
				assert.NotEqual(t, hex.EncodeToString(g.Raw), hex.EncodeToString(got), why)
				return
			}
			assert.Equal(t, hex.EncodeToString(g.Raw), hex.EncodeToString(got))
		})
	}
}

// exportedOnly copies a value without the fields that are not exported, and without layouts.
func exportedOnly(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(exportedOnly(v.Elem()))
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(exportedOnly(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(exportedOnly(v.Field(i)))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(exportedOnly(v.Index(i)))
		}
	default:
		out.Set(v)
	}
	return out
}

// TestGoldenFieldsCover checks that the fields a visitor is told cover the message: no octet is left out, none is
// in two fields.
func TestGoldenFieldsCover(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			w := wiretest.Watcher{T: t, Size: len(g.message())}
			d := wire.Decoder{Options: g.opts, Visitor: w.See}
			_, err := d.DecodeBare(g.message())
			require.NoError(t, err)
			w.Done()
		})
	}
}

// TestGoldenRegistry walks the registry: each command has a golden file of its own, and the slot of each answers
// to its number and name.
func TestGoldenRegistry(t *testing.T) {
	require.Len(t, wire.Commands(), 49, "section 2.2.6 lists 49 commands")
	have := map[wire.Command]bool{}
	for _, g := range goldens(t) {
		if g.system() {
			h, _, err := new(wire.Decoder).DecodeMessage(g.message())
			require.NoError(t, err, g.Name)
			have[h.Command] = true
			name, _, _ := strings.Cut(g.Name, "-")
			assert.Equal(t, h.Command.String(), name, "the file is named after its command")
		}
	}
	for _, c := range wire.Commands() {
		assert.True(t, have[c], "%v (0x%02x) has no golden file", c, uint16(c))
		assert.Equal(t, c, wire.New(c).Command(), "slot 0x%02x", uint16(c))
	}
	for _, form := range []string{"PLAYERMESSAGE-tcp", "PLAYERMESSAGE-udp", "PLAYERMESSAGE-nomessageid"} {
		assert.FileExists(t, filepath.Join("testdata/golden", form+".hex"))
	}
}
