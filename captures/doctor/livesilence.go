package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// blamed returns the rule's function for a host that was asked: it adds the finding of blame, if that has the rule's code.
func blamed(code Code) func(*Live, *findings) {
	return func(l *Live, out *findings) {
		if f := l.blame(); f != nil && f.Code == code {
			*out = append(*out, f)
		}
	}
}

// blame judges a host that was asked and from which nothing came, or not what should. There is one culprit, so there is one finding.
func (l *Live) blame() *Finding {
	if !l.Host.IsValid() || len(l.Ways) == 0 || l.unasked() {
		return nil
	}
	if l.answered() {
		return l.lostPort()
	}
	if f := l.senseless(); f != nil {
		return f
	}
	f := &Finding{Code: "enum-unanswered", Evidence: l.seen()}
	if l.ThroughBridge() { // it has port 47624 only while the game of another machine hosts (facts, bridge 2)
		f.Text = l.Host.String() + " is the bridge of this machine, " + l.Bridge + ", and nobody in its session answered within " + seconds(l.Waited)
		return f.in(pick(l.faultOf(captures.UDP) == Refused, "bridge-alone", "bridge-hosts"))
	}
	if f := l.knocked(); f != nil {
		return f
	}
	if l.taken() {
		return l.unheard()
	}
	f.Text = l.Host.String() + " was asked for sessions, and nobody answered within " + seconds(l.Waited)
	section, port := l.whyUnasked()
	return f.in(section, "{port}", port, "{at}", itoa(int(l.Ways[0].At)))
}

// unasked reports whether a host was not asked at all, because this machine has no TCP port to wait for the answer at.
func (l *Live) unasked() bool {
	if slices.ContainsFunc(l.Ways, func(w Way) bool { return w.At != 0 || w.Err == "" || len(w.Offers) > 0 }) {
		return false
	}
	taken := false
	for _, p := range l.Ports {
		if p.Transport == captures.TCP && p.Number != wire.EnumPort {
			taken = p.Err != "" // the last one counts: they are tried until one is free
		}
	}
	return taken && l.Host.IsValid() && len(l.Ways) > 0
}

// knocked judges an answer that is known to have got as far as this machine.
func (l *Live) knocked() *Finding {
	var strange *Knock
	for i := range l.Knocks {
		k := &l.Knocks[i]
		switch waits := slices.ContainsFunc(l.Ways, func(w Way) bool { return w.At == k.To }); {
		case k.Taken:
		case waits:
			return l.stopped(k)
		default:
			strange = k
		}
	}
	if strange == nil {
		return nil
	}
	return l.elsewhere(strange.To, append(l.seen(), strange.show()))
}

// senseless judges a host that connected to this machine and brought no answer that can be read.
func (l *Live) senseless() *Finding {
	for _, w := range l.Ways {
		if w.Nonsense != "" {
			return &Finding{
				Code: "message-malformed", Severity: Failure, section: "answer",
				Text: l.Host.String() + " answers what makes no sense: " + clip(w.Nonsense), Evidence: l.seen(),
			}
		}
	}
	for _, k := range l.Knocks {
		if k.Taken {
			return &Finding{
				Code: "enum-unanswered", section: "mute mute-live",
				Text:     l.Host.String() + " connected to this machine to answer, and said nothing within " + seconds(l.Waited),
				Evidence: append([]Evidence{k.show()}, l.seen()...),
			}
		}
	}
	return nil
}

// stopped judges an answer whose connection this machine itself did not let in, although the question waited there.
func (l *Live) stopped(k *Knock) *Finding {
	at := "TCP port " + itoa(int(k.To)) + " of this machine"
	f := &Finding{Code: pick[Code](k.Refused, "reply-refused", "reply-timed-out"), Evidence: append([]Evidence{k.show()}, l.seen()...)}
	f.Text = l.Host.String() + " answered, but " + pick(k.Refused, "its connection to ", "nothing at ") + at + ", where the answer is waited for, " +
		pick(k.Refused, "was refused", "took its connection")
	return f.in("here", "{port}", itoa(int(k.To)))
}

// elsewhere judges an answer to a port that nobody gave.
func (l *Live) elsewhere(port uint16, ev []Evidence) *Finding {
	taken := port == wire.EnumPort || slices.ContainsFunc(l.Ways, func(w Way) bool { return w.From == port })
	f := &Finding{Code: "reply-wrong-port", Evidence: ev, Text: l.Host.String() + " answers at TCP port " + itoa(int(port)) +
		" of this machine, but it waits at port " + itoa(int(l.Ways[0].At))}
	return f.in(pick(taken, "taken-port", "own-port"), "{port}", itoa(int(port)))
}

// unheard judges a host whose machine took a question over TCP, and from which nothing came.
func (l *Live) unheard() *Finding {
	f := &Finding{Code: "reply-never-tried", Evidence: l.seen()}
	local := l.Host.IsLoopback()
	switch {
	case l.faultOf(captures.UDP) == Refused && len(l.Doors) > 0 && l.Doors[0].Fault == Refused:
		f.Text = l.Host.String() + " takes connections at TCP port 47624, and no answer came within " + seconds(l.Waited)
		f.section = "stranger stranger-live"
	case l.Watched || local || l.Own(l.Host):
		f.Text = l.Host.String() + " takes questions, and no connection that brings an answer got to this machine within " + seconds(l.Waited)
		f.in(pick(l.App.IsZero(), "watched-unnamed", "watched")+pick(l.near(), " way-near", " way-far")+pick(l.near() || local, " no-router", " router"),
			"{options}", pick(l.App.IsZero(), "--app (its game's name or GUID) or --password", "--password"))
	default: // this machine's packets cannot be looked at
		f.Code = "reply-timed-out"
		f.Text = l.Host.String() + " takes questions, but no answer got through to TCP port " + itoa(int(l.Ways[0].At)) + " of this machine within " + seconds(l.Waited)
		f.in(pick(l.App.IsZero(), "unnamed", "dropped"), "{port}", itoa(int(l.Ways[0].At)),
			"{router}", pick(l.near(), "", ", or its router does not forward the port"))
	}
	return f
}

// lostPort judges a host that answered in one way, but not at the port that was asked for first.
func (l *Live) lostPort() *Finding {
	first := &l.Ways[0]
	if len(first.heard()) > 0 {
		return nil
	}
	for _, o := range first.Offers {
		if o.Transport == captures.TCP {
			return l.elsewhere(o.At, []Evidence{first.show(), {Message: "ENUMSESSIONSREPLY", Field: "came to", Value: "tcp " + itoa(int(o.At))}})
		}
	}
	for i := range l.Knocks {
		if k := &l.Knocks[i]; k.To == first.At && !k.Taken {
			return l.stopped(k)
		}
	}
	for _, w := range l.Ways[1:] {
		if !w.Any && w.Transport == first.Transport && w.At != first.At && len(w.heard()) > 0 {
			at, port := itoa(int(w.At)), itoa(int(first.At))
			return &Finding{
				Code: "reply-timed-out", section: "one-port", fill: []string{"{open}", at, "{port}", port},
				Text:     l.Host.String() + " answers at TCP port " + at + " of this machine, but at port " + port + " nothing gets through",
				Evidence: []Evidence{first.show(), w.show()},
			}
		}
	}
	return nil
}

// taken reports whether the host's machine took a question: over TCP, or by UDP, where it refuses whatever nothing listens for.
func (l *Live) taken() bool {
	return slices.ContainsFunc(l.Ways, func(w Way) bool { return w.Taken }) ||
		l.Closed == Refused && l.faultOf(captures.UDP) == Silence && l.faultOf(captures.TCP) == Refused
}

// near reports whether the host is on a network of this machine, with no router in between.
func (l *Live) near() bool {
	return l.has(func(p netip.Prefix) bool { return p.Contains(l.Host) && !p.IsSingleIP() })
}

// seen returns what was tried of the host as evidence.
func (l *Live) seen() (list []Evidence) {
	for i := range l.Ways {
		list = append(list, l.Ways[i].show())
	}
	for i := range l.Doors {
		list = append(list, l.Doors[i].show())
	}
	return list
}

// faultOf returns how the host took the questions of a transport: what is known first.
func (l *Live) faultOf(t captures.Transport) Fault {
	for _, w := range l.Ways {
		if w.Transport == t && w.Fault != NoFault {
			return w.Fault
		}
	}
	return Silence
}

// A refusing is what a host's machine does: whether it takes connections where hosts listen as a rule, and refuses questions.
type refusing struct{ open, tcp, udp bool }

// refusings are the cases of the page of enum-unanswered. Others are not told apart by that.
var refusings = map[refusing]string{
	{true, true, false}: "no-udp", {true, true, true}: "not-open", {true, false, false}: "silent-port", {true, false, true}: "silent-port",
	{false, true, false}: "refuses-tcp", {false, true, true}: "refuses", {false, false, true}: "refuses",
}

// whyUnasked returns the case of a host whose machine took no question over TCP, and said nothing to those by UDP, and the port there that
// was tried as well.
func (l *Live) whyUnasked() (section, port string) {
	var d Door
	if len(l.Doors) > 0 {
		d = l.Doors[0]
		port = "TCP " + itoa(int(d.At.Port()))
	}
	udp, tcp := l.faultOf(captures.UDP), l.faultOf(captures.TCP)
	faults := []Fault{udp, tcp, d.Fault}
	section = refusings[refusing{port != "" && d.Err == "", tcp == Refused, udp == Refused}]
	switch {
	case slices.Contains(faults[:2], Forbidden):
		section = "forbidden"
	case section == "no-udp", section == "silent-port":
		section += pick(l.App.IsZero(), " unnamed", "")
	case section != "":
	case slices.Contains(faults, Unreachable):
		section = "no-way"
	case d.Fault == Refused:
		section = "drops"
	default:
		section = pick(l.near(), "near", "nothing")
	}
	return section, port
}
