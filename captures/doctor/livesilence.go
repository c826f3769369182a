package doctor

import (
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

// A blame is what keeps the answer of a host that was asked: the code of the rule that tells it, and its finding.
type blame struct {
	code    Code
	finding Finding
}

// blamed returns the finding of a rule about a host that was asked, if it is that rule that tells.
func (l *Live) blamed(code Code) []Finding {
	if b := l.blame(); b != nil && b.code == code {
		return []Finding{b.finding}
	}
	return nil
}

// blame judges a host that was asked and from which nothing came, or not what should. There is one culprit, so there is one
// rule that tells.
func (l *Live) blame() *blame {
	if !l.Host.IsValid() {
		return nil
	}
	if len(l.Ways) == 0 || l.unasked() {
		return nil
	}
	if l.answered() {
		return l.lostPort()
	}
	if b := l.senseless(); b != nil {
		return b
	}
	if l.ThroughBridge() {
		return l.behindBridge()
	}
	if b := l.knocked(); b != nil {
		return b
	}
	if l.taken() {
		return l.unheard()
	}
	f := Finding{Evidence: l.seen(), Text: l.Host.String() + " was asked for sessions, and nobody answered within " +
		"" + seconds(l.Waited)}
	f.brief, f.Cause, f.Advice = l.whyUnasked()
	return &blame{"enum-unanswered", f}
}

// behindBridge judges the bridge of this machine, from which nothing came. It has port 47624 only while the game of another machine
// hosts (facts, bridge 2).
func (l *Live) behindBridge() *blame {
	f := Finding{Evidence: l.seen(), Text: l.Host.String() + " is the bridge of this machine, " + l.Bridge + ", and nobody in its session " +
		"answered within " + seconds(l.Waited)}
	f.brief = "nobody in the session hosts a game yet"
	f.Cause = "nobody in the session of the bridge hosts a game: nothing takes questions at port 47624."
	f.Advice = "Have somebody in the session host, in the game. It does not matter who."
	if l.faultOf(captures.UDP) != Refused {
		f.brief = "a game in the session hosts, and does not answer: has it opened its session, and does that want --password?"
		f.Cause = "a game in the session of the bridge hosts, or was about to: it shows no session to this question, is busy, or is one with " +
			"a password that shows itself only to who knows it."
		f.Advice = "Look at the host whether the game has opened its session, and give --password if it has one."
	}
	return &blame{"enum-unanswered", f}
}

// unasked reports whether a host was not asked at all, because this machine has no TCP port to wait for the answer at.
func (l *Live) unasked() bool {
	for i := range l.Ways {
		if w := &l.Ways[i]; w.At != 0 || w.Err == "" || len(w.Offers) > 0 {
			return false
		}
	}
	taken := false
	for i := range l.Ports {
		if p := &l.Ports[i]; p.Transport == captures.TCP && p.Number != wire.EnumPort {
			taken = p.Err != "" // the last one counts: they are tried until one is free
		}
	}
	return taken && l.Host.IsValid() && len(l.Ways) > 0
}

// allowHere is what helps against a firewall of this machine.
const allowHere = "Allow the game (and dplay) in this machine's firewall, for connections that come in: TCP and UDP 2300-2400."

// knocked judges an answer that is known to have got as far as this machine.
func (l *Live) knocked() *blame {
	wanted := map[uint16]bool{}
	for i := range l.Ways {
		wanted[l.Ways[i].At] = true
	}
	var strange *Knock
	for i := range l.Knocks {
		k := &l.Knocks[i]
		switch {
		case k.Taken:
		case !wanted[k.To]:
			strange = k
		default:
			return l.stopped(k)
		}
	}
	if strange == nil {
		return nil
	}
	return l.elsewhere(strange.To, append(l.seen(), strange.show()))
}

// senseless judges a host that connected to this machine and brought no answer that can be read.
func (l *Live) senseless() *blame {
	for i := range l.Ways {
		if text := l.Ways[i].Nonsense; text != "" {
			return &blame{"message-malformed", Finding{
				Severity: Failure, Text: l.Host.String() + " answers what makes no sense: " + clip(text), Evidence: l.seen(),
				Cause: "the program at port 47624 there makes the message wrong, or speaks no DirectPlay 4 at all.",
			}}
		}
	}
	for i := range l.Knocks {
		if k := &l.Knocks[i]; k.Taken {
			return &blame{"enum-unanswered", Finding{
				Text:     l.Host.String() + " connected to this machine to answer, and said nothing within " + seconds(l.Waited),
				Evidence: append([]Evidence{k.show()}, l.seen()...),
				Cause:    muteCause,
				brief:    "it connects to this machine, and says nothing: wait longer, --timeout; or restart its game",
				Advice:   muteAdvice,
			}}
		}
	}
	return nil
}

// stopped judges an answer whose connection this machine itself did not let in, although the question waited there.
func (l *Live) stopped(k *Knock) *blame {
	at := "TCP port " + itoa(int(k.To)) + " of this machine"
	f := Finding{Evidence: append([]Evidence{k.show()}, l.seen()...), Advice: allowHere}
	if k.Refused {
		f.Text = l.Host.String() + " answered, but its connection to " + at + ", where the answer is waited for, was refused"
		f.brief = "a firewall of this machine refuses its answer: let TCP " + itoa(int(k.To)) + " in here"
		f.Cause = "a firewall of this machine refuses it: the connection got here, and the port was open."
		return &blame{"reply-refused", f}
	}
	f.Text = l.Host.String() + " answered, but nothing at " + at + ", where the answer is waited for, took its connection"
	f.brief = "a firewall of this machine drops its answer: let TCP " + itoa(int(k.To)) + " in here"
	f.Cause = "a firewall of this machine drops it: the connection got here, and the port was open."
	return &blame{"reply-timed-out", f}
}

// elsewhere judges an answer to a port that nobody gave.
func (l *Live) elsewhere(port uint16, ev []Evidence) *blame {
	f := Finding{
		Text: l.Host.String() + " answers at TCP port " + itoa(int(port)) + " of this machine, but it waits at port " +
			"" + itoa(int(l.Ways[0].At)),
		Cause: "the program that hosts does not look at the port in the question: it answers at a port of its own. Hosts " +
			"of some games, " +
			"such as Lego Loco, answer at the port that is set in the game.",
		Advice: "Wait there: --tcp " + itoa(int(port)) + ", or name the game with --app if dplay knows it; in the game " +
			"set that port.",
		Evidence: ev,
	}
	if port == wire.EnumPort || l.cameFrom(port) {
		f.Cause = "the program that hosts, or a router on the way, takes the port that the question came from, or 47624, " +
			"for the one that the answer " +
			"goes to. The right one stands in the header of the question."
		f.Advice = "Update the program that hosts, or host with another one. If there is a router in between, turn its " +
			"rewriting of DirectPlay or games off."
	}
	return &blame{"reply-wrong-port", f}
}

// cameFrom reports whether a question came from a UDP port.
func (l *Live) cameFrom(port uint16) bool {
	for i := range l.Ways {
		if l.Ways[i].From == port {
			return true
		}
	}
	return false
}

// unheard judges a host whose machine took a question over TCP, and from which nothing came.
func (l *Live) unheard() *blame {
	f := Finding{Evidence: l.seen()}
	private := "The host shows no session to this question: the program that has port 47624 there hosts none, or a private " +
		"one, which shows itself only to " +
		"who knows its password."
	if l.App.IsZero() {
		private += " Or it answers only a question for its own game, and \"dplay games\" does not list that game."
	}
	way := "The connection that brings the answer is stopped before it gets here: by a firewall at the host, or by a " +
		"router that does not forward TCP 2300-2400 to this machine."
	if l.near() {
		way = "The firewall of the host's machine keeps the game from connecting out."
	}
	if l.faultOf(captures.UDP) == Refused && l.shut() {
		f.Text = l.Host.String() + " takes connections at TCP port 47624, and no answer came within " + seconds(l.Waited)
		f.brief = "no game seems to be hosted there: UDP 47624 is refused, and another program may have TCP 47624: is the address right, and the session open?"
		f.Cause, f.Advice = strangerCause, openThere
		return &blame{"reply-never-tried", f}
	}
	options := "--password"
	if l.App.IsZero() {
		options = "--app (its game's name or GUID) or --password"
	}
	if l.Watched || l.Host.IsLoopback() || l.Own(l.Host) {
		f.Text = l.Host.String() + " takes questions, and no connection that brings an answer got to this machine within " +
			"" + seconds(l.Waited)
		f.brief = "it takes questions, and no answer comes as far as this machine: is its session open, or does it want " +
			options + "?"
		if !l.near() && !l.Host.IsLoopback() {
			f.brief = "it takes questions, and no answer comes as far as this machine: forward TCP 2300-2400 to it in the router " +
				"here; or its session is not open, or wants " + options
		}
		f.Cause = "this machine's own firewall is not it. It is one of two: (1) " + private + " (2) " + way
		f.Advice = "Look at the host whether its session is open, and give --password if it has one" + l.nameGame() + ". If it is open, look " +
			"at the way: allow the game to connect out at " +
			"the host, and forward TCP 2300-2400 to this machine in the router here."
		return &blame{"reply-never-tried", f}
	}
	return l.notSeen(f, private, options)
}

// notSeen judges a host that took a question and from which nothing came, where this machine's packets cannot be looked at. private is
// why it may hide, options are those that help then.
func (l *Live) notSeen(f Finding, private, options string) *blame {
	f.Text = l.Host.String() + " takes questions, but no answer got through to TCP port " + itoa(int(l.Ways[0].At)) + " of " +
		"this machine within " + seconds(l.Waited)
	stopped := "a firewall drops that: the one of this machine, as a rule, or its router does not forward the port."
	if l.near() {
		stopped = "a firewall drops that: the one of this machine, as a rule."
	}
	f.brief = "it takes questions, but its answer does not get here: let TCP " + itoa(int(l.Ways[0].At)) + " in here, in " +
		"the firewall; or it is private and wants --password"
	dropped := "The host connects to this machine to answer, and " + stopped
	look := "look at the host whether its session is open, and give --password if it has one"
	f.Cause = "it is one of two: (1) " + dropped + " (2) " + private
	f.Advice = allowHere + " If that changes nothing, " + look + "."
	if l.App.IsZero() {
		f.brief = "it takes questions, and no answer gets here: give " + options + "; or let TCP " + itoa(int(l.Ways[0].At)) + " in here, in " +
			"the firewall"
		f.Cause = "it is one of two: (1) " + private + " (2) " + dropped
		f.Advice = strings.ToUpper(look[:1]) + look[1:] + l.nameGame() + ". If that changes nothing: " + allowHere
	}
	f.Advice += " What tells the two apart: run this as root on Linux, where it sees whether the answer gets here, or record the " +
		"question here and have \"dplay doctor FILE\" look."
	return &blame{"reply-timed-out", f}
}

// nameGame is the end of an advice to give options, where no game was named.
func (l *Live) nameGame() string {
	if !l.App.IsZero() {
		return ""
	}
	return ", and its game's name or GUID with --app (\"dplay games\" lists names)"
}

// strangerCause is what is said of a machine that takes connections at TCP 47624 and refuses UDP 47624.
const strangerCause = "no game seems to be hosted there: nothing takes questions at UDP 47624, where games are asked first, so what has TCP " +
	"47624 is rather another program. A firewall at the host that refuses UDP looks the same."

// shut reports whether the port where hosts listen as a rule is closed: the machine itself says so.
func (l *Live) shut() bool { return len(l.Doors) > 0 && l.Doors[0].Fault == Refused }

// lostPort judges a host that answered in one way, but not at the port that was asked for first.
func (l *Live) lostPort() *blame {
	first := &l.Ways[0]
	if len(first.heard()) > 0 {
		return nil
	}
	for i := range first.Offers {
		if o := &first.Offers[i]; o.Transport == captures.TCP {
			return l.elsewhere(o.At, []Evidence{first.show(), {Message: "ENUMSESSIONSREPLY", Field: "came to", Value: "tcp " +
				"" + itoa(int(o.At))}})
		}
	}
	for i := range l.Knocks {
		if k := &l.Knocks[i]; k.To == first.At && !k.Taken {
			return l.stopped(k)
		}
	}
	for i := range l.Ways[1:] {
		w := &l.Ways[1+i]
		if w.Any || w.Transport != first.Transport || w.At == first.At || len(w.heard()) == 0 {
			continue
		}
		return &blame{"reply-timed-out", Finding{
			Text: l.Host.String() + " answers at TCP port " + itoa(int(w.At)) + " of this machine, but at port " +
				"" + itoa(int(first.At)) + " nothing gets through",
			Cause: "a firewall of this machine, or its router, lets the one port through and not the other. Games wait at " +
				"2300 first, and have no way to " +
				"know that it is closed.",
			Advice:   allowHere,
			Evidence: []Evidence{first.show(), w.show()},
			brief: "its answers get to TCP " + itoa(int(w.At)) + " of this machine, and not to " +
				"" + itoa(int(first.At)) + ": let TCP " + itoa(int(first.At)) + " in here",
		}}
	}
	return nil
}

// taken reports whether the host's machine took a question: over TCP, or by UDP, where it refuses
// whatever nothing listens for.
func (l *Live) taken() bool {
	for i := range l.Ways {
		if l.Ways[i].Taken {
			return true
		}
	}
	return l.Closed == Refused && l.faultOf(captures.UDP) == Silence && l.faultOf(captures.TCP) == Refused
}

// near reports whether the host is on a network of this machine, with no router in between.
func (l *Live) near() bool {
	for i := range l.Adapters {
		for _, p := range l.Adapters[i].Addrs {
			if p.Contains(l.Host) && !p.IsSingleIP() {
				return true
			}
		}
	}
	return false
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
	for i := range l.Ways {
		if w := &l.Ways[i]; w.Transport == t && w.Fault != NoFault {
			return w.Fault
		}
	}
	return Silence
}

// What is said where the system refuses to send.
const (
	forbiddenCause = "this machine's own firewall keeps the question in: the system says itself that it may not be sent."
	allowOut       = "Allow the game (and dplay) in this machine's firewall, for what goes out as well: UDP and TCP 47624 and 2300-2400."
)

// whyUnasked returns brief, cause and advice of a host whose machine took no question over TCP, and said nothing to those by UDP.
func (l *Live) whyUnasked() (brief, cause, advice string) {
	udp, tcp := l.faultOf(captures.UDP), l.faultOf(captures.TCP)
	door := Silence
	var port string
	if len(l.Doors) > 0 {
		door, port = l.Doors[0].Fault, "TCP "+itoa(int(l.Doors[0].At.Port()))
	}
	if door == NoFault {
		door = Silence // it is open
	}
	isOpen := len(l.Doors) > 0 && l.Doors[0].Err == ""
	unnamed := ""
	if l.App.IsZero() {
		unnamed = " If it has a game that \"dplay games\" does not list, ask for that: --app GUID."
	}
	refuses := udp == Refused || tcp == Refused
	switch {
	case udp == Forbidden || tcp == Forbidden:
		return "a firewall of this machine keeps the question in: let UDP and TCP 47624 out here", forbiddenCause, allowOut
	case isOpen && tcp == Refused && udp != Refused:
		return "a game seems to run there, and no answer by UDP comes: open UDP 47624 there, and let TCP " +
				"" + itoa(int(l.Ways[0].At)) + " in here",
			"a program listens at " + port + " there, so a game seems to run, which takes questions by UDP only. It is one " +
				"of two: (1) A firewall at the host drops UDP 47624. " +
				"(2) The host answers, and a firewall of this machine drops that.",
			allowHere + " At the host allow the game in its firewall: UDP 47624. What tells the two apart: ask from " +
				"another machine as well; or run this as root on " +
				"Linux, where it sees whether the answer gets here." + unnamed
	case isOpen && tcp == Refused:
		return "a game seems to run there, but its session is not open: nothing takes questions at UDP and TCP 47624",
			"a program listens at " + port + " there, so a game seems to run, but nothing takes questions at 47624: its " +
				"session is not open (yet), or a firewall " +
				"at the host refuses that port.",
			"Open the session in the game, or restart it: it may have lost port 47624 to another program. If it is open, " +
				"allow UDP and TCP 47624 in the host's firewall."
	case isOpen:
		return "its firewall or router lets 2300 in and not 47624: open UDP and TCP 47624 there",
			"a program listens at " + port + " there, so a game seems to run, but questions to 47624 get no answer: a " +
				"firewall at the host, or its router, " +
				"lets 2300 in and not 47624.",
			"At the host forward UDP and TCP 47624 as well as 2300-2400, and allow the game in its firewall." + unnamed
	case refuses && udp != Refused:
		return "no game is hosted there: is the address right, and the session open?",
			"the machine is there, and refuses TCP: nothing takes questions at TCP 47624, and " + port + " is closed, so " +
				"no game is hosted on it now. Only a " +
				"firewall that refuses TCP and drops UDP looks the same.",
			openThere
	case refuses:
		return "no game is hosted there: is the address right, and the session open?",
			"the machine is there, and refuses: nothing on it takes questions at port 47624, so no game is hosted on it " +
				"now. A firewall " +
				"that refuses looks the same.",
			openThere
	case udp == Unreachable || tcp == Unreachable || door == Unreachable:
		return "there is no way to it, or no machine at that address: is it right, and of the same network or VPN?",
			"this machine, or a router on the way, says that there is no way to that address, or no machine at it.",
			"Look whether the address is right and the host's machine is on, and whether both are on one network or in one VPN."
	case door == Refused:
		return "its machine is there, but drops questions: is the session open, and UDP and TCP 47624 in its firewall?",
			"the machine is there (it refuses " + port + "), but drops questions to 47624: no game is hosted there now, or " +
				"its firewall or router drops that port.",
			"Look whether the host has opened its session. If it has, forward UDP and TCP 47624 and 2300-2400 there, and " +
				"allow the game in its firewall."
	case l.near():
		return "its firewall drops everything, or no machine is at that address: open UDP and TCP 47624 and 2300-2400 there",
			"the address is of this machine's own network, and nobody there says a word: a firewall at the host drops all " +
				"of it, or no machine is at that address.",
			"Look which address the host's machine has, and whether it is on. If it is so, allow the game in its firewall: " +
				"UDP and TCP 47624 and 2300-2400."
	}
	return "its firewall or router drops the question, or no machine is at that address: forward UDP and TCP 47624 and " +
			"2300-2400 there",
		"nothing comes back from that address at all: a firewall or router there drops the question (47624 is not " +
			"forwarded), or no machine is at that address now.",
		"Look which address the host has and whether it is on. If it is so, forward UDP and TCP 47624 and 2300-2400 to the " +
			"machine that hosts, and allow the game in " +
			"its firewall."
}

// openThere is what helps where nothing is hosted.
const openThere = "Look whether the game there has opened its session, and whether it is the right machine. If both are " +
	"so, allow the game in its firewall."
