//go:build linux

package wine

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed client/*.c client/*.h
var clientSource embed.FS

// compiler is Debian's gcc for 32-bit Windows: the games are 32-bit programs, and so is Wine's dplayx.
const compiler = "i686-w64-mingw32-gcc"

// BuildClient compiles the client and gives the program's octets. The error is ErrMissing if there is no compiler.
func BuildClient(ctx context.Context) ([]byte, error) {
	if _, err := exec.LookPath(compiler); err != nil {
		return nil, fmt.Errorf("%w: there is no %s (Debian: apt-get install gcc-mingw-w64-i686)", ErrMissing, compiler)
	}
	dir, err := os.MkdirTemp("", "dplay-client-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sources, err := unpack(clientSource, dir)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-s", "-o", "client.exe"}, sources...)
	cmd := exec.CommandContext(ctx, compiler, append(args, "-ldplayx", "-ldxguid", "-lole32", "-luuid")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the client: %w\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "client.exe"))
}

// unpack writes the sources into a folder and gives the names of those to compile.
func unpack(source fs.FS, dir string) (compile []string, err error) {
	names, err := fs.Glob(source, "client/*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(name)
		if err := os.WriteFile(filepath.Join(dir, base), text, 0o600); err != nil {
			return nil, err
		}
		if filepath.Ext(base) == ".c" {
			compile = append(compile, base)
		}
	}
	return compile, nil
}
