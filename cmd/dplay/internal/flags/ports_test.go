package flags

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/games"
	"dplay4/wire"
)

// TestPorts takes ports and ranges, and says of anything else what is wrong with it.
func TestPorts(t *testing.T) {
	var p Ports
	assert.Empty(t, p.String())
	for s, want := range map[string]wire.Ports{
		"31415": {First: 31415, Last: 31415}, "2300-2349": {First: 2300, Last: 2349}, "1-65535": {First: 1, Last: 65535},
		"65535": {First: 65535, Last: 65535},
	} {
		require.NoError(t, p.Set(s))
		assert.Equal(t, want, p.Ports)
		assert.Equal(t, s, p.String())
	}
	require.NoError(t, p.Set("7-7"))
	for s, why := range map[string]string{
		"":                     "is empty",
		"2349-2300":            "goes backwards: want 2300-2349",
		"0":                    "0 is no port: they go from 1 to 65535",
		"0-5":                  "0 is no port",
		"5-0":                  "0 is no port",
		"65536":                "65536 is no port: they go from 1 to 65535",
		"2300-99999":           "99999 is no port",
		"99999999999999999999": "is no port",
		"x":                    `"x" is no number`,
		"2300-":                `"" is no number: want a port or FROM-TO, such as 2300-2349`,
		"-2300":                `"" is no number`,
		"2300-x":               `"x" is no number`,
		"1-2-3":                `"2-3" is no number`,
		"2300 - 5":             `"2300 " is no number`,
		"+5":                   `"+5" is no number`,
	} {
		require.ErrorContains(t, p.Set(s), why, s)
	}
	assert.Equal(t, "7", p.String(), "what is wrong changes nothing")
}

// A game's ports count unless others are given, each by itself.
func TestListening(t *testing.T) {
	loco, ok := games.ByName("lego-loco")
	require.True(t, ok)
	one := wire.Ports{First: 5, Last: 5}
	var f Listening
	for _, c := range []struct {
		app             wire.GUID
		given, tcp, udp wire.Ports
	}{
		{wire.GUID{}, wire.Ports{}, wire.StreamPorts, wire.DatagramPorts},
		{wire.GUID{7}, wire.Ports{}, wire.StreamPorts, wire.DatagramPorts},
		{loco.GUID, wire.Ports{}, loco.StreamPorts, loco.DatagramPorts},
		{loco.GUID, one, one, loco.DatagramPorts},
		{wire.GUID{}, one, one, wire.DatagramPorts},
	} {
		f.TCP.Ports = c.given
		tcp, udp := f.Of(c.app)
		assert.Equal(t, c.tcp, tcp)
		assert.Equal(t, c.udp, udp)
	}
	f.UDP.Ports = one
	_, udp := f.Of(loco.GUID)
	assert.Equal(t, one, udp)
}
