package pcapfile_test

import (
	"fmt"
	"io"
	"strings"

	"dplay4/captures/internal/pcapfile"
)

// A pcap file of two packets that ends before the last octet of the second.
func ExampleReader() {
	file := "\xa1\xb2\xc3\xd4\x00\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x65" +
		"\x3b\x9a\xca\x00\x00\x00\x00\x05\x00\x00\x00\x02\x00\x00\x00\x02ab" +
		"\x3b\x9a\xca\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x03cd"
	r, err := pcapfile.NewReader(strings.NewReader(file), "game.pcap")
	for err == nil {
		var p pcapfile.Packet
		if p, err = r.Next(); err == nil {
			fmt.Printf("%d %v link type %d %q\n", p.Frame, p.Time, p.Link, p.Data)
		}
	}
	if err != io.EOF {
		fmt.Println(err)
	}
	// Output:
	// 1 2001-09-09 01:46:40.000005 +0000 UTC link type 101 "ab"
	// game.pcap: frame 2: Packet Data at octet 58: file ends inside a record
}
