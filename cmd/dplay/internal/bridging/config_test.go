package bridging

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConfig reads what users write into the file.
func TestConfig(t *testing.T) {
	c := &Config{Path: "bridge.toml"}
	require.NoError(t, c.parse([]byte("\ufeffrelay = \"203.0.113.5\"\r\nname = \"Ann\"\r\n")))
	assert.Equal(t, "Ann", c.Name)
	require.Len(t, c.Relays, 1)
	assert.Equal(t, "203.0.113.5", c.Relays[0].String())
	require.NoError(t, (&Config{}).parse([]byte(`relay = ["203.0.113.5", "relay.example.org"]`)))
	const takes = `; it takes lines such as relay = "203.0.113.5" and name = "Ann"`
	for text, want := range map[string]string{
		"name = \"Ann\"\nrelay = 203.0.113.5": "bridge.toml, line 2: that cannot be read" + takes,
		"\n\nrelais = \"203.0.113.5\"":        `bridge.toml, line 3: there is no key "relais"` + takes,
		"name = 3":                            "bridge.toml, line 1: that cannot be read" + takes,
		"relay = 3":                           `bridge.toml: relay is one text or a list of them, such as relay = "203.0.113.5"`,
	} {
		assert.EqualError(t, (&Config{Path: "bridge.toml"}).parse([]byte(text)), want, text)
	}
}
