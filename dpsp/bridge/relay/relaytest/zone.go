package relaytest

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

// A Zone is what a test's DNS server knows: SRV records and IPv4 addresses, by names that end with a dot.
type Zone struct {
	SRV   map[string][]net.SRV
	Hosts map[string][]netip.Addr
	NoSRV bool // questions for those records get no answer, as from some routers
}

// Community is a zone in which a name has relays with the usual ports: relay1.example.org and so on.
func Community(name string, relays ...netip.Addr) Zone {
	z := Zone{SRV: map[string][]net.SRV{}, Hosts: map[string][]netip.Addr{}}
	for i, a := range relays {
		host := fmt.Sprintf("relay%d.example.org.", i+1)
		z.Hosts[host] = []netip.Addr{a}
		for what, port := range map[string]uint16{"_turn._udp.": 3478, "_turn._tcp.": 3478, "_turns._tcp.": 5349} {
			at := what + name + "."
			z.SRV[at] = append(z.SRV[at], net.SRV{Target: host, Port: port, Priority: 10, Weight: 50})
		}
	}
	return z
}

// Serve answers questions until the socket is closed. Of several addresses of a name another one is the first each time.
func (z Zone) Serve(c net.PacketConn) {
	var b [1500]byte
	for turn := 0; ; turn++ {
		n, from, err := c.ReadFrom(b[:])
		if err != nil {
			return
		}
		if answer := z.answer(b[:n], turn); answer != nil {
			c.WriteTo(answer, from) //nolint:errcheck // who asked asks again
		}
	}
}

// answer answers a question; nil if it is none.
func (z Zone) answer(b []byte, turn int) []byte {
	var m dnsmessage.Message
	if m.Unpack(b) != nil || len(m.Questions) != 1 || z.NoSRV && m.Questions[0].Type == dnsmessage.TypeSRV {
		return nil
	}
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	name := q.Name.String()
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type, TTL: 1}
	at, host := z.Hosts[name]
	switch q.Type {
	case dnsmessage.TypeSRV:
		for _, s := range z.SRV[name] {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.SRVResource{
				Priority: s.Priority, Weight: s.Weight, Port: s.Port, Target: dnsmessage.MustNewName(s.Target)}})
		}
	case dnsmessage.TypeA:
		for i := range at {
			a := at[(turn+i)%len(at)]
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		}
	}
	if len(m.Answers) == 0 && !host {
		m.RCode = dnsmessage.RCodeNameError
	}
	b, _ = m.Pack() // nil after an error
	return b
}
