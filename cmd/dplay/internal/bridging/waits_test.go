package bridging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// opened returns what is printed where a session is waited for that cannot be had.
func opened(t *testing.T, ctx context.Context, o Options, why error) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	o.Std = cli.Streams{In: strings.NewReader(""), Out: &b}
	err = o.Show(ctx, bridge.Options{}, func(ctx context.Context, opt bridge.Options) (*bridge.Session, error) {
		for _, w := range []bridge.Wait{bridge.ForRelay, bridge.ForSession, bridge.ForYes} {
			opt.Waits(w)
		}
		if why == nil {
			<-ctx.Done()
			why = context.Cause(ctx)
		}
		return nil, why
	})
	return b.String(), err
}

// TestWaits tells what is waited for, and why there is no session, to people and to programs.
func TestWaits(t *testing.T) {
	t.Parallel()
	out, err := opened(t, t.Context(), Options{}, bridge.ErrFull)
	assert.Equal(t, "waiting for a relay\nwaiting for the session to answer\nwaiting for somebody in the session to let this machine in\n", out)
	assert.ErrorIs(t, err, bridge.ErrFull)

	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		why    error
		reason string
		text   string
	}{
		{t.Context(), errors.Join(link.ErrNoRelay, errors.New("x")), "no-relay", `no relay can be used\nx`},
		{t.Context(), bridge.ErrEmpty, "nobody", "everybody has left"},
		{t.Context(), fmt.Errorf("%w: x", bridge.ErrNotLetIn), "not-let-in", "this machine was not let in: x"},
		{t.Context(), bridge.ErrSentAway, "sent-away", "sent away"},
		{t.Context(), bridge.ErrFull, "full", "full"},
		{t.Context(), bridge.ErrAnother, "another-bridge", "another bridge"},
		{t.Context(), bridge.ErrLater, "version", "version"},
		{interrupted, context.Canceled, "interrupted", "interrupted before"},
		{t.Context(), errors.New("x"), "other", "x"},
	} {
		out, err := opened(t, c.ctx, Options{NDJSON: true}, c.why)
		lines := strings.Split(out, "\n")
		assert.Error(t, err)
		for i, word := range []string{"relay", "session", "yes"} {
			assert.Contains(t, lines[i], `"event":"bridge_waiting","for":"`+word+`"}`)
		}
		assert.Contains(t, lines[3], `"event":"bridge_failed","reason":"`+c.reason+`","text":"`)
		assert.Contains(t, lines[3], c.text)
	}
}

// TestWaitsNoLonger gives a session up that is not there within the time.
func TestWaitsNoLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, err := opened(t, t.Context(), Options{NDJSON: true, Length: time.Minute}, nil)
		assert.EqualError(t, err, "the session was not there within the time of --for")
		assert.Contains(t, out, `"event":"bridge_failed","reason":"late"`)
	})
}

// TestEntered: who is interrupted on the way into a session gives up, and who is in it has still to say goodbye over it.
func TestEntered(t *testing.T) {
	t.Parallel()
	interrupted, cancel := context.WithCancel(t.Context())
	o := Options{Std: cli.Streams{In: strings.NewReader(""), Out: io.Discard}, NDJSON: true}
	var inside context.Context
	_, err := o.Enter(interrupted, bridge.Options{}, func(ctx context.Context, _ bridge.Options) (*bridge.Session, error) {
		inside = ctx
		return nil, nil
	})
	assert.NoError(t, err)
	cancel()
	assert.NoError(t, inside.Err())
	out, err := opened(t, interrupted, Options{NDJSON: true}, nil)
	assert.EqualError(t, err, "interrupted before the session was there")
	assert.Contains(t, out, `"event":"bridge_failed","reason":"interrupted"`)
}

// TestLinesLast has something last, which is told then, with what can be typed, and something that does not.
func TestLinesLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newMade("Ann")
		var out bytes.Buffer
		in, typed := io.Pipe()
		r := &shown{Options: &Options{Std: cli.Streams{In: in, Out: &out}}, state: newState(s), out: cli.NewOutput(&out)}
		go func() {
			defer typed.Close()
			s.events <- bridge.HostElsewhere{On: true, Member: bridge.Member{ID: link.ID{1}, Slot: 1, Name: "Bob"}}
			for _, on := range []bool{true, false, true} {
				s.events <- bridge.Local{Event: local.Playing{On: on}}
			}
			<-time.After(2 * lasts)
			s.Close() //nolint:errcheck // it has none
		}()
		assert.NoError(t, r.lines(t.Context()))
		assert.Equal(t, "while Bob's game hosts, a game here can join, not host\ntype \"host\" to have one here host nonetheless\n"+
			"the game is connected to others\nYou left the session, and nobody else is in it.\n", out.String())
	})
}
