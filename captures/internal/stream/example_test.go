package stream_test

import (
	"fmt"
	"net/netip"

	"dplay4/captures/internal/stream"
)

// Two segments in the wrong order, and one that the capture missed.
func Example() {
	a := stream.New(func(c *stream.Chunk) {
		fmt.Printf("frame %d: lost %d, %q, end %t\n", c.Frame, c.Lost, c.Data, c.End)
	})
	key := stream.Key{Src: netip.MustParseAddrPort("10.0.0.1:1025"), Dst: netip.MustParseAddrPort("10.0.0.2:2300")}
	for i, s := range []stream.Segment{
		{Seq: 0xFFFFFFFE, SYN: true},
		{Seq: 0x00000001, Payload: []byte("cd")},
		{Seq: 0xFFFFFFFF, Payload: []byte("ab")},
		{Seq: 0x00000006, Payload: []byte("hi"), FIN: true},
	} {
		s.Key, s.Frame = key, i+1
		a.Add(&s)
	}
	a.Flush()
	fmt.Printf("%+v\n", a.Totals())
	// Output:
	// frame 3: lost 0, "ab", end false
	// frame 2: lost 0, "cd", end false
	// frame 4: lost 3, "hi", end false
	// frame 4: lost 0, "", end true
	// {Payload:6 Octets:6 Duplicate:0 Conflict:0 Stray:0 Late:0 Before:0 Lost:3}
}
