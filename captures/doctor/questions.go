package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

// questionIgnored is the rule question-ignored for captures: the question reached a session that it was not shown.
var questionIgnored = each(asksWhere(func(a *ask) bool { return a.Hidden != nil && !a.traced() }), func(c *facts, a *ask) *Finding {
	h := a.Hidden
	return c.unansweredBy(a, "the question of "+c.who(a.Asker)+" for sessions (flags "+a.Flags.String()+", "+
		pick(wire.Text(a.Password).String() == "", "no password", "with a password")+") reached "+c.who(h.Host)+", which does not show "+named(h.Session)+
		": "+h.Why).in(h.section).with(h.show(h.Field, h.Value))
})

// hiding returns a session that a question reached and that does not show itself, as it was described last; nil if there is
// none, or one that shows itself. A session of the game that is asked for explains more than one of another game.
func (c *facts) hiding(a *ask) *hiding {
	reached := where(c.rooms.list, func(h *room) bool { return h.describer != a.Asker && a.near(h.describer.Addr()) })
	if len(reached) == 0 || exists(reached, func(h *room) bool { return h.bar(a) < 0 }) {
		return nil
	}
	h := cmp.Or(find(reached, func(h *room) bool { return h.bar(a) != hidesGame }), last(reached))
	return h.hides(a, c.game)
}

// The reasons for which a host hides a session from a question. They are the indexes of hidings.
const (
	hidesGame = iota
	hidesPrivate
	hidesPassword
	hidesClosed
	hidesNoPlayers
	hidesFull
)

// hidings has the texts for the reasons: the case of the page of question-ignored, the field of the description, and the reason itself.
var hidings = [...]struct{ section, field, why string }{
	hidesGame:      {"game", "ApplicationGUID", "it is of {hosted}, and the question is for {asked}"},
	hidesPrivate:   {"private", "Flags", "it is private, and shows itself to who knows its password; the question {its}"},
	hidesPassword:  {"password", "Flags", "it wants a password; the question {its}, and lacks the flag PASSWORDREQUIRED"},
	hidesClosed:    {"closed", "Flags", "it lets nobody join (JOINDISABLED), and the question lacks the flag ALL"},
	hidesNoPlayers: {"closed", "Flags", "it takes no new players (NEWPLAYERSDISABLED), and the question lacks the flag ALL"},
	hidesFull:      {"full", "CurrentPlayerCount", "it is full, {full}, and the question lacks the flag ALL"},
}

// bar returns the reason for which a session does not show itself to a question (3.2.5.3, and what Windows does: facts, 5.3); -1 if it does.
func (h *room) bar(a *ask) int {
	password, flags := wire.Text(a.Password), h.desc.Flags
	closing := pick(a.Flags&wire.EnumAll != 0, 0, flags) // those that matter to the question
	locked := flags&wire.SessionPasswordRequired != 0 && (password.String() == "" || !h.password.Equal(password))
	return slices.Index([]bool{
		hidesGame:      cmp.Or(a.App, h.desc.Application) != h.desc.Application,
		hidesPrivate:   locked && flags&wire.SessionPrivate != 0,
		hidesPassword:  locked && a.Flags&wire.EnumPasswordRequired == 0,
		hidesClosed:    closing&wire.SessionJoinDisabled != 0,
		hidesNoPlayers: closing&wire.SessionNewPlayersDisabled != 0,
		hidesFull:      a.Flags&wire.EnumAll == 0 && isFull(h.players(), h.desc.MaxPlayers),
	}, true)
}

// hides returns the reason for which a session does not show itself to a question. There is one.
func (h *room) hides(a *ask, game namer) *hiding {
	x, full := hidings[h.bar(a)], of(h.players(), h.desc.MaxPlayers)
	its := pick(h.password == nil, "has one that is not in the capture otherwise, perhaps a wrong one", "has another password")
	values := map[string]string{"ApplicationGUID": h.desc.Application.String(), "Flags": h.desc.Flags.String(), "CurrentPlayerCount": full}
	why := strings.NewReplacer("{hosted}", game.title(h.desc.Application), "{asked}", game.title(a.App), "{full}", full,
		"{its}", pick(wire.Text(a.Password).String() == "", "has none", its))
	return &hiding{mark: h.mark, Host: h.describer, Session: h.name, Field: x.field, Value: values[x.field], Why: why.Replace(x.why), section: x.section}
}

// enumPortTaken is the rule enum-port-taken for this machine.
var enumPortTaken = one(func(l *Live) *Finding {
	taken := where(l.Ports, func(p Port) bool { return p.Number == wire.EnumPort && p.Err != "" && !p.Bridge })
	if l.hosts() != "" || len(taken) == 0 {
		return nil // this machine hosts: it is as it should be
	}
	return found("a session hosted on this machine could not be found: port 47624 is not to be had", mapped(taken, Port.show)...)
})

// enumUnanswered is the rule enum-unanswered for captures.
var enumUnanswered = all(each(asksWhere(func(a *ask) bool { return a.mute != nil && a.cut == nil }), (*facts).mutely),
	each(asksWhere(func(a *ask) bool { return a.unexplained() && a.reach == nil }), (*facts).nobody),
	each(func(c *facts) []*dial { // those who wanted to ask over TCP alone, and got no connection to ask over
		asked := index(c.Asks.list, func(a *ask) netip.Addr { return a.Asker.Addr() })
		return where(c.Dials.list, func(d *dial) bool { return d.To.Port() == wire.EnumPort && d.failed() && asked[d.From] == nil })
	}, func(_ *facts, d *dial) *Finding {
		return d.found(d.From.String() + " wanted to ask " + d.To.Addr().String() + " for sessions over TCP, and got no connection" +
			pick(d.Refused.Count > 0, ": it was refused", ""))
	}))

// mutely judges a host that connected to an asker, and sent nothing.
func (c *facts) mutely(a *ask) *Finding {
	d := a.mute
	return d.series.found(d.From.String()+" connected to "+d.To.String()+", where "+c.who(a.Asker)+" waits for the answer, and said nothing",
		"to "+d.To.String()).in("mute")
}

// nobody judges a question that nobody answered.
func (c *facts) nobody(a *ask) *Finding {
	f := c.unansweredBy(a, c.who(a.Asker)+" asked "+whom(a)+" for sessions, and nobody answered")
	for _, b := range where(c.Blocks.list, func(b *block) bool { return b.Src == a.Asker.Addr() && b.Dst == a.To }) {
		f.in("icmp", "{reason}", icmpReason(b.Code)).with(b.show(b.Dst.String()))
	}
	return f.with(c.Dials.get(dialKey{a.Asker.Addr(), a.To}).refusal())
}

// unexplained reports whether no rule that judges answers, sessions or UDP says more about a question without an answer.
func (a *ask) unexplained() bool { return !a.traced() && a.Hidden == nil && a.stream == nil }

// whom returns the words for the addressee of a question.
func whom(a *ask) string {
	return pick(a.Broadcast(), "everybody on its network", a.To.Addr().String()+pick(a.Transport == captures.TCP, " over TCP", ""))
}

// icmpReasons are the meanings of ICMP's codes for destinations that cannot be reached (RFC 792, RFC 1812).
var icmpReasons = map[uint8]string{
	0: "no way to that network", 1: "no such machine there", 2: "it does not know the protocol", portUnreachable: "no program there uses that port",
	4: "the packet is too large", 6: "no way to that network", 7: "no such machine there",
	9: "a firewall forbids it", 10: "a firewall forbids it", 13: "a firewall forbids it",
}

// icmpReason returns the meaning of such a code.
func icmpReason(code uint8) string { return cmp.Or(icmpReasons[code], "code "+itoa(int(code))) }

// broadcastAdapter is the rule broadcast-wrong-adapter for captures.
var broadcastAdapter = each(asksWhere(func(a *ask) bool {
	return a.Broadcast() && (len(a.networks) > 0 || within(odd, a.From.Addr()).kind != "")
}), func(c *facts, a *ask) *Finding {
	from := a.From.Addr()
	return a.found(c.who(a.Asker)+" asked everybody on the network of "+from.String()+", and nobody answered"+pick(len(a.networks) > 0,
		", while the capture has traffic of "+strings.Join(a.networks, " and "), "; "+from.String()+" is "+localKind(from)),
		"from "+from.String()+" to "+a.To.Addr().String())
})

// otherNetworks returns addresses on other interfaces of the capture than the one that an address was seen on, at most three: those that
// are of a network that people play on.
func otherNetworks(c *facts, from netip.Addr) []string {
	own := where(c.Sources, func(s *source) bool { return s.Addr == from })
	on := set(mapped(own, func(s *source) int { return s.Interface }))
	if len(on) == 0 {
		return nil
	}
	others := where(c.Sources, func(s *source) bool {
		return !on[s.Interface] && s.Addr.Is4() && !s.Addr.IsLoopback() && !sameNetwork(s.Addr, from)
	})
	list := once(mapped(others, func(s *source) string { return s.Addr.String() }), strings.Clone)
	return list[:min(len(list), 3)]
}

// liveBroadcast judges where broadcasts of this machine go. If a host was asked by its address, nobody searches.
var liveBroadcast = one(func(l *Live) *Finding {
	use, by := l.playable(), l.BroadcastBy
	if l.Host.IsValid() || !by.IsValid() || len(use) == 0 {
		return nil
	}
	ev := append([]Evidence{{Message: "broadcast", Field: "source address", Value: by.String()}}, mapped(use, Adapter.show)...)
	f := found("", ev...)
	right := use[0].has(by)
	switch kind := within(odd, by).kind; {
	case kind != "":
		f.Text = "a search for games on the network leaves by " + by.String() + ", which is " + kind
		right = l.playsOver(netip.PrefixFrom(by, 32))
	case len(use) > 1:
		f.as(Warning).Text = "this machine is on " + itoa(len(use)) + " networks, and a search for games goes to that of " + by.String() + " only"
		right = l.foundNear(by) // then a game's search goes there, and finds the session
	default:
		f.Text = "a search for games leaves by " + by.String() + ", not by " + use[0].Name
	}
	return pick(right, nil, f)
})

// foundNear reports whether the search found a session of another machine on the network of an address of this one.
func (l *Live) foundNear(own netip.Addr) bool {
	on := where(flat(l.playable(), func(a Adapter) []netip.Prefix { return a.Addrs }), func(p netip.Prefix) bool { return p.Addr() == own })
	return exists(l.Offers(), func(o LiveOffer) bool {
		at := o.Host.Addr()
		return !l.Own(at) && exists(on, func(p netip.Prefix) bool { return p.Contains(at) })
	})
}

// liveUnanswered judges the question that a host, or everybody, did not answer.
func liveUnanswered(l *Live) []*Finding {
	if l.Host.IsValid() {
		return blamed("enum-unanswered")(l)
	}
	if len(l.Ways) == 0 || exists(l.Ways, Way.answered) {
		return nil
	}
	cut := exists(l.Ways, func(w Way) bool { return w.Fault == Unreachable })
	section := pick(cut, "no-network", pick(l.Bridge == "", "nobody", "nobody-bridge"))
	return []*Finding{found("everybody on the network was asked for sessions, and nobody answered within "+seconds(l.Waited),
		mapped(l.Ways, Way.show)...).in(section)}
}
