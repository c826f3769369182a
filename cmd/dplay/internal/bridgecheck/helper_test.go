package bridgecheck

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/natkind"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/wire"
)

// with is the session of the tests.
var with = code.Code{Relays: []code.Relay{relay}, Secret: [16]byte{1}}

var relay = code.Relay{Host: "203.0.113.5", Port: code.DefaultPort}

// A net is made up: what answers where, and how it refuses.
type net struct {
	sites   []link.Site
	addrs   map[string][]netip.Addr // of hosts
	answers map[netip.AddrPort]bool // by UDP and TCP alike; TLS at its own port
	kind    natkind.Kind
	refuses error
	silent  error // why there is no answer where there is none
}

// usual is a net in which all is well.
func usual() *net {
	at := netip.MustParseAddr("203.0.113.5")
	return &net{
		sites:   []link.Site{{Host: "203.0.113.5", UDP: 3478, TCP: 3478, TLS: 5349}},
		addrs:   map[string][]netip.Addr{"203.0.113.5": {at}},
		answers: map[netip.AddrPort]bool{netip.AddrPortFrom(at, 3478): true, netip.AddrPortFrom(at, 5349): true},
		kind:    natkind.PortRestricted,
		silent:  os.ErrDeadlineExceeded,
	}
}

// world returns one with this net, in which nobody runs a bridge and nobody has ports.
func (n *net) world() *world {
	return &world{
		running: func(context.Context) (bridging.Reply, error) { return bridging.Reply{}, bridging.ErrNoBridge },
		sites:   func(context.Context, code.Relay, string) ([]link.Site, error) { return n.sites, nil },
		addrs: func(_ context.Context, s link.Site) ([]netip.Addr, error) {
			if all := n.addrs[s.Host]; all != nil {
				return all, nil
			}
			return nil, errors.New(s.Host + " has no address")
		},
		look:    n.look,
		try:     func(context.Context, code.Relay, link.Site) error { return n.refuses },
		bridge:  func() string { return "" },
		holders: func(string, wire.Ports) ([]holder, bool) { return nil, true },
	}
}

func (n *net) look(_ context.Context, a netip.Addr, at natkind.Ports) *natkind.Finding {
	f := &natkind.Finding{}
	for _, q := range []struct {
		port uint16
		to   *natkind.Answer
		took time.Duration
	}{{at.UDP, &f.UDP, time.Millisecond}, {at.TCP, &f.TCP, 2 * time.Millisecond}, {at.TLS, &f.TLS, 3 * time.Millisecond}} {
		switch {
		case q.port == 0:
			q.to.Err = natkind.ErrNotAsked
		case n.answers[netip.AddrPortFrom(a, q.port)]:
			*q.to = natkind.Answer{Took: q.took, Seen: netip.MustParseAddrPort("198.51.100.7:4433")}
		default:
			q.to.Err = n.silent
		}
	}
	if f.UDP.Err == nil {
		f.Kind = n.kind
	}
	return f
}

// checked looks at a world, and returns what it says.
func checked(ctx context.Context, t *testing.T, w *world, o Options) (out string, wrong bool, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o.Std = cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}
	if o.Relays == nil {
		o.Relays = []code.Relay{relay}
	}
	wrong, err = o.in(ctx, w)
	return stdout.String() + stderr.String(), wrong, err
}

// A session is one that is visited.
type session struct {
	bridging.Session
	events  chan bridge.Event
	members []bridge.Member
	pairs   []bridge.PairWay
	failed  error // of Ways
	closed  bool
}

func (s *session) Events() <-chan bridge.Event                            { return s.events }
func (s *session) Members() []bridge.Member                               { return s.members }
func (s *session) Ways(context.Context) (all []bridge.PairWay, err error) { return s.pairs, s.failed }
func (s *session) Close() error                                           { s.closed = true; return nil }
