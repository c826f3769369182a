package pcapfile

import (
	"math/bits"
	"time"
)

// A clock tells what the timestamps of a pcapng interface count.
type clock struct {
	unit   uint64 // how many make a second (if_tsresol)
	offset int64  // seconds to add (if_tsoffset)
}

// resolution sets the unit from the value of if_tsresol: a negative power of 10, or of 2 if the highest bit is
// set. ok is false if the unit does not fit into 64 bits.
func (c *clock) resolution(v uint8) (ok bool) {
	exponent := v & 0x7f
	if v&0x80 != 0 {
		c.unit = 1 << exponent
		return exponent <= 63
	}
	c.unit = 1
	for range min(exponent, 19) {
		c.unit *= 10
	}
	return exponent <= 19
}

// The seconds since 1970 at which the years 0 begins and 9999 ends: RFC 3339 and JSON can hold no others.
const (
	minSeconds = -62167219200
	maxSeconds = 253402300799
)

// time returns the time of a timestamp, cut to nanoseconds, or the zero time if it is not in the years 0 to 9999.
func (c *clock) time(ts uint64) time.Time {
	seconds := ts / c.unit
	if seconds > maxSeconds-minSeconds || c.offset > maxSeconds || c.offset < minSeconds-maxSeconds {
		return time.Time{} // before the sum can overflow
	}
	s := int64(seconds) + c.offset
	if s < minSeconds || s > maxSeconds {
		return time.Time{}
	}
	hi, lo := bits.Mul64(ts%c.unit, 1e9)
	nanos, _ := bits.Div64(hi, lo, c.unit) // hi < unit, because the remainder is
	return time.Unix(s, int64(nanos)).UTC()
}
