package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startPython runs an example with command lines of dplay. The function that it returns waits for its end, and gives its exit
// status and what it wrote to standard error.
func startPython(t *testing.T, script string, args ...string) (end func() (status int, stderr string)) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("DPLAY_REQUIRE_PYTHON") == "" {
		t.Skip("there is no python3")
	}
	require.NoError(t, err)
	cmd := exec.Command(python, append([]string{filepath.Join("examples", script)}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		cmd.Wait() //nolint:errcheck // the status says it
	}()
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it has ended, as a rule
		<-done
	})
	return func() (int, string) {
		<-done
		return cmd.ProcessState.ExitCode(), errs.String()
	}
}

// self returns a command line that runs this test program as dplay.
func self(t *testing.T, args []string) []string {
	t.Helper()
	name, err := os.Executable()
	require.NoError(t, err)
	return append([]string{name}, args...)
}

// TestEchoBot plays with the bot in Python: it greets, repeats chat, sends messages back, and leaves when told to.
func TestEchoBot(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--player", "Ann", "--commands", "ndjson")
	end := startPython(t, "echobot.py", self(t, at.join("--player", "Echo"))...)
	bot := h.event("player_created", "name", "Echo")["id"]
	h.say(`{"command":"say","text":"gr\u00fc\u00df dich","id":1}`)
	h.inAnyOrder(
		func() { h.event("answer", "id", 1.0, "ok", true) },
		func() { h.event("chat", "from", bot, "from_name", "Echo", "text", "Ann says grüß dich") })
	h.say(`{"command":"send","payload_base64":"wP/u","to":"` + bot.(string) + `","guaranteed":false,"id":"two"}`)
	h.inAnyOrder(
		func() { h.event("answer", "id", "two", "ok", true) },
		func() { h.event("message", "from", bot, "payload", "c0ffee", "guaranteed", false) })
	j := startJoin(t, at, "--player", "Bob")
	j.event("chat", "from_name", "Echo", "text", "hello Bob")
	j.say("bye")
	h.event("player_deleted", "name", "Echo")
	status, stderr := end()
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stderr)
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
}

// TestChatBridge has two people talk who are in two sessions, over the bridge in Python.
func TestChatBridge(t *testing.T) {
	t.Parallel()
	places := []place{newPlace(t), newPlace(t)}
	people := []*program{startHost(t, places[0], "--player", "Ann"), startHost(t, places[1], "--player", "Zoë")}
	end := startPython(t, "chatbridge.py", slices.Concat(self(t, places[0].join("--player", "Bridge")), []string{"--"},
		self(t, places[1].join("--player", "Bridge")))...)
	for _, p := range people {
		p.event("player_created", "name", "Bridge")
	}
	people[0].say("is anybody there?")
	people[1].event("chat", "from_name", "Bridge", "text", "Ann: is anybody there?")
	people[1].say("yes")
	people[0].event("chat", "from_name", "Bridge", "text", "Zoë: yes")
	assert.Equal(t, exitOK, people[0].interrupt(), people[0].stderr())
	people[1].event("player_deleted", "name", "Bridge") // the end of one takes the other along
	status, stderr := end()
	assert.Equal(t, exitInput, status, "that of the one that lost its session")
	assert.Contains(t, stderr, "dplay: the session is lost")
	assert.Equal(t, exitOK, people[1].interrupt(), people[1].stderr())
}
