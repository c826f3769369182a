package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestSecrets learns and takes more secrets than are kept.
func TestSecrets(t *testing.T) {
	var s secrets
	g := func(i int) wire.GUID { return wire.GUID{byte(i)} }
	assert.False(t, s.knows(wire.GUID{}), "nothing is no secret")
	s.learn(wire.GUID{})
	s.take(wire.GUID{})
	assert.Equal(t, secrets{}, s)
	s.learn(g(1))
	assert.Equal(t, g(1), s.current, "the first one")
	s.learn(g(2))
	s.learn(g(2))
	assert.Equal(t, secrets{g(1), []wire.GUID{g(2)}}, s)
	s.take(g(2))
	assert.Equal(t, secrets{g(2), []wire.GUID{g(1)}}, s, "the host has the other one")
	for i := range maxSecrets {
		s.learn(g(3 + i))
	}
	assert.Len(t, s.others, maxSecrets)
	assert.True(t, s.knows(g(2)), "the current one stays")
	assert.False(t, s.knows(g(1)), "the oldest one is forgotten")
	for i := range maxSecrets {
		assert.True(t, s.knows(g(3+i)))
	}
}
