package replay

import (
	"bytes"
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A player is an engine in the place of a recorded machine, with the program that it is taken to have had.
type player struct {
	c       *Capture
	opt     *Options
	m       *machine
	engine  *dpsp.Engine
	party   *Party
	mapping mapping
	now     time.Duration
	wake    time.Duration
	guess
	losses []*message // that tell of a lost host, after the last one of the guess
	silent []Still    // times in which timers of ours made it send, and the recorded machine sent nothing
	latest *message   // of the recording
	place  int        // of the latest message in the machine's traffic

	program
	pending []*message // what the engine sent and the recording has not shown yet, in order
	pended  int        // how many there were
	ports   map[netip.AddrPort]bool

	assembly assembly // of our frames
	meant    map[uint16]endOfLink
	late     []late     // in the order of the recording
	saying   []*message // of which the recording has the first frame
	spread   []spread
}

// Run replays a capture: an engine for each party, one after the other. It fails only if ctx ends, or with an error of
// Options.Progress.
func (c *Capture) Run(ctx context.Context, opt Options) (*Report, error) {
	r := &Report{Parties: []Party{}}
	for _, m := range c.machines {
		role := m.role()
		if len(m.says) == 0 || opt.As != "" && role != opt.As || len(r.Parties) == MaxParties {
			continue
		}
		party, err := c.party(ctx, &opt, m, role)
		if err != nil {
			return r, err
		}
		r.Parties = append(r.Parties, *party)
	}
	return r, nil
}

// play replays a machine, with a guess at what the recording does not show of it.
func (c *Capture) play(ctx context.Context, opt *Options, m *machine, role Role, g guess) (*player, error) {
	p := &player{c: c, opt: opt, m: m, guess: g, mapping: mapping{exact: opt.Exact}, wake: dpsp.Never,
		program: program{made: map[wire.PlayerID]bool{}, found: map[netip.AddrPort]dpsp.SessionFound{}},
		ports:   map[netip.AddrPort]bool{}, meant: map[uint16]endOfLink{}, assembly: assembly{}}
	p.party = m.party(role)
	p.party.Commands, p.party.StoodStill = map[string]int{}, append(p.party.StoodStill, g.stills...)
	cfg := p.config()
	if role == Host && cfg.Seed == [32]byte{} {
		if m.seed == nil {
			d, _ := m.described()
			seed := likeMask(cfg, p.session(), d.Reserved1)
			m.seed = &seed
		}
		cfg.Seed = *m.seed
	}
	p.engine = dpsp.New(cfg)
	if role == Host {
		if err := p.open(); err != nil {
			p.party.NotPlayed = "our engine does not open such a session: " + err.Error()
			return p, nil
		}
	}
	ends := c.ends
	for place, msg := range m.traffic {
		err := ctx.Err()
		if err == nil && opt.Progress != nil {
			err = opt.Progress(msg.at)
		}
		if err != nil {
			return nil, err
		}
		for ; len(ends) > 0 && ends[0].frame < msg.frame; ends = ends[1:] {
			if e := ends[0]; e.caller.Addr() == m.listener.Addr() && e.called != m.listener {
				p.step(p.now, dpsp.Input{Kind: dpsp.StreamClosed, From: e.called})
			}
		}
		p.timersUntil(msg)
		if slices.Contains(g.lost, msg) {
			p.losses = nil
			p.hostGone()
		} else if p.tellsLoss(msg) {
			p.losses = append(p.losses, msg)
		}
		p.latest, p.place = msg, place
		p.take(msg)
	}
	p.finish()
	return p, nil
}

// config returns the engine's configuration.
func (p *player) config() dpsp.Config {
	c, m := p.opt.Config, p.m
	c.Dialect = m.dialect
	c.Legacy = !m.modern
	c.Stream = netip.AddrPortFrom(netip.AddrFrom4(m.header.Addr), m.listener.Port())
	c.Datagram = netip.AddrPortFrom(netip.AddrFrom4(m.header.Addr), cmp.Or(m.datagram.Port(), defaultDatagram))
	if c.Period == 0 {
		c.Period = p.c.period()
	}
	if p.grid != 0 {
		c.Period, c.Grid = p.period, p.grid
	}
	return c
}

// take takes the next message of the recording: what the machine was sent goes in, what it sent is compared.
func (p *player) take(msg *message) {
	p.now = max(p.now, msg.at)
	if msg.from != p.m && msg.transport == inFrames {
		return // its frames were fed
	}
	if msg.from != p.m {
		kind := [...]dpsp.Kind{captures.TCP: dpsp.Stream, captures.UDP: dpsp.Datagram}[msg.transport]
		p.step(p.now, dpsp.Input{Kind: kind, From: msg.src, Data: p.translate(msg)})
		return
	}
	switch {
	case msg.command == frameName:
		p.sentFrame(msg)
	case msg.transport == inFrames && byProgram(msg.command):
		p.saidInFrames(msg)
	default:
		p.recorded(msg)
	}
	p.ports[msg.src] = true
}

// step tells the engine what happened, and keeps what it sends. It returns how many messages that were.
func (p *player) step(now time.Duration, in dpsp.Input) int {
	before := p.pended
	out := p.engine.Step(now, in)
	for _, s := range out.Sends {
		if p.framed(&s, now) {
			continue
		}
		transport := captures.UDP
		if s.Transport == dpsp.TCP {
			transport = captures.TCP
		}
		p.keep(p.sent(transport, s.To, s.Data, now))
	}
	p.wake = out.Wake
	p.events(out.Events, in.Kind)
	return min(p.pended-before, len(p.pending))
}

// keep keeps a message of ours until the recording shows it.
func (p *player) keep(s *message) {
	if len(p.pending) >= maxPending {
		p.extra(p.pending[0])
		p.pending = slices.Delete(p.pending, 0, 1)
	}
	p.pending = append(p.pending, s)
	p.pended++
}

// sent returns a message of ours. Its number is that of the recorded message before it, whose session has the same flags.
func (p *player) sent(t captures.Transport, to netip.AddrPort, data []byte, now time.Duration) *message {
	m := &message{transport: t, dst: to, raw: bytes.Clone(data), at: now}
	if p.latest != nil {
		m.n, m.frame, m.opts = p.latest.n, p.latest.frame, p.latest.opts
	}
	if t == inFrames {
		m.opts = wire.Options{NoMessageID: true}
	}
	m.decode()
	return m
}

// timersUntil lets timers go off that are due before a message. If they make the engine send something, and the recorded machine
// sent nothing in all that time, it is silent.
func (p *player) timersUntil(msg *message) {
	from, first := p.now, msg.at
	for range maxTimers {
		if p.wake > msg.at || p.still(p.wake) {
			break
		}
		if p.elapse() > 0 {
			first = min(first, p.now)
		}
		if p.wake <= p.now {
			break // it wants nothing but time, which goes on with the message
		}
	}
	if msg.at-first > slack {
		p.silent = append(p.silent, Still{From: from, Until: msg.at})
	}
}

// elapse lets the next timer go off, and returns how many messages the engine sends.
func (p *player) elapse() int {
	p.now = max(p.now, p.wake)
	return p.step(p.now, dpsp.Input{})
}

// still reports whether the machine is taken to stand still at a time.
func (p *player) still(at time.Duration) bool {
	return slices.ContainsFunc(p.stills, func(s Still) bool { return at > s.From && at < s.Until })
}

// finish reports what the recording never showed.
func (p *player) finish() {
	p.catchUp()
	for _, s := range p.pending {
		p.extra(s)
	}
	p.party.Mapped = p.mapping.mapped()
	delete(p.ports, p.m.datagram)
	p.party.Mapped.Ports = len(p.ports)
	if p.grid != 0 {
		p.party.Notes = append(p.party.Notes, "its ping timer is taken to elapse every "+p.period.Round(time.Millisecond).String()+
			", at fixed times, as that of Windows does")
	}
}

// extra reports a message of ours that the recording does not have.
func (p *player) extra(s *message) {
	switch {
	case isViewMessage(s.command):
	case p.unseen(s):
		p.party.Unseen++
	default:
		p.party.Extra++
		d := s.difference(Extra)
		d.Ours = summarize(s.visit)
		p.report(s, []Difference{d})
	}
}

// report keeps what differs about a message, nothing if it is equal.
func (p *player) report(m *message, diffs []Difference) {
	kept := min(len(diffs), MaxDifferences-len(p.party.Differences))
	p.party.Differences = append(p.party.Differences, diffs[:kept]...)
	p.party.More += len(diffs) - kept
	if p.opt.Watch != nil {
		p.opt.Watch(p.party, Step{N: m.n, Frame: m.frame, At: m.at, Message: m.command, To: m.dst.String(), Equal: len(diffs) == 0,
			Differences: diffs})
	}
}
