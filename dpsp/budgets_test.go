package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/internal/admit"
	"dplay4/dpsp/internal/fragment"
	"dplay4/dpsp/internal/share"
	"dplay4/hostmigrate/object"
	"dplay4/internal/testkit"
)

// The numbers in the table of SECURITY.md are those of the code. Those of package sock have a test there.
func TestBudgets(t *testing.T) {
	size, count := testkit.Size[int], testkit.Count[int]
	both := func(n, octets int) string { return count(n) + ", " + size(octets) }
	table := testkit.Table(t, "../SECURITY.md", "resource")
	for resource, want := range map[string][]string{
		"lists of players on request":                      {count(maxLists) + " a ping period", count(admit.MaxAskersEach) + " a second", count(admit.MaxAskers) + " a second"},
		"octets of the list of players":                    {size(share.MaxOctets), size(share.MaxAddress), size(share.MaxAll)},
		"players and shortcuts in groups":                  {count(share.MaxLinks), "-", "-"},
		"octets of objects' states":                        {size(object.MaxMade), size(object.MaxSite), size(object.MaxOctets)},
		"octets of objects of departed machines":           {size(object.MaxKept), size(object.MaxKept), size(object.MaxOctets)},
		"octets of objects' states under way to a machine": {size(object.Window), "-", "-"},
		"objects":                             {count(object.MaxCreated), "-", count(object.MaxObjects)},
		"newcomers on their way in":           {"-", count(admit.MaxNewcomersEach), count(admit.MaxNewcomers)},
		"ids promised to a member":            {count(admit.MaxPromisesEach), "-", count(admit.MaxPromises)},
		"messages that wait for the list":     {"-", both(maxHeldEach, maxHeldOctetsEach), both(maxHeld, maxHeldOctets)},
		"messages that wait for their sender": {"-", both(maxEarlyEach, maxEarlyOctetsEach), both(maxEarly, maxEarlyOctets)},
		"large messages in fragments":         {count(fragment.MaxEach), "-", both(fragment.MaxParts, fragment.MaxOctets)},
	} {
		if assert.Contains(t, table, resource) {
			assert.Equal(t, want, table[resource][:3], resource)
		}
	}
}
