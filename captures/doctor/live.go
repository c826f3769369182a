package doctor

import (
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

// heard gives the sessions that were told of as it should be, over TCP.
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

// playable gives the adapters that somebody may play over: with an IPv4 address, not loopback.
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
