package browse

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestServeOrigin: scripts of other sites may read the list, and nothing else, if --allow-origin says so.
func TestServeOrigin(t *testing.T) {
	for _, origin := range []string{"", "*", "https://games.example"} {
		h := newSessionsHandler(newBoard(&Options{Flags: Flags{Page: Page{AllowOrigin: origin}}}, time.Now()), time.Now)
		for _, path := range []string{"/", "/sessions.json", "/metrics", "/healthz", "/x"} {
			want := ""
			if path == "/sessions.json" {
				want = origin
			}
			assert.Equal(t, want, ask(h, "GET", path).Header().Get("Access-Control-Allow-Origin"), "%q %s", origin, path)
		}
	}
}

// TestServeTitle: a title stands instead of the subject, and is text.
func TestServeTitle(t *testing.T) {
	title := `</title><script>alert(1)</script> __WORDS__ "x"`
	page := ask(newSessionsHandler(newBoard(&Options{Flags: Flags{Page: Page{Title: title}}}, time.Now()), time.Now), "GET", "/").Body.String()
	const escaped = `&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; __WORDS__ &#34;x&#34;`
	assert.Contains(t, page, "<title>"+escaped+"</title>")
	assert.Contains(t, page, "<h1>"+escaped+"</h1>")
	assert.NotContains(t, page, "Sessions on the network")
	assert.Equal(t, 1, strings.Count(page, "<script>"))
}

// TestServeMetrics counts what there is, and forgets what is gone.
func TestServeMetrics(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	answers, quiet := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("192.0.2.8")
	b := newBoard(&Options{Flags: Flags{Timeout: 2 * time.Second}, hosts: []asked{{"a", answers}, {"b", quiet}}}, now)
	h := newSessionsHandler(b, func() time.Time { return now })
	says := func(sessions, players, silent, age string) {
		t.Helper()
		got := ask(h, "GET", "/metrics")
		assert.Equal(t, "text/plain; version=0.0.4; charset=utf-8", got.Header().Get("Content-Type"))
		var values []string
		for line := range strings.Lines(got.Body.String()) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if name != "#" {
				values = append(values, name+" "+value)
				assert.Contains(t, got.Body.String(), "# TYPE "+name+" gauge\n")
			}
		}
		assert.Equal(t, []string{"dplay_sessions " + sessions, "dplay_sessions_players " + players, "dplay_sessions_hosts 2",
			"dplay_sessions_hosts_silent " + silent, "dplay_sessions_last_answer_age_seconds " + age,
			"dplay_sessions_start_time_seconds 1800000000"}, values)
	}
	says("0", "0", "0", "0")
	now = now.Add(1500 * time.Millisecond)
	says("0", "0", "0", "1.5")
	for i, players := range []uint32{3, 4} {
		b.take(answer{Found: sock.Found{Host: netip.AddrPortFrom(answers, 2300), From: answers,
			Desc: wire.SessionDesc{Instance: wire.GUID{byte(i + 1)}, CurrentPlayers: players}}, at: now})
	}
	now = now.Add(time.Second)
	says("2", "7", "1", "1")
	now = now.Add(time.Minute)
	says("0", "0", "2", "61")
}

// TestPageCheck: values that cannot be meant name the flag, and the right form.
func TestPageCheck(t *testing.T) {
	for _, origin := range []string{"", "*", "https://games.example", "http://192.0.2.7:8080", "http://[::1]:8080"} {
		assert.NoError(t, (&Page{AllowOrigin: origin}).Check(), origin)
	}
	for _, origin := range []string{"games.example", "https://games.example/", "https://Games.example", "null", "ftp://x", "https://a, https://b",
		"https://a\r\nX: y", "https://user@a", "https://a?b", "**", "https://", ":"} {
		assert.ErrorContains(t, (&Page{AllowOrigin: origin}).Check(), "--allow-origin ", origin)
	}
	assert.NoError(t, (&Page{PublicHosts: []string{"games.example", "192.0.2.7", "2001:db8::1", "xn--bcher-kva.example"}}).Check())
	for _, host := range []string{"", "https://games.example", "games.example:443", "games.example/", "*", "*.example", "a b", "a\n", "[::1]"} {
		assert.ErrorContains(t, (&Page{PublicHosts: []string{"a", host}}).Check(), "--public-host ", host)
	}
}

// TestReadHosts reads files as people write them. Errors name the file and the line.
func TestReadHosts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hosts.txt")
	read := func(text string) ([]string, error) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return readHosts(name)
	}
	got, err := read("\ufeff# ours\r\n192.0.2.7\r\n\r\n  one.example\t# Ann's\n#two.example\nthree.example")
	require.NoError(t, err)
	assert.Equal(t, []string{"192.0.2.7", "one.example", "three.example"}, got)
	for text, want := range map[string]string{
		"":               name + ": no host is in it",
		"# a\n\n":        name + ": no host is in it",
		"a\n\nb c # d\n": name + `, line 3: "b c": write one host a line`,
		"#\n" + strings.Repeat("a\n", MaxHosts+1): name + ", line 66: at most 64 hosts are asked one by one",
		strings.Repeat("#", mostHostsFile+1):      name + ": a list of hosts has at most 65536 octets",
	} {
		_, err := read(text)
		assert.EqualError(t, err, want)
	}
	_, err = readHosts(name + ".not")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestOriginPort holds that an origin which browsers write without its port is refused with it, because it would match none.
func TestOriginPort(t *testing.T) {
	for origin, right := range map[string]string{
		"https://games.example:443": "https://games.example",
		"http://games.example:80":   "http://games.example",
		"http://[::1]:80":           "http://[::1]",
		"https://games.example:":    "https://games.example",
	} {
		err := (&Page{AllowOrigin: origin}).Check()
		if assert.Error(t, err, origin) {
			assert.True(t, strings.HasSuffix(err.Error(), "browsers leave out the usual port: write "+right), err)
		}
		assert.NoError(t, (&Page{AllowOrigin: right}).Check(), right)
	}
	for _, origin := range []string{"https://games.example:80", "http://games.example:443", "http://games.example:8080"} {
		assert.NoError(t, (&Page{AllowOrigin: origin}).Check(), origin)
	}
}
