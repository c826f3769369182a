package doctor

import (
	"cmp"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An example is a capture that was made for a rule, or a machine, and what the rule says of it.
type example struct {
	name    string
	capture func(n *network)
	live    *Live
	want    []string // the beginning of the text of each finding, in order; none: it must say nothing
	shows   []string // what the evidence of the findings must hold
	why     []string // what cause and advice of the findings must hold
	as      Severity // of the findings; 0: the rule's
	ends    bool     // the capture ends at once
	rest    bool     // other rules may speak as well
}

// examples are those of each rule; the test file of a rule puts them here.
var examples = map[Code][]example{}

// TestRules holds every rule against its examples: at least one of which it tells, and one that is nearly so.
func TestRules(t *testing.T) {
	for _, r := range rules {
		yes, no := 0, 0
		for _, e := range examples[r.code] {
			t.Run(string(r.code)+"/"+e.name, func(t *testing.T) { e.run(t, r.code) })
			if len(e.want) > 0 {
				yes++
			} else {
				no++
			}
		}
		assert.Positive(t, yes, "%s has no example", r.code)
		assert.Positive(t, no, "%s has no example of what it must not tell", r.code)
	}
	for code := range examples {
		_, ok := Explain(code)
		assert.True(t, ok, "examples of %s, which is no rule", code)
	}
}

func (e *example) run(t *testing.T, code Code) {
	var r *Report
	frames := 0
	if e.live != nil {
		r = ExamineLive(e.live)
	} else {
		n := newNetwork(t)
		e.capture(n)
		if e.ends {
			r = n.report()
		} else {
			r = n.examine()
		}
		frames = n.Frames
	}
	requireSound(t, r, frames)
	var got, rest []string
	shown, why := "", ""
	for _, f := range r.Findings {
		if f.Code != code {
			if f.Severity > Information {
				rest = append(rest, string(f.Code)+": "+f.Text)
			}
			continue
		}
		got = append(got, f.Text)
		why += f.Cause + "\n" + f.Advice + "\n"
		assert.Equal(t, cmp.Or(e.as, severityOf(code)), f.Severity)
		for _, v := range f.Evidence {
			shown += v.Message + " " + v.Field + "=" + v.Value + "\n"
		}
	}
	require.Len(t, got, len(e.want), "%q", got)
	for i, w := range e.want {
		assert.True(t, strings.HasPrefix(got[i], w), "%s\ninstead of\n%s", got[i], w)
	}
	for _, s := range e.shows {
		assert.Contains(t, shown, s)
	}
	for _, s := range e.why {
		assert.Contains(t, why, s)
	}
	if !e.rest {
		assert.Empty(t, rest)
	}
}

// severityOf returns the severity that a rule's findings have unless they know better.
func severityOf(code Code) Severity {
	for _, r := range rules {
		if r.code == code {
			return r.severity
		}
	}
	return 0
}

// requireSound checks what holds for every report: order, words, and evidence that is in the file.
func requireSound(t *testing.T, r *Report, frames int) {
	t.Helper()
	for i, f := range r.Findings {
		require.NotEmpty(t, f.Text)
		require.NotContains(t, f.Text, "  ")
		require.NotEmpty(t, f.Cause, "%s", f.Code)
		require.NotEmpty(t, f.Advice, "%s", f.Code)
		require.NotRegexp(t, `{[a-z]+}`, f.Cause+f.Advice+f.Brief(), "%s", f.Code)
		page, _ := Explain(f.Code)
		for _, name := range strings.Fields(f.section) {
			require.Contains(t, page, "\n### "+name+"\n\n", "%s", f.Code)
		}
		require.NotEmpty(t, f.Evidence, "%s", f.Code)
		require.LessOrEqual(t, len(f.Evidence), maxEvidence)
		require.GreaterOrEqual(t, f.More, 0)
		for _, e := range f.Evidence {
			require.Equal(t, frames > 0, e.Frame > 0, "%s: %+v", f.Code, e)
			require.LessOrEqual(t, e.Frame, frames)
		}
		if i > 0 {
			require.GreaterOrEqual(t, r.Findings[i-1].Severity, f.Severity, "the most serious first")
		}
	}
	require.Equal(t, len(r.Findings) == 0 || r.Findings[0].Severity == Information, r.Healthy())
}

// TestPages checks that each rule has a page in the manual, and each page a rule.
func TestPages(t *testing.T) {
	seen := map[Code]bool{}
	for _, c := range Codes() {
		assert.False(t, seen[c], "%s twice", c)
		seen[c] = true
		page, ok := Explain(c)
		require.True(t, ok, "%s has no page", c)
		assert.NotEmpty(t, Title(c))
		assert.True(t, strings.HasPrefix(page, "# "+Title(c)+"\n\n"), "%s", c)
		for _, part := range []string{"## How it is recognised", "## Why it happens", "## What to do"} {
			assert.Contains(t, page, "\n"+part+"\n\n", "%s", c)
		}
	}
	files, err := fs.Glob(pages, "docs/*.md")
	require.NoError(t, err)
	assert.Len(t, files, len(rules))
	_, ok := Explain("nothing")
	assert.False(t, ok)
	assert.Empty(t, Title("nothing"))
}

// healthy is a session that all goes well in: two joins, pings, game messages, a goodbye.
func healthy(n *network) {
	s := newSession(n)
	s.join(joinerIP, 0x100)
	s.join(thirdIP, 0x200)
	for tick := range uint32(4) {
		n.ping(hostIP, joinerIP, 1, tick)
		n.pong(joinerIP, hostIP, 0x100, tick)
	}
	s.n.conn(joinerIP+":4100", hostIP+":2300").send(game(2300, 0x101, 0, "hello"))
}

// TestHealthy checks that nothing is said about a session in which all goes well.
func TestHealthy(t *testing.T) {
	n := newNetwork(t)
	healthy(n)
	r := n.examine()
	assert.Empty(t, r.Findings)
	assert.Equal(t, "healthy: 1 session, 2 machines joined, 27 messages in all", r.Verdict())
}
