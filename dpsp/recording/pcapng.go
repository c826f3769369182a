package recording

import (
	"encoding/binary"
	"time"
)

// The blocks of a pcapng file, and their options. What reads all kinds of files is a module of others; what writes this one
// kind is here, for a game's process is to hold no more than it needs.
const (
	sectionBlock   = 0x0A0D0D0A
	interfaceBlock = 1
	packetBlock    = 6

	endOption         = 0
	commentOption     = 1
	nameOption        = 2 // of an interface
	applicationOption = 4 // that wrote the section
	resolutionOption  = 9 // of an interface's times

	ethernet    = 1 // the link type
	nanoseconds = 9 // the power of ten of a resolution
)

// appendHeader appends what stands before the packets: a section of unknown length, and its one interface.
func appendHeader(b []byte, comment string) []byte {
	section := binary.LittleEndian.AppendUint32(nil, 0x1A2B3C4D) // says that numbers are little-endian
	section = binary.LittleEndian.AppendUint32(section, 1)       // version 1.0
	section = binary.LittleEndian.AppendUint64(section, 1<<64-1)
	section = appendOption(section, applicationOption, "dplay")
	section = appendOption(section, commentOption, comment)
	section = appendOption(section, endOption, "")

	card := binary.LittleEndian.AppendUint32(nil, ethernet)
	card = binary.LittleEndian.AppendUint32(card, 0) // packets of any length
	card = appendOption(card, nameOption, "dplay")
	card = appendOption(card, resolutionOption, string(rune(nanoseconds)))
	card = appendOption(card, endOption, "")
	return appendBlock(appendBlock(b, sectionBlock, section), interfaceBlock, card)
}

// appendPacket appends a packet.
func appendPacket(b []byte, at time.Time, data []byte) []byte {
	var fixed [20]byte
	nano := uint64(at.UnixNano())
	binary.LittleEndian.PutUint32(fixed[4:], uint32(nano>>32)) // the interface, before it, is number 0
	binary.LittleEndian.PutUint32(fixed[8:], uint32(nano))
	binary.LittleEndian.PutUint32(fixed[12:], uint32(len(data)))
	binary.LittleEndian.PutUint32(fixed[16:], uint32(len(data)))
	return appendBlock(b, packetBlock, fixed[:], data)
}

// appendBlock appends a block, whose length stands at either end.
func appendBlock(b []byte, kind uint32, parts ...[]byte) []byte {
	size := 12
	for _, p := range parts {
		size += len(p)
	}
	padding := -size & 3
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(size+padding))
	for _, p := range parts {
		b = append(b, p...)
	}
	b = append(b, make([]byte, padding)...)
	return binary.LittleEndian.AppendUint32(b, uint32(size+padding))
}

func appendOption(b []byte, code uint16, value string) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return append(append(b, value...), make([]byte, -len(value)&3)...)
}
