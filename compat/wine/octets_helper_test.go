package wine

// Octets returns the n octets that the client's send-size sends for a seed. x begins as the seed; before each octet
// x becomes x*1664525 + 1013904223 modulo 2^32, and the octet is its top one.
func Octets(n int, seed uint32) []byte {
	b := make([]byte, n)
	x := seed
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}
