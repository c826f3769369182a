package bridgecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge"
)

// tellMachines tells how octets go to the machines of a session.
func (c *check) tellMachines(list []*bridging.MachineObject) {
	others := slices.DeleteFunc(slices.Clone(list), func(m *bridging.MachineObject) bool { return m.Self })
	for _, m := range others {
		text := m.Name + ": " + m.Way
		if m.RoundTrip != nil {
			text += fmt.Sprintf(", round trip %.1f ms, %.0f %% lost", *m.RoundTrip*1000, *m.Loss*100)
		}
		if m.Over != "" {
			text += " (" + captures.Printable(m.Over) + ")"
		}
		c.tell(machineObject{"machine", m}, "%s", text)
		if m.Way == "none" {
			c.problem("there is no way to %s at the moment", m.Name)
		}
	}
	relayed := !slices.ContainsFunc(others, func(m *bridging.MachineObject) bool { return m.Way != "relayed" })
	strict := slices.Contains([]natkind.Kind{natkind.Symmetric, natkind.Unknown}, c.kind)
	switch {
	case len(others) == 0:
		c.say("nobody else is in the session")
	case relayed && !strict:
		c.say("all of that is relayed: with --force-relay, here or there, or because the routers there let nothing through directly")
	}
}

// tellRunning tells how octets go between the other machines of a session that a bridge on this machine is in.
func (c *check) tellRunning(ctx context.Context, machines []*bridging.MachineObject) error {
	const fewest = 3 // of which two are others
	if len(machines) < fewest {
		return nil
	}
	others, err := c.ways(ctx)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		c.Std.Tell("the bridge of this machine does not say how octets go between the others: " + err.Error())
	}
	c.tellPairs(others.Pairs)
	return nil
}

// tellPairs tells how octets go between other machines.
func (c *check) tellPairs(list []*bridging.PairObject) {
	lines := bridging.PairLines(list)
	for i, p := range list {
		c.tell(pairObject{"pair", p}, "%s", lines[i])
		if p.Way == "none" {
			c.problem("there is no way between %s and %s at the moment", p.A.Name, p.B.Name)
		}
	}
}

// answerMost is how long a session has to let us in.
const answerMost = time.Minute

// errLate is why an attempt to get into a session was given up.
var errLate = errors.New("it takes too long")

// enter joins the session without a game. It waits for the yes of who is there, but not for ever.
func (c *check) enter(ctx context.Context) (bridging.Session, error) {
	c.say("session: joining it for a moment as " + c.Name +
		". If it lets nobody in without a yes, somebody there has to give it, within a minute")
	entering, giveUp := context.WithCancelCause(ctx)
	late := time.AfterFunc(answerMost, func() { giveUp(errLate) })
	s, err := c.join(entering, *c.With, bridge.Options{
		Name: c.Name, Visit: true, ForceRelay: c.ForceRelay, Waits: func(w bridge.Wait) { c.say(bridging.WaitText(w)) },
	})
	if late.Stop() || err != nil && !errors.Is(context.Cause(entering), errLate) {
		return s, err
	}
	if err == nil {
		s.Close() //nolint:errcheck // it is being closed
	}
	return nil, errLate
}

// visitSession joins the session, and tells how octets go to its machines.
func (c *check) visitSession(ctx context.Context) error {
	s, err := c.enter(ctx)
	switch {
	case ctx.Err() != nil:
		if err == nil {
			s.Close() //nolint:errcheck // it is left
		}
		return errInterrupted
	case errors.Is(err, errLate):
		c.problem("the session did not let %s in within a minute: where each newcomer needs a yes (--ask), somebody has to give it",
			c.Name)
		return nil
	case err != nil:
		c.problem("the session: %s", bridging.Trouble(ctx, err))
		return nil
	}
	defer s.Close()
	over := time.After(c.visit)
	for waiting := true; waiting; {
		select {
		case _, ok := <-s.Events():
			if !ok {
				return c.ended(ctx)
			}
		case <-over:
			waiting = false
		case <-ctx.Done():
			return errInterrupted
		}
	}
	var list []*bridging.MachineObject
	for _, m := range s.Members() {
		list = append(list, bridging.ObjectOf(&m))
	}
	c.tellMachines(list)
	pairs, err := s.Ways(ctx)
	if err != nil {
		return c.ended(ctx)
	}
	c.tellPairs(bridging.PairsOf(pairs))
	return nil
}

// ended says that the session is gone, unless it is we who go.
func (c *check) ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	c.problem("the session has ended")
	return nil
}
