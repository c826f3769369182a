package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/wire"
)

// marked are findings at messages of capture 02, and one that shows nowhere.
func marked() []doctor.Finding {
	return []doctor.Finding{
		{Severity: doctor.Failure, Code: "some-failure", Text: "the list is <wrong>; it's #1", Evidence: []doctor.Evidence{{N: 6}, {N: 8}}},
		{Severity: doctor.Note, Code: "some-note", Text: "nowhere to be seen"},
	}
}

// TestGolden holds pictures of captures in text and for Mermaid against files in testdata.
func TestGolden(t *testing.T) {
	join := drawn(t, capture02, Options{Findings: marked()})
	golden(t, "02.txt", string(join.AppendText(nil, TextOptions{Width: 130})))
	golden(t, "02-narrow.txt", string(join.AppendText(nil, TextOptions{Width: 80, ASCII: true})))
	golden(t, "02-color.txt", string(join.AppendText(nil, TextOptions{Width: 100, Color: true})))
	golden(t, "02.mmd", string(join.AppendMermaid(nil)))
	golden(t, "third-machine.txt", string(drawn(t, thirdMachine, Options{Rows: 40}).AppendText(nil, TextOptions{Width: 150})))
	golden(t, "killed-legacy.txt", string(drawn(t, killedHost, Options{Rows: 12}).AppendText(nil, TextOptions{Width: 150})))
}

// TestWidth: no line of a picture is wider than was asked for, unless the lanes alone are. Findings may be: what they
// say must not be cut.
func TestWidth(t *testing.T) {
	for _, name := range allCaptures(t) {
		d := drawn(t, name, Options{})
		for _, width := range []int{80, 120, 200} {
			lanes := textTime + 2 + (len(d.Lanes)-1)*textNarrow + textLast + textDetails
			_, body, _ := strings.Cut(string(d.AppendText(nil, TextOptions{Width: width})), "\n\n")
			for line := range strings.Lines(body) {
				assert.LessOrEqual(t, columns(strings.TrimSuffix(line, "\n")), max(width, lanes), "%s: %s", name, line)
			}
		}
	}
}

// TestASCII: the plain picture has plain characters only.
func TestASCII(t *testing.T) {
	for _, name := range []string{capture02, thirdMachine, killedHost} {
		d := drawn(t, name, Options{Rows: 9, Findings: marked()})
		for _, r := range string(d.AppendText(nil, TextOptions{ASCII: true})) {
			require.Less(t, r, rune(0x80), "%s has %q", name, r)
		}
	}
}

// wellFormed reads a document to its end, and gives its text.
func wellFormed(t *testing.T, document []byte) string {
	t.Helper()
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(string(document))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err)
		if c, ok := token.(xml.CharData); ok {
			text.Write(c)
		}
	}
}

// TestSVG: the picture of each capture is well-formed, names all machines, asks for nothing from elsewhere, and has a
// light and a dark scheme.
func TestSVG(t *testing.T) {
	outside := regexp.MustCompile(`(href|src|url\(|@import|<script|<image|<foreignObject)`)
	for _, name := range allCaptures(t) {
		d := drawn(t, name, Options{Findings: marked()})
		b := d.AppendSVG([]byte("before"))
		require.True(t, strings.HasPrefix(string(b), "before<svg "), "it appends")
		b = b[len("before"):]
		text := wellFormed(t, b)
		assert.Empty(t, outside.FindAllString(string(b), -1))
		assert.Contains(t, text, "prefers-color-scheme:dark")
		for i := range d.Lanes {
			assert.Contains(t, text, d.Lanes[i].Where())
		}
		for i := range d.Findings {
			assert.Contains(t, text, d.Findings[i].Text)
		}
		assert.Equal(t, len(rows(d))-strings.Count(strings.Join(rows(d), "\n"), "silence"), strings.Count(string(b), " go\""))
	}
}

// hostile are names that would do harm where they are not escaped.
var hostile = []string{
	"</text><script>alert(1)</script>", "]]>&\"'<!--", "\x1b[2J\x07\u202e\u2028", "a;b#c%d{e}\n    L0->>L1: forged", "a\x00b\ufffe",
}

// TestHostile: no name breaks a picture.
func TestHostile(t *testing.T) {
	for _, name := range hostile {
		s := newScript(Options{Title: name, Findings: []doctor.Finding{{Code: doctor.Code(name), Text: name, Evidence: []doctor.Evidence{{N: 1, Value: name}}}}})
		s.say(0, alice, bob, 99, &wire.Chat{From: 1, Text: wire.NewText(name)})
		d := s.b.Diagram()
		d.Lanes[0].Players = []string{name} // as if it had not been quoted
		wellFormed(t, d.AppendSVG(nil))
		text := string(d.AppendText(nil, TextOptions{}))
		assert.NotRegexp(t, "[\x00-\x09\x0b-\x1f\x7f\u202e\u2028]", text)
		mermaid := string(d.AppendMermaid(nil))
		assert.NotRegexp(t, "(?m)^    L0->>L1: forged", mermaid)
		_, body, _ := strings.Cut(mermaid, "sequenceDiagram")
		assert.NotRegexp(t, `[{}%"\x60]|<[^b]`, strings.ReplaceAll(body, "<br/>", ""))
		for line := range strings.Lines(body) { // a semicolon ends a statement, unless it ends a code
			assert.NotContains(t, regexp.MustCompile(`#\w+;`).ReplaceAllString(line, ""), ";")
		}
	}
}

// TestMermaidSize: what Mermaid would refuse is left out, and said.
func TestMermaidSize(t *testing.T) {
	s := newScript(Options{Rows: 5000})
	for range 2000 {
		s.say(ms, alice, bob, 36, &wire.RequestPlayerID{})
	}
	b := string(s.b.Diagram().AppendMermaid(nil))
	assert.Less(t, len(b), 50_000)
	assert.Regexp(t, `\n    Note over L0,L1: [\d,]+ rows left out: Mermaid takes no more\n$`, b)
}

// TestEmpty: a picture of nothing is one.
func TestEmpty(t *testing.T) {
	d := NewBuilder(Options{Title: "nothing", Findings: marked()}).Diagram()
	assert.Contains(t, string(d.AppendText(nil, TextOptions{})), "nothing: no messages\n\n")
	assert.Contains(t, string(d.AppendText(nil, TextOptions{})), "nowhere to be seen")
	assert.Contains(t, wellFormed(t, d.AppendSVG(nil)), "no messages")
	assert.Contains(t, string(d.AppendMermaid(nil)), "sequenceDiagram\n")
}

// TestManyFindings: findings beyond the limit are counted.
func TestManyFindings(t *testing.T) {
	d := NewBuilder(Options{Findings: make([]doctor.Finding, maxFindings+3)}).Diagram()
	assert.Len(t, d.Findings, maxFindings)
	assert.Equal(t, 3, d.Left)
	assert.Contains(t, string(d.AppendText(nil, TextOptions{})), "3 findings more")
	assert.Contains(t, wellFormed(t, d.AppendSVG(nil)), "3 findings more")
}
