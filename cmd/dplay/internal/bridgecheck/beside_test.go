package bridgecheck

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/wire"
)

// aBridge is one that runs on this machine, and has most ports.
const aBridge = "dplay (process 7)"

// besides returns a world with a bridge, in which others have ports: "TCP 2300 NAME (process 8)" a line.
func besides(others string) *world {
	w := usual().world()
	w.bridge = func() string { return aBridge }
	w.running = func(context.Context) (bridging.Reply, error) { return bridging.Reply{Code: with.String()}, nil }
	w.holders = func(network string, ports wire.Ports) (all []holder, ok bool) {
		if ports.First != wire.EnumPort {
			all = append(all, holder{ports.First + 3, aBridge})
		}
		for line := range strings.Lines(others) {
			f := strings.SplitN(strings.TrimSpace(line), " ", 3)
			port := map[string]uint16{"2300": 2300, "2350": 2350, "47624": wire.EnumPort}[f[1]]
			if f[0] == network && port >= ports.First && port <= ports.Last {
				all = append(all, holder{port, f[2]})
			}
		}
		return all, true
	}
	return w
}

// TestBesideBridge: beside a bridge one program may have the place of the game, and 47624 if it is that.
func TestBesideBridge(t *testing.T) {
	t.Parallel()
	const game = "TCP 2300 castle.exe (process 8)\nUDP 2350 castle.exe (process 8)\n"
	const place = "\nthat is the place which the bridge leaves for the game: if it is another program, end it\n"
	for name, c := range map[string]struct {
		others, want string
		wrong        bool
	}{
		"nobody":               {"", "ports: the bridge has its ports, and those that it leaves for the game are free\n", false},
		"the game":             {game, "TCP 2300 is held by castle.exe (process 8)\nUDP 2350 is held by castle.exe (process 8)" + place, false},
		"the game hosts":       {game + "TCP 47624 castle.exe (process 8)\nUDP 47624 castle.exe (process 8)", "UDP 47624 is held by castle.exe (process 8)" + place, false},
		"a helper of Windows":  {game + "UDP 47624 dplaysvr.exe (process 9)", place, false},
		"who is not known":     {game + "UDP 47624 another program", place, false},
		"a web server":         {"TCP 2300 python3 (process 8)", "! the bridge leaves ports for one program, the game, but some of them are held by python3 (process 8): end what is not the game\n", true},
		"two":                  {game + "UDP 2350 voice (process 9)", "some of them are held by castle.exe (process 8) and voice (process 9)", true},
		"another one at 47624": {"TCP 47624 python3 (process 8)\nUDP 47624 python3 (process 8)", "! python3 (process 8) has port 47624, and no ports of a game", true},
		"beside the game":      {game + "UDP 47624 python3 (process 9)", "! python3 (process 9) has port 47624, and no ports of a game", true},
	} {
		out, wrong, err := checked(t.Context(), t, besides(c.others), Options{})
		require.NoError(t, err)
		assert.Contains(t, out, c.want, name)
		assert.NotContains(t, out, aBridge, name)
		assert.Equal(t, c.wrong, wrong, name)
	}

	closing := besides("TCP 47624 another program")
	both, none := closing.holders, besides("").holders
	closing.holders = func(network string, ports wire.Ports) (all []holder, ok bool) {
		read := both
		if ports.First == wire.EnumPort {
			both = none
		}
		return read(network, ports)
	}
	out, wrong, err := checked(t.Context(), t, closing, Options{})
	require.NoError(t, err)
	assert.Contains(t, out, "ports: the bridge has its ports, and those that it leaves for the game are free\n", "who is gone when one looks again")
	assert.False(t, wrong)

	w := besides("")
	w.running = usual().world().running
	out, wrong, err = checked(t.Context(), t, w, Options{})
	require.NoError(t, err)
	assert.True(t, wrong)
	assert.Contains(t, out, "! a bridge runs on this machine, "+aBridge+", but not as this user")
}

// TestAllRelayed: where all ways are relayed although the router is no reason, it is said what may be.
func TestAllRelayed(t *testing.T) {
	t.Parallel()
	const why = "all of that is relayed: with --force-relay, here or there"
	self := bridge.Member{Slot: 0, Name: "ann", Self: true}
	bob := bridge.Member{Slot: 1, Name: "bob", Linked: true}
	dan := bridge.Member{Slot: 2, Name: "dan", Linked: true, Way: link.Way{Direct: true}}
	for _, c := range []struct {
		members []bridge.Member
		kind    natkind.Kind
		said    bool
	}{
		{[]bridge.Member{self, bob}, natkind.PortRestricted, true},
		{[]bridge.Member{self, bob}, natkind.Open, true},
		{[]bridge.Member{self, bob}, natkind.Symmetric, false},
		{[]bridge.Member{self, bob, dan}, natkind.PortRestricted, false},
		{[]bridge.Member{self}, natkind.PortRestricted, false},
	} {
		n := usual()
		n.kind = c.kind
		w := n.world()
		w.ways = func(context.Context) (bridging.Reply, error) { return bridging.Reply{}, nil }
		w.running = func(context.Context) (bridging.Reply, error) {
			var list []*bridging.MachineObject
			for i := range c.members {
				list = append(list, bridging.ObjectOf(&c.members[i]))
			}
			return bridging.Reply{Code: with.String(), Machines: list}, nil
		}
		out, _, err := checked(t.Context(), t, w, Options{From: "/home/ann/bridge.toml"})
		require.NoError(t, err)
		assert.Equal(t, c.said, strings.Contains(out, why), out)
		assert.True(t, strings.HasPrefix(out, "relays: as /home/ann/bridge.toml has them\n"), out)
	}
}

// TestAtOnce: several relays are asked at once, and told of in their order.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := usual()
		n.answers = nil
		w := n.world()
		w.sites = func(_ context.Context, r code.Relay, _ string) ([]link.Site, error) {
			return []link.Site{{Host: r.Host, UDP: r.Port}, {Host: r.Host + ".2", UDP: r.Port}}, nil
		}
		w.addrs = func(context.Context, link.Site) ([]netip.Addr, error) { return make([]netip.Addr, 1), nil }
		w.look = func(ctx context.Context, a netip.Addr, at natkind.Ports) *natkind.Finding {
			<-time.After(3*time.Second + time.Duration(at.UDP)*time.Millisecond)
			return n.look(ctx, a, at)
		}
		began := time.Now()
		out, _, err := checked(t.Context(), t, w, Options{Relays: []code.Relay{{Host: "c", Port: 3}, {Host: "a", Port: 1}, {Host: "b", Port: 2}}})
		require.NoError(t, err)
		assert.Less(t, time.Since(began), 4*time.Second)
		assert.Regexp(t, `(?s)relay c:3 \(c\).*relay c:3 \(c.2\).*relay a:1 \(a\).*relay b:2 \(b.2\)`, out)
	})
}
