package directplay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"dplay4/wire"
)

// A CodePage is how a machine writes text with 8 bits. What it lacks becomes other characters.
type CodePage interface {
	Encode(s string) []byte
	Decode(b []byte) string
}

// windows1252 is the code page Windows-1252.
type windows1252 struct{}

func (windows1252) Encode(s string) []byte {
	return bytes.TrimRight(wire.NewText8(s), "\x00") // it is padded to whole WCHARs, and ended by one
}

func (windows1252) Decode(b []byte) string { return wire.Read8(b) }

// A Face is how a game sees texts and structures: it has an interface for 8-bit text or for UTF-16, and pointers of 4 or 8
// octets.
type Face struct {
	Wide     bool
	Pointer  int      // octets of a pointer; 0 means 4
	CodePage CodePage // of 8-bit text; nil means Windows-1252
}

// Text returns a text as the game reads it, with its terminator.
func (f Face) Text(s string) []byte {
	if f.Wide {
		b := make([]byte, 0, 2*len(s)+2)
		for _, u := range utf16.Encode([]rune(s)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
		return append(b, 0, 0)
	}
	s, _, _ = strings.Cut(s, "\x00") // the terminator would end the text here for every reader
	b := f.codePage().Encode(s)
	if f.Read(b) != s {
		if octets := wire.NewText(s); octets.Encoding() == wire.EightBit { // of a game that gives such to a wide interface
			b, _, _ = bytes.Cut(octets, []byte{0})
		}
	}
	return append(b[:len(b):len(b)], 0)
}

// Read returns a text that the game wrote, without its terminator.
func (f Face) Read(b []byte) string {
	if !f.Wide {
		return f.codePage().Decode(b)
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(u))
}

// within returns a text with its terminator in a number of octets at most, and no half of a character.
func (f Face) within(s string, size int) []byte {
	if r := []rune(s); len(r) >= size {
		s = string(r[:size-1])
	}
	b := f.Text(s)
	for len(b) > size {
		_, last := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-last]
		b = f.Text(s)
	}
	return b
}

func (f Face) pointer() int {
	if f.Pointer == 8 {
		return 8
	}
	return 4
}

// A Block is octets for a game's buffer. Where they hold pointers, those are offsets from the first octet until Move was
// called: a queue may keep a block before it knows where the game wants it.
type Block struct {
	Data     []byte
	Pointers []int // where pointers are that are not NULL
}

// Move makes the pointers point into a buffer at an address.
func (b *Block) Move(address uint64, f Face) {
	for _, at := range b.Pointers {
		var offset [8]byte
		copy(offset[:f.pointer()], b.Data[at:])
		f.put(b.Data[at:], address+binary.LittleEndian.Uint64(offset[:]))
	}
}

// put writes a number as large as a pointer.
func (f Face) put(to []byte, v uint64) {
	copy(to[:f.pointer()], binary.LittleEndian.AppendUint64(nil, v))
}

// A layout writes a structure, and after it what its pointers point at, in order.
type layout struct {
	face  Face
	fixed []byte
	holds bool // a pointer: then the structure is as long as several of them
	inner []inner
}

// An inner is what a pointer points at. Its own pointers are offsets in it.
type inner struct {
	at    int // of the pointer
	block Block
}

func (l *layout) word(all ...uint32) {
	for _, v := range all {
		l.fixed = binary.LittleEndian.AppendUint32(l.fixed, v)
	}
}

func (l *layout) guid(g wire.GUID) { l.fixed = append(l.fixed, g[:]...) }

// align fills up to where a pointer may stand.
func (l *layout) align() {
	l.fixed = append(l.fixed, make([]byte, -len(l.fixed)&(l.face.pointer()-1))...)
}

// handle writes a number as large as a pointer.
func (l *layout) handle(v uint64) {
	l.align()
	l.holds = true
	l.fixed = append(l.fixed, binary.LittleEndian.AppendUint64(nil, v)[:l.face.pointer()]...)
}

// points writes a pointer to a block, NULL if it has no octets.
func (l *layout) points(b Block) {
	l.align()
	if b.Data != nil {
		l.inner = append(l.inner, inner{len(l.fixed), b})
	}
	l.handle(0)
}

func (l *layout) data(b []byte) {
	if len(b) == 0 {
		b = nil
	}
	l.points(Block{Data: b})
}

// text writes a pointer to a text, NULL for nil.
func (l *layout) text(s *string) {
	if s == nil {
		l.points(Block{})
		return
	}
	l.points(Block{Data: l.face.Text(*s)})
}

// block ends the structure, and gives it with all that it points at.
func (l *layout) block() Block {
	if l.holds {
		l.align()
	}
	b := Block{Data: l.fixed}
	for _, in := range l.inner {
		begin := len(b.Data)
		b.Data = append(b.Data, in.block.Data...)
		moved := Block{Data: b.Data[begin:], Pointers: in.block.Pointers}
		moved.Move(uint64(begin), l.face)
		for _, at := range in.block.Pointers {
			b.Pointers = append(b.Pointers, begin+at)
		}
		l.face.put(b.Data[in.at:], uint64(begin))
		b.Pointers = append(b.Pointers, in.at)
	}
	return b
}

// A Buffer is where a game wants octets: what it said of it, and what it gets.
type Buffer struct {
	Null    bool   // it gave no address, and asks how much room is needed
	Size    uint32 // the room; afterwards what is needed, or was used
	Address uint64
	Data    []byte // what belongs there; nil unless the answer is wire.OK
}

// put answers with a block. A nil Buffer is that of a game that gave no place for the size.
func (b *Buffer) put(x Block, f Face) wire.HResult {
	if b == nil {
		return wire.ErrInvalidParams
	}
	room := uint64(b.Size)
	if b.Null {
		room = 0
	}
	b.Size = uint32(len(x.Data))
	if room < uint64(len(x.Data)) {
		return wire.ErrBufferTooSmall
	}
	x.Move(b.Address, f)
	b.Data = x.Data
	return wire.OK
}

// store stores v where a game wants it. A nil pointer is that of a game that gave no place.
func store[T any](to *T, v T) wire.HResult {
	if to == nil {
		return wire.ErrInvalidParams
	}
	*to = v
	return wire.OK
}

// codePage returns the code page of 8-bit text.
func (f Face) codePage() CodePage { return cmp.Or[CodePage](f.CodePage, windows1252{}) }
