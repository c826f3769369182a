//go:build linux

package wine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDLLDialog has a game that gives no address: it looks where the configuration says, and waits for nobody's answer.
func TestDLLDialog(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			var addr []string
			for _, name := range []string{"North", "South"} {
				m, err := lab.Machine(ctx, name)
				require.NoError(t, err)
				l := &windowsBuild{linux: m, program: buildDplay(t)}
				l.starts(ctx, t, m, "host", "--app", application, "--name", name, "--player", name)
				addr = append(addr, m.Addr().String())
			}
			game, program := newDLLMachine(ctx, t, lab, arch, "dialog")
			for _, c := range []struct{ name, address, unsaid, everybody, said string }{
				{"nothing set", "", " North South", " North South", " North"},
				{"an address set", addr[1], " South", " North South", " North"},
				{"nobody's address set", "192.0.2.250", "", " North South", " North"},
				{"nobody's name set", "nobody.invalid", "", " North South", " North"},
			} {
				t.Run(c.name, func(t *testing.T) {
					cmd := game.command(ctx, program, addr[0])
					if c.address != "" {
						cmd.Env = append(cmd.Env, "DPLAY_ADDRESS="+c.address)
					}
					said, status := finished(t, cmd)
					assert.Zero(t, status)
					const end = "; in time, polls at once, ends at once\r\n"
					assert.Equal(t, "provider:"+c.unsaid+end+"offer:"+c.unsaid+end+"no name:"+c.unsaid+end+"empty name:"+c.unsaid+end+
						"empty wide name:"+c.unsaid+end+"everybody:"+c.everybody+end+"name:"+c.said+end+"done\r\n", said)
				})
			}
		})
	}
}
