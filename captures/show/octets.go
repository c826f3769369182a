package show

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// appendOctets appends octets as hexadecimal digits, four octets at a time: where games send much, this is what most of
// the text is.
func appendOctets(b, p []byte) []byte {
	at := len(b)
	b = slices.Grow(b, 2*len(p))[:at+2*len(p)]
	out := b[at:]
	for len(p) >= 4 && len(out) >= 8 {
		binary.LittleEndian.PutUint64(out, hexDigits(binary.LittleEndian.Uint32(p)))
		p, out = p[4:], out[8:]
	}
	for i, c := range p {
		binary.LittleEndian.PutUint16(out[2*i:], uint16(hexDigits(uint32(c))))
	}
	return b
}

// appendHex appends v as "0x" and n digits, at most 8.
func appendHex(b []byte, v uint32, n int) []byte {
	b = append(b, '0', 'x')
	return binary.LittleEndian.AppendUint64(b, hexDigits(bits.ReverseBytes32(v<<(32-4*n))))[:len(b)+n]
}

// hexDigits returns the eight digits of four octets. The first one of each is the lowest.
func hexDigits(octets uint32) uint64 {
	const each = 0x01_01_01_01_01_01_01_01
	x := uint64(octets)
	x = (x | x<<16) & 0x0000_FFFF_0000_FFFF
	x = (x | x<<8) & 0x00FF_00FF_00FF_00FF
	x = (x>>4 | x<<8) & (0x0F * each)   // a digit in each octet
	letters := (x + 6*each) >> 4 & each // 1 for each above 9
	return x + '0'*each + letters*('a'-'0'-10)
}
