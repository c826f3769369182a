package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/internal/testkit"
	"dplay4/wire"
)

// The numbers in the table of SECURITY.md are those of the code.
func TestBudgets(t *testing.T) {
	size, count := testkit.Size[int], testkit.Count[int]
	then := ", then one in " + count(changePeriods) + " ping periods"
	var kinds []string // of view changes, each of which is counted apart
	c := New(Config{Period: time.Second})
	for _, step := range []wire.ViewStep{wire.ViewPrepare, wire.ViewRefuse, wire.ViewAck, claimant(1).what, wire.ViewJoin} {
		kinds = append(kinds, step.String())
		for i := range maxChanges + 1 {
			assert.Equal(t, i < maxChanges, c.changes(spender{who: 1, what: step}), step)
		}
	}
	for _, step := range []wire.ViewStep{wire.ViewClaim, wire.ViewAsk} {
		for i := range maxPassed + 1 {
			assert.Equal(t, i < maxPassed, c.servesStranger(&wire.ExtensionView{Step: step}), step)
		}
	}
	table := testkit.Table(t, "../../SECURITY.md", "resource")
	for resource, want := range map[string][]string{
		"the list of a view, or the part of it that is lacking":          {count(maxServed) + " a ping period of each kind of request", "-", "-"},
		"view changes that a member, or a program that was lost, causes": {count(maxChanges) + " of each kind (" + strings.Join(kinds, ", ") + ")" + then, "-", "-"},
		"messages about views of programs that are no members":           {"-", count(maxPassed) + " a ping period of each kind", "-"},
		"requests to be let in that end without a new member":            {"-", count(maxChanges) + then, "-"},
		"claims of a leader, to members that it lost":                    {"-", "-", count(maxClaimed) + " a ping period"},
		"octets of messages about views of which parts have come":        {size(maxOwn) + "; " + size(maxParts*maxPart) + " of a list that was asked for", "-", size(maxKept)},
	} {
		if assert.Contains(t, table, resource) {
			assert.Equal(t, want, table[resource][:3], resource)
		}
	}
}
