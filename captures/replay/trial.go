package replay

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A guess is what happened to a recorded machine and is not in the recording.
type guess struct {
	lost   []*message // its host's connection had ended when these came
	stills []Still    // it stood still
	// Its ping timer elapses every period, and did at the time grid. Zero: by the options, or with the shortest time between pings in
	// the capture for a period, from the first machine on that is watched.
	period, grid time.Duration
}

// windowsPeriod is how often the ping timer of Windows elapses. A machine pings only those whom it did not hear since it elapsed
// last, so two of Windows, which ping each other and answer, ping every third time (facts, 10.2).
const windowsPeriod = 7500 * time.Millisecond

// maxTries bounds the guesses that are tried for a machine, each of which replays it.
const maxTries = 32

// party replays one machine, and again with guesses for as long as something differs. A guess that makes less differ is kept.
func (c *Capture) party(ctx context.Context, opt *Options, m *machine, role Role) (*Party, error) {
	if why := m.unplayable(role); why != "" {
		party := m.party(role)
		party.NotPlayed = why
		return party, nil
	}
	quiet := *opt
	quiet.Watch, quiet.Progress = nil, nil
	best, err := c.play(ctx, &quiet, m, role, guess{})
	if err != nil {
		return nil, err
	}
	next := best.guesses()
	for tries := 0; tries < maxTries && len(next) > 0 && best.party.wrong() > 0; tries++ {
		p, err := c.play(ctx, &quiet, m, role, next[0])
		if err != nil {
			return nil, err
		}
		if next = next[1:]; p.party.wrong() < best.party.wrong() {
			best, next = p, p.guesses()
		}
	}
	if opt.Watch != nil || opt.Progress != nil {
		if best, err = c.play(ctx, opt, m, role, best.guess); err != nil {
			return nil, err
		}
	}
	return best.party, nil
}

func (m *machine) party(role Role) *Party {
	return &Party{Role: role, Address: m.listener, Dialect: uint16(m.dialect),
		Notes: []string{}, Differences: []Difference{}, Ignored: []Ignored{}, StoodStill: []Still{}}
}

// wrong counts what differs.
func (p *Party) wrong() int { return p.Missing + p.Extra + p.Compared - p.Equal }

// guesses returns the guesses that may explain what differs, each with what is guessed already.
func (p *player) guesses() (all []guess) {
	if p.grid != 0 || p.party.wrong() == 0 {
		return nil
	}
	for _, msg := range p.losses[:min(len(p.losses), maxTries)] {
		all = append(all, guess{lost: append(slices.Clone(p.lost), msg), stills: p.stills})
	}
	for _, s := range p.silent[:min(len(p.silent), maxTries)] {
		if p.stood(s.Until) {
			all = append(all, guess{lost: p.lost, stills: append(slices.Clone(p.stills), s)})
		}
	}
	pings := slices.ContainsFunc(p.party.Differences, func(d Difference) bool { return d.Message == ping })
	if period, grid := p.windows(); pings && !p.m.modern && grid != 0 { // engines of the extension have no such timer
		all = append(all, guess{p.lost, p.stills, period, grid})
	}
	return all
}

// ping is the name of the command.
const ping = "PING"

// windows returns period and grid of a ping timer of Windows that elapsed when the machine sent its first ping; zero for none.
func (p *player) windows() (period, grid time.Duration) {
	var at []time.Duration
	for m := range bodies[*wire.Ping](p.m.says) {
		at = append(at, m.at)
	}
	period, gap := p.opt.Config.Period, p.c.period()
	if period == 0 && gap > 0 {
		period = gap / max(1, (gap+windowsPeriod/2)/windowsPeriod)
	}
	if len(at) == 0 || at[0] == 0 || period < minPeriod {
		return 0, 0
	}
	length := at[len(at)-1] - at[0]
	if n := (length + period/2) / period; n > 0 {
		period = length / n // exactly
	}
	return period, at[0]
}

// tellsLoss reports whether a message states that the host, another machine, is gone, or one of our machines sends a ping because a
// connection ended. A recording that a session made of itself does not have the ends of connections.
func (p *player) tellsLoss(m *message) bool {
	news := m.command == "IAMNAMESERVER" || m.command == viewPrepare
	if m.from == p.m {
		news = m.command == ping && p.m.modern
	}
	_, member := p.listener(p.host)
	return news && member
}

// stood reports whether a machine stood still until a time: pings that one machine sent one after the other reach it
// together, so they waited in its sockets.
func (p *player) stood(until time.Duration) bool {
	ticks := map[netip.AddrPort]uint32{}
	for m, b := range bodies[*wire.Ping](p.m.traffic) {
		if m.from == p.m || m.at < until || m.at > until+slack {
			continue
		}
		if tick, ok := ticks[m.src]; ok && b.Tick-tick > uint32(slack/time.Millisecond) {
			return true
		}
		ticks[m.src] = b.Tick
	}
	return false
}

// period returns the shortest time between pings of a machine to the same one, 0 if none shows: the machines of a session
// have the same timers as a rule, and one that hears from another does not ping it.
func (c *Capture) period() time.Duration {
	var gaps []time.Duration
	last := map[[2]netip.AddrPort]time.Duration{}
	for _, m := range c.messages {
		if m.command != ping {
			continue
		}
		way := [2]netip.AddrPort{m.src, m.dst}
		if at, again := last[way]; again && m.at-at >= minPeriod {
			gaps = append(gaps, m.at-at)
		}
		last[way] = m.at
	}
	if len(gaps) == 0 {
		return 0
	}
	return slices.Min(gaps).Round(10 * time.Millisecond) // timers are late, by less than that
}

// minPeriod is below every period: pings that come closer waited in a socket together.
const minPeriod = 50 * time.Millisecond
