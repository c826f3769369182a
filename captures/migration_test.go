package captures_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// TestMigrationHosts: who is host, as one learns it from each recording (captures/migration). The host is named after
// the player of its machine: p0 opened the session.
func TestMigrationHosts(t *testing.T) {
	for name, want := range map[string][]string{
		"killed-modern": {"p0", "p1", "p2"},
		"killed-legacy": {"p0", "p1", "p2"},
		"cut-left":      {"p0", "p2"},
		"cut-right":     {"p0", "p2"},
		"before-views":  {"p0", "p2"},
		"frozen-host":   {"p0", "p1"},
		"frozen-member": {"p0"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("migration", name+".pcapng"))
			require.NoError(t, err)
			defer f.Close()
			var hosts []wire.PlayerID
			sessions := map[wire.GUID]bool{}
			players := map[wire.PlayerID]string{} // of machines, by their listener
			_, err = captures.Read(context.Background(), f, captures.Options{Name: name}, func(r *captures.Record) error {
				assert.Empty(t, r.Findings)
				if r.Session == nil {
					return nil
				}
				if r.Session.Described {
					sessions[r.Session.Instance] = true
				}
				if h := r.Session.Host; h != 0 && (len(hosts) == 0 || hosts[len(hosts)-1] != h) {
					hosts = append(hosts, h)
				}
				if m, ok := r.Envelope.Message.(*wire.CreatePlayer); ok {
					players[m.Info.System] = m.Info.ShortName.String()
				}
				if m, ok := r.Envelope.Message.(*wire.SuperEnumPlayersReply); ok {
					for i := range m.Players {
						players[wire.PlayerID(m.Players[i].Owner)] = m.Players[i].ShortName.String()
					}
				}
				return nil
			}, func(f *captures.Finding) { t.Errorf("%+v", *f) })
			require.NoError(t, err)
			assert.Len(t, sessions, 1, "it is one session, whoever is host")
			var got []string
			for _, h := range hosts {
				got = append(got, players[h])
			}
			assert.Equal(t, want, got)
		})
	}
}
