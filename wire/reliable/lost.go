package reliable

import "math/bits"

// Lost appends to dst the sequence numbers that a NACK reports as not received, in their order, at most 25:
// its own sequence, and one for every bit of the mask, of which bit 0 is the sequence after it. Sequence 7 and
// mask 0x03 give 7, 8, 9 (2.2.2). After 255 comes 0. Other frames report nothing; the mask that a Data frame
// can have counts from the sequence of a NACK, which that frame does not tell.
func (f *Frame) Lost(dst []uint8) []uint8 {
	if f.Kind() != KindNACK {
		return dst
	}
	dst = append(dst, f.Sequence)
	for i := range 8 * f.Extended.MaskSize() {
		if f.Mask>>i&1 != 0 {
			dst = append(dst, f.Sequence+1+uint8(i))
		}
	}
	return dst
}

// SetLost makes the frame a NACK that reports the first n of the sequence numbers in missing: it sets ACK and
// EXT, Sequence, and the smallest mask that does. missing is in the order of sending, the earliest first; a mask
// reaches 24 beyond that one. What is left, missing[n:], needs another NACK. An empty list gives 0 and
// leaves the frame alone, for there is no NACK that reports nothing.
func (f *Frame) SetLost(missing []uint8) (n int) {
	if len(missing) == 0 {
		return 0
	}
	f.Flags |= ACK | EXT
	f.Sequence, f.Mask = missing[0], 0
	for _, s := range missing {
		ahead := s - f.Sequence // modulo 256
		if ahead > 8*MaxMask {
			break
		}
		f.Mask |= 1 << ahead >> 1 // the sequence itself has no bit
		n++
	}
	f.Extended = Extended(0).WithMaskSize((bits.Len32(f.Mask) + 7) / 8)
	return n
}
