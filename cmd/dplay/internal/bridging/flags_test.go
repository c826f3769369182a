package bridging

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/internal/testkit"
)

// TestOptions: what the file says counts where the command line does not, a relay counts once, and it is said whose it is.
func TestOptions(t *testing.T) {
	file := testkit.User(t)
	require.NoError(t, os.WriteFile(file, []byte("relay = [\"a.b\", \"c.d\", \"A.B\"]\nname = \"Ann\"\nask = true\nforce-relay = true\n"), 0o600))
	for _, c := range []struct {
		args       string
		relays     []string
		name, from string
		ask, force bool
	}{
		{args: "", relays: []string{"a.b", "c.d"}, name: "Ann", from: file, ask: true, force: true},
		{args: "--relay e.f --relay e.f --name Bob", relays: []string{"e.f"}, name: "Bob", ask: true, force: true},
		{args: "--force-relay=false", relays: []string{"a.b", "c.d"}, name: "Ann", from: file, ask: true},
	} {
		var f struct {
			Relays
			Name
			ForceRelay
		}
		cmd := &cobra.Command{}
		flags.Register(cmd, &f)
		require.NoError(t, cmd.ParseFlags(strings.Fields(c.args)))
		line := Line{Relays: f.Relay, Name: f.Name.Name, ForceRelay: f.ForceRelay.Bool}
		o, err := line.Options(cli.Streams{}, true)
		require.NoError(t, err)
		var relays []string
		for _, r := range o.Relays {
			relays = append(relays, r.String())
		}
		assert.Equal(t, c.relays, relays, c.args)
		assert.Equal(t, []any{c.name, c.from, c.ask, c.force}, []any{o.Name, line.From, o.Ask, o.ForceRelay}, c.args)
	}
	silent := fmt.Errorf("no relay: %w", link.ErrNoRelay)
	require.ErrorContains(t, (&Line{From: file}).OfFile(silent), "\nthat is what "+file+" has as relay")
	assert.Equal(t, silent, (&Line{}).OfFile(silent))
	assert.Equal(t, os.ErrClosed, (&Line{From: file}).OfFile(os.ErrClosed))
	assert.NoError(t, (&Line{From: file}).OfFile(nil))
}

// TestExpiring says until when a relay takes a name, if that is within a year and not past.
func TestExpiring(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	c := code.NewCredential("0123456789abcdef", "anna", now.AddDate(0, 0, 1))
	r := code.Relay{Host: "203.0.113.5", User: c.User, Password: c.Password}
	u, err := code.ParseUser(r.User)
	require.NoError(t, err)
	assert.Equal(t, []string{"the relay 203.0.113.5 takes this name and password until " + u.Expires.Local().Format("15:04 on 2 January") +
		": then nobody can join by the relay any more, and within ten minutes who needs it loses it"},
		expiring([]code.Relay{r, {Host: "open.example.org"}, {Host: "a.b", User: "anna", Password: "x"}}, now))
	assert.Empty(t, expiring([]code.Relay{r}, u.Expires.AddDate(0, 0, 1)))
	assert.Empty(t, expiring([]code.Relay{r}, u.Expires.AddDate(-2, 0, 0)))
}
