// Castle hosts a session, welcomes each player, and ends when one of them says "bye" in the chat.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"os"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

func main() {
	var options sock.Options // the zero value listens at all addresses of this machine
	if len(os.Args) > 1 {
		options.Bind = netip.MustParseAddr(os.Args[1])
	}
	if err := host(context.Background(), options); err != nil {
		log.Fatal(err)
	}
}

func host(ctx context.Context, options sock.Options) error {
	game, err := wire.ParseGUID("{6a1f0c52-93d8-4e0b-8a3c-5d17b2e4f960}") // a GUID of your game's own
	if err != nil {
		return err
	}
	session, err := sock.Open(options)
	if err != nil {
		return err
	}
	defer session.Close()
	if err := session.Host(ctx, dpsp.Host{
		Application: game, Name: "Castle", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive,
	}); err != nil {
		return err
	}
	ann, err := session.CreatePlayer(ctx, "Ann", nil)
	if err != nil {
		return err
	}
	for e := range session.Events() {
		switch e := e.(type) {
		case dpsp.PlayerCreated:
			fmt.Println(e.ShortName, "is here")
			if e.ID != ann {
				if err := session.Send(ctx, ann, e.ID, []byte("welcome"), true); err != nil {
					return err
				}
			}
		case dpsp.Message:
			fmt.Printf("%v sends %q\n", e.From, e.Payload) // the game's own octets
		case dpsp.ChatMessage:
			fmt.Printf("%v says %q\n", e.From, e.Text)
			if e.Text == "bye" {
				return nil
			}
		case dpsp.HostChanged:
			fmt.Println("the host is", e.New, "now")
		}
	}
	return errors.New("the session was lost")
}
