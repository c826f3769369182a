package captures_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/internal/madeup"
)

// A reading is what a capture gave.
type reading struct {
	t       testing.TB
	events  []string // records and findings as text, in order
	records []record
	sum     *captures.Summary
}

// A record is what tests ask of a captures.Record; it may be kept.
type record struct {
	frames       []int
	time         time.Time
	text         string // command and details
	raw          []byte
	conversation int
	session      string // its name
	json         string
	tree         string
}

// read reads the capture, checks what holds for every one, and gives what came out.
func (n *network) read(opt captures.Options) *reading {
	n.T.Helper()
	return readAll(n.T, n.Bytes(), opt)
}

func readAll(t testing.TB, file []byte, opt captures.Options) *reading {
	t.Helper()
	g := &reading{t: t}
	var err error
	g.sum, err = captures.Read(context.Background(), bytes.NewReader(file), opt, g.record, g.finding)
	require.NoError(t, err)
	requireBalanced(t, g.sum)
	return g
}

func (g *reading) record(r *captures.Record) error {
	g.t.Helper()
	require.Equal(g.t, len(g.records)+1, r.N, "records are numbered without gaps")
	requireSameOctets(g.t, r)
	var j show.JSON
	var tree show.Tree
	keep := record{
		frames: append([]int(nil), r.Frames...), time: r.Time, conversation: r.Conversation, raw: bytes.Clone(r.Raw),
		text: r.Command() + detailsOf(r), json: string(j.Append(nil, r)),
		tree: string(tree.Append(nil, r)),
	}
	require.True(g.t, json.Valid([]byte(keep.json)), keep.json)
	if r.Session != nil {
		keep.session = r.Session.Name
	}
	g.records = append(g.records, keep)
	g.events = append(g.events, fmt.Sprintf("%v %s", r.Frames, keep.text))
	for i := range r.Findings {
		g.events = append(g.events, "  "+place(&r.Findings[i]))
	}
	return nil
}

func (g *reading) finding(f *captures.Finding) { g.events = append(g.events, place(f)) }

// place writes a finding: code, frame, field, offset, text.
func place(f *captures.Finding) string {
	s := fmt.Sprintf("! %s frame %d", f.Code, f.Frame)
	if f.Field != "" {
		s += " " + f.Field
	}
	if f.Offset >= 0 {
		s += fmt.Sprintf(" @%d", f.Offset)
	}
	return s + ": " + f.Text
}

// want compares all that came out, a line each.
func (g *reading) want(lines string) {
	g.t.Helper()
	var want []string
	for _, l := range strings.Split(lines, "\n") {
		if strings.TrimSpace(l) != "" {
			want = append(want, strings.TrimLeft(l, "\t"))
		}
	}
	require.Equal(g.t, strings.Join(want, "\n"), strings.Join(g.events, "\n"))
}

// skipped gives an account of octets of which all but the decoded ones were skipped for one reason.
func account(decoded int, lost int, skipped ...int) captures.Account {
	a := captures.Account{Octets: int64(decoded), Decoded: int64(decoded), Lost: int64(lost)}
	for i := 0; i < len(skipped); i += 2 {
		a.Skipped[skipped[i]] = int64(skipped[i+1])
		a.Octets += int64(skipped[i+1])
	}
	return a
}

// The octets of messages.
var (
	sys, game, bare, message = madeup.System, madeup.Game, madeup.Bare, madeup.Message
	spData, sockAddr, encode = madeup.SPData, madeup.SockAddr, madeup.Encode
)

// besides are what lines say twice over here: the frames of a message, and what can be read in octets.
var besides = regexp.MustCompile(` frames=[0-9,-]+|( octets [0-9a-f]+(?:\.\.\.)?) "(?:[^"\\]|\\.)*"`)

// detailsOf returns what matters of a message.
func detailsOf(r *captures.Record) string {
	return besides.ReplaceAllString(string(show.Details(nil, r, show.PayloadHex)), "$1")
}
