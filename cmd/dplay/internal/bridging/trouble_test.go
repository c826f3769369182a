package bridging

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// TestTrouble has a hint for each culprit, and none that is about another one.
func TestTrouble(t *testing.T) {
	t.Parallel()
	const running, credential = "is it running, is its address right", `"dplay bridge credential" makes a name`
	silent := fmt.Errorf("relay a: %w: UDP 203.0.113.5:3478: no answer", link.ErrUnreachable)
	closed := fmt.Errorf("relay b: %w", &link.RefusedError{Credential: true})
	full := fmt.Errorf("relay c: %w", &link.RefusedError{})
	for name, c := range map[string]struct {
		of   []error
		want []string
	}{
		"silent": {[]error{silent}, []string{running}},
		"closed": {[]error{closed}, []string{credential}},
		"full":   {[]error{full}, nil},
		"both":   {[]error{silent, closed}, []string{running, credential}},
	} {
		text := Trouble(t.Context(), errors.Join(append([]error{link.ErrNoRelay}, c.of...)...)).Error()
		for _, hint := range []string{running, credential} {
			if assert.Contains(t, text, "no relay can be used", name); len(c.want) > 0 && hint == c.want[0] {
				assert.Contains(t, text, hint, name)
				c.want = c.want[1:]
			} else {
				assert.NotContains(t, text, hint, name)
			}
		}
	}
	assert.ErrorContains(t, Trouble(t.Context(), fmt.Errorf("x: %w", bridge.ErrEmpty)), "everybody has left")
	text := Trouble(t.Context(), fmt.Errorf("%w: %w", link.ErrNobody, silent)).Error()
	assert.Contains(t, text, "nobody of the session answers: relay a: it cannot be reached")
	assert.Contains(t, text, running)
	late, end := context.WithCancelCause(t.Context())
	end(errLate)
	assert.EqualError(t, Trouble(late, link.ErrNobody), "the session was not there within the time of --for")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.EqualError(t, Trouble(ended, link.ErrNobody), "interrupted before the session was there")
}
