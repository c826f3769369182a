package wire_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"dplay4/wire"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sameOctets decodes an envelope, checks its error, and encodes it again.
func sameOctets(t *testing.T, b []byte, decode func([]byte) (wire.Envelope, error)) {
	e, err := decode(b)
	if err != nil {
		wiretest.GoodError(t, err, len(b))
		return
	}
	got, err := e.Append(nil)
	require.NoError(t, err)
	if !bytes.Equal(b, got) {
		t.Fatalf("%T\nin  %x\nout %x", e.Message, b, got)
	}
}

// FuzzDecodeMessage decodes what begins with a signature, with and without message ids in the session. What is
// decoded must encode to the same octets.
func FuzzDecodeMessage(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.message(), false)
		f.Add(g.message(), true)
	}
	f.Add(nest(wire.MaxNesting), false)
	f.Add(nest(wire.MaxNesting+1), false)
	f.Fuzz(func(t *testing.T, b []byte, noIDs bool) {
		d := wire.Decoder{Options: wire.Options{NoMessageID: noIDs}}
		h, m, err := d.DecodeMessage(b)
		if err != nil {
			wiretest.GoodError(t, err, len(b))
			return
		}
		require.Equal(t, h.Command, m.Command())
		got, err := wire.AppendMessage(nil, h.Version, m)
		require.NoError(t, err)
		if !bytes.Equal(b, got) {
			t.Fatalf("%T\nin  %x\nout %x", m, b, got)
		}
	})
}

func FuzzDecodeStream(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.Raw, g.opts.NoMessageID)
	}
	f.Fuzz(func(t *testing.T, b []byte, noIDs bool) {
		d := wire.Decoder{Options: wire.Options{NoMessageID: noIDs}}
		sameOctets(t, b, d.DecodeStream)
		sameOctets(t, b, d.DecodeBare)
		wire.LooksLikeSPHeader(b)
	})
}

func FuzzDecodeDatagram(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.Raw, g.opts.NoMessageID)
	}
	f.Fuzz(func(t *testing.T, b []byte, noIDs bool) {
		d := wire.Decoder{Options: wire.Options{NoMessageID: noIDs}}
		sameOctets(t, b, d.DecodeDatagram)
	})
}

// FuzzText reads any octets as a text. What comes out is UTF-8, and UTF-16 that is written anew reads the same.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "\x00", "\x00\x00", "a", "Nobleman\x00\x00", "J\xfcrgen\x00\x00", "\x00\xd8\x00\x00",
		"\xe5\x65\x2c\x67\x00\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := wire.Text(b).String()
		if !utf8.ValidString(s) {
			t.Fatalf("%x gives %q", b, s)
		}
		// Text written as UTF-16 reads the same, unless it looks like 8-bit text then (two ASCII letters are also
		// an ideograph).
		if again := wire.NewText(s); again.Encoding() == wire.UTF16 {
			require.Equal(t, s, again.String())
		}
		require.True(t, bytes.HasPrefix(wire.Text(b).AppendTo([]byte("x")), []byte("x"+s)))
	})
}

// FuzzVisitor watches decoding. A visitor must change nothing, and neither must what a decoder decoded before.
func FuzzVisitor(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.Raw, g.opts.NoMessageID)
		f.Add(g.message(), g.opts.NoMessageID)
	}
	before := map[wire.Command][]byte{}
	for _, g := range goldens(f) {
		if g.system() {
			h, _, err := new(wire.Decoder).DecodeMessage(g.message())
			require.NoError(f, err)
			before[h.Command] = g.message()
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, noIDs bool) {
		o := wire.Options{NoMessageID: noIDs}
		for _, how := range []struct {
			decode func(*wire.Decoder) (wire.Envelope, error)
			size   int // of the message from its signature on
		}{
			{func(d *wire.Decoder) (wire.Envelope, error) { return d.DecodeStream(b) }, announced(b)},
			{func(d *wire.Decoder) (wire.Envelope, error) { return d.DecodeBare(b) }, len(b)},
		} {
			decode := how.decode
			e, err := decode(&wire.Decoder{Options: o})
			w := wiretest.Watcher{T: t, Size: how.size}
			seen, seenErr := decode(&wire.Decoder{Options: o, Visitor: w.See})
			assert.Equal(t, err, seenErr)
			assert.Equal(t, e, seen)
			if err == nil {
				w.Done()
			}

			used := wire.Decoder{Options: o, Visitor: func(*wire.Field) {}}
			if e.Message != nil && before[e.Message.Command()] != nil {
				_, _, err := used.DecodeMessage(before[e.Message.Command()])
				require.NoError(t, err)
			}
			reused, reusedErr := decode(&used)
			assert.Equal(t, err, reusedErr)
			assert.Equal(t, e, reused)
		}
	})
}

// announced is the size of the message after an SP header.
func announced(b []byte) int {
	sp, err := wire.ParseSPHeader(b)
	if err != nil {
		return 0
	}
	return sp.Size - wire.SPHeaderSize
}
