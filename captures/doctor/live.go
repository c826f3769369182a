package doctor

import (
	"cmp"
	"net/netip"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A Live is what was found out on this machine and from it, for ExamineLive to judge.
type Live struct {
	Host        netip.Addr // who was asked; invalid: everybody on the network
	App         wire.GUID  // which game was asked for; zero: any
	Waited      time.Duration
	Ways        []Way
	Ports       []Port
	Adapters    []Adapter
	Unlisted    string     // why the adapters could not be listed, as the system says it; "": they were
	BroadcastBy netip.Addr // the source address that the system gives to broadcasts; invalid: it sends none
	Game        func(application wire.GUID) string
}

// A Way is one way in which a host was asked for its sessions.
type Way struct {
	Transport captures.Transport
	To        netip.AddrPort
	Any       bool   // asked for every game, because nobody had the one that is wanted
	Err       string // why it could not be asked, as the system says it; "": it was
	Fault     Fault  // what Err means
	Offers    []LiveOffer
}

// A Fault is what a system's error means for somebody who asks for sessions.
type Fault uint8

// The faults.
const (
	NoFault     Fault = iota // none, or another one than those below
	Refused                  // the machine is there, and nothing takes questions there
	Unreachable              // there is no way to the machine
)

// A LiveOffer is a session that somebody told us of.
type LiveOffer struct {
	Host      netip.AddrPort
	App       wire.GUID
	Instance  wire.GUID
	Name      string
	Flags     wire.SessionFlags
	Players   uint32             // in the session now
	Max       uint32             // at most; 0: no limit
	Version   wire.Dialect       // 0: not known
	Transport captures.Transport // how the answer came
}

// A Port is one that a host needs, and whether it was to be had.
type Port struct {
	Transport captures.Transport
	Number    uint16
	Err       string // why it was not, as the system says it; "": it was
	Holder    string // who holds it, as far as that is known
	Hosts     string // 47624: the name of a session that whoever holds it hosts
}

// An Adapter is a network adapter that is up.
type Adapter struct {
	Name     string
	Addrs    []netip.Prefix
	Loopback bool
}

// ExamineLive judges what was found out on this machine.
func ExamineLive(l *Live) *Report {
	r := &Report{Notes: l.notes()}
	for _, w := range l.Ways {
		r.Sessions = max(r.Sessions, len(w.Offers))
	}
	r.Findings = judge(func(r *rule) []Finding {
		if r.live == nil {
			return nil
		}
		return r.live(l)
	})
	return r
}

// heard returns the sessions that were told of as it should be, over TCP.
func (w *Way) heard() (list []LiveOffer) {
	for _, o := range w.Offers {
		if o.Transport == captures.TCP {
			list = append(list, o)
		}
	}
	return list
}

// show makes evidence of a way.
func (w *Way) show() Evidence {
	v := "no answer"
	if n := len(w.heard()); n > 0 {
		v = count(n, "session")
	} else if len(w.Offers) > 0 {
		v = "answered by UDP"
	} else if w.Err != "" {
		v = w.Err
	}
	return Evidence{Message: "ENUMSESSIONS", Field: w.Transport.String() + " " + w.To.String(), Value: v}
}

// show makes evidence of a port.
func (p *Port) show() Evidence {
	v := p.Err
	if p.Holder != "" {
		v += ", held by " + p.Holder
	}
	if p.Hosts != "" {
		v += ", which hosts " + quote(clip(p.Hosts))
	}
	return Evidence{Message: "bind", Field: p.Transport.String() + " " + itoa(int(p.Number)), Value: v}
}

// show makes evidence of an adapter.
func (a *Adapter) show() Evidence {
	var list []string
	for _, p := range a.Addrs {
		list = append(list, p.String())
	}
	return Evidence{Message: "adapter", Field: a.Name, Value: strings.Join(list, " ")}
}

// playable returns the adapters that somebody may play over: with an IPv4 address, not loopback.
func (l *Live) playable() (list []*Adapter) {
	for i := range l.Adapters {
		a := &l.Adapters[i]
		for _, p := range a.Addrs {
			if !a.Loopback && p.Addr().Is4() {
				list = append(list, a)
				break
			}
		}
	}
	return list
}

// A bar is what keeps everybody out of a session that was found.
type bar uint8

const (
	open         bar = iota
	closed           // to everybody
	noNewPlayers     // a machine may come in, but gets no player
	full
)

// bar returns why nobody can join a session, as its description says.
func (o *LiveOffer) bar() bar {
	switch {
	case o.Flags&wire.SessionJoinDisabled != 0:
		return closed
	case o.Flags&wire.SessionNewPlayersDisabled != 0:
		return noNewPlayers
	case o.Max > 0 && o.Players >= o.Max:
		return full
	}
	return open
}

// show makes evidence of a session's description.
func (o *LiveOffer) show(field, value string) Evidence {
	return Evidence{Message: "ENUMSESSIONSREPLY", Field: field, Value: value}
}

// title names a session for people.
func (o *LiveOffer) title() string { return named(o.Name) + " of " + o.Host.Addr().String() }

// sessions returns the sessions of the game that is wanted, each once: a host is asked in several ways.
func (l *Live) sessions() (list []*LiveOffer) {
	type key struct {
		host     string
		instance wire.GUID
		name     string
	}
	seen := map[key]bool{}
	for i := range l.Ways {
		for j := range l.Ways[i].Offers {
			o := &l.Ways[i].Offers[j]
			k := key{o.Host.String(), o.Instance, o.Name}
			if seen[k] || !l.App.IsZero() && o.App != l.App {
				continue
			}
			seen[k] = true
			list = append(list, o)
		}
	}
	return list
}

// barred returns a finding for each session that has a bar: a warning where another session can be joined. tell gives
// the words behind the session's name, and the evidence.
func (l *Live) barred(b bar, tell func(*LiveOffer) (string, Evidence)) (list []Finding) {
	severity := Failure
	sessions := l.sessions()
	for _, o := range sessions {
		if o.bar() == open {
			severity = Warning
		}
	}
	for _, o := range sessions {
		if o.bar() == b {
			text, ev := tell(o)
			list = append(list, Finding{Severity: severity, Text: o.title() + " " + text, Evidence: []Evidence{ev}})
		}
	}
	return list
}

// notes returns what is worth knowing though nothing is wrong with it.
func (l *Live) notes() (list []string) {
	if name := l.hosts(); name != "" {
		list = append(list, "this machine hosts "+quote(clip(name)))
	}
	if l.Unlisted != "" {
		list = append(list, "not checked, because this machine's network adapters cannot be listed ("+clip(l.Unlisted)+
			"): VPNs, and whether the right adapter is used")
	}
	var locked []string
	for _, o := range l.sessions() {
		if o.Flags&wire.SessionPasswordRequired != 0 && o.bar() == open {
			locked = append(locked, o.title())
		}
	}
	switch n := len(locked); {
	case n == 1:
		list = append(list, locked[0]+" wants a password")
	case n > 3:
		list = append(list, count(n, "session")+" want a password")
	case n > 1:
		list = append(list, strings.Join(locked, " and ")+" want a password")
	}
	return list
}

// hosts returns the name of a session that this machine hosts, "" if it hosts none.
func (l *Live) hosts() string {
	for i := range l.Ports {
		if l.Ports[i].Hosts != "" {
			return l.Ports[i].Hosts
		}
	}
	for i := range l.Ways {
		for _, o := range l.Ways[i].Offers {
			if l.own(o.Host.Addr()) {
				return cmp.Or(o.Name, "a session without a name")
			}
		}
	}
	return ""
}

// own reports whether an address is one of this machine's.
func (l *Live) own(at netip.Addr) bool {
	for _, a := range l.Adapters {
		for _, p := range a.Addrs {
			if p.Addr() == at {
				return true
			}
		}
	}
	return false
}

// answered reports whether anybody answered.
func (l *Live) answered() bool {
	for i := range l.Ways {
		if len(l.Ways[i].Offers) > 0 {
			return true
		}
	}
	return false
}
