package doctor

import (
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

var questionIgnored = rule{
	code: "question-ignored", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			h := c.ignored(a)
			if h == nil {
				continue
			}
			ev, more := c.questions(a.Asker)
			list = append(list, Finding{
				Text: "the question of " + c.who(a.Asker) + " for sessions (flags " + a.Flags.String() + ", " + passwordWord(a.Password) + ") reached " + c.who(h.Host) +
					", which does not show " + named(h.Session) + ": " + h.Why,
				Evidence: append(ev, h.show(h.Field, h.Value)), More: more,
				section: string(h.Bar),
			})
		}
		return list
	},
}

// ignored returns the session that an unanswered question was not shown, nil if that does not explain it.
func (c *facts) ignored(a *ask) *hiding {
	if a.Hidden == nil || len(c.replies(a)) > 0 || elsewhere(c, a) {
		return nil
	}
	return a.Hidden
}

// passwordWord reports whether a question has a password.
func passwordWord(p wire.Text) string {
	if p.String() == "" {
		return "no password"
	}
	return "with a password"
}

// hiding returns a session that a question reached and that does not show itself, as it was described last; nil if there is
// none, or one that shows itself.
func (c *collector) hiding(a *ask) (found *hiding) {
	for _, h := range c.allRooms {
		if a.To.Addr() != h.host.Addr() && !(a.Broadcast() && sameNetwork(h.host.Addr(), a.Asker.Addr())) || h.host == a.Asker {
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
	d := &h.desc
	asks := a.Password.String() != ""
	known := asks && h.password != nil && h.password.Equal(a.Password)
	unsure := asks && h.password == nil // it may be the right one
	x := func(bar hidingKind, field, value, why string) *hiding {
		return &hiding{mark: h.mark, Host: h.host, Session: h.name, Bar: bar, Field: field, Value: value, Why: why}
	}
	its := "has another password"
	switch {
	case !asks:
		its = "has none"
	case unsure:
		its = "has one that is not in the capture otherwise, perhaps a wrong one"
	}
	switch {
	case !a.App.IsZero() && a.App != d.Application:
		return x(hiddenGame, "ApplicationGUID", d.Application.String(), "")
	case d.Flags&wire.SessionPrivate != 0 && d.Flags&wire.SessionPasswordRequired != 0 && !known:
		return x(hiddenPrivate, "Flags", d.Flags.String(), "it is private, and shows itself to who knows its password; the question "+its)
	case d.Flags&wire.SessionPasswordRequired != 0 && !known && a.Flags&wire.EnumPasswordRequired == 0 && d.Flags&wire.SessionPrivate == 0:
		return x(hiddenPassword, "Flags", d.Flags.String(), "it wants a password; the question "+its+", and lacks the flag PASSWORDREQUIRED")
	case a.Flags&wire.EnumAll != 0:
	case d.Flags&wire.SessionJoinDisabled != 0:
		return x(hiddenClosed, "Flags", d.Flags.String(), "it lets nobody join (JOINDISABLED), and the question lacks the flag ALL")
	case d.Flags&wire.SessionNewPlayersDisabled != 0:
		return x(hiddenClosed, "Flags", d.Flags.String(), "it takes no new players (NEWPLAYERSDISABLED), and the question lacks the flag ALL")
	case h.max > 0 && h.players >= h.max:
		full := itoa(int(h.players)) + " of " + itoa(int(h.max))
		return x(hiddenFull, "CurrentPlayerCount", full, "it is full, "+full+", and the question lacks the flag ALL")
	}
	return nil
}

var enumPortTaken = rule{
	code: "enum-port-taken", severity: Failure,
	live: func(l *Live) []Finding {
		if l.hosts() != "" {
			return nil // this machine hosts: it is as it should be
		}
		f := Finding{Text: "a session hosted on this machine could not be found: port 47624 is not to be had"}
		for i := range l.Ports {
			if p := &l.Ports[i]; p.Number == wire.EnumPort && p.Err != "" && !p.Bridge {
				f.Evidence = append(f.Evidence, p.show())
			}
		}
		if len(f.Evidence) == 0 {
			return nil
		}
		return []Finding{f}
	},
}

var enumUnanswered = rule{
	code: "enum-unanswered", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			if d := c.mute(a); d != nil && c.cutShort(a) == nil {
				list = append(list, muteReply(c, a, d))
			}
			if explained(c, a) {
				continue
			}
			ev, more := c.questions(a.Asker)
			f := Finding{Text: c.who(a.Asker) + " asked " + whom(a) + " for sessions, and nobody answered", Evidence: ev, More: more}
			for _, b := range c.Blocks {
				if b.Src.Addr() == a.Asker.Addr() && b.Dst == a.To {
					f.Evidence = append(f.Evidence, b.show("", b.By.String()+" says that "+b.Dst.String()+" cannot be reached: "+icmpReason(b.Code)))
					f.section, f.fill = "icmp", []string{"{reason}", icmpReason(b.Code)}
				}
			}
			if d := c.dial(a.Asker.Addr(), a.To); d != nil && d.Refused > 0 {
				f.Evidence = append(f.Evidence, d.No.show("", "refused by "+a.To.String()))
			}
			list = append(list, f)
		}
		return append(list, enumDials(c)...)
	},
	live: liveUnanswered,
}

// mute returns the connection of a host that wanted to answer, was let in, and said nothing that can be read; nil if there is none.
func (c *facts) mute(a *ask) (mute *dial) {
	for _, d := range c.replies(a) {
		if d.Taken == 0 || d.Used || c.left(d.Marks[0]) < patience {
			return nil
		}
		mute = d
	}
	return mute
}

// muteReply tells of a host that connected to answer, and said nothing.
func muteReply(c *facts, a *ask, d *dial) Finding {
	return Finding{Text: d.From.String() + " connected to " + d.To.String() + ", where " + c.who(a.Asker) + " waits for the answer, and said nothing",
		section: "mute", Evidence: dialEvidence(d), More: d.Syns - len(d.Marks)}
}

// enumDials tells of those who wanted to ask over TCP, and got no connection to ask over. Who asks by UDP as well is told of
// above.
func enumDials(c *facts) (list []Finding) {
	for _, d := range c.Dials {
		if d.To.Port() != wire.EnumPort || d.Taken > 0 || d.Used || asked(c, d) {
			continue
		}
		text := d.From.String() + " wanted to ask " + d.To.Addr().String() + " for sessions over TCP, and got no connection"
		ev := dialEvidence(d)
		if d.Refused > 0 {
			text += ": it was refused"
			ev = append(ev, d.No.show("", "refused by "+d.To.String()))
		}
		list = append(list, Finding{Text: text, Evidence: ev, More: d.Syns - len(d.Marks)})
	}
	return list
}

// asked reports whether the machine of an attempt has asked for sessions in another way.
func asked(c *facts, d *dial) bool {
	for _, a := range c.Asks {
		if a.Asker.Addr() == d.From {
			return true
		}
	}
	return false
}

// explained reports whether another rule says more about a question without an answer.
func explained(c *facts, a *ask) bool {
	if _, _, ok := reached(c, a); ok || c.ignored(a) != nil || c.byStream(a) != nil {
		return true
	}
	return len(c.replies(a)) > 0 || elsewhere(c, a)
}

// elsewhere reports whether an answer was on its way that went wrong, or was about another game.
func elsewhere(c *facts, a *ask) bool {
	return len(onlyUDP(c, a)) > 0 || len(wrongPort(c, a)) > 0 || len(wrongDials(c, a)) > 0 || len(otherApp(c, a)) > 0 || len(ownGame(c, a)) > 0
}

// whom names whom a question went to.
func whom(a *ask) string {
	if a.Broadcast() {
		return "everybody on its network"
	}
	if a.Transport == captures.TCP {
		return a.To.Addr().String() + " over TCP"
	}
	return a.To.Addr().String()
}

// icmpReason returns what an ICMP code for what cannot be reached means (RFC 792, RFC 1812).
func icmpReason(code uint8) string {
	switch code {
	case 0, 6:
		return "no way to that network"
	case 1, 7:
		return "no such machine there"
	case 2:
		return "it does not know the protocol"
	case 3:
		return "no program there uses that port"
	case 4:
		return "the packet is too large"
	case 9, 10, 13:
		return "a firewall forbids it"
	}
	return "code " + itoa(int(code))
}

var broadcastAdapter = rule{
	code: "broadcast-wrong-adapter", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			if !a.Broadcast() {
				continue
			}
			others := otherNetworks(c, a.From.Addr())
			if len(others) == 0 && !oddAdapter(a.From.Addr()) {
				continue
			}
			text := c.who(a.Asker) + " asked everybody on the network of " + a.From.Addr().String() + ", and nobody answered"
			if len(others) > 0 {
				text += ", while the capture has traffic of " + strings.Join(others, " and ")
			} else {
				text += "; " + a.From.Addr().String() + " is " + localKind(a.From.Addr())
			}
			var ev []Evidence
			for _, m := range a.Marks {
				ev = append(ev, m.show("", "from "+a.From.Addr().String()+" to "+a.To.Addr().String()))
			}
			list = append(list, Finding{Text: text, Evidence: ev, More: a.Count - len(a.Marks)})
		}
		return list
	},
	live: liveBroadcast,
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
	for _, s := range c.Sources {
		at := s.Addr.String()
		if len(on) > 0 && !on[s.Interface] && s.Addr.Is4() && !s.Addr.IsLoopback() && !sameNetwork(s.Addr, from) && !slices.Contains(list, at) && len(list) < 3 {
			list = append(list, at)
		}
	}
	return list
}

// liveBroadcast judges where broadcasts of this machine go.
func liveBroadcast(l *Live) []Finding {
	use := l.playable()
	if l.Host.IsValid() {
		return nil // nobody searches
	}
	if !l.BroadcastBy.IsValid() || len(use) == 0 {
		return nil
	}
	by := Evidence{Message: "broadcast", Field: "source address", Value: l.BroadcastBy.String()}
	var ev []Evidence
	for _, a := range use {
		for _, p := range a.Addrs {
			if p.Addr() == l.BroadcastBy && !oddAdapter(p.Addr()) && len(use) == 1 {
				return nil
			}
		}
		ev = append(ev, a.show())
	}
	f := Finding{Evidence: append([]Evidence{by}, ev...)}
	if oddAdapter(l.BroadcastBy) {
		if l.playsOver(netip.PrefixFrom(l.BroadcastBy, 32)) {
			return nil // that is where they play
		}
		f.Text = "a search for games on the network leaves by " + l.BroadcastBy.String() + ", which is " + localKind(l.BroadcastBy)
		return []Finding{f}
	}
	if len(use) > 1 {
		if l.foundNear(l.BroadcastBy) {
			return nil // a game's search goes there, and finds it
		}
		f.Severity = Warning
		f.Text = "this machine is on " + itoa(len(use)) + " networks, and a search for games goes to that of " + l.BroadcastBy.String() + " only"
		return []Finding{f}
	}
	f.Text = "a search for games leaves by " + l.BroadcastBy.String() + ", not by " + use[0].Name
	return []Finding{f}
}

// foundNear reports whether the search found a session of another machine on the network of an address of this one.
func (l *Live) foundNear(own netip.Addr) bool {
	for _, a := range l.playable() {
		for _, p := range a.Addrs {
			for i := range l.Ways {
				if p.Addr() == own && slices.ContainsFunc(l.Ways[i].Offers, func(o LiveOffer) bool {
					return p.Contains(o.Host.Addr()) && !l.Own(o.Host.Addr())
				}) {
					return true
				}
			}
		}
	}
	return false
}

// liveUnanswered judges the question that a host, or everybody, did not answer.
func liveUnanswered(l *Live) []Finding {
	if l.Host.IsValid() {
		return blamed("enum-unanswered")(l)
	}
	f := Finding{Text: "everybody on the network was asked for sessions, and nobody answered within " + seconds(l.Waited)}
	for i := range l.Ways {
		w := &l.Ways[i]
		if len(w.heard()) > 0 {
			return nil
		}
		f.Evidence = append(f.Evidence, w.show())
		if w.Fault == Unreachable {
			f.section = "no-network"
		}
	}
	if len(f.Evidence) == 0 {
		return nil
	}
	if f.section == "" {
		f.section = "nobody"
		if l.Bridge != "" {
			f.section = "nobody-bridge"
		}
	}
	return []Finding{f}
}
