package doctor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is a report with all that can be in one.
func sample() *Report {
	at := began.Add(1500 * time.Microsecond)
	return &Report{File: "a\x1b[1m.pcap", Start: began, Sessions: 1, Joins: 2, Messages: 9, Findings: []Finding{
		{Code: "session-full", Severity: Failure, Text: "x got no player in the session \"\u202eevil\x07\"", More: 3,
			Evidence: []Evidence{{Frame: 7, N: 2, Time: at, Message: "REQUESTPLAYERREPLY", Field: "Result", Value: "0x8877014a"}, {Frame: 8, Message: "SYN"}},
			Cause:    strings.Repeat("word ", 30), Advice: "wait"},
		{Code: "adapter-vpn", Severity: Warning, Text: "an adapter", Evidence: []Evidence{{Message: "adapter", Field: "ham0", Value: "25.1.2.3/8"}},
			Cause: "c", Advice: "d"},
	}}
}

// TestText checks the text, and that nothing in it upsets a terminal.
func TestText(t *testing.T) {
	want := `a�[1m.pcap: 2 findings, the most serious: x got no player in the session "�evil�"

1. failure: x got no player in the session "�evil�" [session-full]
   frame 7 at 0.001500 s: REQUESTPLAYERREPLY Result: 0x8877014a
   frame 8: SYN
   and 3 more
   Why: word word word word word word word word word word word word word word
        word word word word word word word word word word word word word word
        word word
   Do:  wait

2. warning: an adapter [adapter-vpn]
   adapter ham0: 25.1.2.3/8
   Why: c
   Do:  d
`
	assert.Equal(t, want, string(sample().AppendText(nil)))
}

// TestNDJSON checks the objects, and that findings can be read back.
func TestNDJSON(t *testing.T) {
	b, err := sample().AppendNDJSON(nil)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	require.Len(t, lines, 3)
	for i, want := range sample().Findings {
		var got struct {
			Type, File string
			Finding
		}
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &got))
		assert.Equal(t, "finding", got.Type)
		assert.Equal(t, sample().File, got.File)
		assert.Equal(t, want, got.Finding)
	}
	assert.NotContains(t, lines[1], `"frame"`, "a machine has no frames")
	assert.JSONEq(t, `{"type":"verdict","file":"a\u001b[1m.pcap","healthy":false,"findings":2,"sessions":1,"joins":2,"messages":9,
		"text":"2 findings, the most serious: x got no player in the session \"\u202eevil\u0007\""}`, lines[2])
}

// TestVerdict checks the line for each kind of report.
func TestVerdict(t *testing.T) {
	assert.Equal(t, "healthy: nothing was found that stands in the way of a game", (&Report{}).Verdict())
	assert.Equal(t, "1 finding: x", (&Report{Findings: []Finding{{Text: "x"}}}).Verdict())
	known := &Report{Findings: []Finding{{Text: "x", Severity: Information}}}
	assert.Equal(t, "healthy: nothing was found that stands in the way of a game", known.Verdict())
	assert.True(t, known.Healthy())
}

// TestInformation checks that what several pieces of information have in common stands once, under the last of them.
func TestInformation(t *testing.T) {
	r := &Report{}
	for _, code := range []Code{"a", "a", "b"} {
		r.Findings = append(r.Findings, Finding{Code: code, Severity: Information, Text: "text", Cause: "because of " + string(code), Advice: "nothing"})
	}
	text := string(r.AppendText(nil))
	assert.Equal(t, 1, strings.Count(text, "because of a"))
	assert.Equal(t, 1, strings.Count(text, "because of b"))
	assert.Less(t, strings.Index(text, "2. information"), strings.Index(text, "because of a"))
}

// TestSeverity checks the words, both ways.
func TestSeverity(t *testing.T) {
	for _, s := range []Severity{Information, Note, Warning, Failure} {
		b, err := s.MarshalText()
		require.NoError(t, err)
		var back Severity
		require.NoError(t, back.UnmarshalText(b))
		assert.Equal(t, s, back)
	}
	var s Severity
	assert.EqualError(t, s.UnmarshalText([]byte("bad")), `severity "bad": not information, note, warning or failure`)
	assert.Equal(t, "Severity(9)", Severity(9).String())
}
