//go:build linux

package wine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dplay4/compat/nat"
)

// ErrMissing says that the lab cannot be had here: no root, no namespaces, a program or Wine's folder is missing.
var ErrMissing = nat.ErrMissing

// The mark that setup.sh leaves, and where it puts the configurations that clients start with.
const (
	wineMark     = ".dplay-wine"
	wineHome     = "/opt/dplay"
	winePrefix   = wineHome + "/prefix"
	winePrefix64 = wineHome + "/prefix64" // of programs of 64 bits
)

// Root returns the folder that setup.sh made: $DPLAY_WINE_ROOT, or dplay4/wine in the user's cache folder. The
// error is ErrMissing if it is not there or not finished.
func Root() (string, error) {
	dir := os.Getenv("DPLAY_WINE_ROOT")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: DPLAY_WINE_ROOT is not set, and %w", ErrMissing, err)
		}
		dir = filepath.Join(cache, "dplay4", "wine")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(dir, ":,\\\n") {
		return "", fmt.Errorf("%w: %q cannot be mounted: it holds a colon, comma or backslash", ErrMissing, dir)
	}
	_, err = os.Stat(filepath.Join(dir, wineMark))
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, winePrefix64)) // which older ones have not made
	}
	if err != nil {
		return "", fmt.Errorf("%w: Wine is not set up in %s (compat/wine/setup.sh does it; DPLAY_WINE_ROOT names another folder)",
			ErrMissing, dir)
	}
	return dir, nil
}

// tools are the programs that the lab runs.
var tools = []string{"sh", "mount", "ip", "nsenter", "chroot"}

// check returns the reason for which there cannot be a lab.
func check() error {
	if os.Getuid() != 0 {
		return fmt.Errorf("%w: namespaces need root", ErrMissing)
	}
	for _, tool := range tools {
		if _, err := nat.LookTool(tool); err != nil {
			return err
		}
	}
	return nil
}
