package link_test

import (
	"fmt"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
)

// Two fragments of one UDP datagram, and the first fragment of another that stays alone.
func ExampleDecoder() {
	const addresses = "\xc0\x00\x02\x01\xc0\x00\x02\x02" // 192.0.2.1 to 192.0.2.2
	frames := []string{
		"\x45\x00\x00\x1c\x00\x07\x20\x00\x40\x11\x00\x00" + addresses + "\x09\x2e\x09\x2f\x00\x0d\x00\x00",
		"\x45\x00\x00\x1c\x00\x08\x20\x00\x40\x11\x00\x00" + addresses + "\x09\x2e\x09\x2f\x00\x10\x00\x00",
		"\x45\x00\x00\x19\x00\x07\x00\x01\x40\x11\x00\x00" + addresses + "hello",
	}
	var d link.Decoder
	for i, data := range frames {
		u, st := d.Decode(&pcapfile.Packet{Frame: i + 1, Link: pcapfile.LinkRaw, Data: []byte(data), Length: len(data)})
		fmt.Println("frame", i+1, st)
		if st.Kind == link.KindUnit {
			fmt.Printf("%v %v > %v, frames %v: %q\n", u.Proto, u.Src, u.Dst, u.Frames, u.Payload)
		}
	}
	for _, in := range d.Flush() {
		fmt.Printf("%v %v > %v, frames %v: %d of %d octets\n", in.Proto, in.Src, in.Dst, in.Frames, in.Seen, in.Total)
	}
	// Output:
	// frame 1 held
	// frame 2 held
	// frame 3 unit
	// UDP 192.0.2.1:2350 > 192.0.2.2:2351, frames [1 3]: "hello"
	// UDP 192.0.2.1:2350 > 192.0.2.2:2351, frames [2]: 8 of 16 octets
}
