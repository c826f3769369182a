package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
	"dplay4/dpsp/bridge/plan"
)

// The errors that callers tell apart, besides those of package link.
var (
	// ErrEmpty means that nobody answers at the address of the code, though all its relays do. It is a link.ErrNobody.
	ErrEmpty = fmt.Errorf("%w any more, though the relay does", link.ErrNobody)
	// ErrFull means that the session has no slot left.
	ErrFull = errors.New("the session is full: it has 50 machines")
	// ErrNotLetIn means that somebody in the session said no, or nobody yes.
	ErrNotLetIn = errors.New("this machine was not let in")
	// ErrSentAway means that somebody in the session has kicked this machine.
	ErrSentAway = errors.New("this machine was sent away")
	// ErrAnother means that a bridge runs already on this machine.
	ErrAnother = errors.New("there is another bridge on this machine: end it first")
	// ErrLater means that the others have a version that does not understand this one.
	ErrLater = errors.New("the others have another version of dplay, which does not understand this one: get the newest everywhere")
	// ErrNobodyThere is what Kick, Cut and Answer give for a machine that is not there, or is no more.
	ErrNobodyThere = errors.New("there is no such machine in the session")
	// ErrNotKeeper is what Kick gives on a machine that is not the one that answers newcomers.
	ErrNotKeeper = errors.New("this machine is not the one that lets newcomers in: only that one can send others away")
)

// failure returns why a session cannot be had.
func (l *loop) failure(why plan.End) error {
	err := cmp.Or(failures[why.Reason], ErrNotLetIn)
	switch why.Reason {
	case plan.Nobody:
		return l.nobody(why.Text)
	case plan.Refused:
		return withText(err, cmp.Or(why.Text, "somebody in the session said no"))
	case plan.Kicked:
		return withText(err, why.Text)
	}
	return err
}

// failures are the errors for the ends of a plan that have one of their own.
var failures = map[string]error{plan.Left: link.ErrClosed, plan.Full: ErrFull, plan.Later: ErrLater, plan.Kicked: ErrSentAway}

// withText returns an error with a text for people, which may be empty.
func withText(err error, text string) error {
	if text == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, text)
}

// nobody returns why nobody answers who knocks, and what came of the last knock, if that is not all.
func (l *loop) nobody(knocked string) error {
	var silent []error
	for _, r := range l.net.Relays() {
		if !r.Relayed.IsValid() {
			silent = append(silent, fmt.Errorf("relay %s: %w", r.Name, cmp.Or(r.Err, link.ErrUnreachable)))
		}
	}
	switch {
	case len(silent) > 0:
		return fmt.Errorf("%w: %w", link.ErrNobody, errors.Join(silent...))
	case knocked != "":
		return withText(link.ErrNobody, knocked)
	}
	return ErrEmpty
}

// reasons are those of a plan, for people.
var reasons = map[string]string{
	plan.Left:    "it left",
	plan.Kicked:  "it was sent away",
	plan.Cut:     "it was cut off from this machine alone",
	plan.Refused: "it has cut this machine off",
	plan.Full:    "it has no room for this machine",
	plan.Lost:    "it has not answered for too long",
	plan.Later:   "it has another version of dplay",
}

// unasked are why newcomers do not wait for an answer any more, for people.
var unasked = map[string]string{
	plan.Refused:   "it was not let in",
	plan.Lost:      "it does not wait any more",
	plan.Elsewhere: "another machine lets newcomers in now, and is to say whether this one may come",
}

// reasonFor returns why a machine is gone, for people: a reason of the plan, behind which the words of who gave it may stand.
func reasonFor(reason string) string {
	word, words, said := strings.Cut(reason, ": ")
	text, known := reasons[word]
	switch {
	case !known:
		return reason
	case said:
		return text + ": " + words
	}
	return text
}

// running returns the game that runs already on this machine, if there is one, and the ports to wish for: those of the game, or ones
// that no other program has.
func running(random uint64) (game local.Game, wish filter.Ports, err error) {
	if name := Here(); name != "" {
		return game, wish, fmt.Errorf("%w: %s has the ports", ErrAnother, name)
	}
	game, found := find(local.Find(), func(g local.Game) bool { return g.Ports.TCP != 0 && g.Ports.UDP != 0 })
	if found {
		return game, game.Ports, nil
	}
	return game, local.Wish(random), nil
}
