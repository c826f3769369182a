package doctor

import (
	"errors"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// An askKey tells questions apart.
type askKey struct {
	asker, wants, to netip.AddrPort
	transport        captures.Transport
	app              wire.GUID
}

func (c *collector) ask(r *captures.Record, m Mark, from netip.AddrPort, x *wire.EnumSessions) {
	c.listen(from)
	c.listen(r.Src) // nobody listens there, but some hosts think so
	wants := from
	if r.Envelope.HasSP {
		wants = netip.AddrPortFrom(c.resolve(r, r.Envelope.SP.SockAddr), from.Port())
	}
	k := askKey{from, wants, r.Dst, r.Transport, x.Application}
	a := c.asks[k]
	if a == nil {
		if len(c.Asks) >= maxFacts {
			return
		}
		a = &Ask{Asker: from, Wants: wants, From: r.Src, To: r.Dst, Transport: r.Transport, App: x.Application, Version: r.Envelope.Version}
		c.asks[k] = a
		c.Asks = append(c.Asks, a)
		c.wants[wanting{from, x.Application}] = true
	}
	a.Final = m
	if a.Count++; a.Count <= maxPieces {
		a.Marks = append(a.Marks, m)
	}
}

// An offerKey tells offers apart.
type offerKey struct {
	host, to  netip.AddrPort
	transport captures.Transport
	instance  wire.GUID
}

func (c *collector) offer(r *captures.Record, m Mark, from netip.AddrPort, x *wire.EnumSessionsReply) {
	c.listen(from)
	c.acts(r, m, from, false)
	k := offerKey{from, r.Dst, r.Transport, x.Desc.Instance}
	if o := c.offers[k]; o != nil {
		o.Count++
		o.Mark = m // the latest counts as an answer to all questions before
		return
	}
	if len(c.Offers) >= maxFacts {
		return
	}
	o := &Offer{Mark: m, Host: from, From: r.Src, To: r.Dst, Transport: r.Transport, App: x.Desc.Application,
		Instance: x.Desc.Instance, Name: x.Name.String(), Version: r.Envelope.Version, Count: 1}
	c.offers[k] = o
	c.Offers = append(c.Offers, o)
	c.hosts[hosting{from.Addr(), x.Desc.Application}] = true
}

// joinAsked begins a join.
func (c *collector) joinAsked(r *captures.Record, m Mark, from netip.AddrPort) {
	c.listen(from)
	c.listen(r.Dst)
	if len(c.Joins) >= maxFacts {
		return
	}
	j := &Join{Joiner: from, Host: r.Dst, Conn: r.Src, Asked: m, LastSeen: m, Version: r.Envelope.Version, Session: sessionName(r)}
	c.Joins = append(c.Joins, j)
	c.joining[from], c.conns[r.Src] = j, j
}

// answerTo gives the join that a message of a host answers, nil if its beginning is not in the capture. A host that is
// asked at one address may answer from another.
func (c *collector) answerTo(r *captures.Record) *Join {
	j := c.joining[r.Dst]
	if j != nil && j.HostVersion == 0 {
		j.HostVersion = r.Envelope.Version
	}
	return j
}

func (c *collector) idReply(r *captures.Record, m Mark, from netip.AddrPort, x *wire.RequestPlayerReply) {
	j := c.answerTo(r)
	system := j != nil && j.ID.Frame == 0
	if x.Result != wire.OK {
		c.refusal(r, m, from, "Result", x.Result, system)
		return
	}
	if system {
		j.ID = m
		return
	}
	for _, no := range c.denied[r.Dst] {
		no.Later = m
	}
	delete(c.denied, r.Dst)
}

func (c *collector) joinRequest(m Mark, from netip.AddrPort) {
	if j := c.joining[from]; j != nil && j.Request.Frame == 0 {
		j.Request = m
	}
}

// refusal takes a host's no.
func (c *collector) refusal(r *captures.Record, m Mark, from netip.AddrPort, field string, why wire.HResult, system bool) {
	x := &Refusal{Mark: m, Host: from, Joiner: r.Dst, Field: field, Result: why, System: system, Session: sessionName(r)}
	if s := r.Session; s != nil {
		x.Flags, x.Described = s.Flags, s.Described
		if h := c.rooms[s.Instance]; h != nil && s.Described {
			x.Players, x.Max = h.players, h.max
		}
	}
	if j := c.joining[r.Dst]; j != nil && system {
		j.Refused = x
	}
	if len(c.Refusals) >= maxFacts {
		return
	}
	for _, o := range c.Offers {
		if o.Host == from {
			x.Session = o.Name
		}
	}
	c.Refusals = append(c.Refusals, x)
	if !system {
		c.denied[r.Dst] = append(c.denied[r.Dst], x)
	}
}

// list takes the list that ends a join. Members get lists as well.
func (c *collector) list(r *captures.Record, m Mark, from netip.AddrPort) {
	c.acts(r, m, from, false)
	j := c.answerTo(r)
	if j == nil || j.List.Frame != 0 {
		return
	}
	j.List = m
	if n := sessionName(r); n != "" {
		j.Session = n
	}
	errors.As(r.Err, &j.ListErr)
	for i := range r.Findings {
		if r.Findings[i].Code == captures.StrayOctets {
			j.Strays = r.Findings[i].Text
		}
	}
}

// superList takes the machines of a list.
func (c *collector) superList(r *captures.Record, m Mark, from netip.AddrPort, x *wire.SuperEnumPlayersReply) {
	machines := map[netip.AddrPort]wire.PlayerID{}
	for i := range x.Players {
		p := &x.Players[i]
		field := "Players[" + itoa(i) + "].SPData"
		c.spData(r, m, p.SPData, field, false)
		at, ok := c.stream(r, p.SPData)
		if !ok {
			continue
		}
		if p.Flags&wire.PlayerSystem == 0 {
			c.name(at, p.ShortName, p.LongName)
			continue
		}
		if other, twice := machines[at]; twice && other != p.ID && len(c.Twins) < maxFacts {
			c.Twins = append(c.Twins, &Twins{Mark: m, Field: field, One: other, Other: p.ID, Socket: at})
		}
		machines[at] = p.ID
	}
}

// forward takes a newcomer that a member is told of.
func (c *collector) forward(r *captures.Record, m Mark, from netip.AddrPort, x *wire.AddForward) {
	c.acts(r, m, from, false)
	if len(c.Forwards) >= maxFacts {
		return
	}
	f := &Forward{Mark: m, Host: from, Member: r.Dst, Player: x.Player}
	c.Forwards = append(c.Forwards, f)
	c.told[telling{r.Dst, x.Player}] = f
	c.waiting[r.Dst] = append(c.waiting[r.Dst], f)
}

// A telling is a newcomer that a member was told of.
type telling struct {
	member netip.AddrPort
	player wire.PlayerID
}

// ack settles what a member was told. Wine and Windows name the newcomer; a zero settles the oldest.
func (c *collector) ack(from netip.AddrPort, id wire.PlayerID) {
	if f := c.told[telling{from, id}]; f != nil {
		f.Acked = true
	}
	list := c.waiting[from]
	if len(list) == 0 {
		return
	}
	if id == wire.IDAll {
		list[0].Acked = true
	}
	for len(list) > 0 && list[0].Acked {
		list = list[1:]
	}
	c.waiting[from] = list
}

// sessionName gives the name of a record's session, "" if it is not known.
func sessionName(r *captures.Record) string {
	if r.Session == nil {
		return ""
	}
	return r.Session.Name
}
