package replay

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// What is hidden happened to a recorded machine and left nothing in the recording.
type hidden struct {
	stills []Still // it stood still
	lost   []int   // its host's connection had ended when this message of its traffic came
}

// A trial looks for what is hidden.
type trial struct {
	c      *Capture
	ctx    context.Context
	opt    *Options
	m      *machine
	role   Role
	hidden hidden
	rhythm rhythm
	best   *Party
	silent []Still // times in which timers of ours went off, and the recording shows nothing
}

// maxTries bounds the tries to explain a recording, each of which replays it.
const maxTries = 32

// explain replays a machine, and again with something hidden for as long as that makes less of it differ.
func (t *trial) explain() error {
	var err error
	if t.best, t.silent, err = t.c.play(t.ctx, t.opt, t.m, t.role, t.hidden); err != nil {
		return err
	}
	tries := 0
	for _, place := range t.hostLosses() {
		if tries++; tries > maxTries || t.best.wrong() == 0 {
			break
		}
		if _, err := t.try(hidden{stills: t.hidden.stills, lost: append(slices.Clone(t.hidden.lost), place)}); err != nil {
			return err
		}
	}
	for ; tries < maxTries && len(t.silent) > 0 && t.best.wrong() > 0; tries++ {
		next := t.silent[0]
		if !t.stood(next.Until) {
			t.silent = t.silent[1:]
			continue
		}
		better, err := t.try(hidden{stills: append(slices.Clone(t.hidden.stills), next), lost: t.hidden.lost})
		if err != nil {
			return err
		}
		if !better {
			t.silent = t.silent[1:]
		}
	}
	return nil
}

// A rhythm is how the ping timer of a machine is taken to elapse: every period, one time of which is on the grid. The zero
// rhythm is that of the options, or with the shortest time between pings in the capture for a period, from the first
// machine on that is watched.
type rhythm struct{ period, grid time.Duration }

// maxTicks is how many times the timer may have elapsed between two pings: a machine does not ping who was heard since it
// elapsed last, so two of Windows', which ping each other and answer, ping every third time (facts, 10.2).
const maxTicks = 4

// rhythms returns what else a machine's ping timer may have been: it elapses more often than pings show, and at fixed times,
// as with Windows, one of which is that of its first ping.
func (t *trial) rhythms() (all []rhythm) {
	pings := t.pings()
	gap := t.c.period()
	if len(pings) == 0 {
		return nil
	}
	from, until := pings[0], pings[len(pings)-1]
	for ticks := range time.Duration(maxTicks) {
		period := gap / (ticks + 1)
		if t.opt.Config.Period != 0 {
			period = t.opt.Config.Period
		}
		if period < minPeriod || from == 0 {
			break
		}
		if n := (until - from + period/2) / period; n > 0 {
			period = (until - from) / n // exactly
		}
		all = append(all, rhythm{period, from})
		if t.opt.Config.Period != 0 {
			break
		}
	}
	return all
}

// pings returns the times of the pings that the machine sent.
func (t *trial) pings() (all []time.Duration) {
	for _, i := range t.m.traffic {
		if m := t.c.messages[i]; m.from == t.m && m.command == ping {
			all = append(all, m.at)
		}
	}
	return all
}

// ping is the name of the command.
const ping = "PING"

// keepTime replays with other rhythms of pings if pings differ, and keeps the one with which least does.
func (t *trial) keepTime() error {
	differs := slices.ContainsFunc(t.best.Differences, func(d Difference) bool { return d.Message == ping })
	if !differs || t.m.modern { // one of ours has no such timer
		return nil
	}
	own := t.opt.Config
	defer func() { t.opt.Config = own }()
	for _, r := range t.rhythms() {
		r.set(&t.opt.Config)
		better, err := t.try(t.hidden)
		if err != nil {
			return err
		}
		if better {
			t.rhythm = r
		}
	}
	return nil
}

// set puts a rhythm into a configuration.
func (r rhythm) set(c *dpsp.Config) {
	if r != (rhythm{}) {
		c.Period, c.Grid = r.period, r.grid
	}
}

// note says it for people.
func (r rhythm) note() string {
	return "its ping timer is taken to elapse every " + r.period.Round(time.Millisecond).String() +
		", at fixed times, as that of Windows does"
}

// try replays with something hidden, and keeps it if it is better.
func (t *trial) try(h hidden) (better bool, err error) {
	party, silent, err := t.c.play(t.ctx, t.opt, t.m, t.role, h)
	if err != nil || party.wrong() >= t.best.wrong() {
		return false, err
	}
	t.best, t.silent, t.hidden = party, silent, h
	return true, nil
}

// wrong counts what differs.
func (p *Party) wrong() int { return p.Missing + p.Extra + p.Compared - p.Equal }

// hostLosses returns the places at which a message states that the host is gone, or at which one of our machines pings because a connection
// ended. A recording that a session made of itself does not have the ends of connections.
func (t *trial) hostLosses() []int {
	var all []int
	for place, i := range t.m.traffic {
		switch m := t.c.messages[i]; {
		case m.from == t.m && m.command == ping && t.m.modern, m.from != t.m && (m.command == "IAMNAMESERVER" || m.command == viewPrepare):
			all = append(all, place)
		}
	}
	return all
}

// stood reports whether a machine stood still until a time: pings that one machine sent one after the other reach it
// together, so they waited in its sockets.
func (t *trial) stood(until time.Duration) bool {
	ticks := map[netip.AddrPort]uint32{}
	for _, i := range t.m.traffic {
		m := t.c.messages[i]
		p, ok := m.env.Message.(*wire.Ping)
		if !ok || m.from == t.m || m.at < until || m.at > until+slack {
			continue
		}
		if tick, ok := ticks[m.src]; ok && p.Tick-tick > uint32(slack/time.Millisecond) {
			return true
		}
		ticks[m.src] = p.Tick
	}
	return false
}

// period returns the shortest time between pings of a machine to the same one, 0 if none shows: the machines of a session
// have the same timers as a rule, and one that hears from another does not ping it.
func (c *Capture) period() time.Duration {
	type pair struct{ from, to netip.AddrPort }
	last, least := map[pair]time.Duration{}, time.Duration(0)
	for _, msg := range c.messages {
		if msg.command != ping {
			continue
		}
		k := pair{msg.src, msg.dst}
		if at, ok := last[k]; ok && (least == 0 || msg.at-at < least) && msg.at-at >= minPeriod {
			least = msg.at - at
		}
		last[k] = msg.at
	}
	return least.Round(10 * time.Millisecond) // timers are late, by less than that
}

// minPeriod is below every period: pings that come closer waited in a socket together.
const minPeriod = 50 * time.Millisecond
