//go:build linux

package nat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
)

// newEchoes adds machines with echo servers and returns their addresses.
func newEchoes(ctx context.Context, t *testing.T, in *nat.Internet, n int) (list []string) {
	t.Helper()
	for i := range n {
		m, err := in.Machine(ctx, fmt.Sprintf("echo%d", i))
		require.NoError(t, err)
		begin(ctx, t, m, "echo")
		list = append(list, netip.AddrPortFrom(m.Addr(), echoPort).String())
	}
	return list
}

// number reads what a part printed.
func number(t testing.TB, printed []byte) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(string(printed)))
	require.NoError(t, err)
	return n
}

// TestKinds holds each kind of router against its name.
func TestKinds(t *testing.T) {
	t.Parallel()
	ctx, in := newInternet(t)
	servers := newEchoes(ctx, t, in, 3)
	for _, kind := range nat.Kinds {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			home, err := in.Home(ctx, kind, false)
			require.NoError(t, err)
			m, err := home.Machine(ctx, "ann")
			require.NoError(t, err)
			if kind == nat.UDPBlocked {
				inside(ctx, t, m, "shout", servers...)
				assert.Zero(t, number(t, inside(ctx, t, m, "reached", servers[0])))
				return
			}
			var s seen
			require.NoError(t, json.Unmarshal(inside(ctx, t, m, "look", servers...), &s))
			require.Len(t, s.Outer, 2)
			assert.Equal(t, home.Outer(), s.Outer[0].Addr())
			assert.Equal(t, kind != nat.Symmetric, s.Outer[0] == s.Outer[1], "%v", s.Outer)
			assert.Equal(t, kind == nat.FullCone, s.Stranger)
		})
	}
}

// TestIPv6 reaches a server by IPv6 from a home that has it, and a stranger does not get in.
func TestIPv6(t *testing.T) {
	t.Parallel()
	ctx, in := newInternet(t)
	newEchoes(ctx, t, in, 3) // they have the first addresses
	home, err := in.Home(ctx, nat.Symmetric, true)
	require.NoError(t, err)
	m, err := home.Machine(ctx, "ann")
	require.NoError(t, err)
	var s seen
	require.NoError(t, json.Unmarshal(inside(ctx, t, m, "look", "[2001:db8:ff::2]:3000", "[2001:db8:ff::3]:3000", "[2001:db8:ff::4]:3000"), &s))
	require.Len(t, s.Outer, 2)
	assert.Equal(t, "2001:db8:1::2", s.Outer[0].Addr().String())
	assert.Equal(t, s.Outer[0], s.Outer[1])
	assert.False(t, s.Stranger)
}

// TestNeighbours has two machines in one home reach each other.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	ctx, in := newInternet(t)
	home, err := in.Home(ctx, nat.Symmetric, false)
	require.NoError(t, err)
	ann, err := home.Machine(ctx, "ann")
	require.NoError(t, err)
	bob, err := home.Machine(ctx, "bob")
	require.NoError(t, err)
	begin(ctx, t, ann, "echo")
	came := number(t, inside(ctx, t, bob, "count", netip.AddrPortFrom(ann.Addr(), echoPort).String()))
	assert.GreaterOrEqual(t, came, 990, "of 1000 datagrams, of which some may not be there yet")
}

// TestTroubles cuts a home off and mends it, moves a machine to another home, and has that one lose packets.
func TestTroubles(t *testing.T) {
	t.Parallel()
	ctx, in := newInternet(t)
	servers := newEchoes(ctx, t, in, 2)
	home, err := in.Home(ctx, nat.PortRestricted, false)
	require.NoError(t, err)
	other, err := in.Home(ctx, nat.PortRestricted, false)
	require.NoError(t, err)
	m, err := home.Machine(ctx, "ann")
	require.NoError(t, err)
	outer := func() (all []netip.Addr) {
		var s seen
		require.NoError(t, json.Unmarshal(inside(ctx, t, m, "look", servers...), &s))
		for _, a := range s.Outer {
			all = append(all, a.Addr())
		}
		return all
	}
	assert.Equal(t, []netip.Addr{home.Outer()}, outer())
	came := func() int { return number(t, inside(ctx, t, m, "reached", servers[0])) }
	before := came()
	assert.Positive(t, before)
	require.NoError(t, home.Cut(ctx))
	inside(ctx, t, m, "shout", servers...)
	require.NoError(t, home.Mend(ctx))
	assert.Equal(t, before, came())
	inside(ctx, t, m, "shout", servers...)
	assert.Greater(t, came(), before)
	assert.Equal(t, []netip.Addr{home.Outer()}, outer())
	require.NoError(t, m.Move(ctx, other))
	assert.Equal(t, []netip.Addr{other.Outer()}, outer())
	require.NoError(t, other.Lose(ctx, 20))
	answers := number(t, inside(ctx, t, m, "count", servers[0]))
	assert.InDelta(t, 640, answers, 120, "20 of 100 are lost, each way")
}
