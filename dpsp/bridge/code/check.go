package code

import "strings"

// checks is the number of letters that check the others.
const checks = 3

// located is the number of letters of the longest code in which one wrong letter, and two that are exchanged, have each a
// remainder of their own, so that they can be told apart.
const located = 500

// mask is what the letters of a whole code leave as remainder, so that a code with zeros put to it is none.
const mask remainder = 13 | 25<<5 | 21<<10

// A remainder is a polynomial over GF(32) of degree 2 at most: each coefficient has five bits, the lowest one the lowest bits. So
// two remainders are added by one exclusive or. GF(32) is GF(2)[y]/(y^5+y^2+1).
type remainder uint16

// next returns p*x + c modulo x^3 + 3x^2 + 3, which is primitive: the order of x is 32767, as large as can be.
func (p remainder) next(c byte) remainder {
	t := (p >> 10).times(3)
	return p<<5&0x7fff ^ remainder(c) ^ t ^ t<<10
}

// times multiplies each coefficient by e.
func (p remainder) times(e byte) (product remainder) {
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			product ^= p
		}
		high := p & (1<<4 | 1<<9 | 1<<14) // what has y^4: times y, that is y^2 + 1
		p = (p^high)<<1 ^ high>>4*5
	}
	return product
}

// value returns what a letter of the alphabet stands for.
func value(letter byte) byte { return byte(strings.IndexByte(alphabet, letter)) }

// remains returns what the letters leave.
func remains(letters string) (p remainder) {
	for _, l := range []byte(letters) {
		p = p.next(value(l))
	}
	return p
}

// seal appends the letters that check the others.
func seal(letters string) string {
	p := remains(letters+"000") ^ mask
	return letters + string([]byte{alphabet[p>>10], alphabet[p>>5&31], alphabet[p&31]})
}

// A mistake is what one slip makes of a code.
type mistake struct {
	place     int  // of the letter, from 0
	want      byte // the letter that it has to be, if all others are right
	exchanged bool // with the next one
}

// sealed reports whether the letters are those of a code.
func sealed(letters string) bool { return remains(letters) == mask }

// find returns the one slip after which the letters, which are not sealed, would be those of a code, if there is one.
func find(letters string) (mistake, bool) {
	if len(letters) > located {
		return mistake{}, false
	}
	wrong := remains(letters) ^ mask
	one, two := remainder(1), remainder(1|1<<5) // one letter at the end is wrong; the last two are, by the same
	for i := len(letters) - 1; i >= 0; i-- {
		is := value(letters[i])
		for e := range byte(len(alphabet)) {
			if wrong == one.times(e) {
				return mistake{place: i, want: alphabet[is^e]}, true
			}
		}
		if i > 0 && wrong == two.times(is^value(letters[i-1])) {
			return mistake{place: i - 1, want: letters[i], exchanged: true}, true
		}
		one, two = one.next(0), two.next(0)
	}
	return mistake{}, false
}
