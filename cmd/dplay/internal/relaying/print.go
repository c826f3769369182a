package relaying

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
)

// The names of the events.
const (
	openedName  = "relay_opened"
	endingName  = "relay_ending"
	closedName  = "relay_closed"
	machineName = "allocation_" // and what happened to it
)

// Names returns the names of all events.
func Names() []string {
	return []string{openedName, endingName, closedName,
		machineName + string(relay.Allocated), machineName + string(relay.Released), machineName + string(relay.Refused)}
}

// nameOf returns the name of what happened to a client.
func nameOf(e relay.Event) string { return machineName + string(e.What) }

// An opened has the keys of relay_opened.
type opened struct {
	Public  []string `json:"public,omitzero"`
	Listen  []string `json:"listen,omitzero"`
	Open    bool     `json:"open"`
	Metrics string   `json:"metrics,omitzero"`
}

// An ended has the key of relay_ending and relay_closed.
type ended struct {
	Allocations int `json:"allocations"`
}

// add notes an event, and writes it for programs with the fields of e.
func (r *running) add(event string, e any) {
	if r.Until.Printed(event); !r.NDJSON {
		return
	}
	r.out.Add(events.Begin(r.out.Buffer(), time.Now(), event).Fields(e, events.Object.Add).End())
	r.out.Flush()
}

// line writes a line for people, and nothing for programs.
func (r *running) line(format string, args ...any) {
	if r.NDJSON {
		return
	}
	fmt.Fprintln(r.out, cli.Fit(r.std.Out, fmt.Sprintf(format, args...)))
	r.out.Flush()
}

// begin says that the relay is there.
func (r *running) begin(w *web) {
	c := &r.Config
	open := c.Secret == code.OpenSecret
	listen, public := texts(c.Listen), texts(c.Public)
	metrics := ""
	if w != nil {
		metrics = "http://" + w.at.String() + "/metrics"
	}
	r.add(openedName, opened{public, listen, open, metrics})
	r.line("relay at %s, listening at %s: %s", strings.Join(public, " and "), strings.Join(listen, " and "), portsOf(c))
	if c.TLSPort != 0 && r.CertFile == "" {
		r.line("it has made its certificate for TLS itself: bridges take that, other TURN clients may not (--tls-cert)")
	}
	name := code.Relay{Host: public[0], Port: c.Port}.String()
	if open {
		r.line("open to everybody. Players type: dplay bridge share --relay %s", name)
	} else {
		r.line("for players with a credential. Make one with: dplay bridge credential --auth-secret-file %s --for 24h --relay %s",
			r.SecretFile, name)
	}
	if metrics != "" {
		r.line("metrics at %s", metrics)
	}
}

// texts returns addresses as texts.
func texts(addresses []netip.Addr) (all []string) {
	for _, a := range addresses {
		all = append(all, a.String())
	}
	return all
}

// notes prints what the user who begins the relay should know.
func (r *running) notes(all []string) {
	for _, n := range all {
		if r.NDJSON {
			r.std.Tell(n)
		}
		r.line("note: %s", n)
	}
}

// loaded says who is there, if that is another load than was told last.
func (r *running) loaded() {
	now, before := r.server.Load(), r.load
	r.load = now
	sent := now.Octets - before.Octets
	before.Octets = now.Octets
	switch {
	case now == before:
	case now.Machines == 0:
		r.line("nobody is here any more")
	default:
		r.line("%s of %s in %s, %s", cli.Numbered(now.Machines, "machine"), cli.Numbered(now.Addresses, "address"),
			cli.Numbered(now.Sessions, "session"), rate(sent, time.Minute))
	}
}

// rate says how fast octets went over the relay.
func rate(octets uint64, in time.Duration) string {
	each := float64(octets) / in.Seconds()
	if each < 1<<20 {
		return fmt.Sprintf("%.0f kB/s", each/(1<<10))
	}
	return fmt.Sprintf("%.1f MB/s", each/(1<<20))
}

// refusals prints how many allocations were refused since the last call, if any were.
func (r *running) refusals() {
	now := r.server.Refusals()
	var parts []string
	for _, reason := range reasons {
		if n := now[reason.why] - r.told[reason.why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, reason.text))
		}
	}
	r.told = now
	if len(parts) > 0 {
		r.line("refused in the last minute: %s", strings.Join(parts, ", "))
	}
}

// A reasonText has the words for people for a reason.
type reasonText struct {
	why  relay.Reason
	text string
}

// reasons are those of refusals, in the order of the line.
var reasons = []reasonText{
	{relay.Ending, "because it is ending"},
	{relay.Expired, "for expired credentials"},
	{relay.Full, "for too many machines in all (--max-allocations)"},
	{relay.AddressFull, "for too many machines with one address (--max-per-address)"},
	{relay.BadCredentials, "for wrong credentials"},
	{relay.NoFamily, "that want an address of a family that --public does not have"},
}

// ending says that nobody new is let in.
func (r *running) ending() {
	n := r.server.Allocations()
	r.add(endingName, ended{n})
	if n > 0 {
		r.line("ending: nobody new is let in; %d machines are there, and have %s to leave (once more, and it ends at once)", n, r.Grace)
	}
}

// ended says that it is over.
func (r *running) ended() {
	r.add(closedName, ended{r.server.Allocations()})
	r.line("ended")
}
