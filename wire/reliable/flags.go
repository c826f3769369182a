package reliable

import "strconv"

// Flags are the first octet after the player indexes (2.2.2). They decide what kind of frame it is.
type Flags uint8

// The flags, by their names in the specification.
const (
	RLY Flags = 0x01 // the message is reliable
	ACK Flags = 0x02 // this is an ACK, or with EXT a NACK; never in a Data frame
	SAK Flags = 0x04 // the sender asks for an ACK at once
	EOM Flags = 0x08 // last frame of a message
	STA Flags = 0x10 // first frame of a message
	CMD Flags = 0x20 // this is a Data frame; it is set in every one of them
	BIG Flags = 0x40 // a format that was never built; must be 0
	EXT Flags = 0x80 // the extended flags are there
)

var flagNames = [8]string{"EXT", "BIG", "CMD", "STA", "EOM", "SAK", "ACK", "RLY"} // from 0x80 down

// String returns the names joined, as in "STA|EOM|RLY"; "0" for none.
func (f Flags) String() string {
	if f == 0 {
		return "0"
	}
	s := ""
	for i, n := range flagNames {
		if f&(0x80>>i) != 0 {
			s += "|" + n
		}
	}
	return s[1:]
}

// Kind says what kind of frame has these flags, KindNone if none can have them.
func (f Flags) Kind() Kind {
	k, _ := f.classify()
	return k
}

// classify returns the kind, or KindNone and the field that stands against every kind.
func (f Flags) classify() (Kind, string) {
	switch {
	case f&BIG != 0:
		return KindNone, "flags.BIG" // the layout behind it is unknown
	case f&(CMD|ACK) == CMD:
		return KindData, ""
	case f&(CMD|ACK) == CMD|ACK:
		return KindNone, "flags.ACK"
	case f&ACK == 0:
		return KindNone, "flags.CMD"
	case f&EXT != 0:
		return KindNACK, ""
	}
	return KindACK, ""
}

// Kind is the kind of a frame (section 2). It follows from the flags.
type Kind uint8

// The kinds of frames.
const (
	KindNone Kind = iota // flags that no frame can have
	KindData             // a message, or a part of one (2.2.2)
	KindACK              // what arrived (2.2.4)
	KindNACK             // what did not arrive (2.2.3)
)

// String returns the kind's name as it stands in errors.
func (k Kind) String() string {
	switch k {
	case KindData:
		return "DATA"
	case KindACK:
		return "ACK"
	case KindNACK:
		return "NACK"
	}
	return "RELIABLEFRAME"
}

// Extended are the extended flags: COMMAND in the low 5 bits, nNACK in the next two, a zero bit on top. Only
// nNACK can be other than zero: both other parts must be 0 (2.2.2, 2.2.3).
type Extended uint8

const (
	extCommand Extended = 0x1F
	extNNACK   Extended = 0x60
	extZero    Extended = 0x80
)

// MaskSize returns nNACK, the octets of the NACK MASK, 0 to MaxMask.
func (e Extended) MaskSize() int { return int(e & extNNACK >> 5) }

// WithMaskSize returns e with another nNACK. n is 0 to MaxMask; only its low two bits are used.
func (e Extended) WithMaskSize(n int) Extended { return e&^extNNACK | Extended(n&3)<<5 }

// String returns "nNACK=1".
func (e Extended) String() string {
	s := "nNACK=" + strconv.Itoa(e.MaskSize())
	if v := e & extCommand; v != 0 {
		s += " COMMAND=" + strconv.Itoa(int(v))
	}
	if e&extZero != 0 {
		s += " 0x80"
	}
	return s
}

func flagString(v uint32) string     { return Flags(v).String() }
func extendedString(v uint32) string { return Extended(v).String() }
