package dropin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Target is where DLLs are placed: a Wine prefix, or a game's folder.
type Target struct {
	Folder  string
	Prefix  bool
	Game    string            // the program that says which DLL is right; "" for a prefix
	folders map[string]string // by architecture: below Folder, with slashes
	archs   []string          // in order
}

// wanted is the override that has Wine prefer a DLL that is not its own.
const wanted = "native,builtin"

// systemFolders are where a prefix has the DLLs of programs, by its architecture and theirs.
var systemFolders = map[string]map[string]string{
	"win32": {"386": "drive_c/windows/system32"},
	"win64": {"386": "drive_c/windows/syswow64", "amd64": "drive_c/windows/system32"},
}

// OpenPrefix returns a Wine prefix: its folder, or that of a Steam game's data, which has the prefix in it.
func OpenPrefix(folder string) (*Target, error) {
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("--wine-prefix %s: there is no such folder", folder)
	}
	if below := filepath.Join(folder, "pfx"); isFile(filepath.Join(below, "system.reg")) {
		folder = below
	}
	if !isFile(filepath.Join(folder, "system.reg")) || !isFile(filepath.Join(folder, "user.reg")) {
		return nil, fmt.Errorf("%s is no Wine prefix: it has no system.reg and user.reg. A prefix is what WINEPREFIX names, ~/.wine without it, "+
			"and steamapps/compatdata/NUMBER/pfx for a game of Steam; it is there once a program was started in it", folder)
	}
	r, err := readWineRegistry(filepath.Join(folder, "system.reg"))
	if err != nil {
		return nil, err
	}
	folders, ok := systemFolders[r.arch()]
	if !ok {
		return nil, fmt.Errorf("%s: system.reg says of its architecture %q, which is neither win32 nor win64", folder, r.arch())
	}
	t := &Target{Folder: folder, Prefix: true, archs: slices.Sorted(maps.Keys(folders)), folders: folders}
	for _, below := range t.folders {
		if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(below))); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is no whole Wine prefix: it has no folder %s", folder, below)
		}
	}
	return t, nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// OpenGame returns a game: its folder, or its program.
func OpenGame(name string) (*Target, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("--game %s: there is no such file or folder", name)
	}
	programs := []string{name}
	folder := filepath.Dir(name)
	if info.IsDir() {
		folder = name
		if programs, err = programsIn(name); err != nil {
			return nil, err
		}
	}
	if systemFolder(folder) {
		return nil, fmt.Errorf("%s is a folder of Windows itself, which this does not touch: name the game's folder", folder)
	}
	games := map[string]string{} // the first program, by architecture
	for _, p := range programs {
		image, _ := Examine(p)
		games[image.Arch] = cmp.Or(games[image.Arch], p)
	}
	for _, arch := range []string{"386", "amd64"} { // a game of 32 bits may have starters of 64
		if game := games[arch]; game != "" {
			return &Target{Folder: folder, Game: game, archs: []string{arch}, folders: map[string]string{arch: "."}}, nil
		}
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no program of Windows", name)
	}
	return nil, fmt.Errorf("%s has no program of Windows in it: name the folder of the game's .exe, or the .exe", name)
}

// programsIn returns the programs in a folder, but for ours.
func programsIn(folder string) (list []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.EqualFold(filepath.Ext(e.Name()), ".exe") && !strings.EqualFold(e.Name(), "dplay.exe") {
			list = append(list, filepath.Join(folder, e.Name()))
		}
	}
	return list, nil
}

// systemFolder reports whether a folder is one of Windows, or of Wine's.
func systemFolder(folder string) bool {
	full, err := filepath.Abs(folder)
	if err != nil {
		return true
	}
	if whole, err := filepath.EvalSymlinks(full); err == nil {
		full = whole
	}
	full = strings.ToLower(filepath.ToSlash(full)) + "/"
	root := strings.ToLower(filepath.ToSlash(os.Getenv("SystemRoot"))) // on Windows
	return strings.Contains(full, "/drive_c/windows/") || root != "" && strings.HasPrefix(full, root+"/")
}

// Default returns the target that counts if none was named: on Windows the folder that we are in, elsewhere WINEPREFIX, or
// ~/.wine.
func Default() (*Target, error) {
	if runtime.GOOS == "windows" {
		here, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		list, err := programsIn(here)
		if err != nil || len(list) == 0 {
			return nil, errors.New("which game? Name the folder of its .exe: --game DIR")
		}
		return OpenGame(here)
	}
	if prefix := os.Getenv("WINEPREFIX"); prefix != "" {
		return OpenPrefix(prefix)
	}
	if home, err := os.UserHomeDir(); err == nil {
		if usual := filepath.Join(home, ".wine"); isFile(filepath.Join(usual, "system.reg")) {
			return OpenPrefix(usual)
		}
	}
	return nil, errors.New("where? There is no prefix in ~/.wine: name one by --wine-prefix DIR, or a game's folder by --game DIR")
}

// quiet refuses while programs of Windows run in a prefix.
func (t *Target) quiet() error {
	if pid := serverProcess(t.Folder); t.Prefix && pid != 0 {
		return fmt.Errorf("a program of Windows runs in %s (its wineserver is process %d), and Wine would undo the change: end the game, "+
			"wait some seconds, or run \"WINEPREFIX=%s wineserver -k\"", t.Folder, pid, t.Folder)
	}
	return nil
}

// A dll is a DLL that a target is to have: its name, and its file below the target's folder, with slashes.
type dll struct{ arch, name, file string }

// dlls returns the DLLs of a target.
func (t *Target) dlls() (list []dll) {
	for _, arch := range t.archs {
		for _, name := range Names {
			list = append(list, dll{arch, name, path.Join(t.folders[arch], name)})
		}
	}
	return list
}

// path returns the full name of a file below the target's folder.
func (t *Target) path(file string) string { return filepath.Join(t.Folder, filepath.FromSlash(file)) }

// gone reports whether an error says that there is no such file.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
