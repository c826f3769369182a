package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/simulated"
	"dplay4/internal/processor"
	"dplay4/internal/sim"
)

// short are flags of a run that takes a moment, and in which nothing may be violated.
var short = []string{"simulate", "--seed", "18", "--members", "4", "--faults", "crash,churn", "--flags", "migratehost,keepalive",
	"--rule", "dplay4"}

// TestSimulate holds what a run prints against what happened in it.
func TestSimulate(t *testing.T) {
	t.Parallel()
	got := dplay(t, short...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Empty(t, got.err)
	assert.True(t, strings.HasPrefix(got.out, "seed 18: 4 machines, "), got.out)
	assert.Contains(t, got.out, "flags migratehost,keepalive; faults crash,churn; loss 0%")
	for _, want := range []string{
		`0.000s  A   host       opens the session "game1"`, "  joined as 0x", "  crash  ",
		"*   quiet      the faults end", "\nhosts gone ",
		"\nconnections broken 0; members thrown out 0, out for a reason ",
		"\ntime to a new host: median ", "\nviolations 0; hash ", "\nmembers without a host ", "\nguaranteed messages ",
		": lost 0, doubled 0, out of order 0; lost for a reason ", "\nnew things said in the end ", ", not heard 0, failed 0; memberships lost 0",
	} {
		assert.Contains(t, got.out, want)
	}
	assert.Equal(t, got, dplay(t, short...), "the same again")
	other := append([]string(nil), short...)
	other[2] = "19"
	assert.NotEqual(t, got.out, dplay(t, other...).out)
}

// TestSimulateJSON reads every line of a run.
func TestSimulateJSON(t *testing.T) {
	got := dplay(t, append(short, "--format", "ndjson")...)
	assert.Equal(t, exitOK, got.status, got.err)
	types := map[string]int{}
	last := -1.0
	for line := range strings.Lines(got.out) {
		var o simulated.Line
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&o), line)
		types[o.Type]++
		switch o.Type {
		case "run":
			assert.EqualValues(t, 18, *o.Seed)
			assert.Equal(t, 4, o.Members)
			assert.Equal(t, "crash,churn", o.Faults)
			assert.Zero(t, *o.Loss)
		case "moment":
			require.NotNil(t, o.Time, line)
			assert.GreaterOrEqual(t, *o.Time, last)
			last = *o.Time
			assert.NotEmpty(t, o.Machine+o.Kind+o.Text)
		case "statistics":
			assert.Len(t, o.Hash, 32)
			assert.Zero(t, *o.Violations)
			assert.Positive(t, o.Numbers["steps"])
			assert.Contains(t, o.Numbers, "thrown_out")
			for _, key := range []string{"out_silent", "lost_broke", "out_of_order_links", "shortcuts_lost"} {
				assert.Contains(t, o.Numbers, key)
			}
			assert.Positive(t, o.Numbers["guaranteed"])
			assert.Positive(t, o.Numbers["said"])
			assert.Zero(t, o.Numbers["lost"]+o.Numbers["doubled"]+o.Numbers["out_of_order"]+o.Numbers["unheard"])
			require.NotNil(t, o.NoHost)
			assert.GreaterOrEqual(t, o.NoHost.Count, o.NewHost.Count)
			assert.GreaterOrEqual(t, o.NoHost.Total, o.NoHost.Worst)
		}
	}
	assert.Equal(t, 1, types["run"])
	assert.Equal(t, 1, types["statistics"])
	assert.Greater(t, types["moment"], 20)
	assert.Len(t, types, 3)
}

// TestSimulateSVG draws a run and reads the picture: a lane a machine, bars for hosts, marks for crashes.
func TestSimulateSVG(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.svg")
	got := dplay(t, append(short, "--svg", file)...)
	require.Equal(t, exitOK, got.status, got.err)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	classes := map[string]int{}
	var texts []string
	dec := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			for _, a := range x.Attr {
				switch a.Name.Local {
				case "class":
					classes[x.Name.Local+"."+a.Value]++
				case "x", "width", "cx", "height":
					assert.NotContains(t, a.Value, "-", "nothing is left of or above the picture")
					assert.NotContains(t, a.Value, "N", "NaN")
				}
			}
		case xml.CharData:
			texts = append(texts, string(x))
		}
	}
	for _, lane := range []string{"A", "B", "C", "D"} {
		assert.Contains(t, texts, lane)
	}
	assert.Greater(t, classes["rect.host"], 1, "a host, and one in the legend")
	assert.Greater(t, classes["rect.member"], 3)
	assert.Greater(t, classes["path.x"], 1, "crashes")
	assert.NotContains(t, classes, "circle.violation")
	style := strings.Join(texts, "")
	assert.Contains(t, style, "prefers-color-scheme:dark")
	for name := range classes { // every class has its colours, in both schemes if it has a fill
		_, class, _ := strings.Cut(name, ".")
		for _, c := range strings.Fields(class) {
			assert.Contains(t, style, "."+c+"{", name)
		}
	}
	got = dplay(t, append(short, "--svg", filepath.Join(file, "no", "such.svg"))...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "dplay: open ")
}

// TestSimulateSpeed holds that the steps of a second are those of a second of processor time: here many runs share one processor.
func TestSimulateSpeed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := processor.Time()
	got := dplay(t, "simulate", "--seed", "18", "--members", "3", "--faults", "none", "--runs", "16", "--jobs", "8")
	all := processor.Time() - before
	var steps, each float64
	_, err := fmt.Sscanf(got.err, "%f steps, %f a second and core\n", &steps, &each)
	require.NoError(t, err, got.err)
	assert.LessOrEqual(t, steps/each, all.Seconds()*1.01, "more than the process had")
}

// TestSimulateRuns prints a table, the same with one and with several runs at a time.
func TestSimulateRuns(t *testing.T) {
	t.Parallel()
	args := []string{"simulate", "--seed", "18", "--members", "3", "--faults", "none", "--runs", "6", "--rule", "dplay4"}
	got := dplay(t, append(args, "--jobs", "1")...)
	assert.Equal(t, got.out, dplay(t, append(args, "--jobs", "3")...).out)
	assert.Regexp(t, `^[1-9]\d+ steps, [1-9]\d+ a second and core\n$`, got.err)
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	require.Len(t, lines, 13, got.out)
	assert.Empty(t, lines[6])
	for i, loss := range []string{"0%", "1%", "5%", "20%"} {
		f := strings.Fields(lines[2+i])
		require.Len(t, f, 14, lines[2+i])
		assert.Equal(t, []string{"dplay4", loss}, f[:2])
		assert.Equal(t, map[int]string{0: "2", 1: "2", 2: "1", 3: "1"}[i], f[2], "6 runs, four lines")
		f = strings.Fields(lines[9+i])
		require.Len(t, f, 17, lines[9+i])
		assert.Equal(t, []string{"dplay4", loss}, f[:2])
		assert.NotEqual(t, "0", f[4], "guaranteed messages")
	}
	got = dplay(t, append(args, "--runs", "4", "--format", "ndjson")...)
	rows := 0
	for line := range strings.Lines(got.out) {
		var o simulated.Line
		require.NoError(t, json.Unmarshal([]byte(line), &o), line)
		assert.Equal(t, "row", o.Type)
		assert.Equal(t, "dplay4", o.Rule)
		rows++
	}
	assert.Equal(t, 4, rows)
}

// TestSimulateDrawn prints one line for runs as their seeds draw them, in sessions with the reliable protocol.
func TestSimulateDrawn(t *testing.T) {
	t.Parallel()
	args := []string{"simulate", "--seed", "18", "--members", "3", "--faults", "none", "--runs", "3", "--drawn"}
	got := dplay(t, args...)
	lines := strings.Split(strings.TrimSuffix(got.out, "\n"), "\n")
	require.Len(t, lines, 7, got.out)
	assert.Equal(t, []string{"drawn", "drawn", "3"}, strings.Fields(lines[2])[:3])
	framed := dplay(t, append(args, "--frames", "--format", "ndjson")...)
	var o simulated.Line
	require.NoError(t, json.Unmarshal([]byte(framed.out), &o), framed.out)
	assert.Equal(t, "drawn", o.Rule)
	assert.Nil(t, o.Loss)
	assert.Equal(t, 3, o.Numbers["runs"])
	assert.NotContains(t, framed.out, dplay(t, append(args, "--format", "ndjson")...).out)
}

// TestSimulateInterrupted checks that an interrupt ends many runs, with a status that says so.
func TestSimulateInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	status := run(ctx, []string{"simulate", "--runs", "100000"}, nil, &out, &errs)
	assert.Equal(t, exitInput, status)
	assert.Contains(t, errs.String(), "interrupted")
}

// TestSimulateStatus holds every way to get the command line wrong against its exit status and message.
func TestSimulateStatus(t *testing.T) {
	for _, c := range []struct {
		args []string
		err  string
	}{
		{[]string{"x"}, "unknown command"},
		{[]string{"--seed", "x"}, "--seed x: it takes a whole number from 0, such as 3"},
		{[]string{"--members", "1"}, "there are 2 to 64"},
		{[]string{"--members", "65"}, "there are 2 to 64"},
		{[]string{"--members", "3", "--legacy", "4"}, "4 legacy members of 3"},
		{[]string{"--older", "-1"}, "-1 members of an older release"},
		{[]string{"--older", "65", "--runs", "2"}, "65 members of an older release"},
		{[]string{"--older", "3", "--members", "4", "--legacy", "2"}, "at most 2 can have an older release"},
		{[]string{"--faults", "rain"}, `no fault is called "rain"`},
		{[]string{"--loss", "51"}, "percent from 0 to 50"},
		{[]string{"--loss", "nan"}, "percent from 0 to 50"},
		{[]string{"--objects", "-1"}, "there are 0 to 1000"},
		{[]string{"--minutes", "0"}, "more than nothing"},
		{[]string{"--minutes", "1"}, "is too short"},
		{[]string{"--minutes", "1e9"}, "a week at most"},
		{[]string{"--rule", "lottery"}, "must be modern or dplay4"},
		{[]string{"--flags", "nope"}, "no session flag"},
		{[]string{"--runs", "0"}, "at least one"},
		{[]string{"--runs", "1000001"}, "a million at most"},
		{[]string{"--jobs", "-1"}, "at least one"},
		{[]string{"--runs", "8", "--svg", "x.svg"}, "do not go with --runs"},
		{[]string{"--runs", "8", "--trace"}, "do not go with --runs"},
		{[]string{"--runs", "8", "--loss", "5"}, "does not go with it"},
		{[]string{"--drawn"}, "give --runs as well"},
	} {
		got := dplay(t, append([]string{"simulate"}, c.args...)...)
		assert.Equal(t, exitUsage, got.status, "%v: %s", c.args, got.err)
		assert.Contains(t, got.err, c.err, "%v", c.args)
		assert.Empty(t, got.out)
	}
}

// TestSimulateHelp checks that help shows every flag and fault, and that the program takes every example.
func TestSimulateHelp(t *testing.T) {
	help := dplay(t, "simulate", "--help").out
	for _, want := range append(sim.FaultNames(), "--seed N", "--members N", "--legacy N", "--older N", "--faults NAME,...", "--loss PERCENT",
		"--objects N", "--minutes N",
		"--rule modern|dplay4", "--flags NAME,...", "--trace", "--format text|ndjson", "--svg FILE", "--frames", "--runs N", "--drawn", "--jobs N",
		"--no-progress", "Exit status:") {
		assert.Contains(t, help, want)
	}
	assert.NotContains(t, help, "(default 0", "the seed draws what is not said")
	assert.Contains(t, dplay(t, "__complete", "simulate", "--faults", "").out, "none\nall\nloss\n")
	assert.Equal(t, "svg\n:8\n", dplay(t, "__complete", "simulate", "--svg", "").out)
	assert.Equal(t, "modern\ndplay4\n:4\n", dplay(t, "__complete", "simulate", "--rule", "").out)
}
