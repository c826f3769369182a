package browse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// ask asks a handler.
func ask(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// TestServeHandler checks what browsers and scripts get, and what they do not get.
func TestServeHandler(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := &Options{Flags: Flags{Timeout: 2 * time.Second}, hosts: []asked{{"<b>host</b>", netip.MustParseAddr("192.0.2.7")}}}
	b := newBoard(f, now)
	h := newSessionsHandler(b, func() time.Time { return now })
	assert.Equal(t, "[]\n", ask(h, "GET", "/sessions.json").Body.String())
	name := "\"</script>\u2028<img src=x>\x1b\u0085\u009b31m\u202e\u2066"
	for i := range 2 {
		b.take(answer{Found: sock.Found{Name: name[i:], Host: netip.MustParseAddrPort("192.0.2.7:2300"), Desc: wire.SessionDesc{
			Instance: wire.GUID{byte(i)}, Flags: wire.SessionPasswordRequired, MaxPlayers: 4}},
			at: now, trip: 1234567 * time.Nanosecond, dialect: wire.DX61A, via: netip.MustParseAddr("192.0.2.1")})
	}
	assert.Equal(t, "[]\n", ask(h, "GET", "/sessions.json").Body.String(), "it is not made anew for each visitor")
	now = now.Add(lookEvery)
	got := ask(h, "GET", "/sessions.json")
	assert.Equal(t, "application/json", got.Header().Get("Content-Type"))
	assert.Equal(t, "nosniff", got.Header().Get("X-Content-Type-Options"))
	assert.Equal(t, "no-store", got.Header().Get("Cache-Control"))
	var list []object
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &list), got.Body.String())
	require.Len(t, list, 2)
	assert.Equal(t, name, list[0]["session"].(map[string]any)["session_name"])
	for _, r := range strings.ReplaceAll(got.Body.String(), "\n", "") {
		assert.True(t, unicode.IsGraphic(r), "U+%04X stands in it as it is", r)
	}
	delete(list[0], "session")
	assert.Equal(t, object{"time": "2026-01-02T03:04:05.250000000Z", "last_seen": "2026-01-02T03:04:05.000000000Z",
		"event": "session_found", "addr": "192.0.2.7:2300", "round_trip": 0.001235, "dialect": 11.0, "via": "192.0.2.1"}, list[0])
	now = now.Add(6 * time.Second)
	assert.Equal(t, "[]\n", ask(h, "GET", "/sessions.json").Body.String(), "what is gone is left out")

	assert.Equal(t, "ok\n", ask(h, "GET", "/healthz").Body.String())
	for _, path := range []string{"/", "/sessions.json", "/healthz"} {
		got, head := ask(h, "GET", path), ask(h, "HEAD", path)
		assert.Equal(t, http.StatusOK, head.Code)
		assert.Empty(t, head.Body.String())
		assert.Equal(t, fmt.Sprint(got.Body.Len()), head.Header().Get("Content-Length"))
		for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
			got := ask(h, method, path)
			assert.Equal(t, http.StatusMethodNotAllowed, got.Code, "%s %s", method, path)
			assert.Equal(t, "GET, HEAD", got.Header().Get("Allow"))
		}
	}
	for _, path := range []string{"/x", "/sessions.json/", "/servepage.html", "/../etc/passwd"} {
		assert.NotEqual(t, http.StatusOK, ask(h, "GET", path).Code, path)
	}
}

// TestServePage checks that the page brings all that it needs, may load nothing else, and holds no text of others that
// is not escaped.
func TestServePage(t *testing.T) {
	b := newBoard(&Options{Flags: Flags{Timeout: time.Second}, hosts: []asked{{"<b>host</b>", netip.MustParseAddr("192.0.2.7")}}}, time.Now())
	got := ask(newSessionsHandler(b, time.Now), "GET", "/")
	page, policy := got.Body.String(), got.Header().Get("Content-Security-Policy")
	assert.Contains(t, page, "<h1>Sessions at &lt;b&gt;host&lt;/b&gt;</h1>")
	assert.NotContains(t, page, "<b>")
	assert.NotContains(t, page, "__", "every place is filled in")
	assert.NotRegexp(t, `(?i)https?:|//[a-z]|@import|url\(|innerHTML|\son[a-z]+=|style=`, page)
	assert.Contains(t, page, "prefers-color-scheme: dark")
	assert.Contains(t, page, `["JOINDISABLED","closed"]`)
	assert.Regexp(t, `^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; connect-src 'self';`,
		policy)
	assert.NotContains(t, policy, "unsafe")
	for _, element := range []string{"script", "style"} {
		assert.Len(t, regexp.MustCompile("<"+element+`[^>]*>`).FindAllString(page, -1), 1, "one of a kind is what the policy allows")
		assert.Contains(t, policy, hashOf(page, element))
	}
}

// TestServeNames: a server that listens on loopback answers to names of this machine only, whatever a browser was made
// to believe of others, and to the names of --public-host.
func TestServeNames(t *testing.T) {
	inner := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	status := func(listener, host string) int {
		r, w := httptest.NewRequest("GET", "/sessions.json", nil), httptest.NewRecorder()
		r.Host = host
		guardNames(netip.MustParseAddrPort(listener), []string{"games.example", "2001:db8::7"}, inner).ServeHTTP(w, r)
		return w.Code
	}
	for _, listener := range []string{"127.0.0.1:8080", "127.0.9.9:8080", "[::1]:8080", "[::ffff:127.0.0.1]:8080"} {
		for _, host := range []string{"localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3:1", "[::1]",
			"[::1]:8080", "[::ffff:127.0.0.1]:80", "games.example", "Games.Example:443", "[2001:db8::7]"} {
			assert.Equal(t, http.StatusOK, status(listener, host), "%s %s", listener, host)
		}
		for _, host := range []string{"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example",
			"localhost.evil.example:8080", "192.0.2.1:8080", "x.games.example", "games.example.evil.example", "games.example:x",
			"0.0.0.0:8080", "[::]:8080", "[2001:db8::1]", "127.1", "2130706433", "localhost:80@evil.example", "localhost:", ":8080",
			"[]", "127.0.0.1:x"} {
			assert.Equal(t, http.StatusMisdirectedRequest, status(listener, host), "%s %s", listener, host)
		}
	}
	for _, listener := range []string{"0.0.0.0:8080", "[::]:8080", "192.0.2.1:8080"} {
		assert.Equal(t, http.StatusOK, status(listener, "games.example:8080"), listener)
	}
}

// TestServeEverywhere checks what is said where no address is named.
func TestServeEverywhere(t *testing.T) {
	var out, errs strings.Builder
	f := &Options{Std: cli.Streams{Out: &out, Err: &errs}, adapters: sock.Adapters}
	b := newBoard(f, time.Now())
	require.NoError(t, f.announce(b, netip.MustParseAddrPort("[::]:8080")))
	assert.Contains(t, out.String(), "Sessions on the network: http://127.0.0.1:8080/\n")
	assert.Equal(t, "dplay: --serve at all addresses: everybody who reaches this machine can read the list; 127.0.0.1:8080 is for this "+
		"machine alone\n", errs.String())
	errs.Reset()
	require.NoError(t, f.announce(b, netip.MustParseAddrPort("[::ffff:192.0.2.7]:8080")))
	assert.Contains(t, errs.String(), "dplay: --serve at 192.0.2.7: everybody who reaches that address can read the list; ")
	out.Reset()
	errs.Reset()
	require.NoError(t, f.announce(b, netip.MustParseAddrPort("[::1]:1")))
	assert.Equal(t, "Sessions on the network: http://[::1]:1/\n", out.String())
	assert.Empty(t, errs.String())
	f.Std.Out = brokenWriter{}
	assert.ErrorContains(t, f.announce(b, netip.MustParseAddrPort("[::1]:1")), "writing the output")
}
