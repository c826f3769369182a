package pcapfile

import (
	"encoding/binary"
	"io"
	"time"

	"github.com/google/gopacket/pcapgo"
)

// The magic numbers of pcap, as the writer's byte order shows them.
const (
	pcapMicro    = 0xa1b2c3d4
	pcapNano     = 0xa1b23c4d
	pcapModified = 0xa1b2cd34 // Alexey Kuznetsov's libpcap for Linux 2.2: longer record headers
)

// Sizes of pcap, in octets.
const (
	pcapFileHeader     = 24
	pcapRecordHeader   = 16
	pcapModifiedHeader = 24 // interface index, protocol and packet type follow the four usual fields
)

// A pcapVariant is how files with one magic number differ from others.
type pcapVariant struct {
	magic        uint32 // that pcapgo is shown
	recordHeader int    // octets of a record header in the file
	unit         time.Duration
	resolution   byte // of that unit, as in if_tsresol
}

var pcapVariants = map[uint32]pcapVariant{
	pcapMicro:    {pcapMicro, pcapRecordHeader, time.Microsecond, 6},
	pcapNano:     {pcapNano, pcapRecordHeader, time.Nanosecond, 9},
	pcapModified: {pcapMicro, pcapModifiedHeader, time.Microsecond, 6},
}

// A pcapFormat reads pcap records: pcapgo.Reader does, behind a pcapVet.
type pcapFormat struct {
	vet  pcapVet
	r    *pcapgo.Reader
	link LinkType
}

func newPcapFormat(s *source) (Reader, error) {
	f := &pcapFormat{vet: pcapVet{src: s}}
	err := f.vet.fileHeader()
	if err != nil {
		return nil, err
	}
	// pcapgo keeps 8 of the 16 bits of a link type, and allocates what the file says is its snap length.
	f.link = LinkType(f.vet.order.Uint32(f.vet.header[20:]) & linkTypeBits)
	if f.r, err = pcapgo.NewReader(&f.vet); err != nil {
		return nil, s.fail("file header", 0, 0, err)
	}
	f.r.SetSnaplen(MaxPacket)
	return f, nil
}

// linkTypeBits are the bits of the last field of the file header that hold the link type, as libpcap takes them;
// those above tell the length of the frame check sequence.
const linkTypeBits = 0x03ffffff

// Next implements Reader.
func (f *pcapFormat) Next() (Packet, error) {
	data, ci, err := f.r.ZeroCopyReadPacketData()
	if err != nil {
		return Packet{}, err // the vet's: it hands on whole records, in which pcapgo finds no fault
	}
	return Packet{Frame: f.vet.src.frame, Time: f.vet.time(), Link: f.link, Data: data, Length: ci.Length}, nil
}

// time returns when the record was captured that was let through last. pcapgo multiplies fractions in 32 bits, where those
// that are longer than four seconds, which a damaged file has, turn into others.
func (v *pcapVet) time() time.Time {
	return time.Unix(int64(v.seconds), int64(v.fraction)*int64(v.unit)).UTC()
}

// A pcapVet stands between the file and pcapgo.Reader, which believes what a file claims. It lets records through
// only when they are whole and their lengths are checked, one at a time, and rights what pcapgo refuses although
// libpcap reads it: the modified format, and a length on the wire below the length captured.
type pcapVet struct {
	pcapVariant
	src        *source
	order      order
	last       int    // octets of the record that was let through last
	seconds    uint32 // of that record
	fraction   uint32
	header     [pcapFileHeader]byte
	head, data []byte // what may pass: of the header as pcapgo shall see it, and of the packet
}

// Read implements io.Reader. pcapgo's own buffer asks for more only when it is empty, so what it reads is always
// part of the packet it was asked for.
func (v *pcapVet) Read(p []byte) (int, error) {
	if len(v.head) == 0 && len(v.data) == 0 {
		if err := v.record(); err != nil {
			return 0, err
		}
	}
	if len(v.head) > 0 {
		n := copy(p, v.head)
		v.head = v.head[n:]
		return n, nil
	}
	n := copy(p, v.data)
	v.data = v.data[n:]
	return n, nil
}

// fileHeader checks the file header and lets it pass.
func (v *pcapVet) fileHeader() error {
	b, err := v.src.peek(pcapFileHeader) // 4 octets are there
	v.order = orderOf(b, func(magic uint32) bool { return pcapVariants[magic] != pcapVariant{} })
	switch {
	case v.order == nil:
		return v.src.fail("magic number", 0, uint64(binary.BigEndian.Uint32(b)), ErrFormat)
	case err != nil:
		return v.src.ended("file header", 0, err)
	}
	v.pcapVariant = pcapVariants[v.order.Uint32(b)]
	copy(v.header[:], b)
	v.order.PutUint32(v.header[:], v.magic)
	if major, minor := v.order.Uint16(b[4:]), v.order.Uint16(b[6:]); major != 2 || minor != 4 {
		return v.src.fail("version", 4, uint64(major)<<16|uint64(minor), ErrVersion)
	}
	v.head, v.last = v.header[:], pcapFileHeader
	return nil
}

// record checks the next record and lets it pass.
func (v *pcapVet) record() error {
	v.src.take(v.last)
	v.last = 0
	at := v.src.off
	b, err := v.src.peek(v.recordHeader)
	if err == io.EOF && len(b) == 0 {
		return io.EOF
	}
	v.src.frame++
	if err != nil {
		return v.src.ended("record header", at, err)
	}
	captured := v.order.Uint32(b[8:])
	if captured > MaxPacket {
		return v.src.fail("Captured Packet Length", at+8, uint64(captured), ErrLimit)
	}
	n := v.recordHeader + int(captured)
	if b, err = v.src.peek(n); err != nil {
		return v.src.ended("Packet Data", at+int64(v.recordHeader), err)
	}
	v.seconds, v.fraction = v.order.Uint32(b), v.order.Uint32(b[4:])
	v.head, v.data, v.last = v.header[:copy(v.header[:], b[:pcapRecordHeader])], b[v.recordHeader:], n
	v.order.PutUint32(v.head[12:], max(captured, v.order.Uint32(b[12:])))
	return nil
}
