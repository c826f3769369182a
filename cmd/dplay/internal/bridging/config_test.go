package bridging

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

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
	c = &Config{}
	require.NoError(t, c.parse([]byte("ask = true\nforce-relay = true\n")))
	assert.True(t, c.Ask && c.ForceRelay)
	for _, order := range []interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}{binary.LittleEndian, binary.BigEndian} {
		var text []byte
		for _, unit := range utf16.Encode([]rune("\ufeffrelay = \"203.0.113.5\"\r\nname = \"Änn \U0001F3B2\"\r\n")) {
			text = order.AppendUint16(text, unit)
		}
		c := &Config{}
		require.NoError(t, c.parse(text), "as PowerShell 5 writes it")
		assert.Equal(t, "Änn \U0001F3B2", c.Name)
		assert.Len(t, c.Relays, 1)
	}
	const takes = `; it takes lines such as relay = "203.0.113.5", name = "Ann", ask = true and force-relay = true`
	for text, want := range map[string]string{
		"name = \"Ann\"\nrelay = 203.0.113.5": "bridge.toml, line 2: that cannot be read" + takes,
		"\n\nrelais = \"203.0.113.5\"":        `bridge.toml, line 3: there is no key "relais"` + takes,
		"name = 3":                            "bridge.toml, line 1: that cannot be read" + takes,
		"relay = 3":                           `bridge.toml: relay is one text or a list of them, such as relay = "203.0.113.5"`,
	} {
		assert.EqualError(t, (&Config{Path: "bridge.toml"}).parse([]byte(text)), want, text)
	}
}
