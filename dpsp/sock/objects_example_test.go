package sock_test

import (
	"context"
	"fmt"
	"net/netip"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// Ann makes a rock and gives it to Bob, who then is the one that moves it. Were Bob's machine lost, another one would go
// on with the rock.
func ExampleSession_CreateObject() {
	ctx := context.Background()
	game := wire.GUID{0x0b, 0xa5, 0x52, 0xa0}             // the game's application GUID
	here, there := testkit.Loopback(), testkit.Loopback() // two addresses of this machine
	host, err := sock.Open(sock.Options{Bind: here})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	if err := host.Host(ctx, dpsp.Host{Application: game, Name: "Hill", Flags: wire.SessionMigrateHost}); err != nil {
		fmt.Println(err)
		return
	}
	host.CreatePlayer(ctx, "Ann", nil)

	guest, err := sock.Open(sock.Options{Bind: there})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guest.Close()
	at, err := guest.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{here}})
	if err == nil {
		err = guest.Join(ctx, at, "")
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	bob, _ := guest.CreatePlayer(ctx, "Bob", nil)

	for e := range host.Events() {
		if p, ok := e.(dpsp.PlayerCreated); ok && p.ID == bob {
			break
		}
	}
	rock, _ := host.CreateObject(ctx, []byte("at the top"))
	host.MigrateObject(ctx, rock, bob)
	for e := range guest.Events() {
		if e, ok := e.(dpsp.ObjectMigrated); ok && e.ID == rock {
			fmt.Printf("Bob has a rock, %s\n", e.State)
			break
		}
	}
	guest.UpdateObject(ctx, rock, []byte("rolling"))
	for e := range host.Events() {
		if e, ok := e.(dpsp.ObjectUpdated); ok && e.ID == rock {
			fmt.Printf("Ann sees it %s\n", e.State)
			break
		}
	}
	for _, o := range host.Objects() {
		fmt.Println(len(host.Objects()), "rock, Bob's:", o.Owner == guest.Info().System)
	}
	// Output:
	// Bob has a rock, at the top
	// Ann sees it rolling
	// 1 rock, Bob's: true
}
