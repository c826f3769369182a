package pcapfile

import (
	"io"
	"time"
)

// A Packet is one frame as a file holds it.
type Packet struct {
	Frame     int       // its number in the file, from 1, as tshark counts
	Time      time.Time // UTC; zero if the file tells none (a simple packet block) or one past the year 9999
	Link      LinkType  // what Data begins with
	Data      []byte    // what was captured, at most MaxPacket octets; valid until the next call of Next
	Length    int       // octets on the wire: len(Data), or more if the snap length cut the packet
	Interface int       // number of the interface, from 0, over all sections of the file; 0 in pcap
}

// A Reader reads the packets of one capture file.
type Reader interface {
	// Next returns the next packet. Behind the last one it returns io.EOF, and a [FileError] where reading cannot go
	// on; then it must not be called again.
	Next() (Packet, error)
}

// NewReader begins to read a capture file, up to the file header of pcap; name is what errors call the file. The
// error is a [FileError]. The Reader reads ahead, in pieces of 64 KiB, but never waits for more than the
// packet it was asked for, so r may be a pipe from a running capture.
func NewReader(r io.Reader, name string) (Reader, error) {
	src := new(source)
	ng, err := src.begin(r, name)
	switch {
	case err != nil:
		return nil, err
	case ng:
		return &ngFormat{src: src}, nil
	}
	return newPcapFormat(src)
}
