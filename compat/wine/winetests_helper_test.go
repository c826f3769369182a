//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// wineTestsSum is the SHA-256 of the file dplayx.c whose lines the list of known failures is about: Wine 10.0's.
const wineTestsSum = "81f286d5581f13286d2e476ebf50c74ed55da6a1317f62b82e83dcb7be608429"

// A wineFunction is one function of Wine's tests.
type wineFunction struct {
	name        string
	interactive bool // most of them host, which Wine itself cannot
}

// takesLongest is the name of the function that takes longest by far: three minutes on Windows.
const takesLongest = "test_interactive_EnumSessions"

// wineTests is what winetests.sh made.
type wineTests struct {
	arch      string
	program   []byte // runs the function that is its argument
	dll       []byte // that is tested; nil: Wine's own
	functions []wineFunction
}

// newWineTests reads what winetests.sh made, in the folder beside Wine's, and the DLL that is to be tested: "" is Wine's own.
func newWineTests(t *testing.T, arch, library string) *wineTests {
	t.Helper()
	root, err := wine.Root()
	missing(t, err)
	dir := root + "-tests"
	list, err := os.ReadFile(filepath.Join(dir, "functions.txt"))
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: Wine's own tests are not in %s (compat/wine/winetests.sh fetches them)", wine.ErrMissing, dir)
	}
	missing(t, err)
	source, err := os.ReadFile(filepath.Join(dir, "dplayx.c"))
	require.NoError(t, err)
	sum := sha256.Sum256(source)
	require.Equal(t, wineTestsSum, hex.EncodeToString(sum[:]), "Wine's tests are not those that the list of known failures is about")
	w := &wineTests{arch: arch}
	w.program, err = os.ReadFile(filepath.Join(dir, "winetests-"+arch+".exe"))
	require.NoError(t, err)
	if library != "" {
		w.dll, err = os.ReadFile(library)
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(list)) {
		kind, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		w.functions = append(w.functions, wineFunction{name, kind == "interactive"})
	}
	return w
}

// An outcome is how one function went.
type outcome struct {
	wineFunction
	ended            bool // by itself, with its summary
	crashed          bool
	executed, failed int
	lines            map[int]int // how often which line of dplayx.c failed
	output           string
	took             time.Duration
}

var (
	failedLine  = regexp.MustCompile(`(?m)^dplayx\.c:(\d+):.* Test failed: `)
	summaryLine = regexp.MustCompile(`(?m)^[0-9a-f]+:\w+: (\d+) tests? executed \(.*, (\d+) failures?\)`)
)

// newOutcome reads what Wine's tests print.
func newOutcome(f wineFunction, output string, timeout bool) outcome {
	o := outcome{wineFunction: f, output: output, lines: make(map[int]int)}
	for _, m := range failedLine.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(m[1]) // digits
		o.lines[line]++
	}
	if m := summaryLine.FindStringSubmatch(output); m != nil && !timeout {
		o.ended = true
		o.executed, _ = strconv.Atoi(m[1])
		o.failed, _ = strconv.Atoi(m[2])
	}
	o.crashed = !o.ended && !timeout
	return o
}

// tell shows what a failing function printed, as far as it matters.
func (o *outcome) tell(t *testing.T) {
	t.Helper()
	const enough = 40
	var lines []string
	for line := range strings.Lines(o.output) {
		if strings.Contains(line, ": Test failed: ") || !strings.HasPrefix(line, "dplayx.c:") {
			lines = append(lines, line)
		}
	}
	if len(lines) > enough {
		lines = slices.Insert(lines[:enough], enough-5, "...\n")
	}
	t.Logf("%s, %.1f s:\n%s", o.name, o.took.Seconds(), strings.Join(lines, ""))
}

// together is how many functions run at once: most of the time they wait.
const together = 4

// run runs all functions, the one first that takes longest.
func (w *wineTests) run(ctx context.Context, t *testing.T, lab *wine.Lab) []outcome {
	t.Helper()
	order := slices.Clone(w.functions)
	if i := slices.IndexFunc(order, func(f wineFunction) bool { return f.name == takesLongest }); i > 0 {
		order[0], order[i] = order[i], order[0]
	}
	functions := make(chan wineFunction)
	outcomes := make(chan outcome, len(order))
	var group sync.WaitGroup
	for range together {
		group.Go(func() {
			m, err := w.machine(ctx, lab)
			assert.NoError(t, err)
			for f := range functions {
				if err == nil {
					outcomes <- w.one(ctx, m, f)
				}
			}
		})
	}
	for _, f := range order {
		functions <- f
	}
	close(functions)
	group.Wait()
	close(outcomes)
	var all []outcome
	for o := range outcomes {
		all = append(all, o)
	}
	return all
}

// testedAddress has as many characters as that of the machine on which test_GetPlayerAddress was written, which counts octets.
const testedAddress = "192.0.2.111"

// testsPath is where the program is in a machine.
const testsPath = "/opt/dplay/winetests.exe"

// machine plugs in a machine that nobody else in the lab reaches, with the program and the DLL.
func (w *wineTests) machine(ctx context.Context, lab *wine.Lab) (*testedMachine, error) {
	plugged, err := lab.Wine(ctx, "tested")
	if err != nil {
		return nil, err
	}
	m, prefix := &testedMachine{plugged, slices.Clone(wine.WineEnvironment)}, wine.WinePrefix
	if w.arch == "amd64" {
		m.environment, prefix = slices.Clone(wine.WineEnvironment64), wine.WinePrefix64
	}
	m.environment = append(m.environment, "WINETEST_PLATFORM=windows")
	if err := m.Isolate(ctx, testedAddress); err != nil {
		return nil, err
	}
	if w.arch == "amd64" {
		if err := m.Boot(ctx, m.environment); err != nil {
			return nil, err
		}
	}
	if w.dll != nil { // its classes are registered with the name of this file
		if err := m.WriteFile(prefix+"/drive_c/windows/system32/dplayx.dll", w.dll); err != nil {
			return nil, err
		}
		m.environment = append(m.environment, "WINEDLLOVERRIDES=mscoree,mshtml=;dplayx=n")
	}
	return m, m.WriteFile(testsPath, w.program)
}

// A testedMachine is one that runs functions one after the other.
type testedMachine struct {
	*wine.Machine
	environment []string
}

// one runs one function. One that waits for what does not come ends with ctx.
func (w *wineTests) one(ctx context.Context, m *testedMachine, f wineFunction) outcome {
	cmd := m.Command(ctx, "wine", testsPath, f.name)
	cmd.Env = append(cmd.Env, m.environment...)
	if f.interactive {
		cmd.Env = append(cmd.Env, "WINETEST_INTERACTIVE=1")
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	_ = cmd.Run() // its status is the number of failures, which the summary says as well
	o := newOutcome(f, strings.ReplaceAll(output.String(), "\r\n", "\n"), ctx.Err() != nil)
	o.took = time.Since(start)
	return o
}

// totals are the sums of functions.
type totals struct{ functions, ended, crashed, executed, passed int }

func sum(all []outcome, interactive bool) totals {
	var s totals
	for _, o := range all {
		if o.interactive != interactive {
			continue
		}
		s.functions++
		s.executed += o.executed
		s.passed += o.executed - o.failed
		if o.ended {
			s.ended++
		}
		if o.crashed {
			s.crashed++
		}
	}
	return s
}

func (s totals) String() string {
	return fmt.Sprintf("%d of %d assertions pass, %d of %d functions end, %d crash",
		s.passed, s.executed, s.ended, s.functions, s.crashed)
}
