package filter

import (
	"encoding/binary"

	"dplay4/wire"
)

// A reader finds the addresses of a message as another implementation would that reads on its own: not with package wire, and
// taking at their word what is not looked at here. It begins at the signature, and ends where it has no octets any more.
type reader struct {
	fixed bool // it goes by fixed places, as Wine 10 does, and not by offsets
	sizes bool // it goes by what structures say of their own size, and by the ends of names
	b     []byte
	at    int
	short bool // there were too few octets
	depth int
	found []wire.SockAddr
	udp   []bool // of found
}

// readers are the ways to read a message.
var readers = []reader{{fixed: true}, {}, {fixed: true, sizes: true}, {sizes: true}}

// read returns the addresses that a reader finds.
func (r reader) read(b []byte) (found []wire.SockAddr, udp []bool) {
	r.b = b
	r.message()
	return r.found, r.udp
}

func (r *reader) word(at int) int {
	if at < 0 || at+4 > len(r.b) {
		r.short = true
		return 0
	}
	return int(int32(binary.LittleEndian.Uint32(r.b[at:])))
}

// place is where a part is: a fixed place, or where an offset says.
func (r *reader) place(fixed, offset int) int {
	if r.fixed {
		return fixed
	}
	return r.word(offset)
}

func (r *reader) take(n int) []byte {
	if r.short || n < 0 || r.at < 0 || r.at+n > len(r.b) || r.at+n < r.at {
		r.short = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

// message reads one, from its signature on.
func (r *reader) message() {
	if len(r.b) < 8 || string(r.b[:4]) != "play" || r.depth > 6 {
		return
	}
	switch command := binary.LittleEndian.Uint16(r.b[4:]); command {
	case 0x08, 0x09, 0x13, 0x2E, 0x38:
		r.at = r.place(28, 20)
		r.packed()
	case 0x0B, 0x0C, 0x0D, 0x0E, 0x27, 0x28: // they begin alike, and Wireshark reads a player in all of them
		if r.word(20) >= 28 {
			r.at = r.place(28, 20)
			r.packed()
		}
	case 0x03, 0x29:
		n := r.word(8) + r.word(12)
		if command == 0x29 {
			n += r.word(20)
		}
		r.at = r.word(16)
		for ; n > 0 && !r.short; n-- {
			if command == 0x29 {
				r.superPacked()
			} else {
				r.packed()
			}
		}
	case 0x35:
		r.at = 24
		r.addresses(r.word(20))
	case 0x0A:
		r.at = 12
		r.address(false)
	case 0x15, 0x30: // of a fragment that is not the first one there is no telling what it is of
		if r.word(24) == 0 || r.word(32) == 0 || r.word(36) <= 1 || r.word(40) <= r.word(28) {
			r.inner(r.place(48, 44), r.word(28))
		}
	case 0x22:
		if r.word(24)&4 == 0 { // it is not encrypted
			r.inner(r.place(28, 12), r.word(16))
		}
	case 0x25, 0x26, 0x37:
		at := r.place(20, 16)
		r.inner(at, len(r.b)-at)
	}
}

// inner reads a message inside the message.
func (r *reader) inner(at, n int) {
	if r.at = at; r.short || at <= 0 {
		return
	}
	in := reader{fixed: r.fixed, sizes: r.sizes, b: r.take(n), depth: r.depth + 1}
	in.message()
	r.found, r.udp = append(r.found, in.found...), append(r.udp, in.udp...)
}

func (r *reader) address(udp bool) {
	if b := r.take(wire.SockAddrSize); b != nil {
		r.found, r.udp = append(r.found, wire.ParseSockAddr(b)), append(r.udp, udp)
	}
}

// addresses reads what a service provider keeps, n octets: two addresses, whatever n says.
func (r *reader) addresses(n int) {
	if n == 0 {
		return
	}
	from := r.at
	r.address(false)
	r.address(true)
	r.at = from
	r.take(n)
}

// name skips a name: the octets that it says it has, or up to its end.
func (r *reader) name(n int) {
	if !r.sizes {
		r.take(n)
		return
	}
	for n > 0 {
		if b := r.take(2); b == nil || b[0]|b[1] == 0 {
			return
		}
	}
}

// packed reads a DPLAYI_PACKEDPLAYER. What follows it stands behind its size and its ids, which its size is without.
func (r *reader) packed() {
	from := r.at
	size, short, long := r.word(from), r.word(from+12), r.word(from+16)
	sp, data, ids := r.word(from+20), r.word(from+24), r.word(from+28)
	if r.sizes {
		r.take(r.word(from + 36))
	} else {
		r.take(48)
	}
	r.name(short)
	r.name(long)
	r.addresses(sp)
	if r.sizes {
		r.at = from
		r.take(size)
	} else {
		r.take(data)
	}
	r.take(4 * ids)
}

// superPacked reads a DPLAYI_SUPERPACKEDPLAYER.
func (r *reader) superPacked() {
	from := r.at
	mask := r.word(from + 12)
	if r.sizes {
		r.take(r.word(from) + 4)
	} else {
		r.take(20)
	}
	for bit := range 2 {
		if mask>>bit&1 != 0 {
			for b := r.take(2); b != nil && b[0]|b[1] != 0; b = r.take(2) {
			}
		}
	}
	length := func(shift int) (n int) {
		for i, b := range r.take([]int{0, 1, 2, 4}[mask>>shift&3]) {
			n |= int(b) << (8 * i)
		}
		return n
	}
	r.take(length(4))
	r.addresses(length(2))
	r.take(4 * length(6))
	if mask&0x100 != 0 {
		r.take(4)
	}
	r.take(4 * length(9))
}
