package sock

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/trainhost"
	"dplay4/wire"
)

// train returns the options of who plays with package trainhost: its one port is everybody's.
func train(o Options) Options {
	o.StreamPorts, o.DatagramPorts = one(31415), one(31415)
	return o
}

// A host that answers to its own port number, whatever we say of ours, is found by who has that number too.
func TestFindTrainHost(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	at := hostLane(t)
	h, err := trainhost.Open(at[0], trainhost.Options{Application: testGame})
	require.NoError(t, err)
	defer h.Close()
	f, err := seek(ctx, train(Options{Bind: at[1]}), at[0], "", func(*Found) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, "LEGO International Train Server", f.Name)
	assert.EqualValues(t, 31415, f.Host.Port())
	assert.Equal(t, at[0], f.Host.Addr())
	assert.Equal(t, wire.SessionDirectPlayProtocol|wire.SessionOptimizeLatency, f.Desc.Flags)
	assert.EqualValues(t, 10, f.Desc.MaxPlayers)
}
