package doctor

import (
	"cmp"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// blamed returns the rule's function for a host that was asked: it returns the culprit, if that has the rule's code.
func blamed(code Code) func(*Live) []*Finding {
	return func(l *Live) []*Finding {
		return where([]*Finding{l.culprit}, func(f *Finding) bool { return f != nil && f.Code == code })
	}
}

// blame judges a host that was asked, and that did not answer as it should. There is one culprit, so there is one finding.
func (l *Live) blame() *Finding {
	if !l.Host.IsValid() || len(l.Ways) == 0 || l.unasked() {
		return nil
	}
	if l.Answered() {
		return l.lostPort()
	}
	return cmp.Or(l.senseless(), l.bridged(), l.knocked(), l.unheard(), l.unanswered())
}

// blames returns a finding about the host that was asked. Its evidence is first, and then all tests of the host.
func (l *Live) blames(code Code, text string, first ...Evidence) *Finding {
	f := found(l.Host.String()+text, slices.Concat(first, l.seen())...)
	f.Code = code
	return f
}

// within says how long an answer was waited for.
func (l *Live) within() string { return " within " + seconds(l.Waited) }

// bridged judges a bridge of this machine. It has port 47624 only while the game of another machine hosts (facts, bridge 2).
func (l *Live) bridged() *Finding {
	if !l.ThroughBridge() {
		return nil
	}
	return l.blames("enum-unanswered", " is the bridge of this machine, "+l.Bridge+", and nobody in its session answered"+l.within()).
		in(pick(l.faultOf(captures.UDP) == Refused, "bridge-alone", "bridge-hosts"))
}

// unanswered judges a host that took no question.
func (l *Live) unanswered() *Finding {
	section, port := l.whyUnasked()
	return l.blames("enum-unanswered", " was asked for sessions, and nobody answered"+l.within()).in(section, "{port}", port, "{at}", itoa(l.Ways[0].At))
}

// unasked reports whether a host was not asked at all, because this machine has no TCP port to wait for the answer at. The last port counts:
// they are tried until one is free.
func (l *Live) unasked() bool {
	waits := exists(l.Ways, func(w Way) bool { return w.At != 0 })
	return !waits && l.Host.IsValid() && last(l.gamePorts(captures.TCP)).Err != ""
}

// knocked judges an answer that is known to have got as far as this machine; nil if there is none.
func (l *Live) knocked() *Finding {
	shut := where(l.Knocks, func(k Knock) bool { return !k.Taken })
	awaited := where(shut, func(k Knock) bool { return exists(l.Ways, func(w Way) bool { return w.At == k.To }) })
	return cmp.Or(first(mapped(awaited, l.stopped)), last(mapped(shut, func(k Knock) *Finding {
		return l.elsewhere(k.To, append(l.seen(), k.show())...)
	})))
}

// senseless judges a host that connected to this machine and brought no answer that can be read; nil if none did.
func (l *Live) senseless() *Finding {
	wrong := where(l.Ways, func(w Way) bool { return w.Nonsense != "" })
	taken := where(l.Knocks, func(k Knock) bool { return k.Taken })
	return cmp.Or(first(mapped(wrong, func(w Way) *Finding {
		return l.blames("message-malformed", " answers what makes no sense: "+clip(w.Nonsense)).in("answer").as(Failure)
	})), first(mapped(taken, func(k Knock) *Finding {
		return l.blames("enum-unanswered", " connected to this machine to answer, and said nothing"+l.within(), k.show()).in("mute mute-live")
	})))
}

// stopped judges a connection with an answer that this machine itself did not let in, although the answer was wanted at that port.
func (l *Live) stopped(k Knock) *Finding {
	at := "TCP port " + itoa(k.To) + " of this machine, where the answer is waited for, "
	return pick(k.Refused, l.blames("reply-refused", " answered, but its connection to "+at+"was refused", k.show()),
		l.blames("reply-timed-out", " answered, but nothing at "+at+"took its connection", k.show())).in("here", "{port}", itoa(k.To))
}

// elsewhere judges an answer to a port that nobody gave.
func (l *Live) elsewhere(port uint16, ev ...Evidence) *Finding {
	taken := port == wire.EnumPort || exists(l.Ways, func(w Way) bool { return w.From == port })
	f := found(l.Host.String()+" answers at TCP port "+itoa(port)+" of this machine, but it waits at port "+itoa(l.Ways[0].At), ev...)
	f.Code = "reply-wrong-port"
	return f.in(pick(taken, "taken-port", "own-port"), "{port}", itoa(port))
}

// unheard judges a host that took a question over TCP and did not answer; nil if it took none.
func (l *Live) unheard() *Finding {
	near, at := l.near(), itoa(l.Ways[0].At)
	local := l.Host.IsLoopback()
	switch {
	case !l.taken():
		return nil
	case l.faultOf(captures.UDP) == Refused && l.door().Fault == Refused:
		return l.blames("reply-never-tried", " takes connections at TCP port 47624, and no answer came"+l.within()).in("stranger stranger-live")
	case l.Watched || local || l.Own(l.Host):
		return l.blames("reply-never-tried", " takes questions, and no connection that brings an answer got to this machine"+l.within()).
			in(pick(l.App.IsZero(), "watched-unnamed", "watched")+pick(near, " way-near", " way-far")+pick(near || local, " no-router", " router"),
				"{options}", pick(l.App.IsZero(), "--app (its game's name or GUID) or --password", "--password"))
	}
	// This machine's packets cannot be looked at.
	return l.blames("reply-timed-out", " takes questions, but no answer got through to TCP port "+at+" of this machine"+l.within()).
		in(pick(l.App.IsZero(), "unnamed", "dropped"), "{port}", at, "{router}", pick(near, "", ", or its router does not forward the port"))
}

// door returns the first port of the host that was tried, the zero Door if none was.
func (l *Live) door() Door { return first(l.Doors) }

// lostPort judges a host that answered in one way, but not at the port that was asked for first.
func (l *Live) lostPort() *Finding {
	asked := l.Ways[0]
	if asked.answered() {
		return nil
	}
	strange := where(asked.Offers, func(o LiveOffer) bool { return o.Transport == captures.TCP })
	shut := where(l.Knocks, func(k Knock) bool { return k.To == asked.At && !k.Taken })
	other := where(l.Ways, func(w Way) bool { return !w.Any && w.Transport == asked.Transport && w.At != asked.At && w.answered() })
	return cmp.Or(first(mapped(strange, func(o LiveOffer) *Finding {
		return l.elsewhere(o.At, asked.show(), Evidence{Message: "ENUMSESSIONSREPLY", Field: "came to", Value: "tcp " + itoa(o.At)})
	})), first(mapped(shut, l.stopped)), first(mapped(other, func(w Way) *Finding {
		at, port := itoa(w.At), itoa(asked.At)
		f := found(l.Host.String()+" answers at TCP port "+at+" of this machine, but at port "+port+" nothing gets through", asked.show(), w.show())
		f.Code = "reply-timed-out"
		return f.in("one-port", "{open}", at, "{port}", port)
	})))
}

// taken reports whether the host's machine took a question: over TCP, or by UDP, where it refuses whatever nothing listens for.
func (l *Live) taken() bool {
	return exists(l.Ways, func(w Way) bool { return w.Taken }) ||
		l.Closed == Refused && l.faultOf(captures.UDP) == Silence && l.faultOf(captures.TCP) == Refused
}

// near reports whether the host is on a network of this machine, with no router in between.
func (l *Live) near() bool {
	networks := flat(l.Adapters, func(a Adapter) []netip.Prefix { return a.Addrs })
	return exists(networks, func(p netip.Prefix) bool { return p.Contains(l.Host) && !p.IsSingleIP() })
}

// seen returns the tests of the host as evidence.
func (l *Live) seen() []Evidence {
	return slices.Concat(mapped(l.Ways, Way.show), mapped(l.Doors, Door.show))
}

// faultOf returns the first fault of the questions of a transport, Silence if there is none.
func (l *Live) faultOf(t captures.Transport) Fault {
	ways := where(l.Ways, func(w Way) bool { return w.Transport == t })
	return cmp.Or(append(mapped(ways, func(w Way) Fault { return w.Fault }), Silence)...)
}

// A refusing is the behaviour of a host: whether it takes connections at the usual port, and refuses questions over TCP and by UDP.
type refusing struct{ open, tcp, udp bool }

// refusings are the cases of the page of enum-unanswered. Others are not told apart by that.
var refusings = map[refusing]string{
	{true, true, false}: "no-udp", {true, true, true}: "not-open", {true, false, false}: "silent-port", {true, false, true}: "silent-port",
	{false, true, false}: "refuses-tcp", {false, true, true}: "refuses", {false, false, true}: "refuses",
}

// unnamed are the cases of the page that go with others of refusings if no game was named.
var unnamed = map[string]string{"no-udp": " unnamed", "silent-port": " unnamed"}

// whyUnasked returns the case of a host that took no question over TCP and answered none by UDP, and its port that
// was tried as well.
func (l *Live) whyUnasked() (section, port string) {
	d := l.door()
	port = pick(d.At.IsValid(), "TCP "+itoa(d.At.Port()), "")
	udp, tcp := l.faultOf(captures.UDP), l.faultOf(captures.TCP)
	faults := []Fault{udp, tcp, d.Fault}
	section = refusings[refusing{d.At.IsValid() && d.Err == "", tcp == Refused, udp == Refused}]
	switch {
	case slices.Contains(faults[:2], Forbidden):
		section = "forbidden"
	case section != "":
		section += pick(l.App.IsZero(), unnamed[section], "")
	case slices.Contains(faults, Unreachable):
		section = "no-way"
	case d.Fault == Refused:
		section = "drops"
	default:
		section = pick(l.near(), "near", "nothing")
	}
	return section, port
}
