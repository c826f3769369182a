package playerlist_test

import (
	"errors"
	"fmt"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A host admits a machine and its player, a copy follows by number, and the machine leaves.
func Example() {
	host, err := playerlist.New(playerlist.Session{
		Desc: wire.SessionDesc{MaxPlayers: 8, Reserved1: 0x000284CB},
		Name: wire.NewText("Lords2 Session1"),
	})
	if err != nil {
		panic(err)
	}
	ids := playerlist.NewIDs(0x000284CB, 1)
	add := func(e playerlist.Entry) wire.PlayerID {
		e.ID, _ = ids.Reserve() // the answer to REQUESTPLAYERID
		if _, err := host.Apply(playerlist.AddPlayer{Entry: e}); err != nil {
			panic(err)
		}
		ids.Hold(e.ID)
		return e.ID
	}
	add(playerlist.Entry{Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: uint32(wire.DX9)})
	machine := add(playerlist.Entry{Flags: wire.PlayerSystem, Dialect: uint32(wire.DX61A)})

	member, err := playerlist.Load(host.State())
	if err != nil {
		panic(err)
	}
	add(playerlist.Entry{System: machine, ShortName: wire.NewText("Nobleman")})
	ops, _ := host.Since(member.Version())
	for _, op := range ops {
		if err := member.ApplyAt(op.Version, op.Op); err != nil {
			panic(err)
		}
	}
	fmt.Println("equal:", playerlist.Equal(host, member))
	for _, p := range member.Players() {
		fmt.Printf("%v %v %q\n", p.ID, p.Flags, p.ShortName)
	}
	for _, op := range host.Departed(machine) {
		v, _ := host.Apply(op)
		fmt.Printf("%d: %T %v\n", v, op, op)
	}
	// Output:
	// equal: true
	// 0x000384cb SYSTEM|NAMESERVER|INGROUP ""
	// 0x000384ca SYSTEM|INGROUP ""
	// 0x000384c9 INGROUP "Nobleman"
	// 4: playerlist.DeletePlayer {0x000384c9}
	// 5: playerlist.DeletePlayer {0x000384ca}
}

// A copy that missed operations is told so, and asks for them.
func ExampleList_ApplyAt() {
	host, _ := playerlist.New(playerlist.Session{})
	member, _ := playerlist.Load(host.State())
	for _, id := range []wire.PlayerID{10, 20, 30} {
		_, _ = host.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, Flags: wire.PlayerSystem}})
	}
	err := member.ApplyAt(3, playerlist.AddPlayer{Entry: playerlist.Entry{ID: 30, Flags: wire.PlayerSystem}})
	fmt.Println(err)
	if errors.Is(err, playerlist.ErrGap) {
		missing, ok := host.Since(member.Version())
		fmt.Println(len(missing), ok)
	}
	// Output:
	// operation 3 at version 0: operations before it are missing
	// 3 true
}

// The host is gone. By the rule of DirectPlay 4 the lowest id follows.
func ExampleList_Lowest() {
	l, _ := playerlist.New(playerlist.Session{})
	for _, id := range []wire.PlayerID{0x000384CB, 0x000384C9, 0x000384C7} {
		_, _ = l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, Flags: wire.PlayerSystem}})
	}
	lost := wire.PlayerID(0x000384CB)
	lowest, _ := l.Lowest(lost)
	fmt.Println(lowest)
	// Output: 0x000384c7
}

// A host answers a join with everybody in the session.
func ExampleList_SuperEnumPlayersReply() {
	l, _ := playerlist.New(playerlist.Session{Name: wire.NewText("Session")})
	for _, e := range []playerlist.Entry{
		{ID: 0x000384CB, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: 14},
		{ID: 0x000384CA, System: 0x000384CB, ShortName: wire.NewText("Nobleman")},
		{ID: 0x000384C9, Flags: wire.PlayerSystem, Dialect: 14},
	} {
		_, _ = l.Apply(playerlist.AddPlayer{Entry: e})
	}
	m := l.SuperEnumPlayersReply(playerlist.View{Sender: 0x000384CB, Newcomer: 0x000384C9})
	for _, p := range m.Players {
		fmt.Printf("%v %v %#x %q\n", p.ID, p.Flags, p.Owner, p.ShortName)
	}
	// Output:
	// 0x000384c9 SYSTEM|INGROUP 0xe ""
	// 0x000384cb SYSTEM|NAMESERVER|INGROUP|LOCAL 0xe ""
	// 0x000384ca INGROUP|LOCAL 0x384cb "Nobleman"
}

// An index is used again with another unique part, so that old messages cannot hit the new player.
func ExampleIDs() {
	ids := playerlist.NewIDs(0x000284CB, 1)
	host, _ := ids.Reserve()
	first, _ := ids.Reserve()
	ids.Hold(host)
	ids.Free(first) // nobody came
	second, _ := ids.Reserve()
	fmt.Println(host, first, second)
	// Output: 0x000384cb 0x000384ca 0x000084ca
}
