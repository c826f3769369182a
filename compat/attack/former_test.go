package main

import (
	"bytes"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestSecret: the attacker finds the secret and the view among the messages of a connection, however they are cut.
func TestSecret(t *testing.T) {
	l, err := net.Listen("tcp4", net.JoinHostPort(testkit.Addr(t).String(), "0"))
	require.NoError(t, err)
	defer l.Close()
	n := &readable{secret: make(chan wire.GUID, 1), view: make(chan *wire.ExtensionView, 1)}
	go func() {
		c, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			return
		}
		defer c.Close()
		for _, m := range []wire.Message{&wire.Ping{From: 1}, wire.NewExtension(2, &wire.ExtensionFormers{}),
			wire.NewExtension(2, &wire.ExtensionFormers{Secret: wire.GUID{7}}), &wire.Ping{From: 3},
			wire.NewExtension(2, &wire.ExtensionView{Step: wire.ViewPosition}),
			wire.NewExtension(2, &wire.ExtensionView{Step: wire.ViewInstall, Members: []wire.ViewMember{{System: 8}}})} {
			for b := range slices.Chunk(octets(port(2300), m), 7) {
				c.Write(b)
			}
		}
	}()
	c, err := (&readableListener{l, n}).Accept()
	require.NoError(t, err)
	defer c.Close()
	for b := make([]byte, 5); ; {
		if _, err := c.Read(b); err != nil {
			break
		}
	}
	secret, _ := testkit.Receive(t, n.secret, "the secret")
	assert.Equal(t, wire.GUID{7}, secret)
	view, _ := testkit.Receive(t, n.view, "the view")
	assert.Equal(t, []wire.ViewMember{{System: 8}}, view.Members)
}

// TestFormerMember attacks a session of real processes with what a member that left was told.
func TestFormerMember(t *testing.T) {
	t.Parallel()
	r := attackOnce(t, "rejoin-made-up")[0]
	assert.NotContains(t, r.Why, "itself: ")
	assert.NotContains(t, r.Why, "session lost")
}

// TestFormerMemberViews: in a session with views it changes nothing, and who else joins gets in.
func TestFormerMemberViews(t *testing.T) {
	t.Parallel()
	for _, r := range attackOnce(t, "claim-left,rejoin-made-up,join-lies", "--views") {
		assert.True(t, r.Views)
		assert.False(t, r.Known, r.Attack)
		r.harmless(t)
	}
}

// TestNotHeld: an attack that is known not to hold is a failure only if it holds.
func TestNotHeld(t *testing.T) {
	for _, name := range notHeld {
		require.True(t, slices.ContainsFunc(attacks, func(a attack) bool { return a.name == name }), name)
		for _, held := range []bool{true, false} {
			r := result{Attack: name, Echoes: 9}
			if !held {
				r.Why = "host: session"
			}
			r.judge(attack{name: name, most: few}, result{Echoes: 9}, true)
			assert.Equal(t, held, r.Held)
			assert.True(t, r.Known)
			var out bytes.Buffer
			printer{&out, "markdown"}.row(r)
			assert.Contains(t, out.String(), map[bool]string{true: "yes, BUT IT IS IN notHeld", false: "NO, as is known: host: session"}[held])
		}
	}
}
