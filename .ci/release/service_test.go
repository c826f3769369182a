package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestService looks at the relay's service in the package: it is off, its options are the user's, and what systemd says of it.
func TestService(t *testing.T) {
	r := &release{root: filepath.Join("..", ".."), version: "v0.0.1-test.2", time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	dir := t.TempDir()
	require.NoError(t, r.debian(dir, "amd64", []file{{"dplay", []byte("#!/bin/sh\n"), 0o755}}))
	deb, tree := filepath.Join(dir, "dplay4_0.0.1~test.2_amd64.deb"), filepath.Join(dir, "tree")
	out, err := exec.Command("dpkg-deb", "-R", deb, tree).CombinedOutput()
	require.NoError(t, err, "%s", out)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(tree, name))
		require.NoError(t, err)
		return string(b)
	}
	assert.Equal(t, "/etc/default/dplay-relay\n", read("DEBIAN/conffiles"))
	assert.Contains(t, read("etc/default/dplay-relay"), "\nDPLAY_RELAY_OPTIONS=\"\"\n")
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		text := read("DEBIAN/" + script)
		assert.Contains(t, text, "/run/systemd/system", script)
		assert.NotContains(t, text, " enable", script)
		out, err := exec.Command("sh", "-n", filepath.Join(tree, "DEBIAN", script)).CombinedOutput()
		assert.NoError(t, err, "%s: %s", script, out)
	}
	none, err := filepath.Glob(filepath.Join(tree, "*", "systemd", "system", "*.wants"))
	require.NoError(t, err)
	assert.Empty(t, none, "it is not enabled")

	unit := filepath.Join(tree, "usr/lib/systemd/system/dplay-relay.service")
	text := read("usr/lib/systemd/system/dplay-relay.service")
	assert.Contains(t, text, "\nDynamicUser=yes\n")
	restarts(t, text)
	if _, err := exec.LookPath("systemd-analyze"); err != nil && os.Getenv("DPLAY_REQUIRE_SYSTEMD") == "" {
		t.Log("systemd-analyze is not here, and so what it says of the unit is not looked at")
		return
	}
	const most = "--threshold=20" // tenths of what "systemd-analyze security" calls exposure
	out, err = exec.Command("systemd-analyze", "security", "--offline=yes", most, "--no-pager", unit).CombinedOutput()
	assert.NoError(t, err, "%s", out)
	out, err = exec.Command("systemd-analyze", "verify", "--man=no", "--root="+tree, "dplay-relay.service").CombinedOutput()
	assert.NotContains(t, string(out), "Unknown", "%v", err)
	assert.NotContains(t, string(out), "Failed to parse", "%v", err)
}

// restarts looks at when a relay is started again: after a crash, which has Go's exit status 2, and not for ever if it fails at once.
// systemd stops at what was started more than StartLimitBurst times within StartLimitIntervalSec (systemd.unit(5)).
func restarts(t *testing.T, unit string) {
	t.Helper()
	number := func(key string) int {
		m := regexp.MustCompile(`(?m)^` + key + `=(\d+)$`).FindStringSubmatch(unit)
		require.NotNil(t, m, key)
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		return n
	}
	const starting = 3 // seconds until wrong options are told, on a slow machine
	assert.NotContains(t, unit, "RestartPreventExitStatus")
	assert.Contains(t, unit, "\nRestart=on-failure\n")
	assert.Less(t, number("StartLimitBurst")*(number("RestartSec")+starting), number("StartLimitIntervalSec"))
}
