package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
)

// texts are names as programs send them.
var texts = []struct {
	octets string
	want   string
	enc    wire.Encoding
}{
	// 8-bit text in the place of UTF-16.
	{"Nobleman\x00\x00", "Nobleman", wire.EightBit},       // Lords of the Realm II (facts, real captures)
	{"Bob\x00\x00\x00", "Bob", wire.EightBit},             // odd length, padded to a WCHAR
	{"J\xfcrgen\x00\x00", "Jürgen", wire.EightBit},        // Windows-1252
	{"Andr\xe9\x00\x00\x00", "André", wire.EightBit},      //
	{"Fran\xe7ois\x00\x00", "François", wire.EightBit},    // read as UTF-16 these are four ideographs
	{"\xc9l\xe9onore\x00\x00", "Éléonore", wire.EightBit}, //
	{"Andr\xe9e\x00\x00", "Andrée", wire.EightBit},        //
	{"Zo\xeb\x00\x00\x00", "Zoë", wire.EightBit},
	{"\x8aimon\x00\x00\x00", "Šimon", wire.EightBit},
	{"Al\x00\x00", "Al", wire.EightBit}, // one ideograph in UTF-16
	{"=[ ~Sir~ ]=\x00\x00\x00", "=[ ~Sir~ ]=", wire.EightBit},

	// UTF-16.
	{"W\x001\x000\x00\x00\x00", "W10", wire.UTF16}, // capture 02
	{"J\x00\xfc\x00r\x00g\x00e\x00n\x00\x00\x00", "Jürgen", wire.UTF16},
	{"A\x00l\x00\x00\x00", "Al", wire.UTF16},
	{"x\x00\x00\x00", "x", wire.UTF16},    // one character looks the same in both
	{"\xe9\x00\x00\x00", "é", wire.UTF16}, //
	{"\x18\x04\x32\x04\x30\x04\x3d\x04\x00\x00", "Иван", wire.UTF16},
	{"\x9d\x03\x15\x04\x00\x00", "ΝЕ", wire.UTF16},
	{"\xe5\x65\x2c\x67\x00\x00", "日本", wire.UTF16},
	{"\xe5\x65\x2c\x67\xba\x4e\x00\x00", "日本人", wire.UTF16},
	{"\x71\x67\xac\x4e\xfd\x90\x00\x00", "東京都", wire.UTF16},
	{"\x55\x30\x4f\x30\x89\x30\x00\x00", "さくら", wire.UTF16},
	{"\x5f\x30\x6a\x30\x4b\x30\x00\x00", "たなか", wire.UTF16}, // printable ASCII throughout: _0j0K0
	{"\x42\x30\x42\x30\x00\x00", "ああ", wire.UTF16},          // B0B0
	{"\x42\x30\x00\x00", "B0", wire.EightBit},               // one syllable, or two characters
	{"\xe5\x65\x21\x67\x41\x6c\x00\x00", "日朡汁", wire.UTF16}, // printable, but not all letters
	{"\xe5\x8a\xe6\x8c\xe7\x8e\x00\x00", "諥賦軧", wire.UTF16}, // letters of Windows-1252, but no ASCII among them
	{"\xde\x30\xea\x30\xaa\x30\x00\x00", "マリオ", wire.UTF16},
	{"\x40\xae\xa0\xcc\x18\xc2\x00\x00", "김철수", wire.UTF16},
	{"\x3d\xd8\x00\xde\x00\x00", "😀", wire.UTF16},
	{"\x35\xd8\x9c\xdc\x00\x00", "𝒜", wire.UTF16},

	// Not text, or not all of it.
	{"", "", wire.UTF16},
	{"\x00\x00", "", wire.UTF16},
	{"\x00\xd8\x00\x00", "\uFFFD", wire.UTF16},                  // half a pair
	{"\x3d\xd8a\x00b\x00\x00\x00", "\uFFFDab", wire.UTF16},      // a high surrogate, then no low one
	{"\x00\xdea\x00\x00\x00", "\uFFFDa", wire.UTF16},            // a low surrogate alone
	{"\x3d\xd8\x3d\xd8\x00\xde\x00\x00", "\uFFFD😀", wire.UTF16}, // the second one has its pair
	{"a\x00b\x00", "ab", wire.UTF16},                            // no terminator: a name of a packed player
	{"ab", "ab", wire.EightBit},
	{"a", "a", wire.EightBit}, // half a WCHAR
	{"abc", "abc", wire.EightBit},
	{"abc\x00", "abc", wire.EightBit},
	{"abcde\x00\x00", "abcde", wire.EightBit}, // seven octets
	{"a\x00\x00\x00b\x00", "a", wire.UTF16},   // what follows the terminator is no text
	{"\x07\x00\x00\x00", "\a", wire.UTF16},
	{"\x01\x02\x00\x00", "ȁ", wire.UTF16},
	{"a\x7fb\x7f\x00\x00", "\u7F61\u7F62", wire.UTF16},
}

func TestTextRead(t *testing.T) {
	for _, c := range texts {
		text := wire.Text(c.octets)
		assert.Equal(t, c.want, text.String(), "%q", c.octets)
		assert.Equal(t, c.enc, text.Encoding(), "%q", c.octets)
		assert.Equal(t, "before "+c.want, string(text.AppendTo([]byte("before "))))
		assert.True(t, utf8.ValidString(text.String()))
	}
	assert.Equal(t, "", wire.Text(nil).String())
	assert.Equal(t, wire.UTF16, wire.Text(nil).Encoding())
}

// TestTextWrite writes names in both encodings.
// Windows takes all text for UTF-16, and so does a reader who does.
func TestTextOnlyUTF16(t *testing.T) {
	text := wire.NewText("田中")
	assert.Equal(t, "0u-N", text.String(), "which a guess takes for something else")
	assert.Equal(t, "田中", text.As(wire.OnlyUTF16))
	assert.Equal(t, text, wire.OnlyUTF16.Text("田中"))
	assert.Equal(t, "\uFFFD", wire.Text{0, 0xD8, 0, 0}.As(wire.OnlyUTF16))
	assert.Equal(t, "a", wire.Text{'a', 0, 'b'}.As(wire.OnlyUTF16), "half a WCHAR is none")
}

func TestTextWrite(t *testing.T) {
	for _, c := range []struct{ s, utf16, eightBit string }{
		{"", "\x00\x00", "\x00\x00"},
		{"W10", "W\x001\x000\x00\x00\x00", "W10\x00\x00\x00"},
		{"Nobleman", "N\x00o\x00b\x00l\x00e\x00m\x00a\x00n\x00\x00\x00", "Nobleman\x00\x00"},
		{"Jürgen", "J\x00\xfc\x00r\x00g\x00e\x00n\x00\x00\x00", "J\xfcrgen\x00\x00"},
		{"5 €", "5\x00 \x00\xac\x20\x00\x00", "5 \x80\x00\x00\x00"},
		{"Ÿ日", "\x78\x01\xe5\x65\x00\x00", "\x9f?\x00\x00"},
		{"😀", "\x3d\xd8\x00\xde\x00\x00", "?\x00\x00\x00"},
		{"\u0081\u008d", "\x81\x00\x8d\x00\x00\x00", "\x81\x8d\x00\x00"}, // Windows-1252 leaves these octets out
		{"\u0080", "\x80\x00\x00\x00", "?\x00\x00\x00"},                  // and has another character here
		{"cut\x00here", "c\x00u\x00t\x00\x00\x00", "cut\x00\x00\x00"},
		{"bad\xff", "b\x00a\x00d\x00\xfd\xff\x00\x00", "bad?\x00\x00"},
	} {
		assert.Equal(t, c.utf16, string(wire.NewText(c.s)), "%q", c.s)
		assert.Equal(t, c.eightBit, string(wire.NewText8(c.s)), "%q", c.s)
	}
}

// TestText1252 reads every octet of 8-bit text and writes it again.
func TestText1252(t *testing.T) {
	for c := 0x20; c < 0x100; c++ {
		text := wire.Text("abcd" + string([]byte{byte(c)}))
		s := text.String()
		assert.Equal(t, 5, utf8.RuneCountInString(s), "%02x", c)
		assert.True(t, strings.HasPrefix(string(wire.NewText8(s)), string(text)), "%02x: %q", c, s)
	}
}

func TestEncodingString(t *testing.T) {
	assert.Equal(t, "utf-16", wire.UTF16.String())
	assert.Equal(t, "8-bit", wire.EightBit.String())
}

func TestEncodingText(t *testing.T) {
	for _, c := range []struct {
		s    string
		want wire.Text
	}{
		{"", wire.Text{0, 0}},
		{"abc", wire.Text{'a', 'b', 'c', 0, 0, 0}},
		{"what?", wire.Text{'w', 'h', 'a', 't', '?', 0, 0, 0}},
		{"5 €", wire.Text{'5', ' ', 0x80, 0, 0, 0}},
		{"Łódź", wire.NewText("Łódź")},
		{"a\u0080", wire.NewText("a\u0080")}, // 80 would be the euro sign
	} {
		assert.Equal(t, c.want, wire.EightBit.Text(c.s), "%q", c.s)
		assert.Equal(t, wire.NewText(c.s), wire.UTF16.Text(c.s), "%q", c.s)
		assert.True(t, wire.NewText(c.s).Equal(wire.EightBit.Text(c.s)), "nothing of %q is lost", c.s)
	}
}

// A password is right if it says the same, and not if it only begins or ends like the right one, or was cut.
func TestTextEqual(t *testing.T) {
	for _, s := range []string{"", "a", "ab", "abc", "sesame", "ëÖ", "5 €", "Ünder"} {
		wide, narrow := wire.NewText(s), wire.NewText8(s)
		for _, pair := range [][2]wire.Text{{wide, wide}, {narrow, narrow}, {wide, narrow}, {narrow, wide}} {
			assert.True(t, pair[0].Equal(pair[1]), "%q % x % x", s, pair[0], pair[1])
		}
		for _, other := range []string{s + "x", "x" + s, s + "\uFFFD", "sesamE"} {
			for _, a := range []wire.Text{wide, narrow} {
				for _, b := range []wire.Text{wire.NewText(other), wire.NewText8(other)} {
					assert.False(t, a.Equal(b) || b.Equal(a), "%q %q", s, other)
				}
			}
		}
	}
	stray := append(wire.NewText8("sesame"), 'x', 0, 0, 0)
	assert.True(t, wire.NewText("sesame").Equal(stray), "a text ends at its terminator")
	assert.False(t, wire.Text{'a', 0, 'b', 0, 0, 0}.Equal(wire.Text{'a', 0, 0, 0}), "a zero octet inside is no 8-bit terminator")
	assert.False(t, wire.NewText("\uFFFD").Equal(wire.Text{0, 0xD8, 0, 0}), "what cannot be read is not all the same")
	assert.False(t, wire.NewText("?").Equal(wire.EightBit.Text("Ж")), "no password is lost in question marks")
}
