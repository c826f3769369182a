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

// A Reader reads the packets of one capture file. Only Offset may be called from another goroutine.
type Reader struct {
	src    source
	format format
	err    error // sticky
}

// A format reads records.
type format interface {
	// next gives the next packet, io.EOF behind the last one, or a FileError.
	next() (Packet, error)
}

// NewReader begins to read a capture file. It reads the file header; name is what errors call the file. The
// error is a [FileError]. The Reader reads ahead, in pieces of 64 KiB, but never waits for more than the
// packet it was asked for, so r may be a pipe from a running capture.
func NewReader(r io.Reader, name string) (*Reader, error) {
	rd := new(Reader)
	ng, err := rd.src.begin(r, name)
	switch {
	case err != nil:
	case ng:
		rd.format, err = newNgFormat(&rd.src)
	default:
		rd.format, err = newPcapFormat(&rd.src)
	}
	if err != nil {
		return nil, err
	}
	return rd, nil
}

// Next returns the next packet. Behind the last one it returns io.EOF, and a [FileError] where reading cannot go
// on; every further call returns the same.
func (r *Reader) Next() (Packet, error) {
	if r.err != nil {
		return Packet{}, r.err
	}
	p, err := r.format.next()
	if err != nil {
		r.err = err
		return Packet{}, err
	}
	return p, nil
}

// Offset is how many octets of the input, compressed if it is, were read so far: at the end, its size. It may be
// called while Next runs.
func (r *Reader) Offset() int64 { return r.src.in.n.Load() }
