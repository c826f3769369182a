package draw

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/show"
	"dplay4/wire"
)

// written returns the page of a report.
func written(t *testing.T, p *Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.Write(&b, []string{"About <this>."}))
	return b.String()
}

// chunks unpacks the lists in the script elements of a class.
func chunks(t *testing.T, page, class string) (all []json.RawMessage) {
	t.Helper()
	for _, m := range regexp.MustCompile(`<script type="text/plain" class="`+class+`">([^<]*)</script>`).FindAllStringSubmatch(page, -1) {
		packed, err := base64.StdEncoding.DecodeString(m[1])
		require.NoError(t, err)
		zip, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		text, err := io.ReadAll(zip)
		require.NoError(t, err)
		var list []json.RawMessage
		require.NoError(t, json.Unmarshal(text, &list))
		all = append(all, list...)
	}
	return all
}

// dataOf returns what the scripts of a page read.
func dataOf(t *testing.T, page string) (d pageData) {
	t.Helper()
	m := regexp.MustCompile(`<script type="application/json" id="data">([^<]*)</script>`).FindStringSubmatch(page)
	require.NotNil(t, m)
	require.NoError(t, json.Unmarshal([]byte(m[1]), &d))
	return d
}

// TestReport writes the report of each capture: all its messages are in the list with all their fields.
func TestReport(t *testing.T) {
	for _, name := range allCaptures(t) {
		p := NewReport(Options{Title: "x", Findings: marked()})
		var trees []string
		var tree show.Tree
		sum := read(t, name, func(r *captures.Record) {
			p.Add(r)
			trees = append(trees, string(tree.Append(nil, r)))
		})
		page := written(t, p)
		d := dataOf(t, page)
		assert.Equal(t, sum.Messages, d.Rows)
		rows, fields := chunks(t, page, "rows"), chunks(t, page, "fields")
		require.Len(t, rows, sum.Messages)
		require.Len(t, fields, sum.Messages)
		for i := range rows {
			var row []any
			var text string
			require.NoError(t, json.Unmarshal(rows[i], &row))
			require.NoError(t, json.Unmarshal(fields[i], &text))
			require.GreaterOrEqual(t, len(row), 12)
			assert.EqualValues(t, i+1, row[0])
			assert.Less(t, d.Ends[int(row[2].(float64))], len(d.Lanes))
			assert.NotEmpty(t, d.Commands[int(row[4].(float64))])
			if len(trees[i]) <= maxTree {
				assert.Equal(t, trees[i], text)
			} else {
				assert.Contains(t, text, "(more: dplay decode -V)")
			}
		}
		if sum.Messages >= 8 {
			assert.Contains(t, string(rows[5]), `,[0],[`, "message 6 has a finding")
		}
	}
}

// TestReportSearch: a page says that there are no findings only where somebody looked for them.
func TestReportSearch(t *testing.T) {
	for looked, want := range map[bool][2]string{
		false: {`<p class="sub">Findings were not looked for.</p>`, "<b>-</b>"},
		true:  {`<p class="good">No findings.</p>`, "<b>0</b>"},
	} {
		page := written(t, NewReport(Options{Looked: looked}))
		assert.True(t, strings.Contains(page, want[0]), want[0])
		assert.True(t, strings.Contains(page, `<a href="#findings">Findings `+want[1]+"</a>"), want[1])
		assert.Equal(t, looked, strings.Contains(page, "No findings."))
	}
	page := written(t, NewReport(Options{Findings: marked()}))
	assert.False(t, strings.Contains(page, "looked for"))
	assert.True(t, strings.Contains(page, `<a href="#findings">Findings <b>2</b></a>`))
}

// TestReportPolicy: the page forbids itself everything but its own scripts and styles, which are as the policy says.
func TestReportPolicy(t *testing.T) {
	page := written(t, newScript(Options{}).say(0, alice, bob, 36, &wire.Chat{}).r)
	m := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	require.NotNil(t, m)
	policy := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(m[1])
	assert.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	assert.NotContains(t, policy, "unsafe")
	count := 0
	for _, s := range regexp.MustCompile(`(?s)<(?:style|script)>(.*?)</(?:style|script)>`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, policy, hash(s[1]))
		count++
	}
	assert.Equal(t, 6, count, "two styles, four scripts")
	assert.Equal(t, count, strings.Count(policy, "'sha256-"))
	assert.NotRegexp(t, `(?i)<[^>]*\s(on\w+|style)=`, page[:strings.Index(page, "<main>")], "nothing that the policy would forbid")
	assert.NotRegexp(t, `<(link|img|iframe|object|embed|base)\b`, page)
	assert.Contains(t, page, "About &lt;this&gt;.")
	assert.Contains(t, page, "Permission is hereby granted", "the licence of uPlot")
}

// TestUPlot holds the embedded library against the version that its README names.
func TestUPlot(t *testing.T) {
	readme, err := os.ReadFile("uplot/README.md")
	require.NoError(t, err)
	version := regexp.MustCompile(`^# uPlot (\S+)\n`).FindSubmatch(readme)
	require.NotNil(t, version)
	assert.Contains(t, uplotJS[:200], "(v"+string(version[1])+")")
	assert.NotContains(t, uplotJS+listJS+plotsJS+reportJS, "</script")
	assert.NotContains(t, uplotLicense, "--", "it stands in a comment")
	assert.NotContains(t, uplotJS+listJS+plotsJS+reportJS+uplotCSS+reportCSS+svgStyle, "\r", "a browser would hash it otherwise")
}

// TestReportHostile: no text of a capture gets out of where it stands.
func TestReportHostile(t *testing.T) {
	for _, name := range append(hostile, "</script><script>x", "<!--<script>", "{{.}}`${x}") {
		s := newScript(Options{Title: name, Findings: []doctor.Finding{{Code: doctor.Code(name), Text: name, Cause: name, Advice: name, Evidence: []doctor.Evidence{{N: 1, Value: name}}}}})
		s.say(0, alice, bob, 99, &wire.Chat{From: 1, Text: wire.NewText(name)})
		s.b.players.list = append(s.b.players.list, &Player{Player: captures.Player{
			ID: 7, Name: name, Names: []captures.Naming{{Name: name}}, Machine: alice}})
		page := written(t, s.r)
		top, _, _ := strings.Cut(page, "<script>"+uplotJS[:20])
		assert.Equal(t, 1, strings.Count(top, `<script type="application/json"`))
		assert.Equal(t, 3, strings.Count(top, "<script"), "data, list, fields")
		assert.Equal(t, 3, strings.Count(top, "</script"))
		assert.Equal(t, captures.Printable(name), dataOf(t, page).Title)
	}
}

// TestReportLimits: a list that is full takes no more, and says so.
func TestReportLimits(t *testing.T) {
	s := newScript(Options{})
	s.say(0, alice, bob, 36, &wire.Chat{})
	s.r.rows.count = maxReportRows
	s.say(0, alice, bob, 36, &wire.Chat{})
	s.r.rows.count = 1
	s.r.rows.fields.octets += maxReportOctets + 1
	s.say(0, alice, bob, 36, &wire.Chat{})
	page := written(t, s.r)
	assert.Equal(t, 1, dataOf(t, page).Rows)
	assert.True(t, strings.Contains(page, "The list has the first 1 messages; 2 more are left out."))
}

// failing takes some octets.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// TestReportFails: an output that fails is told, wherever that happens.
func TestReportFails(t *testing.T) {
	make := func() *Report { return newScript(Options{}).say(0, alice, bob, 36, &wire.Chat{}).r }
	whole := len(written(t, make()))
	for left := 0; left < whole; left += whole / 50 {
		require.ErrorIs(t, make().Write(&failing{left}, []string{"About <this>."}), io.ErrShortWrite)
	}
}
