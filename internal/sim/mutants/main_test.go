package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/sim"
)

func TestCommandLine(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"--minutes 0.5 --jobs 4 --want 3 --only a,b --base 7 --format json --json FILE", ""},
		{"x", `it takes no argument, and got "x"`},
		{"--minutes 0", "--minutes 0: 0.01 to 1440"},
		{"--minutes NaN", "0.01 to 1440"},
		{"--jobs 0", "--jobs 0: 1 to 256"},
		{"--want -2", "--want -2: a number of mutants, or -1"},
		{"--format xml", `--format "xml": text, markdown or json`},
		{"--nonsense", "nonsense"},
	} {
		got, err := parse(strings.Fields(c.args), io.Discard)
		if c.want == "" {
			require.NoError(t, err, c.args)
			assert.Equal(t, c.args != "", len(got.only) == 2, c.args)
			continue
		}
		assert.ErrorAs(t, err, new(usageError), c.args)
		assert.ErrorContains(t, err, c.want, c.args)
	}
	var help bytes.Buffer
	_, err := parse([]string{"--help"}, &help)
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.Contains(t, help.String(), "-minutes")
}

func TestChoose(t *testing.T) {
	l := &list{want: 1, mutants: []mutant{{name: "a"}, {name: "b"}}}
	all, want, err := (&config{want: -1}).choose(l)
	require.NoError(t, err)
	assert.Len(t, all, 2)
	assert.Equal(t, 1, want)
	some, want, err := (&config{want: -1, only: []string{"b"}}).choose(l)
	require.NoError(t, err)
	assert.Equal(t, []mutant{{name: "b"}}, some)
	assert.Zero(t, want)
	_, _, err = (&config{only: []string{"c"}}).choose(l)
	assert.ErrorAs(t, err, new(usageError))
	assert.ErrorContains(t, err, `no mutant is called "c"; there are a, b`)
}

// TestSchedule: kept seeds take turns with new ones, of which each fourth is in frames, and no run comes twice.
func TestSchedule(t *testing.T) {
	files := fstest.MapFS{
		"failed-seeds.txt":   {Data: []byte("# seeds\n1000 found something\n2000\n1000 something else\n")},
		"failed-lobbies.txt": {Data: []byte("3000\n")},
		"failed-frames.txt":  {Data: []byte("4000\n")},
		"splits.txt":         {Data: []byte("5000\n")},
	}
	s, err := newSchedule(files, 10)
	require.NoError(t, err)
	var got []string
	for i := range 15 {
		got = append(got, s.at(i).String())
	}
	assert.Equal(t, []string{
		"frames 4000", "held 10", "lobby 3000", "held 11", "first 1000", "held 12", "objects 1000", "frames 13",
		"first 2000", "held 14", "objects 2000", "held 15", "held 16", "frames 17", "held 18",
	}, got)

	files["failed-others.txt"] = &fstest.MapFile{Data: []byte("1\n")}
	_, err = newSchedule(files, 10)
	assert.ErrorContains(t, err, "failed-others.txt: keptKinds in schedule.go does not have the kind")
	_, err = newSchedule(fstest.MapFS{"failed-seeds.txt": {Data: []byte("one\n")}}, 10)
	assert.ErrorContains(t, err, `failed-seeds.txt: line 1: "one" is no seed`)
	_, err = newSchedule(fstest.MapFS{}, 10)
	assert.ErrorContains(t, err, "there are no files")

	s, err = newSchedule(os.DirFS(filepath.Join(root, "internal", "sim", "testdata")), 1)
	require.NoError(t, err, "the files of the tree")
	kinds := map[sim.Kind]bool{}
	for _, r := range s.kept {
		kinds[r.kind] = true
		_, err := r.kind.Options(r.seed)
		require.NoError(t, err)
	}
	assert.Len(t, kinds, 5)
}

// TestWorker simulates real runs: what a worker reports is what the simulator says.
func TestWorker(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, work(strings.NewReader("held 3\nobjects 3\n"), &out))
	d := json.NewDecoder(&out)
	for _, kind := range []sim.Kind{sim.Held, sim.Swapped} {
		o, err := kind.Options(3)
		require.NoError(t, err)
		want, err := sim.Run(o)
		require.NoError(t, err)
		var got report
		require.NoError(t, d.Decode(&got))
		assert.Equal(t, want.Hash, got.Hash)
		assert.Empty(t, got.Rule, got.Text)
		assert.Positive(t, got.CPU)
	}
	assert.ErrorContains(t, work(strings.NewReader("held\n"), io.Discard), `"held" is no run`)
	assert.ErrorContains(t, work(strings.NewReader("walk 1\n"), io.Discard), `no kind of run is called "walk"`)
}

func TestReport(t *testing.T) {
	r := reportOf(&sim.Result{Hash: "1234", Names: []string{"A", "B"}, Violations: []sim.Violation{
		{At: 1500000000, Lane: 1, Rule: "told", Text: "there is no player"}, {Rule: "hosts"}}})
	assert.Equal(t, report{Hash: "1234", Rule: "told", Text: "at 1.500s, B: there is no player"}, r)
}

func TestTable(t *testing.T) {
	s := &summary{Minutes: 0.5, Unmutated: 40, Bad: 1, Caught: 1, Want: 1}
	sched := &schedule{kept: []simulated{{sim.Framed, 12}}, base: 1}
	for _, r := range []result{
		{mutant: &mutant{name: "first", rule: "one holds"}, caught: true, report: report{Rule: "told", Text: "at 1s, A: no"}, runs: 2, differ: 1, same: 1, seconds: 1.25},
		{mutant: &mutant{name: "second", rule: "another one holds"}, runs: 30, differ: 3, same: 27, seconds: 30},
	} {
		w := rowOf(&r, sched)
		s.Mutants = append(s.Mutants, w)
	}
	assert.Equal(t, "caught by frames 12 after 1.2 s: told: at 1s, A: no", s.Mutants[0].short())
	assert.Equal(t, "survived 30 runs in 30.0 s; 3 of 30 differ", s.Mutants[1].short())
	for format, want := range map[string]string{
		"text": "mutant  rule taken out     caught by        seconds  runs  runs unlike the unmutated engine's\n" +
			"first   one holds          frames 12: told  1.2      2     1 of 2 differ\n" +
			"second  another one holds  survived         30.0     30    3 of 30 differ\n" +
			"\n1 of 2 mutants caught, 1 wanted, with 0.5 minutes of processor time each; the unmutated engine failed in 1 of 40 runs.\n",
		"markdown": "| mutant | rule taken out | caught by | seconds | runs | runs unlike the unmutated engine's |\n|---|---|---|---|---|---|\n" +
			"| first | one holds | frames 12: told | 1.2 | 2 | 1 of 2 differ |\n" +
			"| second | another one holds | survived | 30.0 | 30 | 3 of 30 differ |\n" +
			"\n1 of 2 mutants caught, 1 wanted, with 0.5 minutes of processor time each; the unmutated engine failed in 1 of 40 runs.\n",
	} {
		var b bytes.Buffer
		require.NoError(t, s.write(&b, format))
		assert.Equal(t, want, b.String())
	}
	c := &config{format: "json", json: filepath.Join(t.TempDir(), "mutants.json")}
	var b bytes.Buffer
	require.NoError(t, c.tell(s, &b))
	file, err := os.ReadFile(c.json)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(file))
	var again summary
	require.NoError(t, json.Unmarshal(file, &again))
	assert.Equal(t, *s, again)
	s.Want = 2
	assert.ErrorIs(t, c.tell(s, io.Discard), errFewer)
	c.json = filepath.Join(t.TempDir(), "no", "folder")
	assert.ErrorIs(t, c.tell(s, io.Discard), os.ErrNotExist)
}
