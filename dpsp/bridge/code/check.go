package code

// checks is the number of letters that check the others.
const checks = 3

// located is the number of letters of the longest code in which one wrong letter, and two that are exchanged, have each a
// remainder of their own, so that they can be told apart.
const located = 500

// mask is what the letters of a whole code leave as remainder, so that a code with zeros put to it is none.
var mask = remainder{13, 25, 21}

// A remainder is a polynomial over GF(32) of degree 2 at most, the lowest coefficient first. GF(32) is GF(2)[y]/(y^5+y^2+1).
type remainder [checks]byte

// next returns p*x + c modulo x^3 + 3x^2 + 3, which is primitive: the order of x is 32767, as large as can be.
func (p remainder) next(c byte) remainder {
	t := times(p[2], 3)
	return remainder{c ^ t, p[0], p[1] ^ t}
}

// times multiplies in GF(32).
func times(a, b byte) byte {
	var r byte
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			r ^= a
		}
		if a <<= 1; a&32 != 0 {
			a ^= 0x25
		}
	}
	return r
}

// remains returns what the letters leave.
func remains(letters []byte) remainder {
	var p remainder
	for _, l := range letters {
		p = p.next(l)
	}
	return p
}

// seal appends the letters that check the others.
func seal(letters []byte) []byte {
	p := remains(append(letters, 0, 0, 0))
	return append(letters, p[2]^mask[2], p[1]^mask[1], p[0]^mask[0])
}

// A mistake is what one slip makes of a code.
type mistake struct {
	place     int  // of the letter, from 0
	want      byte // what it has to be, if all others are right
	exchanged bool // with the next one
}

// sealed reports whether the letters are those of a code.
func sealed(letters []byte) bool { return remains(letters) == mask }

// find returns the one slip after which the letters would be those of a code, if there is one.
func find(letters []byte) (mistake, bool) {
	wrong := remains(letters)
	for i := range wrong {
		wrong[i] ^= mask[i]
	}
	if len(letters) > located {
		return mistake{}, false
	}
	one, two := remainder{1}, remainder{1, 1} // one letter at the end is wrong; the last two are, by the same
	for i := len(letters) - 1; i >= 0; i-- {
		if e := factor(wrong, one); e != 0 {
			return mistake{place: i, want: letters[i] ^ e}, true
		}
		if i > 0 {
			if e := factor(wrong, two); e != 0 && letters[i]^letters[i-1] == e {
				return mistake{place: i - 1, want: letters[i], exchanged: true}, true
			}
		}
		one, two = one.next(0), two.next(0)
	}
	return mistake{}, false
}

// factor returns e if p is e*q, 0 if it is no multiple.
func factor(p, q remainder) byte {
	for e := byte(1); e < 32; e++ {
		if p == (remainder{times(e, q[0]), times(e, q[1]), times(e, q[2])}) {
			return e
		}
	}
	return 0
}
