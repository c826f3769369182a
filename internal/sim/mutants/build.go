package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A builder builds this program with other engines.
type builder struct {
	root string // of the module
	dir  string // for what it makes
}

// moduleRoot returns the root of the module that the current folder is in.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, goCommand(), "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return "", fmt.Errorf("the current folder is in no Go module; run it in a clone of the project")
	}
	return filepath.Dir(mod), nil
}

// goCommand returns the go command: that of $GO, or the one on the path.
func goCommand() string {
	if s := os.Getenv("GO"); s != "" {
		return s
	}
	return "go"
}

// read returns a file of the tree.
func (b *builder) read(file string) ([]byte, error) {
	return os.ReadFile(filepath.Join(b.root, filepath.FromSlash(file)))
}

// build builds this program with the engine of a mutant, nil for the engine as it is, and returns its path. The tree is not touched:
// the go command takes the changed files from elsewhere.
func (b *builder) build(ctx context.Context, m *mutant) (string, error) {
	name, replace := "unmutated", map[string]string{}
	if m != nil {
		files, err := m.apply(b.read)
		if err != nil {
			return "", err
		}
		name = m.name
		for file, text := range files {
			at := filepath.Join(b.dir, name+"."+strings.ReplaceAll(file, "/", "_"))
			if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
				return "", err
			}
			replace[filepath.Join(b.root, filepath.FromSlash(file))] = at
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list, program := filepath.Join(b.dir, name+".json"), filepath.Join(b.dir, name+".exe")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, goCommand(), "build", "-overlay", list, "-ldflags", "-s -w", "-o", program, "./internal/sim/mutants")
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		why := fmt.Sprintf("it does not compile: %v\n%s", err, out)
		if m == nil {
			return "", fmt.Errorf("the unmutated engine: %s", why)
		}
		return "", m.wrong(why)
	}
	return program, nil
}
