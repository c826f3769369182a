package relay

import (
	"hash/maphash"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// strangers bounds what is answered to those without an allocation. Addresses share a bounded number of limits, by a hash
// that nobody else can compute, so a flood from many made-up ones takes no memory.
type strangers struct {
	seed maphash.Seed
	each [4096]*rate.Limiter
	all  *rate.Limiter
}

// A LAN party behind one NAT asks for much at once: each machine has a socket for each other one, which asks twice.
const (
	strangerRate  = 100 // a second, of one address
	strangerBurst = 1000
	allRate       = 5000 // of all
	allBurst      = 10000
)

func newStrangers() *strangers {
	s := &strangers{seed: maphash.MakeSeed(), all: rate.NewLimiter(allRate, allBurst)}
	for i := range s.each {
		s.each[i] = rate.NewLimiter(strangerRate, strangerBurst)
	}
	return s
}

// allow reports whether to answer who asks from an address.
func (s *strangers) allow(a netip.Addr) bool {
	now := time.Now()
	i := maphash.Comparable(s.seed, sourceOf(a)) % uint64(len(s.each))
	return s.each[i].AllowN(now, 1) && s.all.AllowN(now, 1)
}
