package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// User gives the test a user without any files, until the test ends. It returns the path of the user's bridge.toml, which does not exist;
// its folder does.
func User(t *testing.T) (config string) {
	t.Helper()
	dir := t.TempDir()
	for _, key := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "AppData", "LocalAppData"} {
		t.Setenv(key, dir)
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(folder, "dplay4")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, "bridge.toml")
}
