package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
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

// TestServePublished serves the hosts in a file, as behind a proxy: by the proxy's name, under a title, to scripts of another site.
func TestServePublished(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	startHost(t, at)
	hosts := filepath.Join(t.TempDir(), "hosts.txt")
	require.NoError(t, os.WriteFile(hosts, []byte("# ours\n"+at.address+" # the first\n"), 0o600))
	s := start(t, []string{"sessions", "--hosts", hosts, "--bind", at.address, "--serve", at.address + ":0", "--title", "Our <servers>",
		"--public-host", "games.example", "--allow-origin", "https://games.example"})
	line := s.expectWith("http://")
	url := line[strings.Index(line, "http"):]
	ask := func(host, path string) (status int, origin, text string) {
		r, err := http.NewRequest("GET", url+path, nil)
		require.NoError(t, err)
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, answer.Header.Get("Access-Control-Allow-Origin"), string(body)
	}
	testkit.Until(t, func() bool {
		status, _, text := ask("games.example", "metrics")
		require.Equal(t, http.StatusOK, status)
		return strings.Contains(text, "\ndplay_sessions 1\n")
	}, "the session in the metrics")
	_, _, text := ask("games.example", "metrics")
	assert.Contains(t, text, "\ndplay_sessions_hosts 1\n")
	status, origin, text := ask("games.example:443", "sessions.json")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "https://games.example", origin)
	assert.Contains(t, text, `"session_name":"Test"`)
	status, origin, _ = ask("rebound.example", "sessions.json")
	assert.Equal(t, http.StatusMisdirectedRequest, status)
	assert.Empty(t, origin)
	_, _, text = ask("games.example", "")
	assert.Contains(t, text, "<h1>Our &lt;servers&gt;</h1>")
	assert.Equal(t, exitOK, s.interrupt(), s.stderr())

	require.NoError(t, os.WriteFile(hosts, []byte("a\nb c\n"), 0o600))
	for want, args := range map[string][]string{
		"hosts.txt, line 2: \"b c\": write one host a line": {"--hosts", hosts},
		"--hosts: open ": {"--hosts", hosts + ".not"},
	} {
		got := once(t, append([]string{"sessions"}, args...)...)
		assert.Equal(t, exitInput, got.status)
		assert.Contains(t, got.err, want)
	}
	for _, flag := range []string{"--title=x", "--allow-origin=*", "--public-host=x"} {
		got := once(t, "sessions", flag)
		assert.Equal(t, exitUsage, got.status)
		assert.Contains(t, got.err, "is for the page of --serve")
	}
	got := once(t, "sessions", "--serve", "127.0.0.1:0", "--allow-origin", "games.example")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.err, "such as https://games.example")
}
