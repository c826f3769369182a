package captures

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOctetSet puts runs of octets in at random places and compares with a plain array.
func TestOctetSet(t *testing.T) {
	const size = 5000
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var s octetSet
		var want [size]byte
		var have [size]bool
		for s.count < size {
			at := rnd.IntN(size)
			n := 1 + rnd.IntN(min(size-at, 1+rnd.IntN(1500)))
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(rnd.Uint32())
				if rnd.IntN(2) == 0 && have[at+i] {
					b[i] = want[at+i]
				}
			}
			there, equal := 0, true
			for i := range b {
				if have[at+i] {
					there++
					equal = equal && b[i] == want[at+i]
				}
			}
			count, same := s.compare(at, b)
			require.Equal(t, there, count)
			if there == n {
				require.Equal(t, equal, same)
			}
			if there > 0 { // only what is not there is put: fill the first free run instead
				for at = 0; have[at]; at++ {
				}
				for n = 0; at+n < size && !have[at+n] && n < 700; n++ {
				}
				b = make([]byte, n)
				for i := range b {
					b[i] = byte(rnd.Uint32())
				}
			}
			s.put(at, b)
			for i := range b {
				have[at+i], want[at+i] = true, b[i]
			}
		}
		assert.Equal(t, want[:], s.bytes(size))
		assert.Equal(t, 5*pageCost, s.cost())
	}
}

// TestOctetSetCompare: octets that are there and differ are told from those that are the same.
func TestOctetSetCompare(t *testing.T) {
	var s octetSet
	n, same := s.compare(0, []byte("nothing"))
	assert.Zero(t, n)
	assert.False(t, same)
	s.put(pageSize-3, []byte("across"))
	for _, c := range []struct {
		at   int
		b    string
		n    int
		same bool
	}{
		{pageSize - 3, "across", 6, true}, {pageSize - 3, "acroSs", 6, false}, {pageSize - 3, "Across", 6, false},
		{pageSize - 4, " across ", 6, false}, {pageSize, "oss", 3, true}, {pageSize + 3, "x", 0, false}, {pageSize - 2, "cro", 3, true},
	} {
		n, same := s.compare(c.at, []byte(c.b))
		assert.Equal(t, c.n, n, c.b)
		assert.Equal(t, c.same, same, c.b)
	}
}
