package sock

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"

	"dplay4/dpsp"
)

// A gate bounds what others hold of ours at a time: places, which are connections as a rule, and octets of memory. It
// counts them in all and for each address, and a part is kept free for members, another one for newcomers. Who comes
// when there is no room left has it made by the oldest of those that are the least to us: a stranger who fills all that
// strangers may have keeps out nobody but his own earlier guests.
type gate struct {
	mu     sync.Mutex
	shares shares
	guests []*guest // in order of their coming
	all    tally
	each   map[netip.Addr]tally
	closed bool // nobody is let in any more
}

// A tally is how many places and octets the guests of each standing have.
type tally struct{ places, octets [dpsp.Member + 1]int }

// upTo adds up what those up to a standing have.
func (t *tally) upTo(s dpsp.Standing) (places, octets int) {
	for i := range s + 1 {
		places += t.places[i]
		octets += t.octets[i]
	}
	return places, octets
}

// shares are what guests may have together, those of one standing with all of lower ones: index dpsp.Member bounds
// everybody.
type shares [dpsp.Member + 1]share

// A share is how much some guests may have, in all and each address. Zero octets: they are not counted.
type share struct {
	places, each       int
	octets, octetsEach int
	hold               bool // who finds the places of its address taken is refused, and makes nobody leave
}

// A guest is one who holds a place.
type guest struct {
	addr  netip.Addr
	leave func() // makes it leave; it does not wait, and is called with nothing locked
	// Guarded by the gate.
	standing dpsp.Standing
	octets   int
	gone     bool
}

func newGate(s shares) *gate { return &gate{shares: s, each: map[netip.Addr]tally{}} }

// enter lets a guest in; false if there is no room for it.
func (g *gate) enter(x *guest) bool {
	return g.change(x, func() {
		g.guests = append(g.guests, x)
		g.tally(x, 1)
		if g.closed {
			g.remove(x)
		}
	})
}

// rank gives a guest another standing; false if there is no room for it there.
func (g *gate) rank(x *guest, s dpsp.Standing) bool {
	return g.change(x, func() {
		g.tally(x, -1)
		x.standing = s
		g.tally(x, 1)
	})
}

// hold says how many octets a guest holds now; false if there is no room for them.
func (g *gate) hold(x *guest, octets int) bool {
	return g.change(x, func() {
		g.tally(x, -1)
		x.octets = octets
		g.tally(x, 1)
	})
}

// exit ends a guest's stay. nil has none.
func (g *gate) exit(x *guest) {
	if x == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(x)
}

// close lets nobody in any more.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

func (g *gate) remove(x *guest) {
	if i := slices.Index(g.guests, x); i >= 0 {
		g.guests = slices.Delete(g.guests, i, i+1)
		g.tally(x, -1)
	}
	x.gone = true
}

// tally counts a guest in, with 1, or out, with -1.
func (g *gate) tally(x *guest, n int) {
	each := g.each[x.addr]
	for _, t := range []*tally{&g.all, &each} {
		t.places[x.standing] += n
		t.octets[x.standing] += n * x.octets
	}
	g.each[x.addr] = each
	if each == (tally{}) {
		delete(g.each, x.addr)
	}
}

// change does something and has guests leave until all shares are kept; false if x is among them, or left before. It is not told to
// leave then.
func (g *gate) change(x *guest, do func()) bool {
	g.mu.Lock()
	if !x.gone {
		do()
	}
	var leave []*guest
	for s := x.standing; int(s) < len(g.shares); s++ {
		for v := g.tooMuch(x, s); v != nil; v = g.tooMuch(x, s) { // nobody once x is gone: the shares were kept before
			g.remove(v)
			leave = append(leave, v)
		}
	}
	room := !x.gone
	g.mu.Unlock()
	for _, v := range leave {
		if v != x {
			v.leave()
		}
	}
	return room
}

// tooMuch returns who is to leave so that the guests up to a standing keep to their share again, nil if they do. x is
// the one for whom it changed.
func (g *gate) tooMuch(x *guest, s dpsp.Standing) *guest {
	own, sh := g.each[x.addr], g.shares[s]
	all, octets := g.all.upTo(s)
	each, octetsEach := own.upTo(s)
	switch {
	case each > sh.each && sh.hold:
		return x
	case each > sh.each:
		return g.oldest(s, x.addr)
	case all > sh.places:
		return g.oldest(s, g.crowd(s))
	case sh.octets == 0:
		return nil
	case octetsEach > sh.octetsEach:
		return g.heaviest(s, x.addr)
	case octets > sh.octets:
		return g.heaviest(s, netip.Addr{})
	}
	return nil
}

// oldest returns who of an address came first, of those with the lowest standing there.
func (g *gate) oldest(s dpsp.Standing, at netip.Addr) *guest {
	return g.first(func(y *guest) bool { return y.standing <= s && y.addr == at },
		func(a, b *guest) int { return cmp.Compare(a.standing, b.standing) })
}

// heaviest returns who of an address, or of all, holds the most octets, of those with the lowest standing that hold any.
func (g *gate) heaviest(s dpsp.Standing, at netip.Addr) *guest {
	return g.first(func(y *guest) bool { return y.standing <= s && y.octets > 0 && (y.addr == at || !at.IsValid()) },
		func(a, b *guest) int {
			return cmp.Or(cmp.Compare(a.standing, b.standing), cmp.Compare(b.octets, a.octets))
		})
}

// first returns the guest that comes first in an order, of those that are among some; the oldest of equal ones, and nil for none.
func (g *gate) first(among func(*guest) bool, order func(a, b *guest) int) (best *guest) {
	for _, y := range g.guests {
		if among(y) && (best == nil || order(y, best) < 0) {
			best = y
		}
	}
	return best
}

// crowd returns the address that has the most guests of the lowest standing that anybody has.
func (g *gate) crowd(s dpsp.Standing) (best netip.Addr) {
	lowest := dpsp.Stranger
	for lowest < s && g.all.places[lowest] == 0 {
		lowest++
	}
	most := 0
	for at, t := range g.each {
		n := t.places[lowest]
		if cmp.Or(cmp.Compare(n, most), best.Compare(at)) > 0 { // the lowest of equal addresses; none without any
			best, most = at, n
		}
	}
	return best
}
