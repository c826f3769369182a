package bridging

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// TestSteady holds back what is over in a moment, and tells what lasts, once.
func TestSteady(t *testing.T) {
	var s steady
	members := newMade("Ann", "Bob").members
	s.begin(members)
	now := time.Now()
	assert.Nil(t, s.wait(now))
	playing := func(on bool) bridge.Event { return bridge.Local{Event: local.Playing{On: on}} }
	keeper := func(i int) bridge.Event { return bridge.KeeperChanged{Member: members[i], Ask: true} }
	hosts := bridge.GameHosts{Member: bridge.Member{ID: members[1].ID, Hosts: true}}
	assert.False(t, s.hold(now, bridge.Joined{}))
	for _, e := range []bridge.Event{playing(true), playing(false), keeper(1), keeper(0), hosts, bridge.GameHosts{Member: members[1]}} {
		assert.True(t, s.hold(now, e))
	}
	assert.Nil(t, s.wait(now), "all is as it was")
	assert.Empty(t, s.due(now.Add(lasts)))

	s.hold(now, playing(true))
	s.hold(now.Add(lasts/4), hosts)
	s.hold(now.Add(lasts/2), playing(true))
	assert.Empty(t, s.due(now.Add(lasts-1)))
	assert.Equal(t, []bridge.Event{playing(true)}, s.due(now.Add(lasts)))
	<-s.wait(now.Add(lasts * 2))
	assert.Equal(t, []bridge.Event{hosts}, s.due(now.Add(lasts*2)))
	s.hold(now, playing(true))
	assert.Empty(t, s.due(now.Add(lasts*2)), "it is known")
	s.hold(now, playing(false))
	assert.Equal(t, []bridge.Event{playing(false)}, s.due(now.Add(lasts)))
	s.hold(now, keeper(1))
	assert.Equal(t, []bridge.Event{keeper(1)}, s.due(now.Add(lasts)))
}

// TestSteadyLeft has a machine leave whose game hosts, and come back: that it hosts is told anew. Nothing of it is told once it is gone.
func TestSteadyLeft(t *testing.T) {
	var s steady
	members := newMade("Ann", "Bob", "Cid").members
	s.begin(members)
	now := time.Now()
	hosting := func(i int) bridge.Event {
		return bridge.GameHosts{Member: bridge.Member{ID: members[i].ID, Hosts: true}}
	}
	s.hold(now, hosting(1))
	assert.Equal(t, []bridge.Event{hosting(1)}, s.due(now.Add(lasts)))
	assert.False(t, s.hold(now, bridge.Left{Member: members[1]}))
	s.hold(now, hosting(1))
	assert.Equal(t, []bridge.Event{hosting(1)}, s.due(now.Add(lasts)), "it is back")

	s.hold(now, hosting(2))
	s.hold(now, bridge.HostElsewhere{On: true, Member: members[2]})
	s.hold(now, bridge.Left{Member: members[1]})
	assert.NotNil(t, s.wait(now), "another one left")
	s.hold(now, bridge.Left{Member: members[2]})
	assert.Empty(t, s.due(now.Add(lasts)))
}
