package directplay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestEnumConnections is Wine's test of that name: which providers there are is left open there, three or four.
func TestEnumConnections(t *testing.T) {
	for _, c := range []struct {
		flags    uint32
		callback bool
		count    int
		told     uint32
		code     wire.HResult
	}{
		{0, true, 4, ConnectionDirectPlay, wire.OK},
		{ConnectionDirectPlay, true, 4, ConnectionDirectPlay, wire.OK},
		{ConnectionDirectPlayLobby, true, 0, 0, wire.OK},
		{ConnectionDirectPlay | ConnectionDirectPlayLobby, true, 4, ConnectionDirectPlay | ConnectionDirectPlayLobby, wire.OK},
		{0, false, 0, 0, wire.ErrInvalidParams},
		{^uint32(ConnectionDirectPlay | ConnectionDirectPlayLobby), true, 0, 0, wire.ErrInvalidFlags},
	} {
		list, code := EnumConnections(c.flags, c.callback)
		assert.Equal(t, c.code, code)
		require.Len(t, list, c.count)
		for _, l := range list {
			assert.Equal(t, c.told, l.Flags)
			assert.Len(t, l.Address, 80)
			n, err := ReadAddress(l.Address)
			require.NoError(t, err)
			assert.Equal(t, Network{Provider: l.Provider}, n, "it names no machine")
		}
	}
	list, _ := EnumConnections(0, true)
	assert.Equal(t, octets(t, goldenConnection), list[1].Address)
	assert.Equal(t, "IPX Connection For DirectPlay", list[1].Name)
}

func TestEnumProviders(t *testing.T) {
	_, code := EnumProviders(false)
	assert.Equal(t, wire.ErrInvalidParams, code)
	list, code := EnumProviders(true)
	require.Equal(t, wire.OK, code)
	var guids []wire.GUID
	for i, p := range list {
		guids = append(guids, p.GUID)
		if i > 0 {
			assert.Less(t, strings.ToLower(list[i-1].Name), strings.ToLower(p.Name), "in the order of the registry")
		}
	}
	assert.Equal(t, []wire.GUID{ProviderTCP, ProviderIPX, ProviderModem, ProviderSerial}, guids)
	list[0].Name = "changed"
	again, _ := EnumProviders(true)
	assert.Equal(t, "Internet TCP/IP Connection For DirectPlay", again[0].Name, "the list is the caller's own")
}
