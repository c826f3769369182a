package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

const bridgeDoctorLong = `Say what a session over the internet meets with here: which kind of router is between, whether the relay answers, by UDP, TCP and
TLS, and which programs hold ports that the bridge and the game need. If a bridge of yours runs on this machine, it is about
that one's relays, and also tells the way to each of the other machines, and between each two of them.

With a CODE it is about the relays of that session, and joins it for a moment without a game, unless a bridge of it runs here. The
others see a machine called doctor come and go.

JSON:
  One object a line, with its "type". router: kind (open, restricted, port-restricted, symmetric, one-port, or "" if UDP does not get
  through), seen (our address outside). relay: relay, and for udp, tcp and tls each the seconds that an answer took, absent if
  there was none. port: transport, port, program. machine: as in the events. pair: a and b, two of the other machines, and way
  (direct, relayed, none, or unknown if they do not tell), round_trip and loss, the worse of what the two say. problem: text, and
  what to do.

Exit status: 0 nothing is in the way, 1 it could not be found out, 2 wrong usage, 3 something is in the way.`

const bridgeDoctorExamples = `  dplay bridge doctor --relay 203.0.113.5
  dplay bridge doctor ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR`

func newBridgeDoctor(std cli.Streams) *cobra.Command {
	f := &bridgeFlags{}
	format := flags.NewChoice("text", "ndjson")
	cmd := &cobra.Command{
		Use:                   "doctor [flags] [CODE]",
		Short:                 "Say what is in the way of playing over the internet",
		Long:                  bridgeDoctorLong,
		Example:               bridgeDoctorExamples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			d := &bridgeDoctor{std: std, out: cli.NewOutput(std.Out), ndjson: format.Value == "ndjson"}
			var err error
			if len(args) > 0 {
				if len(f.relays) > 0 {
					return errors.New("the code says which relays: --relay does not go with it")
				}
				var with code.Code
				if with, err = code.Parse(strings.Join(args, " ")); err != nil {
					return fmt.Errorf("the code %s: %w", captures.Printable(strings.Join(args, " ")), err)
				}
				d.with, d.relays, d.name = &with, with.Relays, cmp.Or(f.name, "doctor")
			} else if f.name != "" {
				return errors.New("--name is what the machines of a session call this one: it does nothing without a CODE")
			} else if d.relays, err = f.doctored(cmd.Context()); err != nil {
				return err
			}
			if err := d.look(cmd.Context()); !errors.Is(err, errFindings) {
				return std.Told(err)
			}
			return errFindings
		},
	}
	f.registerRelay(cmd.Flags())
	cmd.Flags().StringVar(&f.name, "name", "", "what the machines of the session of CODE call this one, `NAME` (default: doctor)")
	format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	flags.NoFiles(cmd, "relay", "name")
	return cmd
}

// doctored returns the relays to look at where no code says which: those of the flags, of the bridge that runs on this machine,
// or of the configuration.
func (f *bridgeFlags) doctored(ctx context.Context) ([]code.Relay, error) {
	if len(f.relays) == 0 {
		if running, _, err := bridging.Running(ctx); err == nil {
			with, err := code.Parse(running)
			return with.Relays, err
		}
	}
	opt, err := f.options(true)
	return opt.Relays, err
}

// A bridgeDoctor looks at what a bridge meets with.
type bridgeDoctor struct {
	std    cli.Streams
	out    *cli.Output
	ndjson bool
	relays []code.Relay
	with   *code.Code // the session to try; nil: none
	name   string     // there
	wrong  bool
}

// The objects of --format ndjson.
type (
	routerObject struct {
		Type string `json:"type"`
		Kind string `json:"kind"`
		Seen string `json:"seen,omitempty"`
	}
	relayObject struct {
		Type  string   `json:"type"`
		Relay string   `json:"relay"`
		UDP   *float64 `json:"udp,omitempty"`
		TCP   *float64 `json:"tcp,omitempty"`
		TLS   *float64 `json:"tls,omitempty"`
	}
	portObject struct {
		Type      string `json:"type"`
		Transport string `json:"transport"`
		Port      uint16 `json:"port"`
		Program   string `json:"program"`
	}
	doctoredMachine struct {
		Type string `json:"type"`
		*bridging.MachineObject
	}
	doctoredPair struct {
		Type string `json:"type"`
		*bridging.PairObject
	}
	hindrance struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
)

// tell says one thing, to people or to programs.
func (d *bridgeDoctor) tell(o any, format string, args ...any) {
	if d.ndjson {
		d.out.Add(events.AppendJSON(d.out.Buffer(), o))
	} else {
		fmt.Fprintf(d.out, format+"\n", args...)
	}
	d.out.Flush()
}

// say says to people what programs see without it.
func (d *bridgeDoctor) say(text string) {
	if !d.ndjson {
		fmt.Fprintln(d.out, text)
		d.out.Flush()
	}
}

// problem says what is in the way.
func (d *bridgeDoctor) problem(format string, args ...any) {
	d.wrong = true
	text := fmt.Sprintf(format, args...)
	d.tell(hindrance{"problem", text}, "! %s", text)
}

// look looks at everything.
func (d *bridgeDoctor) look(ctx context.Context) error {
	running, machines, err := bridging.Running(ctx)
	if err != nil && !errors.Is(err, bridging.ErrNoBridge) {
		d.std.Tell("the bridge of this machine does not say how it is: " + err.Error())
	}
	d.lookAtRelays(ctx)
	if running == "" {
		d.lookAtPorts()
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case running != "" && (d.with == nil || d.with.String() == running):
		d.tellMachines(machines)
		d.tellRunning(ctx, machines)
	case running != "":
		d.problem("a bridge of another session runs on this machine: end it first")
	case d.with != nil:
		err = d.visit(ctx)
	}
	if e := d.out.End(); e != nil {
		return e
	}
	if errors.Is(err, bridging.ErrNoBridge) {
		err = nil
	}
	if err == nil && d.wrong {
		return errFindings
	}
	return err
}

// kinds say what each kind of router means.
var kinds = map[natkind.Kind]string{
	natkind.Unknown:        "nothing answers by UDP: a firewall stops it, or the relay is down. Everything has to go through a relay by TCP or TLS",
	natkind.Open:           "none: this machine has the address that others see. Everybody can be reached directly",
	natkind.Restricted:     "one outer port, open to whomever was written to: everybody whose own router is not worse can be reached directly",
	natkind.PortRestricted: "one outer port, open to whom was written to: direct ways to all but machines behind symmetric routers",
	natkind.Symmetric:      "another outer port for each destination (symmetric): most go through the relay, which is fine for playing",
	natkind.OnePort:        "the relay does not tell which kind: it answers at one port only",
}

// lookAtRelays asks each relay, and tells the kind of router by the first one that answers.
func (d *bridgeDoctor) lookAtRelays(ctx context.Context) {
	var router *natkind.Finding
	for _, r := range d.relays {
		sites, err := d.sitesOf(ctx, r)
		if err != nil {
			d.problem("the relay %s: %s", r, err)
		}
		for _, s := range sites {
			name := r.String()
			if len(sites) > 1 {
				name += " (" + s.Host + ")"
			}
			if f := d.lookAt(ctx, name, s); f != nil && (router == nil || router.Kind == natkind.Unknown) {
				router = f
			}
		}
	}
	if router == nil {
		return
	}
	o := routerObject{"router", string(router.Kind), ""}
	seen := ""
	if router.UDP.Seen.IsValid() {
		o.Seen = router.UDP.Seen.String()
		seen = " (seen as " + o.Seen + ")"
	}
	d.tell(o, "router: %s%s", kinds[router.Kind], seen)
}

// lookAt asks a server of a relay; nil if it has no address.
func (d *bridgeDoctor) lookAt(ctx context.Context, name string, s link.Site) *natkind.Finding {
	at, err := s.Addrs(ctx, nil)
	if err != nil {
		d.problem("the relay %s: %s", name, err)
		return nil
	}
	f := natkind.Look(ctx, netip.AddrPortFrom(at[0], max(s.UDP, s.TCP)), s.TLS)
	o := relayObject{Type: "relay", Relay: name}
	var ways []string
	for _, w := range []struct {
		name string
		a    natkind.Answer
		to   **float64
	}{{"UDP", f.UDP, &o.UDP}, {"TCP", f.TCP, &o.TCP}, {"TLS", f.TLS, &o.TLS}} {
		if w.a.Err != nil {
			ways = append(ways, w.name+" no answer")
			continue
		}
		*w.to = new(w.a.Took.Seconds())
		ways = append(ways, fmt.Sprintf("%s %.1f ms", w.name, float64(w.a.Took)/float64(time.Millisecond)))
	}
	d.tell(o, "relay %s: %s", name, strings.Join(ways, ", "))
	if o.UDP == nil && o.TCP == nil && o.TLS == nil {
		d.problem("the relay %s does not answer at all: is it running, is the address right, and are its ports open?", name)
	}
	return f
}

// sitesOf returns the servers of a relay that the session uses, or all of a relay that no session is about.
func (d *bridgeDoctor) sitesOf(ctx context.Context, r code.Relay) ([]link.Site, error) {
	if d.with == nil {
		return link.Sites(ctx, nil, r, "")
	}
	sites, err := link.Sites(ctx, nil, r, d.with.Keys().Meeting)
	return sites[:min(len(sites), link.SitesUsed)], err
}

// lookAtPorts tells who has ports of the plan.
func (d *bridgeDoctor) lookAtPorts() {
	free := true
	for _, r := range []struct {
		network string
		ports   wire.Ports
	}{{"TCP", wire.StreamPorts}, {"UDP", wire.DatagramPorts}, {"TCP", enumPorts}, {"UDP", enumPorts}} {
		held, ok := sock.Holdings(r.network, netip.Addr{}, r.ports)
		if !ok {
			d.tell(hindrance{"unknown", "who has which ports"}, "ports: the system does not tell who has which")
			return
		}
		names := sock.By(held)
		for i, h := range held {
			free = false
			d.tell(portObject{"port", r.network, h.Port, names[i]}, "%s %d is held by %s", r.network, h.Port, captures.Printable(names[i]))
		}
	}
	if free {
		d.say("ports: all that the bridge and the game need are free")
		return
	}
	d.problem("if that is the game: that works in most cases, but start the bridge first. Close anything else, dplaysvr.exe above all")
}

// enumPorts is the port at which hosts are looked for.
var enumPorts = wire.Ports{First: wire.EnumPort, Last: wire.EnumPort}

// tellMachines tells how octets go to the machines of a session.
func (d *bridgeDoctor) tellMachines(list []*bridging.MachineObject) {
	for _, m := range list {
		if m.Self {
			continue
		}
		text := m.Name + ": " + m.Way
		if m.RoundTrip != nil {
			text += fmt.Sprintf(", round trip %.1f ms, %.0f %% lost", *m.RoundTrip*1000, *m.Loss*100)
		}
		if m.Over != "" {
			text += " (" + captures.Printable(m.Over) + ")"
		}
		d.tell(doctoredMachine{"machine", m}, "%s", text)
		if m.Way == "none" {
			d.problem("there is no way to %s at the moment", m.Name)
		}
	}
	if len(list) <= 1 {
		d.say("nobody else is in the session")
	}
}

// visitTime is how long a visit lasts: direct ways take a second.
const visitTime = 4 * time.Second

// visit joins the session without a game, and tells how octets go to its machines.
func (d *bridgeDoctor) visit(ctx context.Context) error {
	s, err := bridge.Join(ctx, *d.with, bridge.Options{
		Name: d.name, Visit: true, Waits: func(text string) { d.say("waiting " + text) },
	})
	if err != nil {
		d.problem("the session: %s", bridgeTrouble(ctx, err))
		return nil
	}
	defer s.Close()
	over := time.After(visitTime)
	for {
		select {
		case _, ok := <-s.Events():
			if ok {
				continue
			}
			d.problem("the session has ended")
			return nil
		case <-over:
		case <-ctx.Done():
		}
		break
	}
	var list []*bridging.MachineObject
	for _, m := range s.Members() {
		list = append(list, bridging.ObjectOf(&m))
	}
	d.tellMachines(list)
	pairs, err := s.Ways(ctx)
	if err != nil {
		d.problem("the session has ended")
		return nil
	}
	d.tellPairs(bridging.PairsOf(pairs))
	return nil
}

// tellRunning tells how octets go between the other machines of a session that a bridge on this machine is in.
func (d *bridgeDoctor) tellRunning(ctx context.Context, machines []*bridging.MachineObject) {
	const fewest = 3 // of which two are others
	if len(machines) < fewest {
		return
	}
	pairs, err := bridging.RunningWays(ctx)
	if err != nil {
		d.std.Tell("the bridge of this machine does not say how octets go between the others: " + err.Error())
	}
	d.tellPairs(pairs)
}

// tellPairs tells how octets go between other machines.
func (d *bridgeDoctor) tellPairs(list []*bridging.PairObject) {
	lines := bridging.PairLines(list)
	for i, p := range list {
		d.tell(doctoredPair{"pair", p}, "%s", lines[i])
		if p.Way == "none" {
			d.problem("there is no way between %s and %s at the moment", p.A.Name, p.B.Name)
		}
	}
}
