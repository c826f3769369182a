package relay

import (
	"hash/maphash"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// strangers bounds what is answered to those without an allocation. Addresses share a bounded number of shares, by a hash
// that nobody else can compute, so a flood from many made-up ones takes no memory.
type strangers struct {
	seed   maphash.Seed
	shares [4096]share
	all    *rate.Limiter
}

// A share is what one address may ask for.
type share struct {
	most *rate.Limiter
	own  *rate.Limiter // whatever others ask for
}

// A LAN party behind one NAT asks for much at once: each machine has a socket for each other one, which asks twice.
const (
	strangerRate  = 100 // a second, of one address
	strangerBurst = 1000
	ownRate       = 2 // of one address, where others ask for more than all may: enough to get an allocation
	ownBurst      = 20
	allRate       = 5000 // of all, besides
	allBurst      = 10000
)

func newStrangers() *strangers {
	s := &strangers{seed: maphash.MakeSeed(), all: rate.NewLimiter(allRate, allBurst)}
	for i := range s.shares {
		s.shares[i] = share{rate.NewLimiter(strangerRate, strangerBurst), rate.NewLimiter(ownRate, ownBurst)}
	}
	return s
}

// of returns the share of an address.
func (s *strangers) of(a netip.Addr) *share {
	return &s.shares[maphash.Comparable(s.seed, sourceOf(a))%uint64(len(s.shares))]
}

// allow reports whether to answer who asks from an address.
func (s *strangers) allow(a netip.Addr) bool {
	now, of := time.Now(), s.of(a)
	return of.most.AllowN(now, 1) && (of.own.AllowN(now, 1) || s.all.AllowN(now, 1))
}
