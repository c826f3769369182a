package doctor

import (
	"errors"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// A foreign is what a machine sent in frames in the name of an index that is not one of its own.
type foreign struct {
	mark
	From, To netip.AddrPort // the machine that the frames came from, and the one that they went to
	Index    uint16
	Owner    wire.PlayerID // whose index it is; 0: nobody's
	Machine  netip.AddrPort
	Count    int
	Last     mark
}

// A foreignKey tells them apart.
type foreignKey struct {
	src   netip.Addr
	to    netip.AddrPort
	index uint16
}

// A bent is a kind of frame that should not be, of one machine to another.
type bent struct {
	mark
	From, To     netip.AddrPort
	Kind         bend
	Field, Value string // of the first
	Count        int
}

// A bend is what is wrong with a frame.
type bend uint8

// What can be wrong.
const (
	bentUnreadable bend = iota + 1 // it does not decode
	bentIndex                      // an index in more octets than it needs
	bentTrailing                   // octets behind its end
)

// A bentKey tells them apart.
type bentKey struct {
	from, to netip.AddrPort
	kind     bend
}

// A deletion is a machine's word that a player of another one is gone.
type deletion struct {
	mark
	By, Machine netip.AddrPort
	Player      wire.PlayerID
}

// frameError reports whether it is a frame of the reliable protocol that does not decode, rather than the message in it.
func frameError(r *captures.Record) bool {
	var e *wire.DecodeError
	if r.Frame == nil || r.Joined || !errors.As(r.Err, &e) {
		return false
	}
	switch e.Message {
	case reliable.KindNone.String(), reliable.KindData.String(), reliable.KindACK.String(), reliable.KindNACK.String():
		return true
	}
	return false
}

// frame takes what is odd about a frame of the reliable protocol.
func (c *collector) frame(r *captures.Record, m mark) {
	f := r.Frame
	if f == nil || r.Joined || r.Via != 0 {
		return
	}
	var e *wire.DecodeError
	if frameError(r) && errors.As(r.Err, &e) {
		c.bend(r, m, bentUnreadable, e.Message+"."+e.Field, e.Err.Error())
	}
	switch {
	case f.FromSize > 0:
		c.bend(r, m, bentIndex, "IdFrom", itoa(int(f.From))+" in "+itoa(int(f.FromSize))+" octets")
	case f.ToSize > 0:
		c.bend(r, m, bentIndex, "IdTo", itoa(int(f.To))+" in "+itoa(int(f.ToSize))+" octets")
	case len(f.Trailing) > 0:
		c.bend(r, m, bentTrailing, "", itoa(len(f.Trailing))+" octets behind the frame")
	}
	if r.Step == nil {
		return
	}
	switch owner := r.Session.ByIndex(f.From); {
	case owner != nil && r.Foreign:
		c.foreign(r, m, owner.ID, owner.Machine)
	case owner != nil:
		c.announced(r, m)
	case owner == nil && f.Kind() == reliable.KindData && (c.joining[r.From.At] != nil || c.joining[r.To.At] != nil):
		c.foreign(r, m, 0, netip.AddrPort{}) // otherwise the capture began after the players were announced
	}
}

// bend takes a frame that should not be so.
func (c *collector) bend(r *captures.Record, m mark, kind bend, field, value string) {
	k := bentKey{r.From.At, r.To.At, kind}
	if b := c.bends[k]; b != nil {
		b.Count++
		return
	}
	if len(c.Bent) < maxFacts {
		b := &bent{mark: m, From: r.From.At, To: r.To.At, Kind: kind, Field: field, Value: value, Count: 1}
		c.bends[k] = b
		c.Bent = append(c.Bent, b)
	}
}

// foreign takes a frame in the name of somebody else, or of nobody.
func (c *collector) foreign(r *captures.Record, m mark, owner wire.PlayerID, machine netip.AddrPort) {
	k := foreignKey{r.Src.Addr(), r.To.At, r.Frame.From}
	if x := c.foreigners[k]; x != nil {
		x.Count++
		x.Last = m
		return
	}
	if len(c.Foreign) < maxFacts {
		x := &foreign{mark: m, Last: m, From: r.Src, To: r.To.At, Index: r.Frame.From, Owner: owner, Machine: machine, Count: 1}
		if r.From.Sure && owner == 0 {
			x.From = r.From.At
		}
		c.foreigners[k] = x
		c.Foreign = append(c.Foreign, x)
	}
}

// announced drops what was noted of an index as nobody's if its player was announced shortly afterwards: a datagram overtakes the
// connection that tells of the player.
func (c *collector) announced(r *captures.Record, m mark) {
	k := foreignKey{r.Src.Addr(), r.To.At, r.Frame.From}
	if x := c.foreigners[k]; x != nil && x.Owner == 0 && m.Time.Sub(x.Last.Time) <= patience {
		delete(c.foreigners, k)
		c.Foreign = slices.DeleteFunc(c.Foreign, func(f *foreign) bool { return f == x })
	}
}

// deleted takes the news that a player of another machine is gone.
func (c *collector) deleted(r *captures.Record, m mark, from netip.AddrPort, x *wire.DeletePlayer) {
	p := r.Session.Player(x.Player)
	if p == nil || !p.Machine.IsValid() || p.Machine == from || len(c.Deletions) >= maxFacts {
		return
	}
	c.Deletions = append(c.Deletions, &deletion{mark: m, By: from, Machine: p.Machine, Player: x.Player})
}
