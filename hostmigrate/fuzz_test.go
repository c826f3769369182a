package hostmigrate_test

import (
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/require"
)

// FuzzReceive gives any message from anybody to a host, to a member, to the leader of a migration, and to one that
// waits for it: nothing panics, no table goes back, and what is sent can be decoded.
func FuzzReceive(f *testing.F) {
	for role := range uint8(4) {
		for _, typ := range dpl8.Types() {
			f.Add(role, uint8(4), encode(f, dpl8.New(typ)))
		}
	}
	f.Add(uint8(3), uint8(4), encode(f, &dpl8.HostMigrate{OldHost: 3, NewHost: 4}))
	f.Add(uint8(2), uint8(5), encode(f, &dpl8.NameTableVersion{Version: 7, VersionNotUsed: 1}))
	all, l := hosted(f)
	s := l.State()
	infos, err := hostmigrate.ConnectInfos(&s, 5)
	require.NoError(f, err)
	f.Add(uint8(1), uint8(3), encode(f, infos[0]))
	for _, op := range all[3].Take().Sends {
		f.Add(uint8(1), uint8(3), op.Message)
	}
	f.Fuzz(func(t *testing.T, role, from uint8, b []byte) {
		all, _ := hosted(t)
		x := all[5]
		switch role % 4 {
		case 0:
			x = all[3]
		case 2:
			x = all[4]
			x.Begin(0, 3, 4, []wire.PlayerID{5})
		case 3:
			x.Begin(0, 3, 4, nil)
		}
		version := x.Version()
		for i := range 2 {
			_ = x.Receive(time.Duration(i), wire.PlayerID(from), b) // refusals are wanted
			x.Look(x.Next() - 1)
			require.GreaterOrEqual(t, x.Version(), version)
		}
		for _, s := range x.Take().Sends {
			_, err := dpl8.Decode(s.Message)
			require.NoError(t, err)
		}
	})
}
