package draw

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// crowded is a picture of many machines: those from the 24th on, and alice, say less than the others.
func crowded(t *testing.T, machines int) *Diagram {
	t.Helper()
	s := newScript(Options{Title: "crowded"})
	for i := range machines {
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}), 2300)
		for range 1 + max(0, maxLanes-i) {
			s.b.Add(s.record(peer, &wire.Unknown{Cmd: wire.Command(0x100 + i)}))
		}
	}
	return s.b.Diagram()
}

// TestOthers: machines without a lane are told by their addresses, in each kind of picture, and each message to one of them
// says to which.
func TestOthers(t *testing.T) {
	d := crowded(t, maxLanes+28)
	lane := &d.Lanes[maxLanes-1]
	require.Equal(t, Others, lane.Kind)
	require.Len(t, lane.Others, lane.Machines)
	assert.Equal(t, fmt.Sprintf("10.1.0.22 and %d more", lane.Machines-1), lane.Where())
	last := "10.1.0.51:2300"
	text := string(d.AppendText(nil, TextOptions{Width: 80}))
	assert.Contains(t, text, fmt.Sprintf("  X  others, %d machines; sent 0 messages:\n     10.1.0.22:2300, 10.1.0.23:2300,", lane.Machines))
	for _, line := range strings.Split(text[:strings.Index(text, "\n\n")], "\n") {
		assert.LessOrEqual(t, columns(line), 90, "%q", line)
	}
	assert.Regexp(t, `UNKNOWN.* \[10\.1\.0\.51:2300\]`, string(d.AppendText(nil, TextOptions{Width: 300})), "the row of the last one")
	for name, picture := range map[string]string{"text": text, "svg": string(d.AppendSVG(nil)), "mermaid": string(d.AppendMermaid(nil))} {
		assert.NotContains(t, picture, "others 29 machines", name)
		if name != "mermaid" { // that has no room for all
			assert.Contains(t, picture, last, name)
		}
		assert.Contains(t, picture, "10.1.0.23:2300", name)
	}
	six := Lane{Kind: Others, Machines: 9, Others: []string{`[2001:db8::1]:2300 "Bob"`}}
	assert.Equal(t, "2001:db8::1 and 8 more", six.Where())
	two := crowded(t, maxLanes)
	assert.Equal(t, "10.1.0.22:2300, 10.1.0.23:2300", two.Lanes[maxLanes-1].Where())
}

// TestOthersMany: of more machines than are listed the first ones are, and the others are counted.
func TestOthersMany(t *testing.T) {
	s := newScript(Options{})
	for i := range maxEndpoints + 500 {
		s.b.Add(s.record(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 2300), &wire.Chat{}))
	}
	lane := &s.b.Diagram().Lanes[maxLanes-1]
	assert.Len(t, lane.Others, maxOthers)
	assert.True(t, strings.HasSuffix(lane.rest(), fmt.Sprintf(" and %s more", grouped(lane.Machines-maxOthers))))
}

// TestOthersFold: a fold names a few of the machines that it hides.
func TestOthersFold(t *testing.T) {
	var a item
	for end := range 6 {
		b := item{Step: Step{Count: 1}, hidden: []int{end, end}}
		a.take(&b)
	}
	ends := newEndpoints()
	for i := range 6 {
		ends.list = append(ends.list, endpoint{})
		ends.list[i].At = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 2300)
	}
	b := Builder{ends: ends}
	assert.Equal(t, []string{"another machine", "10.0.0.1:2300", "10.0.0.2:2300", "…"}, b.hiddenNames(&a))
	step := Step{Kind: Fold, Count: 6, Min: 4, Max: 4, Others: []string{"10.0.0.1:2300"}}
	assert.Equal(t, "[10.0.0.1:2300] 6 messages, 4 octets", step.Details())
}
