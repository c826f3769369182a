package relay

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMetrics checks the form of the text, and some of what it says.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := begin(t)
	a, b := s.target().member(t, "udp", ""), s.target().member(t, "tls", "")
	talk(t, a, b, "counted")
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	status, text := get("/metrics")
	assert.Equal(t, http.StatusOK, status)
	line := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="[a-z]+"\})? [0-9.e+]+$`)
	typed, seen := map[string]bool{}, map[string]bool{}
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if f := strings.Fields(l); f[0] == "#" {
			assert.False(t, f[1] == "TYPE" && typed[f[2]], "%s has its type twice", f[2])
			typed[f[2]] = typed[f[2]] || f[1] == "TYPE"
			continue
		}
		m := line.FindStringSubmatch(l)
		if !assert.NotNil(t, m, l) {
			continue
		}
		assert.True(t, typed[m[1]], l)
		assert.False(t, seen[m[1]+m[2]], l)
		seen[m[1]+m[2]] = true
	}
	assert.Contains(t, text, `dplay_relay_allocations{transport="udp"} 1`+"\n")
	assert.Contains(t, text, `dplay_relay_allocations{transport="tls"} 1`+"\n")
	assert.NotContains(t, text, "dplay_relay_relayed_packets_total 0\n")
	for c := range countsOfAll {
		found := 0
		for _, one := range allSeries {
			if one.what == c {
				found++
			}
		}
		assert.Equal(t, 1, found, "count %d", c)
	}

	status, text = get("/healthz")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "ok\n", text)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.Error(t, s.Drain(ended))
	status, _ = get("/healthz")
	assert.Equal(t, http.StatusServiceUnavailable, status)
}

// TestEvents: what happens to allocations is told.
func TestEvents(t *testing.T) {
	t.Parallel()
	told := make(chan Event, 10)
	s := begin(t, func(c *Config) { c.Tell = func(e Event) { told <- e } })
	m := s.target().member(t, "udp", "")
	e := <-told
	assert.Equal(t, Event{What: Allocated, Client: e.Client, Transport: "udp", Relayed: m.address()}, e)
	require.NoError(t, m.Close())
	assert.Equal(t, Event{What: Released, Client: e.Client, Transport: "udp", Relayed: m.address()}, <-told)
	bad := s.target().credential("")
	bad.Password = "?"
	_, err := s.target().allocate(t, "tcp", bad)
	assert.Error(t, err)
	e = <-told
	assert.Equal(t, Event{What: Refused, Client: e.Client, Transport: "tcp", Reason: BadCredentials}, e)
}
