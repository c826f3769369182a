package sock

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
)

// The numbers in the table of SECURITY.md are those of the code. Those of package dpsp have a test there.
func TestBudgets(t *testing.T) {
	size, count := testkit.Size[int64], testkit.Count[int]
	places := func(s share) []string { return []string{"-", count(s.each), count(s.places)} }
	octets := func(s share) []string { return []string{"-", size(int64(s.octetsEach)), size(int64(s.octets))} }
	events := func(r room) string { return testkit.Count(r.events) + ", " + size(r.octets) }
	trials := places(defaults.trials)
	d := defaults
	table := testkit.Table(t, "../../SECURITY.md", "resource")
	for resource, want := range map[string][]string{
		"octets that wait to be sent over TCP":          {size(int64(d.octets)), "-", size(d.queues.soft) + ", " + size(d.queues.hard)},
		"connections to us: strangers":                  places(d.guests[dpsp.Stranger]),
		"connections to us: with newcomers":             places(d.guests[dpsp.Newcomer]),
		"connections to us: with members":               places(d.guests[dpsp.Member]),
		"octets of unfinished messages: strangers":      octets(d.guests[dpsp.Stranger]),
		"octets of unfinished messages: with newcomers": octets(d.guests[dpsp.Newcomer]),
		"octets of unfinished messages: with members":   octets(d.guests[dpsp.Member]),
		"dials because of strangers' datagrams":         places(d.dials[dpsp.Stranger]),
		"dials because of strangers":                    places(d.dials[dpsp.Newcomer]),
		"dials to addresses that never called":          {"-", trials[1] + " a minute", trials[2] + " a minute"},
		"events that wait for the program":              {events(d.events), "-", events(d.backlog)},
		"datagrams that wait for their turn":            {count(maxMail), "-", count(maxMail)},
	} {
		if assert.Contains(t, table, resource) {
			assert.Equal(t, want, table[resource][:3], resource)
		}
	}
	assert.Equal(t, "1m0s", d.trialHold.String())
	assert.Equal(t, "1s", d.queues.behind.String())
}
