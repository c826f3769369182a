// Package bridging shows a bridged session to its user, and does what the user wants of it.
package bridging

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
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
	alone = alone && err == nil
	var found []*bridge.Member
	var names, numbers []string
	byNumber := false
	for i := range members {
		m := &members[i]
		o := namedObject(m)
		names = append(names, o.Called())
		isNumber := err == nil && m.Slot == number
		if isNumber || !alone && (strings.EqualFold(o.Called(), who) || strings.EqualFold(o.Name, who)) {
			byNumber = byNumber || isNumber
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
func kick(s Session, who string) (*MachineObject, error) {
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
	return ObjectOf(m), err
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
func cut(s Session, who string) (*MachineObject, error) {
	members := s.Members()
	m, err := find(members, who)
	if err != nil {
		return nil, err
	}
	if k := keeper(members); k != nil && k.Self {
		return nil, fmt.Errorf(`this machine lets newcomers in: "kick" sends %s away for all`, nameOf(m))
	}
	return ObjectOf(m), s.Cut(m.Slot)
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

// Admit answers a newcomer, by its name or id; "": the one that came first. It returns the newcomer.
func Admit(s Session, who string, yes bool) (*bridge.Asked, error) {
	a, err := pick(s.Asking(), who)
	if err != nil {
		return nil, err
	}
	return a, s.Answer(a.ID, yes)
}

var errNobodyAsks = errors.New("nobody asks")

// MayComeIn returns the line about a newcomer that got a yes.
func MayComeIn(name string) string { return asker(name) + " may come in" }

// MayNotComeIn returns the line about a newcomer that got a no.
func MayNotComeIn(name string) string { return asker(name) + " may not come in" }

// A state is what a display keeps of a session, from its events.
type state struct {
	s       Session
	asked   []bridge.Asked // newcomers who wait for an answer, the first one first, as the user was told
	steady  steady
	letting bool // games here may host beside that of another machine, and so do not find its session: as the user asked last
}

func newState(s Session) state {
	st := state{s: s}
	st.steady.begin(s.Members())
	return st
}

// answer answers a newcomer, and returns the line that tells the user. A no has none, because an event follows it.
func (st *state) answer(a bridge.Asked, yes bool) (lines []string, err error) {
	st.forget(a.ID)
	err = st.s.Answer(a.ID, yes)
	switch {
	case errors.Is(err, bridge.ErrNobodyThere):
		return nil, errNobodyAsks
	case err != nil || !yes:
		return nil, err
	}
	return []string{MayComeIn(a.Name)}, nil
}

// learn takes in an event.
func (st *state) learn(e bridge.Event) {
	switch e := inner(e).(type) {
	case bridge.Asked:
		st.asked = append(st.asked, e)
	case bridge.Unasked:
		st.forget(e.ID)
	case bridge.Joined: // another terminal said yes
		st.forget(e.Member.ID)
	case local.Hosting:
		st.letting = st.letting && e.On
	}
}

func (st *state) forget(id link.ID) {
	st.asked = slices.DeleteFunc(st.asked, func(q bridge.Asked) bool { return q.ID == id })
}

// hosts returns a sentence about the machines whose games host, and what the user can do. back takes back that a game here may host.
func (st *state) hosts(members []bridge.Member, back string) string {
	if !st.letting {
		back = ""
	}
	return hostsText(members, st.steady.playing(), back)
}
