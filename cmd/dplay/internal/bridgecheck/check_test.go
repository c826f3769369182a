package bridgecheck

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
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

// at is an address and a port.
func at(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

// TestRelays says of relays what is so, and no more.
func TestRelays(t *testing.T) {
	t.Parallel()
	const free = "ports: all that the bridge and the game need are free\n"
	const router = "router: of the usual kind: direct ways to most others, relayed ones to those behind a strict router (port-restricted " +
		"cone); others see 198.51.100.7:4433\n"
	two := func(n *net) {
		n.sites = append(n.sites, link.Site{Host: "two.example.org", UDP: 3478})
		n.addrs["two.example.org"] = []netip.Addr{netip.MustParseAddr("2001:db8::7")}
	}
	for name, c := range map[string]struct {
		change func(*net)
		want   string
		wrong  bool
	}{
		"well": {func(*net) {}, "relay 203.0.113.5: UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n" + router + free, false},
		"nothing answers": {func(n *net) { n.answers = nil },
			"relay 203.0.113.5: UDP no answer, TCP no answer, TLS no answer\n" +
				"! the relay 203.0.113.5 does not answer at all: is it running, is the address right, and are its ports open?\n" + free, true},
		"UDP and TCP at other ports, one of them alive": {func(n *net) {
			n.sites = []link.Site{{Host: "203.0.113.5", UDP: 3478, TCP: 443}}
			n.answers = map[netip.AddrPort]bool{at("203.0.113.5:443"): true}
		}, "relay 203.0.113.5: UDP no answer, TCP 2.0 ms\nrouter: " + routers[natkind.Unknown] + "\n" + free, false},
		"a relay without UDP tells nothing of routers": {func(n *net) { n.sites[0].UDP = 0 },
			"relay 203.0.113.5: TCP 2.0 ms, TLS 3.0 ms\n" + free, false},
		"one of two addresses": {func(n *net) {
			n.addrs["203.0.113.5"] = append([]netip.Addr{netip.MustParseAddr("203.0.113.6")}, n.addrs["203.0.113.5"]...)
		}, "relay 203.0.113.5 (203.0.113.6): UDP no answer, TCP no answer, TLS no answer\n" +
			"relay 203.0.113.5 (203.0.113.5): UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n" + router + free, false},
		"one of two servers": {two, "relay 203.0.113.5 (203.0.113.5): UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n" +
			"relay 203.0.113.5 (two.example.org): UDP no answer\n" +
			"note: the relay 203.0.113.5 (two.example.org) does not answer at all: is it running, is the address right, and are its ports open?\n" +
			router + free, false},
		"one of two servers has IPv6, and we have none": {func(n *net) { two(n); n.silent = syscall.ENETUNREACH },
			"relay 203.0.113.5 (203.0.113.5): UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n" +
				"relay 203.0.113.5 (two.example.org): UDP no way\n" +
				"note: the relay 203.0.113.5 (two.example.org): it has IPv6, and this machine has none that leads there\n" +
				router + free, false},
		"no network": {func(n *net) { two(n); n.answers, n.silent = nil, syscall.ENETUNREACH },
			"relay 203.0.113.5 (203.0.113.5): UDP no way, TCP no way, TLS no way\n" +
				"! the relay 203.0.113.5 (203.0.113.5): this machine has no network that leads there: is its cable in, is its wireless on?\n" +
				"relay 203.0.113.5 (two.example.org): UDP no way\n" +
				"! the relay 203.0.113.5 (two.example.org): it has IPv6, and this machine has none that leads there\n" + free, true},
		"no relay runs there": {func(n *net) { n.sites[0].UDP, n.answers, n.silent = 0, nil, syscall.ECONNREFUSED },
			"relay 203.0.113.5: TCP refused, TLS refused\n" +
				"! the relay 203.0.113.5 refuses: no relay runs there, or it has other ports. Is the address right?\n" + free, true},
		"a wrong port": {func(n *net) { n.sites[0].UDP, n.sites[0].TCP, n.silent = 4000, 4000, syscall.ECONNREFUSED },
			"relay 203.0.113.5: UDP refused, TCP refused, TLS 3.0 ms\n" +
				"note: nobody listens at port 4000 of the relay 203.0.113.5: it is used by TLS, at its port 5349. Is the port right?\n" +
				"router: " + routers[natkind.Unknown] + "\n" + free, false},
		"a name without an address": {func(n *net) { n.addrs = nil },
			"! the relay 203.0.113.5: 203.0.113.5 has no address\n" + free, true},
		"it wants a credential": {func(n *net) { n.refuses = &link.RefusedError{Credential: true} },
			"relay 203.0.113.5: UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n! the relay 203.0.113.5: ; " + bridging.WantsCredential + "\n" +
				router + free, true},
		"it is full": {func(n *net) { n.refuses = errors.New("it is full") },
			"relay 203.0.113.5: UDP 1.0 ms, TCP 2.0 ms, TLS 3.0 ms\n! the relay 203.0.113.5: it is full\n" + router + free, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := usual()
			c.change(n)
			out, wrong, err := checked(t.Context(), t, n.world(), Options{})
			require.NoError(t, err)
			assert.Equal(t, c.want, out)
			assert.Equal(t, c.wrong, wrong)
		})
	}
}

// TestRelaysJSON says the same to programs.
func TestRelaysJSON(t *testing.T) {
	t.Parallel()
	n := usual()
	n.sites = append(n.sites, link.Site{Host: "two.example.org", TLS: 443})
	n.addrs["two.example.org"] = []netip.Addr{netip.MustParseAddr("2001:db8::7")}
	n.refuses = errors.New("it is full")
	w := n.world()
	w.holders = func(string, wire.Ports) ([]holder, bool) { return nil, false }
	out, wrong, err := checked(t.Context(), t, w, Options{NDJSON: true, From: "bridge.toml"})
	require.NoError(t, err)
	assert.True(t, wrong)
	assert.Equal(t, `{"type":"relay","relay":"203.0.113.5","host":"203.0.113.5","address":"203.0.113.5","udp":0.001,"tcp":0.002,"tls":0.003}
{"type":"problem","text":"the relay 203.0.113.5 (203.0.113.5): it is full"}
{"type":"relay","relay":"203.0.113.5","host":"two.example.org","address":"2001:db8::7"}
{"type":"problem","text":"the relay 203.0.113.5 (two.example.org) does not answer at all: is it running, is the address right, and are its ports open?"}
{"type":"router","kind":"port-restricted","seen":"198.51.100.7:4433"}
{"type":"unknown","text":"who has which ports"}
`, out)
}

// TestSites: a session is about two of a relay's servers.
func TestSites(t *testing.T) {
	t.Parallel()
	w := usual().world()
	about := ""
	w.sites = func(_ context.Context, _ code.Relay, session string) ([]link.Site, error) {
		about = session
		return []link.Site{{Host: "one"}, {Host: "two"}, {Host: "three"}}, nil
	}
	w.join = func(context.Context, code.Code, bridge.Options) (bridging.Session, error) { return nil, link.ErrNobody }
	out, _, err := checked(t.Context(), t, w, Options{With: &with, Name: "doctor"})
	require.NoError(t, err)
	assert.Contains(t, out, "two has no address")
	assert.NotContains(t, out, "three")
	assert.Equal(t, with.Keys().Meeting, about)
	out, _, err = checked(t.Context(), t, w, Options{})
	require.NoError(t, err)
	assert.Contains(t, out, "three has no address")
	assert.Empty(t, about)
}

// TestPorts names who has ports.
func TestPorts(t *testing.T) {
	t.Parallel()
	w := usual().world()
	w.holders = func(network string, ports wire.Ports) (all []holder, ok bool) {
		if network == "TCP" && ports.First == 2300 {
			all = []holder{{2300, "castle.exe (process 7)"}, {2301, "another program"}}
		}
		return all, true
	}
	out, wrong, err := checked(t.Context(), t, w, Options{})
	require.NoError(t, err)
	assert.True(t, wrong)
	assert.Contains(t, out, "\nTCP 2300 is held by castle.exe (process 7)\nTCP 2301 is held by another program\n! if that is the game: ")
	out, _, err = checked(t.Context(), t, w, Options{NDJSON: true})
	require.NoError(t, err)
	assert.Contains(t, out, `{"type":"port","transport":"TCP","port":2300,"program":"castle.exe (process 7)"}`)
}

// visited is a session with three machines, to one of which there is no way.
func visited() *session {
	of := func(slot int, name string, m bridge.Member) bridge.Member {
		m.Slot, m.Name, m.ID = slot, name, link.ID{byte(slot)}
		return m
	}
	ann := of(0, "ann", bridge.Member{Linked: true, Way: link.Way{Direct: true, Over: "a - b", RTT: 12 * time.Millisecond, Loss: 0.25}})
	bob, dan := of(1, "bob", bridge.Member{}), of(3, "dan", bridge.Member{Linked: true})
	self := of(2, "doctor", bridge.Member{Self: true})
	return &session{events: make(chan bridge.Event, 1), members: []bridge.Member{ann, bob, self, dan}, pairs: []bridge.PairWay{
		{A: ann, B: bob, Known: true},
		{A: ann, B: self, Known: true, Linked: true},
		{A: ann, B: dan, Known: true, Linked: true, Way: link.Way{RTT: 30 * time.Millisecond}},
		{A: bob, B: dan},
	}}
}

// TestVisit tells the way to each machine, and between each two.
func TestVisit(t *testing.T) {
	t.Parallel()
	s := visited()
	s.events <- bridge.Opened{}
	w := usual().world()
	w.join = func(_ context.Context, c code.Code, o bridge.Options) (bridging.Session, error) {
		assert.Equal(t, with, c)
		assert.Equal(t, "dr. bob", o.Name)
		assert.True(t, o.Visit)
		assert.True(t, o.ForceRelay)
		o.Waits(bridge.ForRelay)
		return s, nil
	}
	out, wrong, err := checked(t.Context(), t, w, Options{With: &with, Name: "dr. bob", ForceRelay: true})
	require.NoError(t, err)
	assert.True(t, wrong)
	assert.True(t, s.closed)
	assert.Contains(t, out, "session: joining it for a moment as dr. bob. If it lets nobody in without a yes, somebody there has to give it, within a minute\nwaiting for a relay\n")
	assert.Contains(t, out, `
ann: direct, round trip 12.0 ms, 25 % lost (a - b)
bob: none
! there is no way to bob at the moment
dan: relayed, round trip 0.0 ms, 0 % lost
ann - bob:  none
! there is no way between ann and bob at the moment
ann - dan:  relayed  30 ms  0 % lost
bob - dan:  unknown
`)
	s = visited()
	out, _, err = checked(t.Context(), t, w, Options{With: &with, Name: "dr. bob", ForceRelay: true, NDJSON: true})
	require.NoError(t, err)
	assert.Contains(t, out, `{"type":"machine","id":"00000000000000000000000000000000","slot":0,"name":"ann",`)
	assert.Contains(t, out, `{"type":"pair","a":{"id":"01000000000000000000000000000000","slot":1,"name":"bob","self":false,"keeper":false},`+
		`"b":{"id":"03000000000000000000000000000000","slot":3,"name":"dan","self":false,"keeper":false},"way":"unknown"}`)
}

// TestVisitEnds: what becomes of a session in which this machine is not let in, or does not stay.
func TestVisitEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		join func(context.Context, *session) error
		want string
	}{
		"nobody": {func(context.Context, *session) error { return link.ErrNobody }, "! the session: nobody of the session answers"},
		"no yes": {func(ctx context.Context, _ *session) error { <-ctx.Done(); return context.Cause(ctx) },
			"! the session did not let doctor in within a minute: where each newcomer needs a yes (--ask), somebody has to give it\n"},
		"a yes too late": {func(ctx context.Context, _ *session) error { <-ctx.Done(); return nil }, "! the session did not let doctor in within a minute"},
		"it ends":        {func(_ context.Context, s *session) error { close(s.events); return nil }, "! the session has ended"},
		"it ends later":  {func(_ context.Context, s *session) error { s.failed = link.ErrClosed; return nil }, "! the session has ended"},
		"alone": {func(_ context.Context, s *session) error { s.members, s.pairs = s.members[2:3], nil; return nil },
			"nobody else is in the session\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, s := usual().world(), visited()
				w.visit = time.Second
				w.join = func(ctx context.Context, _ code.Code, _ bridge.Options) (bridging.Session, error) {
					if err := c.join(ctx, s); err != nil {
						return nil, err
					}
					return s, nil
				}
				out, wrong, err := checked(t.Context(), t, w, Options{With: &with, Name: "doctor"})
				require.NoError(t, err)
				assert.Contains(t, out, c.want)
				assert.Equal(t, name != "alone", wrong)
			})
		})
	}
}

// TestInterrupted: an interrupt is no finding.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]func(w *world, end func()){
		"at a relay": func(w *world, end func()) {
			w.look = func(context.Context, netip.Addr, natkind.Ports) *natkind.Finding {
				end()
				return &natkind.Finding{UDP: natkind.Answer{Err: context.Canceled}}
			}
		},
		"before its address": func(w *world, end func()) {
			w.addrs = func(context.Context, link.Site) ([]netip.Addr, error) { end(); return nil, context.Canceled }
		},
		"as it lets us in": func(w *world, end func()) {
			w.try = func(context.Context, code.Relay, link.Site) error { end(); return context.Canceled }
		},
		"before the session": func(w *world, end func()) {
			w.join = func(ctx context.Context, _ code.Code, _ bridge.Options) (bridging.Session, error) {
				end()
				return nil, ctx.Err()
			}
		},
		"in the session": func(w *world, end func()) {
			w.visit = time.Hour
			w.join = func(context.Context, code.Code, bridge.Options) (bridging.Session, error) {
				time.AfterFunc(time.Second, end)
				return visited(), nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				w := usual().world()
				interrupt(w, end)
				out, wrong, err := checked(ctx, t, w, Options{With: &with})
				require.EqualError(t, err, "interrupted")
				assert.False(t, wrong, out)
				assert.NotContains(t, out, "!")
			})
		})
	}
}

// TestRunning asks the bridge that runs on this machine, and visits nothing.
func TestRunning(t *testing.T) {
	t.Parallel()
	w := usual().world()
	members := visited().members
	var list []*bridging.MachineObject
	for i := range members {
		list = append(list, bridging.ObjectOf(&members[i]))
	}
	w.running = func(context.Context) (bridging.Reply, error) {
		return bridging.Reply{Code: with.String(), Machines: list}, nil
	}
	w.ways = func(context.Context) (bridging.Reply, error) {
		return bridging.Reply{Pairs: bridging.PairsOf(visited().pairs)}, nil
	}
	w.bridge = func() string { return "dplay (process 7)" }
	for _, o := range []Options{{}, {With: &with}} {
		out, wrong, err := checked(t.Context(), t, w, o)
		require.NoError(t, err)
		assert.True(t, wrong)
		assert.Contains(t, out, "\nann: direct, round trip 12.0 ms, 25 % lost (a - b)\n")
		assert.Contains(t, out, "\n! there is no way between ann and bob at the moment\n")
	}
	w.ways = func(context.Context) (bridging.Reply, error) {
		return bridging.Reply{}, errors.New("it is of another version")
	}
	out, _, err := checked(t.Context(), t, w, Options{})
	require.NoError(t, err)
	assert.Contains(t, out, "dplay: the bridge of this machine does not say how octets go between the others: it is of another version\n")

	other := with
	other.Secret[0]++
	out, wrong, err := checked(t.Context(), t, w, Options{With: &other})
	require.NoError(t, err)
	assert.True(t, wrong)
	assert.Contains(t, out, "! a bridge of another session runs on this machine: end it first\n")
}
