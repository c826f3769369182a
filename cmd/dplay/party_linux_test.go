package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestGroupMakerKilled kills the maker of a group, and the host with it: there is nobody to make a group with for a while.
// What the two that stay say meanwhile waits, and they hear each other once there is a host again.
func TestGroupMakerKilled(t *testing.T) {
	t.Parallel()
	a := newArena(t, "group")
	host := a.open(nil)
	maker := a.open(host, "--group", "Team")
	group := maker.event("member_added")["group"]
	stay := []*process{a.open(host, "--group", "Team"), a.open(host, "--group", "Team")}
	for _, p := range stay {
		p.read = 0
		for range 3 {
			p.event("member_added", "group", group)
		}
	}
	maker.kill()
	host.kill()
	for _, p := range stay {
		p.event("group_deleted", "id", group)
	}
	for _, p := range stay {
		p.types("at once")
	}
	for _, p := range stay {
		assert.NotEqual(t, group, p.event("chat", "text", "at once")["sent"])
	}
	for _, p := range stay {
		p.leaves()
		assert.Empty(t, p.stderr())
	}
}
