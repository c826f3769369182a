package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireTshark is the variable that makes tests fail without tshark, as in package compat.
const requireTshark = "DPLAY_REQUIRE_TSHARK"

// TestRecordWithTshark has tshark read a recording: it finds the messages that "dplay decode" finds, one a frame, and nothing
// in it is odd.
func TestRecordWithTshark(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	file := filepath.Join(t.TempDir(), "join.pcapng")
	startHost(t, at, "--echo", "--flags", "keepalive", "--period", "500ms", "--probes", "1000")
	j := startJoin(t, at, "--record", file, "--period", "500ms", "--probes", "1000", "--send-hex", "cafe", "--say", "recorded")
	j.event("message", "payload", "cafe")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())

	var ours []string
	for _, m := range readRecording(t, file) {
		ours = append(ours, m.command)
	}
	for _, want := range []string{"ENUMSESSIONS", "SUPERENUMPLAYERSREPLY", "CREATEPLAYER", "CHAT", "PLAYERMESSAGE", "DELETEPLAYER"} {
		assert.Contains(t, ours, want)
	}
	tshark, err := exec.LookPath("tshark")
	if err != nil && os.Getenv(requireTshark) == "" {
		t.Logf("not compared: %v", err)
		return
	}
	require.NoError(t, err)
	ask := func(filter string) (lines []string) {
		// The system chose the ports, and they may be those of another protocol.
		out, err := exec.Command(tshark, "-o", "tcp.try_heuristic_first:TRUE", "-r", file, "-Y", filter).Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			lines = append(lines, line)
		}
		return lines
	}
	assert.Len(t, ask("tcp.len > 0 or udp"), len(ours))
	system := slices.DeleteFunc(ours, func(command string) bool { return command == "PLAYERMESSAGE" })
	// A game's own messages have no signature that tshark would know: it takes some for its own, by what their ids are.
	assert.Len(t, ask("dplay.command"), len(system))
	assert.Empty(t, ask("_ws.malformed or tcp.analysis.flags"))
}
