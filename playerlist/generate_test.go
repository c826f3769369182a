package playerlist

import (
	"math/rand/v2"

	"dplay4/wire"
)

// A source makes choices: by a seeded generator, or by the octets of a fuzzer.
type source interface {
	// choose gives a number below n.
	choose(n int) int
}

type seeded struct{ *rand.Rand }

func (s seeded) choose(n int) int { return s.IntN(n) }

func newSeeded(seed uint64) seeded { return seeded{rand.New(rand.NewPCG(seed, 1))} }

// octets chooses by one octet at a time; after the last one always 0.
type octets struct{ b []byte }

func (o *octets) choose(n int) int {
	if len(o.b) == 0 {
		return 0
	}
	v := int(o.b[0])
	o.b = o.b[1:]
	return v % n
}

// Ids come from a small space, so that operations often meet: a few for each kind, so that they often fit.
const (
	firstSystem = 3
	firstPlayer = 8
	firstGroup  = 20
	lastID      = 27
)

// randomID is any id of the space, or one of those that are special.
func randomID(s source) wire.PlayerID {
	switch n := s.choose(lastID + 1); n {
	case 0:
		return wire.IDAll
	case 1:
		return wire.IDServer
	case 2:
		return wire.IDUnknown
	default:
		return wire.PlayerID(n)
	}
}

func randomIn(s source, first, end int) wire.PlayerID {
	if s.choose(10) == 0 {
		return randomID(s)
	}
	return wire.PlayerID(first + s.choose(end-first))
}

func randomSystem(s source) wire.PlayerID { return randomIn(s, firstSystem, firstPlayer) }
func randomPlayer(s source) wire.PlayerID { return randomIn(s, firstSystem, firstGroup) }
func randomGroup(s source) wire.PlayerID  { return randomIn(s, firstGroup, lastID+1) }

func randomText(s source) wire.Text {
	switch s.choose(16) {
	case 0, 1:
		return nil
	case 2:
		return wire.NewText("")
	case 3, 4:
		return wire.NewText8("Nobleman")
	case 5:
		return wire.Text{1, 2, 3} // cannot be sent
	default:
		return wire.NewText("name"[:s.choose(5)])
	}
}

func randomData(s source) []byte {
	switch s.choose(8) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		return spData(10, 0, 0, byte(s.choose(4)))
	default:
		b := make([]byte, s.choose(300))
		for i := range b {
			b[i] = byte(i)
		}
		return b
	}
}

func randomEntry(s source, id wire.PlayerID) Entry {
	e := Entry{
		ID: id, System: randomSystem(s), Dialect: uint32(s.choose(20)),
		ShortName: randomText(s), LongName: randomText(s), SPData: randomData(s), Data: randomData(s),
	}
	for _, f := range []wire.PlayerFlags{wire.PlayerLocal, wire.PlayerInGroup, wire.PlayerSpectator,
		wire.PlayerServerPlayer, 1 << 20} {
		if s.choose(4) == 0 {
			e.Flags |= f
		}
	}
	return e
}

// randomOp is an operation that may or may not be possible.
func randomOp(s source) Op {
	switch s.choose(27) {
	case 0, 1:
		e := randomEntry(s, randomSystem(s))
		e.Flags |= wire.PlayerSystem
		if s.choose(3) == 0 {
			e.Flags |= wire.PlayerNameServer
		}
		return AddPlayer{e}
	case 2, 3, 4:
		return AddPlayer{randomEntry(s, randomPlayer(s))}
	case 5:
		if s.choose(2) != 0 {
			return randomChange(s)
		}
		return DeletePlayer{randomPlayer(s)}
	case 6, 7, 8:
		e := randomEntry(s, randomGroup(s))
		if s.choose(3) == 0 {
			e.Parent = randomGroup(s)
		}
		return AddGroup{e}
	case 9:
		if s.choose(3) != 0 {
			return randomChange(s)
		}
		return DeleteGroup{randomGroup(s)}
	case 10, 11, 12, 13:
		return AddMember{randomGroup(s), randomPlayer(s)}
	case 14, 15:
		return RemoveMember{randomGroup(s), randomPlayer(s)}
	case 16, 17, 18:
		return AddShortcut{randomGroup(s), randomGroup(s)}
	case 19, 20:
		return RemoveShortcut{randomGroup(s), randomGroup(s)}
	default:
		return randomChange(s)
	}
}

// randomChange is an operation that adds and removes nothing.
func randomChange(s source) Op {
	switch s.choose(7) {
	case 0:
		return SetName{randomID(s), randomText(s), randomText(s)}
	case 1:
		return SetData{randomID(s), randomData(s)}
	case 2:
		return SetInfo{randomID(s), randomText(s), randomText(s), randomData(s)}
	case 3:
		return SetSPData{randomID(s), randomData(s)}
	case 4:
		return SetHost{randomSystem(s)}
	case 5:
		return InstructConnect{randomSystem(s)}
	default:
		return SetDesc{Session{
			Desc: wire.SessionDesc{Flags: wire.SessionFlags(s.choose(256)), CurrentPlayers: 9,
				Instance: wire.GUID{byte(s.choose(2))}, Reserved1: 1},
			Name: randomText(s), Password: randomText(s),
		}}
	}
}

// randomList is a list after n operations, those that were refused among them.
func randomList(s source, n int) *List {
	l, err := New(testSession())
	if err != nil {
		panic(err)
	}
	for range n {
		_, _ = l.Apply(randomOp(s)) // refusals are wanted
	}
	return l
}
