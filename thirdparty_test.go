package dplay4_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write THIRD-PARTY.md anew")

// A part is somebody else's work that is in the program.
type part struct{ path, version, dir string }

// licences are those that a program under MIT may carry, known by words that only they have.
var licences = []struct{ name, words string }{
	{"ZPL-2.1", "Names of the copyright holders must not be used to endorse"},
	{"Apache-2.0", "Apache License Version 2.0"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
}

// TestThirdParty holds THIRD-PARTY.md against what dplay is made of on every platform: each module with its licence and
// the text of it. "go test . -run TestThirdParty -update" writes it anew.
func TestThirdParty(t *testing.T) {
	var list, texts strings.Builder
	for _, p := range parts(t) {
		name, text := licenceOf(t, p)
		fmt.Fprintf(&list, "| %s | %s | %s |\n", p.path, p.version, name)
		fmt.Fprintf(&texts, "\n## %s\n\n```text\n%s\n```\n", p.path, strings.TrimSpace(text))
	}
	const head = `# What is in dplay besides its own code

The program dplay and its DLLs hold the works below, each under its own licence. This list and the texts come from the modules themselves:
"go test . -run TestThirdParty -update" writes them, and the test fails when something is missing or under another kind of licence.

| part | version | licence |
|---|---|---|
`
	want := head + list.String() + texts.String()
	if *update {
		require.NoError(t, os.WriteFile("THIRD-PARTY.md", []byte(want), 0o644))
	}
	got, err := os.ReadFile("THIRD-PARTY.md")
	require.NoError(t, err)
	if want != string(got) {
		t.Error(`THIRD-PARTY.md is not what dplay is made of: go test . -run TestThirdParty -update`)
	}
}

// parts lists the modules of dplay on all platforms, what is embedded, and Go's own library.
func parts(t *testing.T) []part {
	all := []part{
		{"Go", "standard library and runtime", runtimeRoot(t)},
		{"uPlot", "captures/draw/uplot", filepath.Join("captures", "draw", "uplot")},
		{"mingw-w64", "the DLLs' runtime", filepath.Join("cmd", "dplayx", "mingw")},
	}
	for _, system := range []string{"linux", "windows", "darwin"} {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/...")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
			if m := p.Module; m != nil && !m.Main {
				all = append(all, part{m.Path, m.Version, m.Dir})
			}
		}
	}
	slices.SortFunc(all[3:], func(a, b part) int { return cmp.Compare(a.path, b.path) })
	return slices.Compact(all)
}

func runtimeRoot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err, runtime.Version())
	return strings.TrimSpace(string(out))
}

// licenceOf finds the text of a part's licence and its name. One that is not known fails: somebody has to read it.
func licenceOf(t *testing.T, p part) (name, text string) {
	entries, err := os.ReadDir(p.dir)
	require.NoError(t, err, p.path)
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		n := strings.ToUpper(e.Name())
		return !e.IsDir() && (strings.HasPrefix(n, "LICENSE") || strings.HasPrefix(n, "LICENCE"))
	})
	require.GreaterOrEqual(t, i, 0, "%s has no licence file", p.path)
	b, err := os.ReadFile(filepath.Join(p.dir, entries[i].Name()))
	require.NoError(t, err)
	words := strings.Join(strings.Fields(string(b)), " ")
	for _, l := range licences {
		if strings.Contains(words, l.words) {
			return l.name, string(b)
		}
	}
	assert.Fail(t, "an unknown licence", "%s: %.200s", p.path, words)
	return "", ""
}
