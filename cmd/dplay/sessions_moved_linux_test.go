package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatchMigration kills the host of a session of three processes, while one watches and another one serves a page: both
// have the next host, and say where the session was before.
func TestWatchMigration(t *testing.T) {
	t.Parallel()
	a := newArena(t, "watched")
	host := a.open(nil)
	next := a.open(host)
	a.open(host)
	a.meet()
	both := []string{"sessions", host.at, next.at, "--bind", a.addr(9), "--timeout", "100ms"}
	watch := start(t, append(both, "--watch", "--format", "ndjson"))
	served := start(t, append(both, "--serve", a.addr(9)+":0"))
	line := served.expectWith("http://")
	url := line[strings.Index(line, "http"):]
	first := watch.event("session_found")
	assert.Equal(t, host.opened["stream"], first["addr"])
	list := func() (all []object) {
		_, text := get(t, url+"sessions.json")
		require.NoError(t, json.Unmarshal([]byte(text), &all))
		return all
	}
	require.Eventually(t, func() bool { return len(list()) == 1 }, longEnough, 50*time.Millisecond)
	require.Same(t, next, a.loseHost(host, host.kill))
	told := watch.event("host_moved")
	assert.Equal(t, []any{next.opened["stream"], host.opened["stream"]}, []any{told["addr"], told["old_addr"]})
	assert.Equal(t, first["session"].(map[string]any)["instance_guid"], told["session"].(map[string]any)["instance_guid"])
	require.Eventually(t, func() bool { return len(list()) == 1 && list()[0]["addr"] == next.opened["stream"] },
		longEnough, 50*time.Millisecond, "the page has the dead host")
	assert.Equal(t, host.opened["stream"], list()[0]["old_addr"])
	for _, p := range a.here() {
		p.leaves()
	}
	assert.Equal(t, told["addr"], watch.event("session_gone")["addr"])
	assert.Equal(t, exitOK, watch.interrupt())
	assert.Equal(t, exitOK, served.interrupt())
}
