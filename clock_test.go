package dplay4_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// timed are the folders, with what is below them if they end with "/...", and the files whose tests may have durations, and the
// reasons. No test may wait by the clock of the machine: it waits for an event with package testkit, which has the one deadline.
var timed = map[string]string{
	"internal/processor":             "the processor time that waiting takes",
	"internal/testkit":               "the deadline of all tests, and the time between two looks",
	"pingtimer":                      "its subject is time, which is an argument",
	"dpsp":                           "the engine's clock is an argument of Step",
	"dpsp/internal/...":              "the clock of its packages is an argument",
	"dpsp/reliable":                  "its clock is an argument",
	"dpsp/recording":                 "time stamps of packets",
	"dpsp/bridge/plan":               "its clock is an argument",
	"dpsp/bridge/filter":             "its clock is an argument",
	"dpsp/sock/internal/bench":       "its subject is time: it measures",
	"hostmigrate/...":                "its clock is an argument",
	"internal/sim":                   "its clock is made up",
	"internal/madeup":                "time stamps of packets",
	"captures/...":                   "time stamps of packets",
	"cmd/dplay/internal/browse":      "its clock is an argument",
	"cmd/dplay/internal/flags":       "it reads durations that users type",
	"cmd/dplay/internal/events":      "durations that events tell",
	"cmd/dplay/internal/filter":      "time stamps of packets",
	"cmd/dplay/internal/recorder":    "time stamps of packets, and how long a recording is to be",
	"compat/browser":                 "time stamps of packets",
	"compat/replay_test.go":          "the ping period of recorded engines is data",
	"compat/wine/migrate_test.go":    "the ping period of an engine is its setting",
	"dpsp/bridge/link/paths_test.go": "its clock is an argument",
	"cmd/dplay/internal/bridging":    "round trip times and time stamps, which it prints",
	"cmd/dplay/internal/bridgecheck": "times of answers, which it prints",
	"cmd/dplay/internal/relaying":    "rates over a time, which it prints",
	"compat/benchtshark":             "its subject is time: it measures, and makes time stamps of packets",
}

// measuring are the folders that may wait by the clock as well: the deadline itself, and benchmarks.
var measuring = []string{"internal/processor", "internal/testkit", "dpsp/sock/internal/bench"}

// durations are the constants of package time.
var durations = []string{"Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}

// waits are the functions that let a test wait for the clock of the machine, by package.
var waits = map[string][]string{
	"time":                                {"Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"context":                             {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
	"github.com/stretchr/testify/assert":  {"Eventually", "Eventuallyf", "EventuallyWithT", "EventuallyWithTf", "Never", "Neverf"},
	"github.com/stretchr/testify/require": {"Eventually", "Eventuallyf", "EventuallyWithT", "EventuallyWithTf", "Never", "Neverf"},
}

// socketWaits are methods of sockets that set a time limit.
var socketWaits = []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}

// isTimed reports whether the tests of a file may have durations.
func isTimed(file string) bool {
	if timed[file] != "" || timed[path.Dir(file)] != "" {
		return true
	}
	for f := path.Dir(file); f != "."; f = path.Dir(f) {
		if timed[f+"/..."] != "" {
			return true
		}
	}
	return false
}

// refuseClock returns the places of a test file that depend on the clock of the machine. In a file that imports testing/synctest
// the clock is made up.
func refuseClock(set *token.FileSet, tree *ast.File, file string) (wrong []string) {
	imported := map[string]string{}
	for _, i := range tree.Imports {
		pkg, _ := strconv.Unquote(i.Path.Value)
		if pkg == "testing/synctest" {
			return nil
		}
		local := path.Base(pkg)
		if i.Name != nil {
			local = i.Name.Name
		}
		imported[local] = pkg
	}
	kit := slices.Contains(measuring, path.Dir(file))
	add := func(n ast.Node, text string) {
		wrong = append(wrong, file+":"+strconv.Itoa(set.Position(n.Pos()).Line)+": "+text)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || kit {
				return true
			}
			switch pkg := imported[x.Name]; {
			case pkg == "time" && slices.Contains(durations, n.Sel.Name) && !isTimed(file):
				add(n, "a duration: wait for an event (internal/testkit), or name the file in timed, with the reason")
			case pkg != "" && slices.Contains(waits[pkg], n.Sel.Name):
				add(n, "waits by the clock: use internal/testkit, or a bubble of testing/synctest")
			}
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if ok && fixedPort(n, s, imported) {
				add(n, "opens a fixed port: use testkit.Addr, or port 0")
			}
			if ok && slices.Contains(socketWaits, s.Sel.Name) && !kit && !givesUpTogether(n, imported) {
				add(n, "limits a socket by the clock: use testkit.Deadline(), or time.Time{} for no limit")
			}
		}
		return true
	})
	return wrong
}

// fixedPort reports whether a call of package net opens a socket at an address that is written out, with a port of its own.
func fixedPort(call *ast.CallExpr, s *ast.SelectorExpr, imported map[string]string) bool {
	x, ok := s.X.(*ast.Ident)
	if !ok || imported[x.Name] != "net" || s.Sel.Name != "Listen" && s.Sel.Name != "ListenPacket" || len(call.Args) != 2 {
		return false
	}
	at, ok := call.Args[1].(*ast.BasicLit)
	return ok && !strings.HasSuffix(at.Value, ":0\"")
}

// givesUpTogether reports whether a time limit of a socket is that of the test binary, or none.
func givesUpTogether(call *ast.CallExpr, imported map[string]string) bool {
	if len(call.Args) != 1 {
		return true // it is another method
	}
	switch a := call.Args[0].(type) {
	case *ast.CompositeLit:
		return len(a.Elts) == 0
	case *ast.CallExpr:
		s, ok := a.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && imported[x.Name] == module+"/internal/testkit" && s.Sel.Name == "Deadline"
	}
	return false
}

// clocks returns the places of all test files below root that depend on the clock of the machine.
func clocks(root string) (wrong []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		base := ""
		if err == nil {
			base = d.Name()
		}
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(base, "_test.go"):
			return nil
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err == nil {
			wrong = append(wrong, refuseClock(set, tree, filepath.ToSlash(file))...)
		}
		return err
	})
	return wrong, err
}

// TestClocks reads every test file: none may end by the clock.
func TestClocks(t *testing.T) {
	wrong, err := clocks(".")
	require.NoError(t, err)
	for _, w := range wrong {
		t.Error(w)
	}
	for f := range timed {
		_, err := os.Stat(filepath.FromSlash(strings.TrimSuffix(f, "/...")))
		assert.NoError(t, err, "it is in timed")
	}
}

// TestClocksRefuses holds the rule against made-up files.
func TestClocksRefuses(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"a/a_test.go":                "import \"time\"\nvar d = 2 * time.Second\nvar e = time.Now()\n",
		"a/b_test.go":                "import (\n\"testing/synctest\"\n\"time\"\n)\nvar _ = synctest.Test\nvar d = time.After(time.Second)\n",
		"a/c.go":                     "import \"time\"\nvar d = time.Second\n",
		"a/d_test.go":                "import r \"github.com/stretchr/testify/require\"\nvar e = r.Eventually\n",
		"a/e_test.go":                "import \"context\"\nvar e = context.WithTimeout\nvar f = context.WithCancel\n",
		"a/f_test.go":                "import \"dplay4/internal/testkit\"\nfunc f() { c.SetDeadline(testkit.Deadline()); c.SetReadDeadline(time.Time{}); c.SetReadDeadline(soon) }\n",
		"a/j_test.go":                "import \"net\"\nvar l, _ = net.Listen(\"tcp4\", \"127.0.0.1:47624\")\nvar m, _ = net.Listen(\"tcp4\", \"127.0.0.1:0\")\n",
		"pingtimer/g_test.go":        "import \"time\"\nvar d = 2 * time.Second\nvar e = time.After(d)\n",
		"internal/testkit/h_test.go": "import \"time\"\nvar e = time.After(time.Second)\n",
		"a/testdata/i_test.go":       "import \"time\"\nvar d = 2 * time.Second\n",
	} {
		name := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte("package x\n"+text), 0o600))
	}
	wrong, err := clocks(root)
	require.NoError(t, err)
	var at []string
	for _, w := range wrong {
		place, reason, _ := strings.Cut(w, ": ")
		at = append(at, place+" "+strings.Fields(reason)[0])
	}
	assert.Equal(t, []string{"a/a_test.go:3 a", "a/d_test.go:3 waits", "a/e_test.go:3 waits", "a/f_test.go:3 limits", "a/j_test.go:3 opens",
		"pingtimer/g_test.go:4 waits"}, at)
}
