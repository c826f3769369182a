package wire_test

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGUID uses the application GUID of facts 8: its octets and its notation are both given there.
func TestGUID(t *testing.T) {
	g := wire.GUID{0x3e, 0xe0, 0xcf, 0xbd, 0xec, 0xf0, 0x5b, 0x41, 0x82, 0x11, 0x6f, 0x86, 0xd8, 0x19, 0x7f, 0xe1}
	const s = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"
	assert.Equal(t, s, g.String())
	assert.Equal(t, "id "+s, string(g.AppendText([]byte("id "))))
	for _, in := range []string{s, s[1:37], "{BDCFE03E-F0EC-415B-8211-6F86D8197FE1}", "bdcfe03e-F0EC-415b-8211-6f86d8197fe1"} {
		got, err := wire.ParseGUID(in)
		require.NoError(t, err, in)
		assert.Equal(t, g, got, in)
	}
	assert.False(t, g.IsZero())
	assert.True(t, wire.GUID{}.IsZero())
	assert.Equal(t, "{00000000-0000-0000-0000-000000000000}", wire.GUID{}.String())
}

func TestGUIDRefused(t *testing.T) {
	for _, in := range []string{
		"", "{}", "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1", "bdcfe03e-f0ec-415b-8211-6f86d8197fe1}",
		"{{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}}", "{bdcfe03ef0ec415b82116f86d8197fe1}", "{bdcfe03e-f0ec-415b-8211-6f86d8197fe}",
		"{bdcfe03e-f0ec-415b-8211-6f86d8197fe1a}", "{bdcfe03g-f0ec-415b-8211-6f86d8197fe1}", "{bdcfe03e-f0ec-415b-82116-f86d8197fe1}",
		"{bdcfe03e0f0ec-415b-8211-6f86d8197fe1}", "{bdcfe03e-f0ec0415b-8211-6f86d8197fe1}", "{bdcfe03e-f0ec-415b08211-6f86d8197fe1}",
		"{bdcfe03e-f0ec-415b-821106f86d8197fe1}", "{bdcfe03e-f0ec-415b-8211-6f86d8197f-1}", " {bdcfe03e-f0ec-415b-8211-6f86d8197fe1}",
		"{bdcfe03-ef0ec-415b-8211-6f86d8197fe1}",
	} {
		g, err := wire.ParseGUID(in)
		assert.Error(t, err, "%q", in)
		assert.True(t, g.IsZero())
	}
}
