package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// get fetches a page.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(text)
}

// TestServe serves what a real host here opens, until it is interrupted.
func TestServe(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	s := start(t, at.sessions("--serve", at.address+":0"))
	line := s.expectWith("http://")
	assert.Regexp(t, `^Sessions at `+at.address+`: http://`+at.address+`:\d+/$`, line)
	url := line[strings.Index(line, "http"):]
	code, text := get(t, url+"healthz")
	assert.Equal(t, "200 ok\n", fmt.Sprint(code, " ", text))
	var list []object
	testkit.Until(t, func() bool {
		_, text = get(t, url+"sessions.json")
		require.NoError(t, json.Unmarshal([]byte(text), &list))
		return len(list) == 1
	}, "the session on the page")
	assert.Equal(t, h.opened["stream"], list[0]["addr"])
	assert.Equal(t, "Test", list[0]["session"].(map[string]any)["session_name"])
	foreign, err := http.NewRequest("GET", url+"sessions.json", nil)
	require.NoError(t, err)
	foreign.Host = "rebound.example"
	refused, err := http.DefaultClient.Do(foreign)
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())
	assert.Equal(t, http.StatusMisdirectedRequest, refused.StatusCode)
	code, text = get(t, url)
	assert.Equal(t, http.StatusOK, code)
	assert.Contains(t, text, "<h1>Sessions at "+at.address+"</h1>")
	busy := once(t, at.sessions("--serve", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/"))...)
	assert.Equal(t, exitInput, busy.status)
	assert.Contains(t, busy.err, "dplay: --serve: cannot listen at TCP ")
	assert.Equal(t, exitOK, s.interrupt(), s.stderr())
	assert.Empty(t, s.stderr())
	_, err = http.Get(url)
	assert.Error(t, err, "nobody listens any more")
	failed := once(t, "sessions", "--serve", at.address+":0", "--bind", "192.0.2.77") // nobody's (RFC 5737)
	assert.Equal(t, exitInput, failed.status)
	assert.Contains(t, failed.err, "192.0.2.77")
}
