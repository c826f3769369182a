// Package bridging shows a bridged session to its user, and does what the user wants of it.
package bridging

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
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
	Cut(slot int) error
	Asking() []bridge.Asked
	Answer(id link.ID, yes bool) error
	LetHost(on bool) error
	Close() error
}

// nameOf returns what a machine is called: with its number, if another one of the session is called so as well.
func nameOf(m *bridge.Member) string {
	return namedObject(m).Called()
}

// asker returns what a newcomer is called.
func asker(name string) string { return cmp.Or(captures.Printable(name), "a machine without a name") }

// find returns a machine of others, which is named as the table does, or by its number. Machines choose their names, which can be
// numbers of others: "#3" is the number alone.
func find(members []bridge.Member, who string) (*bridge.Member, error) {
	digits, alone := strings.CutPrefix(who, "#")
	number, err := strconv.Atoi(digits)
	if err != nil {
		number, alone = math.MinInt, false // no machine has it
	}
	var found []*bridge.Member
	var names, numbers []string
	byNumber := false
	for i := range members {
		m := &members[i]
		name := nameOf(m)
		names = append(names, name)
		named := slices.ContainsFunc([]string{name, cmp.Or(captures.Printable(m.Name), name)}, func(n string) bool { return strings.EqualFold(n, who) })
		if m.Slot == number || named && !alone {
			byNumber = byNumber || m.Slot == number
			found, numbers = append(found, m), append(numbers, fmt.Sprintf(`"#%d"`, m.Slot))
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("there is no %q in the session%s", who, cli.Nearest(who, names))
	case len(found) > 1 && byNumber:
		return nil, fmt.Errorf("%q is the name of one machine and the number of another: say %s", who, strings.Join(numbers, " or "))
	case len(found) > 1:
		return nil, fmt.Errorf("there are several machines called %q: say the number", who)
	case found[0].Self:
		return nil, errors.New("that is this machine: Ctrl-C leaves")
	}
	return found[0], nil
}

// kick sends a machine away for all, where this machine may.
func kick(s Session, who string) (*bridge.Member, error) {
	members := s.Members()
	m, err := find(members, who)
	if err != nil {
		return nil, err
	}
	err = s.Kick(m.Slot, "")
	if errors.Is(err, bridge.ErrNotKeeper) {
		err = errors.New(whoKicks(members, m) + `. "cut" instead of "kick" parts it from this machine alone, and most games need every two ` +
			"machines connected")
	}
	return m, err
}

// keeper returns the machine that lets newcomers in; nil if none is known.
func keeper(members []bridge.Member) *bridge.Member {
	if at := slices.IndexFunc(members, func(m bridge.Member) bool { return m.Keeper }); at >= 0 {
		return &members[at]
	}
	return nil
}

// whoKicks says who can send a machine away for all.
func whoKicks(members []bridge.Member, m *bridge.Member) string {
	name := "another machine"
	if k := keeper(members); k != nil {
		name = nameOf(k)
	}
	if m.Keeper {
		return name + " lets newcomers in, and nobody can send it away for all"
	}
	return fmt.Sprintf("%s lets newcomers in: only there can %s be sent away for all", name, nameOf(m))
}

// cut parts a machine from this one alone, where this one may not send it away.
func cut(s Session, who string) (*bridge.Member, error) {
	members := s.Members()
	m, err := find(members, who)
	switch {
	case err != nil:
		return nil, err
	case slices.ContainsFunc(members, func(m bridge.Member) bool { return m.Self && m.Keeper }):
		return nil, fmt.Errorf(`this machine lets newcomers in: "kick" sends %s away for all`, nameOf(m))
	}
	return m, s.Cut(m.Slot)
}

// SentAway and CutOff say what was done to a machine.
func SentAway(name string) string { return name + " was sent away" }

// CutOff says that a machine was parted from this one alone.
func CutOff(name string) string {
	return name + " was cut off from this machine alone: the others still have it"
}

// pick returns a newcomer of those who ask, by its name, or by the id that machine_asks has; "": the one that came first.
func pick(all []bridge.Asked, who string) (*bridge.Asked, error) {
	at := slices.IndexFunc(all, func(a bridge.Asked) bool {
		return who == "" || strings.EqualFold(asker(a.Name), who) || strings.EqualFold(hex.EncodeToString(a.ID[:]), who)
	})
	switch {
	case len(all) == 0:
		return nil, errNobodyAsks
	case at < 0:
		var names []string
		for _, a := range all {
			names = append(names, asker(a.Name))
		}
		return nil, fmt.Errorf("%q does not ask; there is %s", who, strings.Join(names, ", "))
	}
	return &all[at], nil
}

// admit answers a newcomer.
func admit(s Session, who string, yes bool) (*bridge.Asked, error) {
	a, err := pick(s.Asking(), who)
	if err != nil {
		return nil, err
	}
	return a, s.Answer(a.ID, yes)
}

// Admit answers a newcomer, by its name; "": the one that came first. It returns what the newcomer is called.
func Admit(s Session, who string, yes bool) (name string, err error) {
	a, err := admit(s, who, yes)
	if err != nil {
		return "", err
	}
	return asker(a.Name), nil
}

var errNobodyAsks = errors.New("nobody asks")

// MayComeIn and MayNotComeIn say what was answered.
func MayComeIn(name string) string { return name + " may come in" }

// MayNotComeIn says that a newcomer was refused.
func MayNotComeIn(name string) string { return name + " may not come in" }

// An asking is the newcomers who wait for an answer, the first one first, as the user was told.
type asking []bridge.Asked

// answer answers one.
func (a *asking) answer(s Session, id link.ID, yes bool) error {
	a.forget(id)
	err := s.Answer(id, yes)
	if errors.Is(err, bridge.ErrNobodyThere) {
		return errNobodyAsks
	}
	return err
}

// learn takes in an event.
func (a *asking) learn(e bridge.Event) {
	switch e := e.(type) {
	case bridge.Asked:
		*a = append(*a, e)
	case bridge.Unasked:
		a.forget(e.ID)
	case bridge.Joined: // another terminal said yes
		a.forget(e.Member.ID)
	}
}

func (a *asking) forget(id link.ID) {
	*a = slices.DeleteFunc(*a, func(q bridge.Asked) bool { return q.ID == id })
}
