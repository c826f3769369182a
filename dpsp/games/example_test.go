package games_test

import (
	"fmt"

	"dplay4/dpsp/games"
)

func ExampleByName() {
	g, ok := games.ByName("lotr2")
	fmt.Println(g.Title, g.GUID, g.Text, ok)
	// Output: Lords of the Realm II {1c8248c0-9772-11cf-b74f-00c0df413ed1} 8-bit true
}
