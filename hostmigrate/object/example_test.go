package object_test

import (
	"fmt"

	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// Ann hosts and pushes a rock. Ben takes it over.
func Example() {
	const ann, ben = wire.PlayerID(1), wire.PlayerID(2)
	tables := map[wire.PlayerID]*object.Table{
		ann: object.New(object.Config{Self: ann}),
		ben: object.New(object.Config{Self: ben}),
	}
	names := map[wire.PlayerID]string{ann: "Ann", ben: "Ben"}
	// carry takes messages back and forth until there are none. A session does this over its sockets.
	carry := func() {
		for again := true; again; {
			again = false
			for _, id := range []wire.PlayerID{ann, ben} {
				out := tables[id].Take()
				for _, e := range out.Events {
					switch e := e.(type) {
					case object.ObjectCreated:
						fmt.Printf("%s sees %s\n", names[id], e.State)
					case object.ObjectUpdated:
						fmt.Printf("%s sees %s\n", names[id], e.State)
					case object.ObjectMigrated:
						fmt.Printf("%s hears: from %s to %s\n", names[id], names[e.From], names[e.To])
					case object.ObjectDestroyed:
						fmt.Printf("%s sees it vanish\n", names[id])
					}
				}
				for _, s := range out.Sends {
					again = true
					if err := tables[s.To].Receive(0, id, &s.Message); err != nil {
						fmt.Println(err)
					}
				}
			}
		}
	}
	for _, id := range []wire.PlayerID{ann, ben} {
		t := tables[id]
		t.Join(0, ann+ben-id)
		t.SetHost(0, ann)
	}

	rock, _ := tables[ann].Create(0, []byte("a rock at the top"))
	carry()
	_ = tables[ann].Update(0, rock, []byte("the rock rolling"))
	carry()
	_ = tables[ben].Migrate(0, rock, ben) // Ben asks, Ann decides, Ben announces
	carry()
	fmt.Println("Ann may not:", tables[ann].Update(0, rock, nil))
	_ = tables[ben].Update(0, rock, []byte("the rock below"))
	carry()
	_ = tables[ben].Destroy(0, rock)
	carry()
	// Output:
	// Ben sees a rock at the top
	// Ben sees the rock rolling
	// Ben hears: from Ann to Ben
	// Ann hears: from Ann to Ben
	// Ann may not: not the owner
	// Ann sees the rock below
	// Ann sees it vanish
}
