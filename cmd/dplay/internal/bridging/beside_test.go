package bridging

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestBeside: who has no port because of a bridge is told what to do, and nobody else.
func TestBeside(t *testing.T) {
	t.Parallel()
	const bridge, game = "dplay (process 7)", "python3 (process 8)"
	lists, plan := wire.Ports{First: wire.EnumPort, Last: wire.EnumPort}, wire.StreamPorts
	for _, c := range []struct {
		ports  wire.Ports
		by     []string
		bridge string
		want   string
	}{
		{plan, []string{game, bridge}, bridge, "dplay (process 7) is the bridge: it leaves ports to one program at a time, to play or to " +
			"search, and python3 (process 8) has them: end that first"},
		{plan, []string{bridge}, bridge, "That is the bridge, which stands there for other machines"},
		{lists, []string{bridge}, bridge, "the game of another machine in its session hosts: join it, or say host to the bridge first"},
		{lists, []string{game}, bridge, ""},
		{plan, []string{game}, "", ""},
		{plan, nil, "", ""},
	} {
		err := &sock.TakenError{Ports: c.ports, By: c.by}
		got := explainTaken(err, c.bridge)
		require.ErrorIs(t, got, err)
		assert.Contains(t, got.Error(), c.want)
		if c.want == "" {
			assert.Equal(t, err, got)
		}
	}
	at := testkit.Addr(t)
	s, err := sock.Open(sock.Options{Bind: at})
	require.NoError(t, err)
	defer s.Close()
	one := wire.Ports{First: s.StreamAddr().Port(), Last: s.StreamAddr().Port()}
	_, err = sock.Open(sock.Options{Bind: at, StreamPorts: one})
	var taken *sock.TakenError
	require.ErrorAs(t, err, &taken)
	assert.Equal(t, one, taken.Ports)
	assert.Len(t, taken.By, 1)
	assert.Equal(t, err, Beside(context.Background(), err))
}
