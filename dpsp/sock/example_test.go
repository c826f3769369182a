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

// Two programs on one machine: one hosts, the other finds the session, joins it and says something.
func Example() {
	ctx := context.Background()
	game := wire.GUID{0x0b, 0xa5, 0x52, 0xa0} // the game's application GUID
	opt := sock.Options{Bind: testkit.Loopback()}

	host, err := sock.Open(opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	if err := host.Host(ctx, dpsp.Host{Application: game, Name: "My session", MaxPlayers: 4}); err != nil {
		fmt.Println(err)
		return
	}
	ann, _ := host.CreatePlayer(ctx, "Ann", nil)

	guest, err := sock.Open(opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guest.Close()
	for found, err := range guest.Enumerate(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{opt.Bind}}) {
		if err == nil {
			err = guest.Join(ctx, found, "")
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		break
	}
	bob, _ := guest.CreatePlayer(ctx, "Bob", nil)
	guest.Send(ctx, bob, ann, []byte("hello"), true)

	for e := range host.Events() {
		switch e := e.(type) {
		case dpsp.PlayerCreated:
			fmt.Println(e.ShortName, "is here")
		case dpsp.Message:
			fmt.Printf("%s\n", e.Payload)
			return
		}
	}
	// Output:
	// Ann is here
	// Bob is here
	// hello
}
