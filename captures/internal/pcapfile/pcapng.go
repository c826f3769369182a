package pcapfile

import (
	"encoding/binary"
	"io"
)

// Block types of pcapng.
const (
	ngInterface      = 1          // Interface Description Block
	ngPacketObsolete = 2          // Packet Block
	ngSimplePacket   = 3          // Simple Packet Block
	ngEnhancedPacket = 6          // Enhanced Packet Block
	ngSectionHeader  = 0x0a0d0d0a // Section Header Block; the same in both byte orders
)

// ngOrderMagic is the Byte-Order Magic of a section header.
const ngOrderMagic = 0x1a2b3c4d

// Sizes of pcapng, in octets. The size of a block counts its type and both its lengths.
const (
	ngBlockHeader   = 12 // type, length and, in a section header, the Byte-Order Magic; no block is shorter
	ngTrailer       = 4  // the length again
	ngSectionSize   = 28
	ngInterfaceSize = 20
	ngSimpleSize    = 16
	ngEnhancedSize  = 32
)

// A ngFormat reads pcapng blocks. The first one is known to be a section header.
//
// pcapgo.NgReader does not serve here, even behind a vet. It allocates what an interface description says is
// the snap length (up to 4 GiB; pcapgo.Reader can be told another, NgReader cannot), divides by zero at some
// values of if_tsresol, takes 0 for 6 and gets fractions in binary ones wrong by up to 46 percent, keeps 8 of the
// 16 bits of a link type, refuses version 1.2, and keeps every interface of a section that describes millions. A
// vet would have to interpret every field of every block, which is all there is to do.
type ngFormat struct {
	src        *source
	order      order           // of the section
	interfaces []ngDescription // of the section
	before     int             // interfaces of the sections before
	held       int             // octets of the block that hold returned last
}

// An order is an order of octets in numbers, for reading and for writing.
type order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// orderOf returns the order of octets in which a magic number is known, nil if it is in neither.
func orderOf(b []byte, known func(magic uint32) bool) order {
	for _, o := range []order{binary.BigEndian, binary.LittleEndian} {
		if known(o.Uint32(b)) {
			return o
		}
	}
	return nil
}

// A ngDescription is what an interface description block tells.
type ngDescription struct {
	link  LinkType
	snap  uint32 // 0: no limit
	clock clock
}

// A ngBlock is the beginning of a block.
type ngBlock struct {
	typ  uint32
	size int   // of the whole block, checked
	at   int64 // offset of its first octet
}

// Next implements Reader.
func (f *ngFormat) Next() (Packet, error) {
	for {
		b, err := f.block()
		if err != nil {
			return Packet{}, err
		}
		switch b.typ {
		case ngEnhancedPacket, ngPacketObsolete:
			return f.enhanced(b)
		case ngSimplePacket:
			return f.simple(b)
		case ngSectionHeader:
			if err = f.section(b); err == nil {
				err = f.skip(b)
			}
		case ngInterface:
			err = f.describe(b)
		default:
			err = f.skip(b)
		}
		if err != nil {
			return Packet{}, err
		}
	}
}

// block leaves behind the block that hold returned, reads the beginning of the next one and checks its length. A section header
// sets the byte order.
func (f *ngFormat) block() (ngBlock, error) {
	f.src.take(f.held)
	f.held = 0
	at := f.src.off
	h, err := f.src.peek(ngBlockHeader)
	if err == io.EOF && len(h) == 0 {
		return ngBlock{}, io.EOF
	}
	if err != nil {
		return ngBlock{}, f.src.ended("block header", at, err)
	}
	if binary.LittleEndian.Uint32(h) == ngSectionHeader {
		if f.order = orderOf(h[8:], func(magic uint32) bool { return magic == ngOrderMagic }); f.order == nil {
			return ngBlock{}, f.src.fail("Byte-Order Magic", at+8, uint64(binary.BigEndian.Uint32(h[8:])), ErrFormat)
		}
	}
	size := f.order.Uint32(h[4:])
	switch {
	case size < ngBlockHeader || size%4 != 0:
		return ngBlock{}, f.src.fail("Block Total Length", at+4, uint64(size), ErrValue)
	case size > MaxBlock:
		return ngBlock{}, f.src.fail("Block Total Length", at+4, uint64(size), ErrLimit)
	}
	return ngBlock{typ: f.order.Uint32(h), size: int(size), at: at}, nil
}

// hold returns a whole block that has at least least octets, and checks that its two lengths agree. It is valid until the next block
// is read.
func (f *ngFormat) hold(b ngBlock, least int, name string) ([]byte, error) {
	switch {
	case b.size < least:
		return nil, f.src.fail(name+": Block Total Length", b.at+4, uint64(b.size), ErrValue)
	case b.size > MaxHeldBlock:
		return nil, f.src.fail(name+": Block Total Length", b.at+4, uint64(b.size), ErrLimit)
	}
	h, err := f.src.peek(b.size)
	if err != nil {
		return nil, f.src.ended(name, b.at, err)
	}
	f.held = b.size
	return h, f.trailer(b, h[b.size-ngTrailer:])
}

// trailer checks the length at the end of a block.
func (f *ngFormat) trailer(b ngBlock, h []byte) error {
	if again := f.order.Uint32(h); again != uint32(b.size) {
		return f.src.fail("Block Total Length at the block's end", b.at+int64(b.size)-ngTrailer, uint64(again), ErrValue)
	}
	return nil
}

// skip leaves a block behind, without holding it.
func (f *ngFormat) skip(b ngBlock) error {
	done, err := f.src.br.Discard(b.size - ngTrailer)
	if f.src.off += int64(done); err != nil {
		return f.src.ended("block", f.src.off, err)
	}
	h, err := f.src.peek(ngTrailer)
	if err != nil {
		return f.src.ended("block", b.at, err)
	}
	if err = f.trailer(b, h); err == nil {
		f.src.take(ngTrailer)
	}
	return err
}

// section begins a section: its byte order is set already, its interfaces are counted anew. The block is left to the caller.
func (f *ngFormat) section(b ngBlock) error {
	if b.size < ngSectionSize {
		return f.src.fail("Section Header Block: Block Total Length", b.at+4, uint64(b.size), ErrValue)
	}
	h, err := f.src.peek(ngSectionSize)
	if err != nil {
		return f.src.ended("Section Header Block", b.at, err)
	}
	// 1.2 is what some writers call 1.0 (draft-ietf-opsawg-pcapng 4.1).
	if major, minor := f.order.Uint16(h[12:]), f.order.Uint16(h[14:]); major != 1 || minor != 0 && minor != 2 {
		return f.src.fail("Section Header Block: version", b.at+12, uint64(major)<<16|uint64(minor), ErrVersion)
	}
	f.before += len(f.interfaces)
	f.interfaces = f.interfaces[:0]
	return nil
}
