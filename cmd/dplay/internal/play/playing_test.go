package play

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp"
	"dplay4/internal/testkit"
)

// TestNewID: our player is the one that came with a new id.
func TestNewID(t *testing.T) {
	p := newPlaying(&Common{}, cli.Streams{})
	p.player = 0x11
	for _, e := range []dpsp.Event{
		dpsp.PlayerCreated{ID: 0x40, ShortName: "Bob"}, dpsp.PlayerDeleted{ID: 0x11}, dpsp.PlayerCreated{ID: 0x44, ShortName: "Ann", Local: true},
	} {
		assert.NoError(t, p.happened(t.Context(), e))
	}
	assert.EqualValues(t, 0x44, p.player)
}

// TestOwnAddresses: others reach us at addresses of IPv4, and at a loopback address if there is no other.
func TestOwnAddresses(t *testing.T) {
	for _, a := range ownAddresses() {
		assert.True(t, a.Is4() && (!a.IsLoopback() || len(ownAddresses()) == 1), a)
	}
}

// TestSocketOptions checks that the flags reach the engine.
func TestSocketOptions(t *testing.T) {
	for _, on := range []bool{false, true} {
		assert.Equal(t, on, (&Common{Compatible: on}).options(nil).Config.Compatible)
		assert.Equal(t, on, (&Common{Legacy: on}).options(nil).Config.Legacy)
	}
	assert.Nil(t, (&Common{}).options(nil).Record, "a nil record in an interface would be called")
}

// TestFor: what --for cuts off fails as by an interrupt, which is no trouble with the group.
func TestFor(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	f := &Common{Length: 1e8, Bind: flags.Address{Addr: testkit.Addr(t)}, Events: flags.Choice{Value: "text"}}
	p := newPlaying(f, cli.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &errs})
	settle := func(_ context.Context, p *playing) error {
		p.first = func(ctx context.Context) error {
			<-ctx.Done()
			p.tellGroup(ctx.Err())
			assert.ErrorIs(t, ctx.Err(), context.Canceled)
			return ctx.Err()
		}
		return nil
	}
	assert.NoError(t, p.run(t.Context(), func(context.Context, *playing) error { return nil }, settle))
	assert.Empty(t, errs.String())
}
