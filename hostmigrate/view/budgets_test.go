package view

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/internal/testkit"
)

// The numbers in the table of SECURITY.md are those of the code.
func TestBudgets(t *testing.T) {
	size, count := testkit.Size[int], testkit.Count[int]
	changes := count(maxChanges) + ", then one in " + count(changePeriods) + " ping periods"
	table := testkit.Table(t, "../../SECURITY.md", "resource")
	for resource, want := range map[string][]string{
		"the list of a view, or the part of it that is lacking":          {count(maxServed) + " a ping period", "-", "-"},
		"view changes that a member, or a program that was lost, causes": {changes, "-", "-"},
		"requests to be let in that end without a new member":            {"-", changes, "-"},
		"claims of a leader, to members that it lost":                    {"-", "-", count(maxClaimed) + " a ping period"},
		"octets of messages about views of which parts have come":        {size(maxOwn), "-", size(maxKept)},
	} {
		if assert.Contains(t, table, resource) {
			assert.Equal(t, want, table[resource][:3], resource)
		}
	}
}
