package doctor

import (
	"errors"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// An askKey tells questions apart.
type askKey struct {
	asker, wants, to netip.AddrPort
	transport        captures.Transport
	app              wire.GUID
	flags            wire.EnumFlags
	password         string
}

func (c *collector) ask(r *captures.Record, m mark, from netip.AddrPort, x *wire.EnumSessions) {
	c.listen(from)
	c.listen(r.Src) // nobody listens there, but some hosts think so
	wants := from
	if r.Envelope.HasSP {
		wants = netip.AddrPortFrom(c.resolve(r, r.Envelope.SP.SockAddr), from.Port())
	}
	password := x.Password[:min(len(x.Password), maxPassword)]
	k := askKey{from, wants, r.Dst, r.Transport, x.Application, x.Flags, string(password)}
	a := c.asks[k]
	if a == nil {
		if len(c.Asks) >= maxFacts {
			return
		}
		a = &ask{Asker: from, Wants: wants, From: r.Src, To: r.Dst, Transport: r.Transport, App: x.Application,
			Flags: x.Flags, Password: slices.Clone(password), Version: r.Envelope.Version}
		c.asks[k] = a
		c.Asks = append(c.Asks, a)
		c.wants[wanting{from, x.Application}] = true
	}
	a.Final = m
	if a.Count++; a.Count <= maxPieces {
		a.Marks = append(a.Marks, m)
		a.Hidden = c.hiding(a)
	}
}

// An offerKey tells offers apart.
type offerKey struct {
	host, to  netip.AddrPort
	transport captures.Transport
	instance  wire.GUID
}

func (c *collector) offer(r *captures.Record, m mark, from netip.AddrPort, x *wire.EnumSessionsReply) {
	c.listen(from)
	c.acts(r, m, from, false)
	k := offerKey{from, r.Dst, r.Transport, x.Desc.Instance}
	if o := c.offers[k]; o != nil {
		o.Count++
		o.mark = m // the latest counts as an answer to all questions before
		return
	}
	if len(c.Offers) >= maxFacts {
		return
	}
	at := from
	if r.Envelope.HasSP {
		at = netip.AddrPortFrom(c.resolve(r, r.Envelope.SP.SockAddr), from.Port())
	}
	o := &offer{mark: m, Host: from, At: at, From: r.Src, To: r.Dst, Transport: r.Transport, App: x.Desc.Application,
		Instance: x.Desc.Instance, Name: x.Name.String(), Version: r.Envelope.Version, Count: 1}
	c.offers[k] = o
	c.Offers = append(c.Offers, o)
	c.hosts[hosting{from.Addr(), x.Desc.Application}] = true
}

// joinAsked begins a join. Some ask again if they hear nothing.
func (c *collector) joinAsked(r *captures.Record, m mark, from netip.AddrPort) {
	c.listen(from)
	c.listen(r.Dst)
	if j := c.joining[from]; j != nil && j.Host == r.To.At && j.ID.Frame == 0 && j.Refused == nil && j.List.Frame == 0 {
		j.Asks++
		j.Final, j.Conn, j.Door, j.LastSeen = m, r.Src, r.Dst, m
		c.conns[r.Src] = j
		return
	}
	if len(c.Joins) >= maxFacts {
		return
	}
	j := &join{Joiner: from, Host: r.To.At, Conn: r.Src, Door: r.Dst, Asked: m, Final: m, Asks: 1, LastSeen: m, Version: r.Envelope.Version, Session: sessionName(r)}
	c.Joins = append(c.Joins, j)
	c.joining[from], c.conns[r.Src] = j, j
}

// answerTo returns the join that a message of a host answers, nil if its beginning is not in the capture. A host that is
// asked at one address may answer from another.
func (c *collector) answerTo(r *captures.Record) *join {
	j := c.joining[r.To.At]
	if j != nil && j.HostVersion == 0 {
		j.HostVersion = r.Envelope.Version
	}
	return j
}

// waiter returns the join of a machine that waits for an id, and is sent one to another port than the one it listens on now:
// its program closed the connection of its search. nil if there is none, or more than one.
func (c *collector) waiter(r *captures.Record) (j *join) {
	for _, k := range c.Joins {
		if k.Joiner.Addr() != r.To.At.Addr() || k.Host.Addr() != r.From.At.Addr() || k.ID.Frame > 0 || k.Refused != nil || k.List.Frame > 0 {
			continue
		}
		if j != nil {
			return nil
		}
		j = k
	}
	return j
}

func (c *collector) idReply(r *captures.Record, m mark, from netip.AddrPort, x *wire.RequestPlayerReply) {
	j := c.answerTo(r)
	if j == nil {
		j = c.waiter(r)
	}
	system := j != nil && j.ID.Frame == 0
	if x.Result != wire.OK {
		if !system {
			c.idAnswered(r, m, from, 0)
		}
		c.refusal(r, m, from, "Result", x.Result, system)
		return
	}
	if system {
		j.ID, j.IDErr, j.Player = m, r.Err, x.ID
		j.IDFrom, j.IDTo = r.Src, r.Dst
		return
	}
	c.idAnswered(r, m, from, x.ID)
	for _, no := range c.denied[r.To.At] {
		no.Later = m
	}
	delete(c.denied, r.To.At)
}

func (c *collector) joinRequest(m mark, from netip.AddrPort, x *wire.AddForwardRequest) {
	if j := c.joining[from]; j != nil && j.Request.Frame == 0 {
		j.Request = m
		j.Password = slices.Clone(x.Password[:min(len(x.Password), maxPassword)])
	}
}

// refusal takes a host's no.
func (c *collector) refusal(r *captures.Record, m mark, from netip.AddrPort, field string, why wire.HResult, system bool) {
	x := &refusal{mark: m, Host: from, Joiner: r.To.At, Field: field, Result: why, System: system, Session: sessionName(r)}
	if s := r.Session; s != nil {
		x.Flags, x.Described = s.Flags, s.Described
		if h := c.rooms[s.Instance]; h != nil && s.Described {
			x.Players, x.Max = h.players, h.max
		}
	}
	if j := c.joining[r.To.At]; j != nil && system {
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
		c.denied[x.Joiner] = append(c.denied[x.Joiner], x)
	}
}

// list takes the list that ends a join. Members get lists as well.
func (c *collector) list(r *captures.Record, m mark, from netip.AddrPort) {
	c.acts(r, m, from, false)
	j := c.answerTo(r)
	if j == nil || j.List.Frame != 0 {
		return
	}
	j.List = m
	if s := r.Session; s != nil && r.Err == nil && c.rooms[s.Instance] != nil && j.Password.String() != "" {
		c.rooms[s.Instance].password = j.Password // it was the right one
	}
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
func (c *collector) superList(r *captures.Record, m mark, from netip.AddrPort, x *wire.SuperEnumPlayersReply) {
	machines := map[netip.AddrPort]wire.PlayerID{}
	for i := range x.Players {
		p := &x.Players[i]
		field := "Players[" + itoa(i) + "].SPData"
		c.spData(r, m, p.SPData, field, false)
		if p.Flags&wire.PlayerSystem == 0 {
			c.nameOf(r, p.ID, p.ShortName, p.LongName)
			continue
		}
		at, ok := c.stream(r, p.SPData)
		if own := r.Session.Player(p.ID); own != nil && own.Machine == r.To.At && r.To.Sure {
			at = r.To.At // who is told of himself knows better
		}
		if !ok {
			continue
		}
		if other, twice := machines[at]; twice && other != p.ID && len(c.Twins) < maxFacts {
			c.Twins = append(c.Twins, &twins{mark: m, Field: field, One: other, Other: p.ID, Socket: at})
		}
		machines[at] = p.ID
	}
}

// forward takes a newcomer that a member is told of.
func (c *collector) forward(r *captures.Record, m mark, from netip.AddrPort, x *wire.AddForward) {
	c.acts(r, m, from, false)
	if len(c.Forwards) >= maxFacts {
		return
	}
	f := &forward{mark: m, Host: from, Member: r.To.At, Player: x.Player}
	c.Forwards = append(c.Forwards, f)
	c.told[telling{r.To.At, x.Player}] = f
	c.waiting[f.Member] = append(c.waiting[f.Member], f)
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

// sessionName returns the name of a record's session, "" if it is not known.
func sessionName(r *captures.Record) string {
	if r.Session == nil {
		return ""
	}
	return r.Session.Name
}
