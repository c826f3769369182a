// Package bridging shows a bridged session to its user, and does what the user wants of it.
package bridging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// A Session is a bridge.Session.
type Session interface {
	Code() string
	Events() <-chan bridge.Event
	Members() []bridge.Member
	Ways(ctx context.Context) ([]bridge.PairWay, error)
	Kick(slot int, reason string) error
	Answer(id link.ID, yes bool) error
	Close() error
}

// nameOf returns what a machine is called.
func nameOf(m *bridge.Member) string {
	if m.Name == "" {
		return fmt.Sprintf("machine %d", m.Slot)
	}
	return captures.Printable(m.Name)
}

// kick sends a machine away, which is named as the table does, or by its number.
func kick(s Session, who string) (*bridge.Member, error) {
	members := s.Members()
	fits := func(m bridge.Member) bool { return strings.EqualFold(nameOf(&m), who) }
	at := slices.IndexFunc(members, fits)
	if n, err := strconv.Atoi(who); at < 0 && err == nil {
		fits = func(m bridge.Member) bool { return m.Slot == n }
		at = slices.IndexFunc(members, fits)
	}
	switch {
	case at < 0:
		var names []string
		for i := range members {
			names = append(names, nameOf(&members[i]))
		}
		return nil, fmt.Errorf("there is no %q in the session%s", who, cli.Nearest(who, names))
	case slices.ContainsFunc(members[at+1:], fits):
		return nil, fmt.Errorf("there are several machines called %q: say the number", who)
	case members[at].Self:
		return nil, errors.New("that is this machine: Ctrl-C leaves")
	}
	return &members[at], s.Kick(members[at].Slot, "")
}

// An asking is the newcomers who wait for an answer, the first one first.
type asking []bridge.Asked

// answer answers the first one.
func (a *asking) answer(s Session, yes bool) error {
	if len(*a) == 0 {
		return errors.New("nobody asks")
	}
	first := (*a)[0]
	*a = (*a)[1:]
	return s.Answer(first.ID, yes)
}

// learn takes in an event.
func (a *asking) learn(e bridge.Event) {
	switch e := e.(type) {
	case bridge.Asked:
		*a = append(*a, e)
	case bridge.Joined: // perhaps another terminal answered
		*a = slices.DeleteFunc(*a, func(q bridge.Asked) bool { return q.ID == e.Member.ID })
	}
}
