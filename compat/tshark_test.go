package compat_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// rounds is how often every message is drawn: enough that each flag is seen set and clear, and each dialect,
// token and algorithm is seen. The test checks that it is.
const rounds = 16

var (
	joiner = "10.0.0.1:1045"
	host   = "10.0.0.2:2300"
	helper = "10.0.0.2:47624" // where hosts listen for enumerations
)

// A sent is a message of the capture.
type sent struct {
	sample
	round   int
	frame   int
	octets  []byte
	payload int // where in the frame the message begins
}

// TestTsharkAgrees draws messages of every command that tshark decodes fully, writes them to a capture, each
// in a segment or datagram of its own, and compares every field that tshark shows with what package wire
// decodes from the same octets: that it stands at the same place, has the same size and value. Nothing may be
// shown that the tables do not have, and no field may be left out that TsharkOmissions does not have.
func TestTsharkAgrees(t *testing.T) {
	program := findTshark(t)
	t.Logf("tshark %s", program.version)
	var all []sent
	packets := program.decode(t, func(c *madeup.Network) { all = writeSamples(t, c) })
	o := newOracle(program)
	for _, s := range all {
		t.Run(fmt.Sprintf("%v/%d", s.message.Command(), s.frame), func(t *testing.T) {
			o.compare(t, packets[s.frame-1], s)
		})
	}
	o.complete(t)
}

// writeSamples writes the capture of the test.
func writeSamples(t *testing.T, c *madeup.Network) []sent {
	t.Helper()
	d := newDraw(1)
	conn := c.Dial(joiner, host)
	var all []sent
	for round := range rounds {
		for _, s := range samples(d) {
			e := wire.Envelope{HasSP: true, SP: wire.SPHeader{Token: d.token(), SockAddr: d.sockAddr()},
				Version: s.version, Message: s.message}
			octets, err := e.Append(nil)
			require.NoError(t, err)
			if s.udp {
				c.UDP(joiner, helper, octets)
				all = append(all, sent{s, round, c.Frames, octets, madeup.UDPPayload})
			} else {
				conn.Send(octets)
				all = append(all, sent{s, round, c.Frames, octets, madeup.TCPPayload})
			}
		}
	}
	conn.Close()
	return all
}

// An oracle compares, and counts what it has compared.
type oracle struct {
	program tshark
	strict  bool // every listed difference has to be there
	rows    map[string]*compat.TsharkField
	used    map[string]int
	bits    map[string][2]bool // by field: seen clear, seen set
	names   map[string]bool    // rows of TsharkNames that were seen
	omitted map[string]bool
}

func newOracle(program tshark) *oracle {
	o := &oracle{program: program, strict: strings.HasPrefix(program.version, compat.TsharkStrict+"."),
		rows: map[string]*compat.TsharkField{}, used: map[string]int{}, bits: map[string][2]bool{},
		names: map[string]bool{}, omitted: map[string]bool{}}
	for i := range compat.TsharkFields {
		o.rows[compat.TsharkFields[i].Tshark] = &compat.TsharkFields[i]
	}
	return o
}

// compare holds one frame against the message that was sent in it.
func (o *oracle) compare(t *testing.T, p packet, s sent) {
	require.True(t, p.has("dplay"), "tshark sees no DirectPlay in frame %d", s.frame)
	require.False(t, p.has("_ws.malformed"), "tshark calls frame %d malformed", s.frame)
	ours := leaves(t, s.octets)
	for _, f := range p.dplay() {
		row := o.rows[f.Name]
		if !assert.NotNil(t, row, "tshark shows %s = %s, which TsharkFields does not have", f.Name, f.Show) {
			continue
		}
		i := slices.IndexFunc(ours, func(l leaf) bool {
			offset, size := l.part(row.Form)
			return l.is(row.Wire) && s.payload+wire.SPHeaderSize+offset == f.Pos && size == f.Size
		})
		if !assert.GreaterOrEqual(t, i, 0, "tshark shows %s = %s, %d octets at %d of frame %d; package wire has no %s there",
			f.Name, f.Show, f.Size, f.Pos, s.frame, row.Wire) {
			continue
		}
		ours[i].claimed = true
		o.value(t, f, row, &ours[i])
	}
	for _, l := range ours {
		if !l.claimed && (l.within < 0 || !ours[l.within].claimed) {
			o.omission(t, s.message.Command(), l)
		}
	}
}

// value compares one field.
func (o *oracle) value(t *testing.T, f pdmlField, row *compat.TsharkField, l *leaf) {
	show := f.Show
	if row.Form == compat.Bit {
		show = boolean(show)
		seen := o.bits[f.Name]
		seen[l.Num&row.Mask/row.Mask] = true
		o.bits[f.Name] = seen
		if row.Name != "" {
			has := slices.Contains(strings.Split(l.Names(), "|"), row.Name)
			assert.Equal(t, l.Num&row.Mask != 0, has, "%s of %s in %q", row.Name, l.path, l.Names())
		}
	}
	o.used[f.Name]++
	want := l.print(row.Form, row.Mask)
	mended := !o.strict && row.Right != 0 && show == l.print(row.Right, row.Mask)
	if !mended {
		assert.Equal(t, want, show, "%s (tshark) against %s (wire)", f.Name, l.path)
	}
	if row.Error != "" {
		o.known(t, f, row, l, mended)
	}
	o.name(t, f, l)
}

// known checks that a listed error is really there.
func (o *oracle) known(t *testing.T, f pdmlField, row *compat.TsharkField, l *leaf, mended bool) {
	if row.Right != 0 {
		assert.NotEqual(t, l.print(row.Right, row.Mask), l.print(row.Form, row.Mask),
			"%s is listed as wrong (%s), but the value shows no difference", f.Name, row.Error)
	}
	if mended || !o.strict {
		return
	}
	assert.Contains(t, f.ShowName, row.Label, "%s is listed as wrongly labelled (%s)", f.Name, row.Error)
}

// name compares what the two call a value.
func (o *oracle) name(t *testing.T, f pdmlField, l *leaf) {
	for _, n := range compat.TsharkNames {
		if n.Tshark == f.Name && n.Value == l.Num {
			o.names[fmt.Sprintf("%s %d", n.Tshark, n.Value)] = true
			assert.Equal(t, n.Wire, l.Names(), "what package wire calls %d of %s", l.Num, l.path)
			if o.strict || n.Error == "" {
				assert.Equal(t, n.Says, f.valueName(), "what tshark calls %d of %s", l.Num, f.Name)
			}
			return
		}
	}
	if f.Name == "dplay.command" {
		assert.Equal(t, plain(l.Names()), plain(f.valueName()), "names of command %d", l.Num)
	}
}

// omission accepts a field that tshark leaves out only if it is listed.
func (o *oracle) omission(t *testing.T, cmd wire.Command, l leaf) {
	for _, x := range compat.TsharkOmissions {
		if x.Command == cmd && x.Wire == l.path {
			o.omitted[cmd.String()+"."+l.path] = true
			return
		}
	}
	assert.Fail(t, "tshark does not show a field", "%v.%s at %d; TsharkOmissions does not have it", cmd, l.path, l.Offset)
}

// complete checks that the messages have shown everything that the tables claim.
func (o *oracle) complete(t *testing.T) {
	for _, row := range compat.TsharkFields {
		assert.Positive(t, o.used[row.Tshark], "no message shows %s", row.Tshark)
		if row.Form == compat.Bit {
			assert.Equal(t, [2]bool{true, true}, o.bits[row.Tshark], "%s was not seen both clear and set", row.Tshark)
		}
	}
	for _, n := range compat.TsharkNames {
		if n.Tshark != "dplay.command" { // TestTsharkBodies sends all of them
			assert.True(t, o.names[fmt.Sprintf("%s %d", n.Tshark, n.Value)], "no message shows %s %d", n.Tshark, n.Value)
		}
	}
	if o.strict {
		for _, x := range compat.TsharkOmissions {
			assert.True(t, o.omitted[x.Command.String()+"."+x.Wire], "tshark shows %v.%s, which is listed as left out", x.Command, x.Wire)
		}
	}
}

// TestTsharkErrorsAreReferred checks that the lists belong together: every error is shown by a row, every row
// names an error that is listed and says what is wrong.
func TestTsharkErrorsAreReferred(t *testing.T) {
	listed := map[string]bool{}
	for _, e := range compat.TsharkErrors {
		assert.False(t, listed[e.Key], "%s is listed twice", e.Key)
		assert.NotEmpty(t, e.Reason, e.Key)
		listed[e.Key] = true
	}
	referred := map[string]bool{}
	for _, row := range compat.TsharkFields {
		if row.Error == "" {
			assert.True(t, row.Right == 0 && row.Label == "", "%s says what is wrong, but not which error it is", row.Tshark)
			continue
		}
		assert.True(t, listed[row.Error], "%s shows the error %s, which is not listed", row.Tshark, row.Error)
		assert.True(t, row.Right != 0 || row.Label != "", "%s does not say what is wrong", row.Tshark)
		referred[row.Error] = true
	}
	for _, n := range compat.TsharkNames {
		if n.Error != "" {
			assert.True(t, listed[n.Error], "%s %d shows the error %s, which is not listed", n.Tshark, n.Value, n.Error)
			assert.NotEqual(t, plain(n.Wire), plain(n.Says), "%s %d is listed as named differently", n.Tshark, n.Value)
			referred[n.Error] = true
		}
	}
	for _, e := range compat.TsharkErrors {
		assert.True(t, referred[e.Key], "no row shows the error %s", e.Key)
	}
}

// boolean brings the ways in which versions of tshark print a flag to one.
func boolean(s string) string {
	if b, err := strconv.ParseBool(strings.ToLower(s)); err == nil && b {
		return "1"
	} else if err == nil {
		return "0"
	}
	return s
}

// plain makes names comparable that differ in case, spaces and underscores only.
func plain(s string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "_", "").Replace(s))
}
