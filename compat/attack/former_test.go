package main

import (
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestTold: the attacker finds the view among the messages of a connection, however they are cut.
func TestTold(t *testing.T) {
	l, err := net.Listen("tcp4", net.JoinHostPort(testkit.Addr(t).String(), "0"))
	require.NoError(t, err)
	defer l.Close()
	n := make(reader, 1)
	go func() {
		c, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			return
		}
		defer c.Close()
		for _, m := range []wire.Message{&wire.Ping{From: 1}, wire.NewExtension(2, &wire.ExtensionView{Step: wire.ViewPosition}),
			wire.NewExtension(2, &wire.ExtensionView{Step: wire.ViewInstall, Members: []wire.ViewMember{{System: 8}}})} {
			for b := range slices.Chunk(octets(port(2300), m), 7) {
				c.Write(b)
			}
		}
	}()
	c, err := wrappedListener{l, n.wrap}.Accept()
	require.NoError(t, err)
	defer c.Close()
	for b := make([]byte, 5); ; {
		if _, err := c.Read(b); err != nil {
			break
		}
	}
	view, _ := testkit.Receive(t, n, "the view")
	assert.Equal(t, []wire.ViewMember{{System: 8}}, view.Members)
}

// TestMembersOfViews: messages about views from somebody who left, and from a member in the name of others, change nothing in a session of
// real processes. Newcomers get in.
func TestMembersOfViews(t *testing.T) {
	t.Parallel()
	for _, r := range attackOnce(t, "claim-left,rejoin-made-up,join-lies,member-lies") {
		r.harmless(t)
	}
}

// TestReaderEnds closes a connection: nothing waits for what it would bring.
func TestReaderEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		make(reader, 1).wrap(new(net.TCPConn), false).Close()
	})
}
