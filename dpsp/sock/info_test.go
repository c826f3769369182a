package sock

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
)

// TestInfoPlayers: the number of players in Info is that of Players after every change, at the host, at its members, after the host
// was lost and in the next session.
func TestInfoPlayers(t *testing.T) {
	for name, legacy := range map[string]bool{"modern": false, "legacy": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, socktest.New(), legacy, 3, 1)
				agree := func(n int, what string) {
					t.Helper()
					for _, p := range c.members {
						eventually(t, what, func() bool { return len(p.Players()) == n })
						assert.EqualValues(t, n, p.Info().Desc.CurrentPlayers, "%s: %s", p.name, what)
					}
				}
				agree(3, "each has a player")
				second, err := c.members[1].CreatePlayer(c.ctx, "second", nil)
				require.NoError(t, err)
				agree(4, "a machine has two")
				_, err = c.members[0].Do(c.ctx, dpsp.SetDesc{Name: "Renamed", Flags: c.members[0].Info().Desc.Flags})
				require.NoError(t, err)
				agree(4, "another description")
				_, err = c.members[1].Do(c.ctx, dpsp.DeletePlayer{ID: second})
				require.NoError(t, err)
				agree(3, "one of two is gone")
				next := c.lose(c.members[0])
				agree(2, "the host is lost")
				c.join(next.StreamAddr().Addr())
				agree(3, "a newcomer")
				last := c.members[0]
				require.NoError(t, last.Leave(c.ctx))
				require.NoError(t, last.Host(c.ctx, dpsp.Host{Application: testGame, Name: "Next"}))
				assert.Zero(t, last.Info().Desc.CurrentPlayers, "the next session")
			})
		})
	}
}

// TestInfoAfterSplit: whichever part of a session goes over to the other one is told of the description that the other one has.
func TestInfoAfterSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		host, away := c.members[0], c.members[2]
		for _, p := range c.members[:2] {
			n.Cut(p.StreamAddr().Addr(), away.StreamAddr().Addr())
		}
		eventually(t, "the part hosts itself", away.Hosting)
		for i, p := range []*part{host, away} {
			d := dpsp.SetDesc{Name: dpsp.Text(p.name), MaxPlayers: uint32(8 + i), Flags: p.Info().Desc.Flags}
			_, err := p.Do(c.ctx, d)
			require.NoError(t, err)
		}
		n.Mend()
		eventually(t, "one session again", func() bool {
			return len(host.Players()) == 3 && len(away.Players()) == 3 && host.Hosting() != away.Hosting()
		})
		want := host.Info()
		if away.Hosting() {
			want = away.Info()
		}
		for _, p := range c.members {
			eventually(t, "all are back", func() bool { return len(p.Players()) == 3 && p.HostID() == want.Host })
			is := p.Info()
			assert.Equal(t, []any{want.Name, want.Desc}, []any{is.Name, is.Desc}, p.name)
			assert.EqualValues(t, 3, is.Desc.CurrentPlayers, p.name)
		}
	})
}
