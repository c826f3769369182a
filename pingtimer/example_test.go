package pingtimer_test

import (
	"fmt"
	"time"

	"dplay4/pingtimer"
)

// A member watches its host, which falls silent after its first word.
func Example() {
	watch := pingtimer.New[string](pingtimer.Config{Period: time.Second, Probes: 3})
	watch.Add("host", 0)
	watch.Heard("host")
	for watch.Next() != pingtimer.Never {
		now := watch.Next() // sleep until then, unless a message comes first
		ping, lost := watch.Look(now)
		fmt.Println(now, "ping", ping, "lost", lost)
	}
	// Output:
	// 1s ping [] lost []
	// 2s ping [host] lost []
	// 3s ping [host] lost []
	// 4s ping [host] lost []
	// 5s ping [] lost [host]
}
