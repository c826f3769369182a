package play

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestPick searches where sessions are found one after the other, a second apart: which is taken, and after which time.
func TestPick(t *testing.T) {
	named := func(name string, id uint32) sock.Found {
		return sock.Found{Name: name, Desc: wire.SessionDesc{Instance: wire.GUID{byte(id)}}}
	}
	one, two := named("One", 1), named("Two", 2)
	full := sock.Found{Name: "Full", Desc: wire.SessionDesc{Instance: wire.GUID{3}, MaxPlayers: 1, CurrentPlayers: 1}}
	const wait = 10 * time.Second
	for name, c := range map[string]struct {
		session, host string
		there         []sock.Found
		gap           time.Duration // between two answers
		want, err     string
		after         time.Duration
		told          int
	}{
		"nobody":                   {err: "nobody on the network hosts such a session", after: wait},
		"the host is silent":       {host: "192.0.2.1", err: "the host does not answer", after: wait},
		"another name":             {session: "Tset", there: []sock.Found{one}, err: `there is no session "Tset", but "One" {`, after: wait, told: 1},
		"the only one":             {there: []sock.Found{one}, want: "One", after: time.Second + cli.Others, told: 1},
		"answers twice":            {there: []sock.Found{one, one}, gap: 1, want: "One", after: time.Second + cli.Others, told: 1},
		"another one comes late":   {there: []sock.Found{one, two}, gap: time.Second, want: "One", after: time.Second + cli.Others, told: 1},
		"two":                      {there: []sock.Found{one, two}, gap: 1, err: "which session?", after: time.Second + cli.Others, told: 2},
		"two, and one is full":     {there: []sock.Found{full, two}, gap: 1, want: "Two", after: time.Second + cli.Others, told: 2},
		"by name, after another":   {session: "two", there: []sock.Found{one, two}, gap: time.Second, want: "Two", after: 2*time.Second + cli.Others, told: 2},
		"by its GUID":              {session: one.Desc.Instance.String(), there: []sock.Found{one, two}, gap: 1, want: "One", after: time.Second, told: 1},
		"by its GUID, after a one": {session: two.Desc.Instance.String(), there: []sock.Found{one, two}, gap: 1, want: "Two", after: time.Second + 1, told: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				search := func(ctx context.Context, _ sock.Ask) iter.Seq2[sock.Found, error] {
					return func(yield func(sock.Found, error) bool) {
						next := time.NewTimer(time.Second)
						for _, s := range c.there {
							select {
							case <-next.C:
								next.Reset(c.gap)
							case <-ctx.Done():
								return
							}
							if !yield(s, nil) {
								return
							}
						}
						<-ctx.Done()
					}
				}
				f := &Wanted{Session: c.session, Host: c.host, Timeout: wait}
				began, told := time.Now(), 0
				got, err := f.Pick(t.Context(), search, sock.Ask{}, func(sock.Found) { told++ })
				assert.Equal(t, c.after, time.Since(began))
				assert.Equal(t, c.told, told)
				if c.err != "" {
					assert.ErrorContains(t, err, c.err)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, c.want, got.Name)
			})
		})
	}
}

// TestChoose checks which session is joined where there are several.
func TestChoose(t *testing.T) {
	one := sock.Found{Name: "One", Desc: wire.SessionDesc{Instance: wire.GUID{1}}}
	full := sock.Found{Name: "Full", Desc: wire.SessionDesc{Instance: wire.GUID{2}, MaxPlayers: 1, CurrentPlayers: 1}}
	shut := sock.Found{Name: "Shut", Desc: wire.SessionDesc{Instance: wire.GUID{3}, Flags: wire.SessionJoinDisabled}}
	two := sock.Found{Name: "Two", Desc: wire.SessionDesc{Instance: wire.GUID{4}}}
	for _, c := range []struct {
		found     []sock.Found
		session   string
		want, err string
	}{
		{found: []sock.Found{one}, want: "One"},
		{found: []sock.Found{full}, want: "Full"}, // its host may say why not
		{found: []sock.Found{full, one, shut}, want: "One"},
		{found: []sock.Found{one, full, two}, err: "which session? --session GUID tells: \"One\" {00000001-"},
		{found: []sock.Found{full, shut}, err: "which session?"},
		{found: []sock.Found{one, two}, session: "X",
			err: `there is no session "X", but "One" {00000001-0000-0000-0000-000000000000} at invalid AddrPort, "Two" {`},
		{err: "nobody on the network hosts such a session"},
	} {
		got, err := (&Wanted{Session: c.session}).choose(c.found)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got.Name)
	}
	f := &Wanted{Session: one.Desc.Instance.String()}
	assert.True(t, f.matches(&one))
	assert.False(t, f.matches(&two))

	f = &Wanted{}
	require.NoError(t, f.App.Set("blitz3d"))
	assert.True(t, f.matches(&one), "of GUID_NULL")
	other := sock.Found{Name: "Other", Desc: wire.SessionDesc{Application: wire.GUID{5}}}
	assert.False(t, f.matches(&other), "every game answers a search for GUID_NULL")
	_, err := f.choose([]sock.Found{other})
	assert.ErrorContains(t, err, `there is no session of this game, but of others: "Other"`)
}
