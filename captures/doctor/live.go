package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A Live has the results of tests on this machine, which ExamineLive judges.
type Live struct {
	Host        netip.Addr // who was asked; invalid: everybody on the network
	App         wire.GUID  // which game was asked for; zero: any
	Waited      time.Duration
	Ways        []Way
	Keys        []Key
	Doors       []Door
	Pings       []Ping // from nobody, to the host of a session
	Knocks      []Knock
	Watched     bool  // Knocks are all that came: this machine let us look at its packets
	Closed      Fault // how the host took a datagram to a UDP port where nothing listens; NoFault: none was sent
	Ports       []Port
	Adapters    []Adapter
	Unlisted    string     // why the adapters could not be listed, as the system says it; "": they were
	Bridge      string     // the program of this machine that is a bridge of "dplay bridge", "": none is
	BroadcastBy netip.Addr // the source address that the system gives to broadcasts; invalid: it sends none
	Game        func(application wire.GUID) string

	culprit *Finding // see blame
}

// A Way is one way in which a host was asked for its sessions.
type Way struct {
	Transport captures.Transport
	To        netip.AddrPort
	From      uint16 // the UDP port of this machine that the question came from; 0: not told
	At        uint16 // the TCP port of this machine that the answers were wanted at; 0: not told
	Any       bool   // asked for every game, and for each that is known, because nobody answered for the one that is wanted
	Taken     bool   // the host took the connection that the question goes over: something takes questions there
	Err       string // why it could not be asked, as the system says it; "": it was
	Fault     Fault  // what Err means
	Offers    []LiveOffer
	Nonsense  string // what is wrong with an answer that does not decode; "": there was none
}

// A Key is the result of a question with a password. A private session answers it only if the password is right.
type Key struct {
	Session wire.GUID
	Fits    bool
}

// A Fault is the meaning of a system's error for a question for sessions.
type Fault uint8

// The faults.
const (
	NoFault     Fault = iota // none, or another one than those below
	Refused                  // the machine is there, and nothing takes questions there
	Unreachable              // there is no way to the machine
	Silence                  // nothing came back, neither yes nor no
	Forbidden                // this machine does not let it out
)

// A Door is a TCP port of a host that people connect to when they join, and whether it took a connection.
type Door struct {
	At      netip.AddrPort
	Offered bool       // a session told of it; false: it is where hosts listen as a rule
	Session string     // its name
	From    netip.Addr // where the answer with it came from; invalid: not told
	Err     string     // why it did not; "": it did
	Fault   Fault
}

// A Ping was sent to the host of a session by a machine that is not in the session.
type Ping struct {
	Transport captures.Transport
	To        netip.AddrPort
	Size      int                // octets of the ping
	By        captures.Transport // how the answer had to come
	Answered  bool
}

// A Knock is a connection that a host wanted to make to this machine, as its packets tell: so a firewall of this machine does not hide it.
type Knock struct {
	To      uint16 // the TCP port
	Refused bool   // this machine answered with RST
	Taken   bool   // this machine took it
}

// A LiveOffer is a session that somebody told us of.
type LiveOffer struct {
	Host      netip.AddrPort // where it is to be joined
	From      netip.Addr     // where the answer came from; invalid: not told
	App       wire.GUID
	Instance  wire.GUID
	Name      string
	Flags     wire.SessionFlags
	Players   uint32             // in the session now
	Max       uint32             // at most; 0: no limit
	Version   wire.Dialect       // 0: not known
	Transport captures.Transport // how the answer came
	At        uint16             // the TCP port that it came to; 0: not told, or by UDP
}

// A Port is one that a host needs, and whether it was to be had.
type Port struct {
	Transport captures.Transport
	Number    uint16
	Err       string // why it was not, as the system says it; "": it was
	Holder    string // who holds it, as far as that is known
	Bridge    bool   // it is the bridge of this machine that does
	Hosts     string // 47624: the name of a session that whoever holds it hosts
}

// An Adapter is a network adapter that is up.
type Adapter struct {
	Name     string
	Addrs    []netip.Prefix
	Loopback bool
}

// ExamineLive judges the results of tests on this machine.
func ExamineLive(l *Live) *Report {
	l = new(*l)
	l.culprit = l.blame()
	r := &Report{Notes: l.notes(), Tried: l.tried(), NotTried: l.notTried()}
	r.Sessions = slices.Max(append(mapped(l.Ways, func(w Way) int { return len(w.Offers) }), 0))
	r.Findings = judge(l, func(r rule) func(*Live) []*Finding { return r.live })
	return r
}

// heard returns the sessions that were told of as it should be: over TCP, to the port that answers were wanted at.
func (w Way) heard() []LiveOffer {
	return where(w.Offers, func(o LiveOffer) bool { return o.Transport == captures.TCP && (o.At == w.At || o.At == 0 || w.Any) })
}

// answered reports whether sessions were told of as it should be.
func (w Way) answered() bool { return len(w.heard()) > 0 }

// first returns the first session that was told of, the zero offer if there is none.
func (w Way) first() LiveOffer { return first(w.Offers) }

// show makes evidence of a port.
func (p Port) show() Evidence {
	v := p.Err + pick(p.Holder == "", "", ", held by "+p.Holder) + pick(p.Bridge, ", the bridge", "") +
		pick(p.Hosts == "", "", ", which hosts "+quote(clip(p.Hosts)))
	return Evidence{Message: "bind", Field: p.Transport.String() + " " + itoa(p.Number), Value: v}
}

// show makes evidence of an adapter.
func (a Adapter) show() Evidence {
	return Evidence{Message: "adapter", Field: a.Name, Value: strings.Join(mapped(a.Addrs, netip.Prefix.String), " ")}
}

// playable returns the adapters that somebody may play over: with an IPv4 address, not loopback.
func (l *Live) playable() []Adapter {
	return where(l.Adapters, func(a Adapter) bool {
		return !a.Loopback && exists(a.Addrs, func(p netip.Prefix) bool { return p.Addr().Is4() })
	})
}

// ThroughBridge reports whether it is the bridge of this machine that was asked: it leads to the games of other machines.
func (l *Live) ThroughBridge() bool { return l.Bridge != "" && (l.Host.IsLoopback() || l.Own(l.Host)) }

// hosts returns the name of a session that this machine hosts, "" if it hosts none. What its bridge leads to may be another one's.
func (l *Live) hosts() string {
	names := mapped(l.Ports, func(p Port) string { return p.Hosts })
	if l.Bridge == "" {
		own := where(l.Offers(), func(o LiveOffer) bool { return l.Own(o.Host.Addr()) })
		names = append(names, mapped(own, func(o LiveOffer) string { return cmp.Or(o.Name, "a session without a name") })...)
	}
	return cmp.Or(names...)
}

// Offers returns the sessions that were told of, as often as they were.
func (l *Live) Offers() []LiveOffer { return flat(l.Ways, func(w Way) []LiveOffer { return w.Offers }) }

// Own reports whether an address is one of this machine's.
func (l *Live) Own(at netip.Addr) bool {
	return exists(l.Adapters, func(a Adapter) bool { return a.has(at) })
}

// has reports whether an address is one of an adapter.
func (a Adapter) has(at netip.Addr) bool {
	return exists(a.Addrs, func(p netip.Prefix) bool { return p.Addr() == at })
}

// Answered reports whether a session was told of.
func (l *Live) Answered() bool { return len(l.Offers()) > 0 }
