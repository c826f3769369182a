package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// silentPings is how many pings in a row must stay without an answer before that counts: one may be lost.
const silentPings = 3

// goodbye is what a machine says of its own players when it leaves.
const goodbye = "DELETEPLAYER"

// pings are those of one machine to another since something came from there by UDP.
type pings struct {
	silence
	src, dst netip.AddrPort // the UDP sockets
}

// heard notes that a machine sent a message. Whatever it sends by UDP ends its silence.
func (c *collector) heard(r *captures.Record, from netip.AddrPort, m mark) {
	l := c.lives[from]
	if l == nil {
		if len(c.lives) >= maxListeners {
			return
		}
		l = new(life)
		c.lives[from] = l
		c.homes[from.Addr()]++
	}
	l.last = m
	if m.Message != goodbye {
		l.talk = m
	}
	switch r.Envelope.Message.(type) {
	case *wire.RequestPlayerID, *wire.AddForwardRequest, *wire.CreatePlayer:
		l.inside = m
	}
	_, answer := r.Envelope.Message.(*wire.PingReply)
	for _, p := range c.pinged[r.Src.Addr()] {
		if p.Machine != from && p.dst != r.Src && !(answer && p.src == r.Dst) {
			continue
		}
		if p.Back.N == 0 && c.silent(p) {
			p.Back = m
		}
		if r.Transport == captures.UDP {
			c.over(p, answer)
		} else {
			p.Stream = m
		}
	}
}

// ping takes a ping.
func (c *collector) ping(r *captures.Record, m mark, from netip.AddrPort) {
	k := [2]netip.AddrPort{r.Src, r.Dst}
	p := c.pings[k]
	if p == nil {
		if len(c.pings) >= maxFacts || len(c.pinged[r.Dst.Addr()]) >= maxPingers {
			return
		}
		p = &pings{src: r.Src, dst: r.Dst}
		c.pings[k] = p
		c.allPings = append(c.allPings, p)
		c.pinged[r.Dst.Addr()] = append(c.pinged[r.Dst.Addr()], p)
	}
	p.From, p.Machine = from, r.To.At
	if p.Count > 0 && p.Stream.N > p.Final.N {
		p.Between++
	}
	p.Final = m
	if p.Count++; p.Count <= maxPieces {
		p.Marks = append(p.Marks, m)
	}
	if l := c.lives[p.Machine]; l != nil && p.Count <= silentPings {
		p.Before = l.last
	}
}

// over ends a silence. answered says that the last ping of it was answered.
func (c *collector) over(p *pings, answered bool) {
	s := p.silence
	p.silence = silence{}
	if answered && s.Count > 0 {
		s.Count--
		s.Marks = s.Marks[:min(s.Count, len(s.Marks))]
	}
	s.Check = c.unanswered(&s)
	if s.Count+flag(s.Check.N > 0) >= silentPings && len(c.Silences) < maxFacts {
		c.Silences = append(c.Silences, &s)
	}
}

// silent reports whether a machine has left so many pings without an answer that it counts.
func (c *collector) silent(p *pings) bool {
	return p.Count+flag(c.unanswered(&p.silence).N > 0) >= silentPings
}

// unanswered returns the check of a leader in a silence, to which nothing came over TCP; zero if there is none.
func (c *collector) unanswered(s *silence) mark {
	m := c.checks[runKey{s.From, s.Machine}]
	if s.Count == 0 || m.N <= s.Before.N || m.N < s.Stream.N {
		return mark{}
	}
	return m
}

// acts takes something that only the host of a session does. takes says that it makes the sender host, if it was not
// before: without that, an address that is not a member's is another one of the same host, which has several adapters.
func (c *collector) acts(r *captures.Record, m mark, from netip.AddrPort, takes bool) {
	s := r.Session
	if s == nil || s.Instance.IsZero() {
		return
	}
	now := c.reigns[s.Instance]
	if now != nil && now.Host == from {
		now.Until = m
		return
	}
	if now != nil && !takes && c.joining[from] == nil && !c.hasReigned(from, s.Instance) || len(c.Reigns) >= maxFacts {
		return
	}
	if now != nil {
		c.deposes(now, from, m)
	}
	now = &reign{mark: m, Until: m, Host: from, What: s.Instance, Name: clip(s.Name)}
	c.reigns[s.Instance] = now
	c.Reigns = append(c.Reigns, now)
	c.reigned[reigning{from, s.Instance}] = true
}

// hasReigned reports whether a machine was host of a session before.
func (c *collector) hasReigned(machine netip.AddrPort, what wire.GUID) bool {
	return c.reigned[reigning{machine, what}]
}

// A reigning is a machine that was host of a session at some time.
type reigning struct {
	machine netip.AddrPort
	what    wire.GUID
}

// extension takes from the extension's messages who is host.
func (c *collector) extension(r *captures.Record, m mark, from netip.AddrPort, x *wire.Extension) {
	if x.Kind == wire.KindClaim { // that of another release as well, which does not decode
		c.acts(r, m, from, true)
	}
	switch b := x.Body.(type) {
	case *wire.ExtensionRejoinAt:
		if b.Host == x.From {
			c.acts(r, m, from, true)
		}
	case *wire.ExtensionRejoin:
		c.spData(r, m, b.SPData, "SPData", true)
	case *wire.ExtensionView:
		c.view(r, m, from, x, b)
	case *wire.ExtensionTable:
		if t, err := dpl8.Decode(b.Message); err == nil {
			if h, ok := t.(*dpl8.HostMigrate); ok && wire.PlayerID(h.NewHost) == x.From {
				c.acts(r, m, from, true)
			}
		}
	}
}
