package captures_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/annotate"
	"dplay4/captures/doctor"
	"dplay4/captures/draw"
	"dplay4/captures/internal/pcapfile"
	"dplay4/captures/replay"
	"dplay4/captures/show"
	"dplay4/internal/processor"
	"dplay4/internal/testkit"
)

// What one tool may take for one damaged capture. It is more than fifty times the processor time that the slowest tool took for
// any of 5,000 captures. Memory counts every octet that the tool ever asked for, so the heap never was larger than that.
const (
	damageTime   = 5 * time.Second // of the processor
	damageMemory = 256 << 20
)

// TestDamage puts damaged captures through decode, doctor, draw, replay and annotate, all in one process: none may panic,
// take longer or need more than that. "make damage" runs 50,000 (DPLAY_DAMAGE, from DPLAY_DAMAGE_BASE on). The seeds in
// testdata/damage-seeds.txt, which found something once, run always.
func TestDamage(t *testing.T) {
	n, base := damageCount(t)
	d := newDamager(t, 128<<10)
	c := &damageRun{t: t, ctx: testkit.Context(t)}
	known := damageSeeds(t)
	for _, seed := range known {
		c.run(seed, d.make(seed))
	}
	for i := range n {
		c.run(base+i, d.make(base+i))
		if (i+1)%5000 == 0 {
			t.Logf("%d of %d, %d failed", i+1, n, c.failed)
		}
	}
	t.Logf("%d damaged captures, %d of them known, through %d tools in all: %s", n+uint64(len(known)), len(known), c.runs, c.worst())
}

// damageCount returns how many damaged captures to make, and the first seed.
func damageCount(t *testing.T) (n, base uint64) {
	n, err := strconv.ParseUint(cmp.Or(os.Getenv("DPLAY_DAMAGE"), "20"), 0, 64)
	require.NoError(t, err)
	base, err = strconv.ParseUint(cmp.Or(os.Getenv("DPLAY_DAMAGE_BASE"), "1"), 0, 64)
	require.NoError(t, err)
	return n, base
}

// damageSeeds reads the seeds that found something once.
func damageSeeds(t *testing.T) (list []uint64) {
	b, err := os.ReadFile("testdata/damage-seeds.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		seed, err := strconv.ParseUint(word, 0, 64)
		require.NoError(t, err)
		list = append(list, seed)
	}
	return list
}

// A damageRun is what is measured.
type damageRun struct {
	t        *testing.T
	ctx      context.Context // ends with the deadline of all tests
	most     uint64          // the most octets that a tool asked for
	runs     int
	failed   int
	slowest  time.Duration // of the processor
	slowSeed uint64
	slowTool string
	buf      []byte
}

// worst returns the slowest tool and the largest need of memory, for the log.
func (c *damageRun) worst() string {
	return fmt.Sprintf("slowest %v of processor time (seed %d, %s), most memory asked for %d MiB",
		c.slowest.Round(time.Millisecond), c.slowSeed, c.slowTool, c.most>>20)
}

// run puts one capture through all tools.
func (c *damageRun) run(seed uint64, file []byte) {
	var found []doctor.Finding
	c.tool(seed, "decode", func() { c.decode(file) })
	c.tool(seed, "doctor", func() { found = c.doctor(file) })
	c.tool(seed, "draw", func() { c.draw(file, found) })
	c.tool(seed, "replay", func() { c.replay(file) })
	c.tool(seed, "annotate", func() { c.annotate(file) })
}

// tool runs one of them. If it hangs, the deadline of all tests ends the test and names it.
func (c *damageRun) tool(seed uint64, name string, do func()) {
	what := fmt.Sprintf("seed %d: %s", seed, name)
	asked, start := allocated(), processor.Time()
	done := make(chan struct{})
	err := "ended by what is said above" // unless do returns
	go func() {
		defer close(done)
		err = recovered(do)
	}()
	select {
	case <-done:
	case <-c.ctx.Done():
		c.t.Fatal(what + " hangs")
	}
	took, memory := processor.Time()-start, allocated()-asked
	c.runs++
	if took > c.slowest {
		c.slowest, c.slowSeed, c.slowTool = took, seed, name
	}
	c.most = max(c.most, memory)
	switch {
	case err != "":
	case took > damageTime:
		err = fmt.Sprintf("takes %v of processor time", took)
	case memory > damageMemory:
		err = fmt.Sprintf("needs %d MiB", memory>>20)
	default:
		return
	}
	c.failed++
	c.t.Errorf("%s: %s", what, err)
}

// allocated returns how many octets of memory the process has asked for since it began.
func allocated() uint64 {
	asked := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(asked)
	return asked[0].Value.Uint64()
}

// recovered does something and gives the panic that it ends with.
func recovered(do func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	do()
	return ""
}

// decode writes each message in every way there is.
func (c *damageRun) decode(file []byte) {
	line, tree, js, stats := show.Line{}, show.Tree{}, show.JSON{}, show.Stats{}
	sum, _ := captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(r *captures.Record) error {
		c.buf = line.Append(c.buf[:0], r)
		c.buf = tree.Append(c.buf[:0], r)
		c.buf = js.Append(c.buf[:0], r)
		stats.Add(r)
		return nil
	}, func(f *captures.Finding) { c.buf = show.AppendFinding(c.buf[:0], f) })
	c.buf = show.AppendSummary(c.buf[:0], sum)
	c.buf = stats.AppendText(stats.AppendJSON(c.buf[:0]))
}

// doctor judges, and gives what it found for the picture.
func (c *damageRun) doctor(file []byte) []doctor.Finding {
	r, _ := doctor.Examine(context.Background(), bytes.NewReader(file), doctor.Options{})
	c.buf = r.AppendText(c.buf[:0])
	c.buf, _ = r.AppendNDJSON(c.buf[:0])
	return r.Findings
}

// draw makes the page and all pictures.
func (c *damageRun) draw(file []byte, found []doctor.Finding) {
	p := draw.NewReport(draw.Options{Rows: 1000, Findings: found})
	captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(r *captures.Record) error {
		p.Add(r)
		return nil
	}, nil)
	if err := p.Write(io.Discard, nil); err != nil {
		panic(err)
	}
	d := p.Builder().Diagram()
	c.buf = d.AppendText(c.buf[:0], draw.TextOptions{Width: 120})
	c.buf = d.AppendSVG(c.buf[:0])
	c.buf = d.AppendMermaid(c.buf[:0])
}

// annotate writes the capture with comments, and reads that: the packets are the same, up to the same damage.
func (c *damageRun) annotate(file []byte) {
	notes, wrong := annotate.Read(context.Background(), bytes.NewReader(file), annotate.Options{})
	require.NotNil(c.t, notes, "%v", wrong)
	defer notes.Close()
	var out bytes.Buffer
	done, err := notes.Write(context.Background(), &out, bytes.NewReader(file), nil)
	if fe := new(pcapfile.FileError); errors.As(err, &fe) && fe.Field == "link type" {
		return // pcapng has no room for it
	}
	require.Equal(c.t, wrong == nil, err == nil, "%v %v", wrong, err)
	if out.Len() == 0 {
		require.Zero(c.t, done.Frames)
		return
	}
	before, err := pcapfile.NewReader(bytes.NewReader(file), "before")
	require.NoError(c.t, err)
	after, err := pcapfile.NewReader(&out, "after")
	require.NoError(c.t, err)
	for range done.Frames {
		want, err := before.Next()
		require.NoError(c.t, err)
		got, err := after.Next()
		require.NoError(c.t, err)
		require.True(c.t, bytes.Equal(want.Data, got.Data), "frame %d", want.Frame)
		got.Data, want.Data = nil, nil
		require.Equal(c.t, want, got)
	}
	_, err = after.Next()
	require.Equal(c.t, io.EOF, err)
}

// replay replays every machine.
func (c *damageRun) replay(file []byte) {
	all, err := replay.Read(context.Background(), bytes.NewReader(file), captures.Options{})
	if err != nil {
		return
	}
	r, err := all.Run(context.Background(), replay.Options{})
	if err != nil {
		panic(err)
	}
	for i := range r.Parties {
		c.buf = replay.AppendParty(c.buf[:0], &r.Parties[i], true)
	}
}
