package main

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// asProgram is the variable that makes this test program be dplay.
const asProgram = "DPLAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if kind := os.Getenv(asHost); kind != "" {
		beHost(kind)
	}
	if os.Getenv(asProgram) != "" {
		main()
	}
	folder, err := os.MkdirTemp("", "dplay-config")
	if err != nil {
		panic(err)
	}
	keepGo("GOCACHE", os.UserCacheDir, "go-build")
	keepGo("GOENV", os.UserConfigDir, filepath.Join("go", "env"))
	os.Setenv("XDG_CONFIG_HOME", folder) //nolint:errcheck // whose games.toml is not for tests
	os.Setenv("XDG_CACHE_HOME", folder)  //nolint:errcheck // where a bridge of the user may be found
	debug.SetGCPercent(400)              // a quarter of the processor time went to collecting a heap of a few megabytes
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16") //nolint:errcheck // it exists; the long ones of these tests wait for pings, and compute nothing
	}
	status := m.Run()
	os.RemoveAll(folder) //nolint:errcheck // it is a temporary one
	os.Exit(status)
}

// keepGo sets the variable that names a file of Go's to its default below a folder of the user, unless it is set.
func keepGo(variable string, folder func() (string, error), file string) {
	if below, err := folder(); err == nil && os.Getenv(variable) == "" {
		os.Setenv(variable, filepath.Join(below, file)) //nolint:errcheck // a build takes longer without
	}
}
