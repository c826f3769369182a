package hostmigrate_test

import (
	"math/rand/v2"
	"testing"

	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func session() playerlist.Session {
	return playerlist.Session{
		Desc: wire.SessionDesc{
			Flags: wire.SessionMigrateHost | wire.SessionPasswordRequired, Instance: wire.GUID{1, 2, 3}, Application: wire.GUID{4},
			MaxPlayers: 8, Reserved1: 0x1234, Reserved2: 5, User: [4]uint32{0, 1, 1 << 31, 7},
		},
		Name: wire.NewText("Siege"), Password: wire.NewText("x"),
	}
}

func newList(t testing.TB) *playerlist.List {
	t.Helper()
	l, err := playerlist.New(session())
	require.NoError(t, err)
	return l
}

func system(id wire.PlayerID) playerlist.Entry {
	return playerlist.Entry{ID: id, Flags: wire.PlayerSystem, Dialect: 14, SPData: []byte{2, 0, byte(id)}}
}

func text(r *rand.Rand) wire.Text {
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		return wire.NewText8("Nobleman")
	}
	return wire.NewText("Grüße;=%/\""[:r.IntN(10)])
}

func data(r *rand.Rand) []byte {
	if r.IntN(4) == 0 {
		return nil
	}
	b := make([]byte, r.IntN(60))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Ids come from a small space, so that operations often fit.
func systemID(r *rand.Rand) wire.PlayerID { return wire.PlayerID(3 + r.IntN(5)) }
func playerID(r *rand.Rand) wire.PlayerID { return wire.PlayerID(3 + r.IntN(10)) }
func groupID(r *rand.Rand) wire.PlayerID  { return wire.PlayerID(20 + r.IntN(4)) }
func anyID(r *rand.Rand) wire.PlayerID    { return wire.PlayerID(3 + r.IntN(21)) }

func entry(r *rand.Rand, id wire.PlayerID) playerlist.Entry {
	return playerlist.Entry{
		ID: id, Flags: wire.PlayerFlags(r.Uint32N(1<<12)) &^ (wire.PlayerSystem | wire.PlayerNameServer), System: systemID(r),
		Dialect: r.Uint32N(20), ShortName: text(r), LongName: text(r), SPData: data(r), Data: data(r),
	}
}

// randomOp is an operation that may or may not be possible, of any of the fifteen kinds.
func randomOp(r *rand.Rand) playerlist.Op {
	switch r.IntN(26) {
	case 0, 1:
		e := entry(r, systemID(r))
		e.Flags |= wire.PlayerSystem
		if r.IntN(3) == 0 {
			e.Flags |= wire.PlayerNameServer
		}
		return playerlist.AddPlayer{Entry: e}
	case 2, 3, 4:
		return playerlist.AddPlayer{Entry: entry(r, playerID(r))}
	case 5, 6, 7:
		e := entry(r, groupID(r))
		if r.IntN(3) == 0 {
			e.Parent = groupID(r)
		}
		return playerlist.AddGroup{Entry: e}
	case 8:
		return playerlist.DeletePlayer{ID: playerID(r)}
	case 9:
		return playerlist.DeleteGroup{ID: groupID(r)}
	case 10, 11:
		return playerlist.AddMember{Group: groupID(r), Player: playerID(r)}
	case 12, 16, 17:
		return playerlist.RemoveMember{Group: groupID(r), Player: playerID(r)}
	case 13, 18, 19:
		return playerlist.AddShortcut{Parent: groupID(r), Child: groupID(r)}
	case 14, 20, 21, 22:
		return playerlist.RemoveShortcut{Parent: groupID(r), Child: groupID(r)}
	}
	return randomChange(r)
}

func randomChange(r *rand.Rand) playerlist.Op {
	switch r.IntN(7) {
	case 0:
		return playerlist.SetName{ID: anyID(r), ShortName: text(r), LongName: text(r)}
	case 1:
		return playerlist.SetData{ID: anyID(r), Data: data(r)}
	case 2:
		return playerlist.SetInfo{ID: anyID(r), ShortName: text(r), LongName: text(r), Data: data(r)}
	case 3:
		return playerlist.SetSPData{ID: anyID(r), SPData: data(r)}
	case 4:
		return playerlist.SetHost{ID: systemID(r)}
	case 5:
		return playerlist.InstructConnect{ID: systemID(r)}
	}
	s := session()
	s.Desc.Flags, s.Name, s.Password = wire.SessionFlags(r.Uint32()), text(r), text(r)
	s.Desc.MaxPlayers, s.Desc.Reserved2 = r.Uint32N(3), r.Uint32()
	return playerlist.SetDesc{Session: s}
}
