package show_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// TestText reads octets as games write text.
func TestText(t *testing.T) {
	wide := func(s string) string { return string(wire.NewText(s)) } // with its terminator
	for octets, want := range map[string]string{
		"":                                   "",
		"hello":                              "hello",
		"\x01\x02\x00\x00hello\x00":          `\x01\x02\x00\x00hello\x00`,
		wide("hello"):                        `hello\x00\x00`,
		"\x07\x00\x01" + wide("hello there"): `\x07\x00\x01hello there\x00\x00`,
		"8-bit " + wide("then wide"):         `8-bit then wide\x00\x00`,
		wide("wide") + "then 8-bit":          `wide\x00\x00then 8-bit`,
		"Gr\xfc\xdfe aus K\xf6ln":            "Grüße aus Köln",
		"\xfc\xdf\x01\xff\xfe":               `\xfc\xdf\x01\xff\xfe`,
		"a\xc0\xc1\xc2\xc3":                  `a\xc0\xc1\xc2\xc3`,
		wide("Größe"):                        `Größe\x00\x00`,
		wide("こんにちは"):                        `こんにちは\x00\x00`,
		wide("漢字の名前"):                        `漢字の名前\x00\x00`,
		"\x05\x01" + wide("東京都庁"):            `\x05\x01東京都庁\x00\x00`,
		wide("привет всем") + "\x01":         `привет всем\x00\x00\x01`,
		wide("Ann 🎮 ok"):                     `Ann 🎮 ok\x00\x00`,
		wide("Я and я"):                      `Я and я\x00\x00`,
		wide("東京"):                           `qg\xacN\x00\x00`, // two could be anything
		"\x1b[31mred\x1b[0m\r\n\t\x7f":       `\x1b[31mred\x1b[0m\r\n\t\x7f`,
		wide("\x1b[31m"):                     `\x1b\x00[31m\x00\x00`,
		wide("\u202eabc"):                    `. abc\x00\x00`,
		"A\x00":                              `A\x00`,
		"1\x002\x00":                         `1\x002\x00`,
		"\x00\xd8\x00\xd8\x41\x00":           `\x00\xd8\x00\xd8A\x00`,
		`back\slash "quoted"`:                `back\slash "quoted"`,
	} {
		assert.Equal(t, want, show.Text([]byte(octets)), "%q", octets)
	}
}

// TestTextSafe: whatever octets there are, nothing that moves a cursor or turns text round comes out, and nothing is lost:
// plain ASCII is there as it was.
func TestTextSafe(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := make([]byte, random.IntN(80))
		for i := range p {
			if p[i] = byte(random.Uint32()); random.IntN(3) == 0 {
				p[i] = 0
			}
		}
		text := show.Text(p)
		assert.True(t, utf8.ValidString(text), "%x", p)
		assert.False(t, strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) && c != '\u00a0' }), "%x: %q", p, text)
	}
}

// TestTextLong: text of a megabyte takes no longer than its octets, however they are made.
func TestTextLong(t *testing.T) {
	for _, part := range []string{"\xc0", "a\xc0\xc1\xc2", "\xc0\x00", "Ж\x04", "\x16\x04", "\x16\x04\x16\x04\xff\xff", "A\x00", "A\x00A\x00\x01", "\x3d\xd8\xae\xdf",
		"\x42\x30", "\x71\x67\x00"} {
		p := bytes.Repeat([]byte(part), 1<<20/len(part))
		assert.NotEmpty(t, show.Text(p), "%q", part)
	}
}

// TestTextBeside: text stands beside the digits of octets where there is some, and nowhere else.
func TestTextBeside(t *testing.T) {
	for octets, want := range map[string]string{
		"hello\x00\x00\x00":     ` "hello"`,
		"\x01\x00say \"hello\"": ` "\x01\x00say \"hello\""`,
		"h\x00e\x00y\x00!\x00":  ` "hey!"`,
		"T\x04\x00\x06\x00":     "",
		"abc1234":               "",
		"1\x002\x003\x004\x00":  "",
		"\xc0\xc1\xc2\xc3\xc4":  "",
	} {
		one(t, &wire.Voice{From: 1, Data: []byte(octets)}, func(r *captures.Record) {
			got := string(show.Details(nil, r, show.PayloadHex))
			_, beside, _ := strings.Cut(strings.TrimPrefix(got, " from=0x00000001 to=all voice="), " octets ")
			_, beside, _ = strings.Cut(beside+" ", " ")
			assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(beside), "%q", octets)
		})
	}
}
