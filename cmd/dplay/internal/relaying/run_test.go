package relaying

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/relay"
)

const ourSecret = "0123456789abcdef"

// closed is a relay on loopback for who has a credential.
func closed(port uint16) relay.Config {
	here := netip.MustParseAddr("127.0.0.1")
	return relay.Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: port, AlternatePort: port + 1, Secret: ourSecret,
		Limits: relay.DefaultLimits()}
}

// try gets an address at the relay and gives it back.
func try(t *testing.T, port uint16, c code.Credential) error {
	t.Helper()
	r := code.Relay{Host: "127.0.0.1", Port: port, User: c.User, Password: c.Password}
	return link.Try(t.Context(), nil, r, link.Site{Host: r.Host, UDP: port, TCP: port})
}

// club is who has a credential, for so long.
func club(length time.Duration) code.Credential {
	return code.NewCredential(ourSecret, "club", time.Now().Add(length))
}

// TestEvents tells programs who gets an address of the relay, who gives it back, and who gets none.
func TestEvents(t *testing.T) {
	t.Parallel()
	const port = 34785
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(ourSecret), 0o600))
	out, in := io.Pipe()
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, cli.Streams{Out: in, Err: io.Discard}, Options{Config: closed(port), SecretFile: file, NDJSON: true})
		in.Close()
	}()
	events := bufio.NewScanner(out)
	next := func(name string) (o object) {
		for events.Scan() {
			if require.NoError(t, json.Unmarshal(events.Bytes(), &o)); o.Event == name {
				return o
			}
			o = object{}
		}
		require.Fail(t, "the relay has ended", "before %s", name)
		return o
	}
	assert.False(t, *next("relay_opened").Open)

	require.Error(t, try(t, port, code.Credential{}))
	o := next("allocation_refused")
	assert.Equal(t, "credentials", o.Reason)
	assert.Equal(t, "udp", o.Transport)
	assert.True(t, strings.HasPrefix(o.Client, "127.0.0.1:"), o.Client)
	assert.Empty(t, o.Relayed)

	require.NoError(t, try(t, port, club(time.Hour)))
	got := next("allocation_allocated")
	assert.Regexp(t, `^127\.0\.0\.1:\d+$`, got.Relayed)
	back := next("allocation_released")
	assert.Equal(t, []string{got.Client, got.Relayed, got.Transport}, []string{back.Client, back.Relayed, back.Transport})

	require.Error(t, try(t, port, club(-time.Hour)))
	assert.Equal(t, "expired", next("allocation_refused").Reason)
	end()
	assert.Zero(t, *next("relay_closed").Allocations)
	require.NoError(t, <-done)
}

// TestRefusals says once a minute what was refused, and nothing where nothing was.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const port = 34788
	c := closed(port)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var out bytes.Buffer
	r := &running{Options: &Options{Config: c}, server: s, out: cli.NewOutput(&out)}
	r.refusals()
	assert.Empty(t, out.String())
	require.Error(t, try(t, port, code.Credential{}))
	require.Error(t, try(t, port, club(-time.Hour)))
	r.refusals()
	assert.Regexp(t, `^refused in the last minute: \d+ for expired credentials, \d+ for wrong credentials\n$`, out.String())
	out.Reset()
	r.refusals()
	assert.Empty(t, out.String())
	for why := range s.Refusals() {
		assert.NotEmpty(t, reasons[why], why)
	}
}

// TestLoaded says once a minute who is there, where that has changed.
func TestLoaded(t *testing.T) {
	t.Parallel()
	const port = 34790
	c := closed(port)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var out bytes.Buffer
	r := &running{Options: &Options{Config: c}, server: s, out: cli.NewOutput(&out)}
	said := func() string {
		out.Reset()
		r.loaded()
		return out.String()
	}
	assert.Empty(t, said())
	member := club(time.Hour)
	with := code.Code{Secret: [16]byte{1}, Relays: []code.Relay{{Host: "127.0.0.1", Port: port, User: member.User, Password: member.Password}}}
	m, err := link.New(t.Context(), link.Config{Code: with})
	require.NoError(t, err)
	require.NoError(t, m.Ready(t.Context()))
	assert.Regexp(t, `^1 machine of 1 address in 0 sessions, \d kB/s\n$`, said())
	assert.Empty(t, said())
	m.Meet(true)
	require.Eventually(t, func() bool { return s.Load().Sessions == 1 }, 10*time.Second, 5*time.Millisecond)
	assert.Regexp(t, `^1 machine of 1 address in 1 session, \d kB/s\n$`, said())
	require.NoError(t, m.Close())
	require.Eventually(t, func() bool { return s.Allocations() == 0 }, 10*time.Second, 5*time.Millisecond)
	assert.Equal(t, "nobody is here any more\n", said())
	assert.Equal(t, "2 addresses", cli.Numbered(2, "address"))
	assert.Equal(t, "1.5 MB/s", rate(90<<20, time.Minute))
	assert.Equal(t, "300 kB/s", rate(300<<10, time.Second))
}

// TestPages: who looks at where the metrics are is told where to look.
func TestPages(t *testing.T) {
	t.Parallel()
	c := closed(34792)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	w, err := (&Options{Metrics: "127.0.0.1:0"}).serveMetrics(s)
	require.NoError(t, err)
	defer w.Close()
	for page, want := range map[string]string{"/": "/metrics is for Prometheus", "/healthz": "ok\n", "/metrics": "dplay_relay_allocations", "/x": "404"} {
		answer, err := http.Get("http://" + w.at.String() + page)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Contains(t, string(text), want)
	}
}
