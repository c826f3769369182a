package play

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// TestBridgeHappened says what happens over the internet among what players say: the code once, nothing that the session tells as
// well, and why it ends.
func TestBridgeHappened(t *testing.T) {
	t.Parallel()
	ann := bridge.Member{Name: "Ann", Linked: true, Hosts: true, Way: link.Way{Direct: true}}
	var out bytes.Buffer
	p := newPlaying(&Common{Events: flags.Choice{Value: "text"}}, cli.Streams{Out: &out})
	for _, c := range []struct {
		b    bridged
		e    bridge.Event
		want string
	}{
		{bridged{shared: true}, bridge.Opened{Code: "A0"},
			"* those who are to join type: dplay join A0\n* with a game they type dplay bridge join, and the same code\n"},
		{bridged{}, bridge.Opened{Code: "A0"}, "* connected over the internet\n"},
		{bridged{}, bridge.Joined{Member: ann}, "* Ann's machine is here, direct\n"},
		{bridged{}, bridge.GameHosts{Member: ann}, ""},
		{bridged{}, bridge.Local{Event: local.Playing{On: true}}, ""},
		{bridged{}, bridge.Ended{}, ""},
		{bridged{}, bridge.CodeChanged{Code: "B0"}, "* the code is another one now, for newcomers: B0\n"},
		{bridged{}, bridge.Asked{Name: "Bob"},
			"* Bob wants to join: \"dplay bridge admit\" in another terminal lets it in, \"dplay bridge refuse\" does not\n"},
	} {
		out.Reset()
		assert.NoError(t, c.b.happened(p, c.e, true))
		assert.Equal(t, c.want, out.String())
	}
	assert.Equal(t, "B0", p.roster.Code)
	p.person = true
	out.Reset()
	assert.NoError(t, new(bridged).happened(p, bridge.Asked{Name: "Bob"}, true))
	assert.Equal(t, "* Bob wants to join: /admit lets it in, /refuse does not\n", out.String())
	out.Reset()
	assert.EqualError(t, new(bridged).happened(p, bridge.Ended{Reason: "this machine was sent away\x1b"}, true),
		"out of the session over the internet: this machine was sent away\ufffd")
	assert.Empty(t, out.String())
}

// TestBridgeSlashes: newcomers can be answered where there can be some.
func TestBridgeSlashes(t *testing.T) {
	t.Parallel()
	names := func(p *playing) (all []string) {
		for _, s := range p.slashes() {
			all = append(all, s.name)
		}
		return all
	}
	assert.Equal(t, []string{"/who", "/to", "/name", "/quit", "/help"}, names(&playing{}))
	assert.Equal(t, []string{"/who", "/to", "/name", "/admit", "/refuse", "/quit", "/help"}, names(&playing{bridged: bridged{open: bridge.Share}}))
}
