package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

// questionIgnored adds what question-ignored finds in a capture.
func questionIgnored(c *facts, out *findings) {
	for _, a := range c.asking() {
		if h := c.ignored(a); h != nil {
			f := c.unansweredBy(out, a, "the question of "+c.who(a.Asker)+" for sessions (flags "+a.Flags.String()+", "+pick(wire.Text(a.Password).String() == "", "no password", "with a password")+
				") reached "+c.who(h.Host)+", which does not show "+named(h.Session)+": "+h.Why)
			f.in(string(h.Bar)).Evidence = append(f.Evidence, h.show(h.Field, h.Value))
		}
	}
}

// ignored returns the session that an unanswered question was not shown, nil if that does not explain it.
func (c *facts) ignored(a *ask) *hiding {
	if a.Hidden == nil || len(c.replies(a)) > 0 || elsewhere(c, a) {
		return nil
	}
	return a.Hidden
}

// hiding returns a session that a question reached and that does not show itself, as it was described last; nil if there is
// none, or one that shows itself.
func (c *facts) hiding(a *ask) (found *hiding) {
	for _, h := range c.rooms.list {
		host := h.describer
		if h.Frame == 0 || host == a.Asker || !a.near(host.Addr()) {
			continue
		}
		x := h.hides(a)
		if x == nil {
			return nil
		}
		if x.Bar == hiddenGame {
			x.Why = "it is of " + c.app(h.desc.Application) + ", and the question is for " + c.app(a.App)
		}
		if found == nil || found.Bar == hiddenGame {
			found = x
		}
	}
	return found
}

// hides returns why a session does not show itself to a question (3.2.5.3, and what Windows does: facts, 5.3); nil if it does.
func (h *room) hides(a *ask) *hiding {
	password := wire.Text(a.Password)
	has := func(f wire.SessionFlags) bool { return h.desc.Flags&f != 0 }
	asks := password.String() != ""
	known := asks && h.password != nil && h.password.Equal(password)
	locked := has(wire.SessionPasswordRequired) && !known
	full := itoa(int(h.players)) + " of " + itoa(int(h.max))
	its := pick(asks, pick(h.password == nil, "has one that is not in the capture otherwise, perhaps a wrong one", "has another password"), "has none")
	x := &hiding{mark: h.mark, Host: h.describer, Session: h.name, Field: "Flags", Value: h.desc.Flags.String()}
	switch {
	case !a.App.IsZero() && a.App != h.desc.Application:
		x.Bar, x.Field, x.Value = hiddenGame, "ApplicationGUID", h.desc.Application.String()
	case locked && has(wire.SessionPrivate):
		x.Bar, x.Why = hiddenPrivate, "it is private, and shows itself to who knows its password; the question "+its
	case locked && a.Flags&wire.EnumPasswordRequired == 0:
		x.Bar, x.Why = hiddenPassword, "it wants a password; the question "+its+", and lacks the flag PASSWORDREQUIRED"
	case a.Flags&wire.EnumAll != 0:
		return nil
	case has(wire.SessionJoinDisabled):
		x.Bar, x.Why = hiddenClosed, "it lets nobody join (JOINDISABLED), and the question lacks the flag ALL"
	case has(wire.SessionNewPlayersDisabled):
		x.Bar, x.Why = hiddenClosed, "it takes no new players (NEWPLAYERSDISABLED), and the question lacks the flag ALL"
	case h.max > 0 && h.players >= h.max:
		x.Bar, x.Field, x.Value, x.Why = hiddenFull, "CurrentPlayerCount", full, "it is full, "+full+", and the question lacks the flag ALL"
	default:
		return nil
	}
	return x
}

// enumPortTaken adds what enum-port-taken finds on this machine.
func enumPortTaken(l *Live, out *findings) {
	var ev []Evidence
	for i := range l.Ports {
		if p := &l.Ports[i]; p.Number == wire.EnumPort && p.Err != "" && !p.Bridge {
			ev = append(ev, p.show())
		}
	}
	if l.hosts() == "" && len(ev) > 0 { // else this machine hosts: it is as it should be
		out.add("a session hosted on this machine could not be found: port 47624 is not to be had", ev...)
	}
}

// enumUnanswered adds what enum-unanswered finds in a capture.
func enumUnanswered(c *facts, out *findings) {
	for _, a := range c.asking() {
		if d := c.mute(a); d != nil && c.cutShort(a) == nil {
			out.add(d.From.String()+" connected to "+d.To.String()+", where "+c.who(a.Asker)+" waits for the answer, and said nothing",
				d.show("to "+d.To.String())...).more(d.more()).in("mute")
		}
		if explained(c, a) {
			continue
		}
		f := c.unansweredBy(out, a, c.who(a.Asker)+" asked "+whom(a)+" for sessions, and nobody answered")
		for _, b := range c.Blocks {
			if b.Src.Addr() == a.Asker.Addr() && b.Dst == a.To {
				f.in("icmp", "{reason}", icmpReason(b.Code)).Evidence = append(f.Evidence, b.show(b.Dst.String()))
			}
		}
		if d := c.Dials.by[dialKey{a.Asker.Addr(), a.To}]; d != nil && d.Refused > 0 {
			f.Evidence = append(f.Evidence, d.refusal())
		}
	}
	for _, d := range c.Dials.list { // those who wanted to ask over TCP alone, and got no connection to ask over
		if d.To.Port() != wire.EnumPort || !d.failed() || exists(c.Asks.list, func(a *ask) bool { return a.Asker.Addr() == d.From }) {
			continue
		}
		out.add(d.From.String()+" wanted to ask "+d.To.Addr().String()+" for sessions over TCP, and got no connection"+
			pick(d.Refused > 0, ": it was refused", ""), d.evidence()...).more(d.more())
	}
}

// mute returns the connection of a host that wanted to answer, was let in, and said nothing that can be read; nil if there is none.
func (c *facts) mute(a *ask) *dial {
	list := c.replies(a)
	if len(list) == 0 || slices.ContainsFunc(list, func(d *dial) bool { return d.Taken == 0 || d.Used || c.late(d.Marks[0]) }) {
		return nil
	}
	return list[len(list)-1]
}

// explained reports whether another rule says more about a question without an answer.
func explained(c *facts, a *ask) bool {
	_, _, ok := reached(c, a)
	return ok || c.ignored(a) != nil || c.byStream(a) != nil || len(c.replies(a)) > 0 || elsewhere(c, a)
}

// elsewhere reports whether an answer was on its way that went wrong, or was about another game.
func elsewhere(c *facts, a *ask) bool {
	return len(onlyUDP(c, a))+len(wrongPort(c, a))+len(wrongDials(c, a))+len(otherApp(c, a))+len(ownGame(c, a)) > 0
}

// whom names whom a question went to.
func whom(a *ask) string {
	return pick(a.Broadcast(), "everybody on its network", a.To.Addr().String()+pick(a.Transport == captures.TCP, " over TCP", ""))
}

// icmpReasons are what ICMP codes for what cannot be reached mean (RFC 792, RFC 1812).
var icmpReasons = map[uint8]string{
	0: "no way to that network", 1: "no such machine there", 2: "it does not know the protocol", portUnreachable: "no program there uses that port",
	4: "the packet is too large", 6: "no way to that network", 7: "no such machine there",
	9: "a firewall forbids it", 10: "a firewall forbids it", 13: "a firewall forbids it",
}

// icmpReason returns what such a code means.
func icmpReason(code uint8) string { return cmp.Or(icmpReasons[code], "code "+itoa(int(code))) }

// broadcastAdapter adds what broadcast-wrong-adapter finds in a capture.
func broadcastAdapter(c *facts, out *findings) {
	for _, a := range c.asking() {
		from := a.From.Addr()
		others := otherNetworks(c, from)
		if !a.Broadcast() || len(others) == 0 && !oddAdapter(from) {
			continue
		}
		out.add(c.who(a.Asker)+" asked everybody on the network of "+from.String()+", and nobody answered"+pick(len(others) > 0,
			", while the capture has traffic of "+strings.Join(others, " and "), "; "+from.String()+" is "+localKind(from)),
			a.show("from "+from.String()+" to "+a.To.Addr().String())...).more(a.more())
	}
}

// otherNetworks returns addresses on other interfaces of the capture than the one that an address was seen on: those that
// are of a network that people play on.
func otherNetworks(c *facts, from netip.Addr) (list []string) {
	on := map[int]bool{}
	for _, s := range c.Sources {
		if s.Addr == from {
			on[s.Interface] = true
		}
	}
	if len(on) == 0 {
		return nil
	}
	for _, s := range where(c.Sources, func(s *source) bool {
		return !on[s.Interface] && s.Addr.Is4() && !s.Addr.IsLoopback() && !sameNetwork(s.Addr, from)
	}) {
		if at := s.Addr.String(); !slices.Contains(list, at) && len(list) < 3 {
			list = append(list, at)
		}
	}
	return list
}

// liveBroadcast judges where broadcasts of this machine go.
func liveBroadcast(l *Live, out *findings) {
	use := l.playable()
	by := l.BroadcastBy
	if l.Host.IsValid() || !by.IsValid() || len(use) == 0 {
		return // nobody searches
	}
	ev := []Evidence{{Message: "broadcast", Field: "source address", Value: by.String()}}
	own := false // it is the address of an adapter
	for _, a := range use {
		own = own || slices.ContainsFunc(a.Addrs, func(p netip.Prefix) bool { return p.Addr() == by })
		ev = append(ev, a.show())
	}
	switch {
	case oddAdapter(by):
		if !l.playsOver(netip.PrefixFrom(by, 32)) { // else that is where they play
			out.add("a search for games on the network leaves by "+by.String()+", which is "+localKind(by), ev...)
		}
	case len(use) > 1:
		if !l.foundNear(by) { // else a game's search goes there, and finds it
			out.add("this machine is on "+itoa(len(use))+" networks, and a search for games goes to that of "+by.String()+" only", ev...).Severity = Warning
		}
	case !own:
		out.add("a search for games leaves by "+by.String()+", not by "+use[0].Name, ev...)
	}
}

// foundNear reports whether the search found a session of another machine on the network of an address of this one.
func (l *Live) foundNear(own netip.Addr) bool {
	return slices.ContainsFunc(l.playable(), func(a *Adapter) bool {
		return slices.ContainsFunc(a.Addrs, func(p netip.Prefix) bool {
			return p.Addr() == own && slices.ContainsFunc(l.offers(), func(o *LiveOffer) bool { return p.Contains(o.Host.Addr()) && !l.Own(o.Host.Addr()) })
		})
	})
}

// liveUnanswered judges the question that a host, or everybody, did not answer.
func liveUnanswered(l *Live, out *findings) {
	if l.Host.IsValid() {
		blamed("enum-unanswered")(l, out)
		return
	}
	section := pick(l.Bridge == "", "nobody", "nobody-bridge")
	var ev []Evidence
	for i := range l.Ways {
		w := &l.Ways[i]
		if len(w.heard()) > 0 {
			return
		}
		ev = append(ev, w.show())
		if w.Fault == Unreachable {
			section = "no-network"
		}
	}
	if len(ev) > 0 {
		out.add("everybody on the network was asked for sessions, and nobody answered within "+seconds(l.Waited), ev...).in(section)
	}
}
