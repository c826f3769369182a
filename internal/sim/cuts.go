package sim

import (
	"slices"
	"strings"
	"time"

	"dplay4/dpsp"
)

// partition lets nothing through from some machines to the others; with both, not back either.
func (w *World) partition(both bool) {
	if some, others := w.halves(); len(some) > 0 && len(others) > 0 {
		w.sever(Cut{Senders: some, Others: others, Both: both}, w.while())
	}
}

// halves draws some machines, half of the time one alone, and the others.
func (w *World) halves() (some, others []int) {
	if v := w.victim(); v != nil && w.chaos.IntN(2) == 0 {
		some = []int{v.mates[0].i} // one machine loses its network
	}
	for _, l := range w.lanes {
		switch {
		case l != l.mates[0] || slices.Contains(some, l.i):
		case len(some) != 1 && w.chaos.IntN(2) == 0:
			some = append(some, l.i)
		default:
			others = append(others, l.i)
		}
	}
	return w.withMates(some), w.withMates(others)
}

// cutPairs cuts one to three pairs of machines: neither of a pair reaches the other, and both reach the rest. It is
// mended of one pair after the other.
func (w *World) cutPairs() {
	for range 1 + w.chaos.IntN(3) {
		if a, b := w.pair(); b != nil {
			w.sever(Cut{Senders: indices(a.mates), Others: indices(b.mates), Both: true}, w.while())
		}
	}
}

// pair draws two machines, of which the first one is a victim; nil if there are none.
func (w *World) pair() (a, b *lane) {
	var others []*lane
	if a = w.victim(); a == nil {
		return nil, nil
	}
	for _, l := range w.lanes {
		if l.alive() && l.addr != a.addr {
			others = append(others, l)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	return a, oneOf(w.chaos, others...)
}

// block lets nothing of one protocol through, as a firewall does: between a pair of machines, or some and the others.
func (w *World) block(protocol string) {
	c := Cut{Both: w.chaos.IntN(3) > 0, Only: protocol}
	if w.chaos.IntN(3) == 0 {
		a, b := w.pair()
		if b == nil {
			return
		}
		c.Senders, c.Others = indices(a.mates), indices(b.mates)
	} else if c.Senders, c.Others = w.halves(); len(c.Senders) == 0 || len(c.Others) == 0 {
		return
	}
	w.sever(c, w.while())
}

// threeWay has the network fall into three. Each two of the parts come together at a time of their own.
func (w *World) threeWay() {
	var parts [3][]int
	for _, l := range w.lanes {
		if l == l.mates[0] {
			k := w.chaos.IntN(len(parts))
			parts[k] = append(parts[k], indices(l.mates)...)
		}
	}
	for _, part := range parts {
		if len(part) == 0 {
			return
		}
	}
	first, spread := w.while(), oneOf(w.chaos, time.Second, w.opt.notice()/2, 2*w.opt.notice())
	for i, part := range parts {
		d := min(first+between(w.chaos, 0, spread), w.opt.FaultsEnd()-w.now)
		w.sever(Cut{Senders: part, Others: parts[(i+1)%len(parts)], Both: true}, d)
	}
}

// sever keeps packets from coming through for a while.
func (w *World) sever(c Cut, d time.Duration) {
	c.From, c.To = w.now, w.now+d
	k := len(w.res.Cuts)
	w.res.Cuts = append(w.res.Cuts, c)
	w.cutting(&c, 1)
	arrow, what := "->", "nothing"
	if c.Both {
		arrow = "<->"
	}
	if c.Only != "" {
		what = "no " + c.Only
	}
	w.moment(nil, "partition", "%s goes %s %s %s for %.1fs", what, w.names(c.Senders), arrow, w.names(c.Others), d.Seconds())
	w.after(d, func() {
		w.cutting(&w.res.Cuts[k], -1)
		w.moment(nil, "connected", "again %s %s %s", w.names(c.Senders), arrow, w.names(c.Others))
		w.mended()
	})
}

// cutting counts a fault that keeps packets from coming through in, or out again. A machine that only UDP does not
// reach can answer.
func (w *World) cutting(c *Cut, n int) {
	for _, i := range slices.Concat(c.Senders, c.Others) {
		if c.Only != "UDP" {
			w.lanes[i].silent = w.now
		}
	}
	count := func(a, b int) {
		switch c.Only {
		case "":
			w.cut[a][b] += n
		case "TCP":
			w.blocked[a][b][dpsp.TCP] += n
		default:
			w.blocked[a][b][dpsp.UDP] += n
		}
	}
	for _, a := range c.Senders {
		for _, b := range c.Others {
			count(a, b)
			if c.Both {
				count(b, a)
			}
		}
	}
}

func (w *World) names(lanes []int) string {
	var all []string
	for _, i := range lanes {
		all = append(all, w.lanes[i].name)
	}
	return strings.Join(all, " ")
}
