package bridge

import (
	"context"
	"io"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	_ "testing/synctest" // all tests that have computers run in a bubble
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/bridge/local"
)

// A computer is a machine of a test: its network is in memory, and so is what stands for the others.
type computer struct {
	t       *testing.T
	net     *linktest.Machine
	session *Session
	events  []Event
	over    chan struct{} // closed behind Ended
	off     atomic.Bool   // it reaches no relay
	deaf    atomic.Bool   // nothing comes over its links
	dials   atomic.Int32
	plain   bool  // its relay is none of ours
	failing error // of Stand and Move, if not nil

	mu     sync.Mutex
	slot   int
	game   filter.Ports
	report func(local.Event)
	lets   bool
	others map[int]link.Link
	heard  map[int][]string // from which slot
	open   bool
	waited []Wait
	hosts  []int // what it says of games that host
	relays []link.Relay
	group  sync.WaitGroup
}

// A network is that of a computer. Its relays give the address of the code, unless they are plain TURN servers.
type network struct {
	*linktest.Machine
	c       *computer
	meeting string
}

// Meeting returns where we answer newcomers.
func (n *network) Meeting() []netip.AddrPort {
	all := n.Machine.Meeting()
	for i, a := range all {
		if !n.c.plain {
			all[i] = netip.AddrPortFrom(a.Addr(), code.Ports(n.meeting)[1])
		}
	}
	return all
}

// Relays says how it stands with relays.
func (n *network) Relays() []link.Relay {
	n.c.mu.Lock()
	defer n.c.mu.Unlock()
	return n.c.relays
}

// Close closes it. Then no relay is there.
func (n *network) Close() error {
	n.c.mu.Lock()
	n.c.relays = []link.Relay{{Name: "relay", Err: link.ErrClosed}}
	n.c.mu.Unlock()
	return n.Machine.Close()
}

// Meet does nothing where no relay is reached.
func (n *network) Meet(on bool) {
	if !n.c.off.Load() {
		n.Machine.Meet(on)
	}
}

// Knock fails alike.
func (n *network) Knock(ctx context.Context) (link.Link, error) {
	if n.c.off.Load() {
		return nil, link.ErrNoRelay
	}
	return n.heard(n.Machine.Knock(ctx))
}

// Dial connects to a machine.
func (n *network) Dial(ctx context.Context, id link.ID, at []netip.AddrPort) (link.Link, error) {
	n.c.dials.Add(1)
	return n.heard(n.Machine.Dial(ctx, id, at))
}

// Accept returns the next link that another machine made.
func (n *network) Accept(ctx context.Context) (link.Link, error) {
	return n.heard(n.Machine.Accept(ctx))
}

func (n *network) heard(way link.Link, err error) (link.Link, error) {
	if err != nil {
		return nil, err
	}
	return &heard{way, n.c}, nil
}

// A heard is a link whose other side may be silent.
type heard struct {
	link.Link
	c *computer
}

// Way returns none while it is.
func (h *heard) Way() link.Way {
	if h.c.deaf.Load() {
		return link.Way{}
	}
	return h.Link.Way()
}

// start starts one. with is nil for who shares.
func start(t *testing.T, hub *linktest.Hub, with *code.Code, opt Options) (*computer, error) {
	return startAs(t.Context(), t, hub.Machine(), with, opt)
}

// startAs starts one as a machine of the network.
func startAs(ctx context.Context, t *testing.T, m *linktest.Machine, with *code.Code, opt Options) (*computer, error) {
	c := &computer{t: t, net: m, slot: -1, others: map[int]link.Link{}, heard: map[int][]string{},
		over: make(chan struct{}), plain: opt.Name == "plain",
		relays: []link.Relay{{Name: "relay", Transport: "udp", Relayed: netip.MustParseAddrPort("192.0.2.1:1")}}}
	opt.network = func(_ context.Context, with code.Code) (link.Network, error) {
		return &network{c.net, c, with.Keys().Meeting}, nil
	}
	opt.stands = func(o local.Options) (stands, error) {
		c.slot, c.open, c.game, c.report = o.Slot, true, o.Game, o.Report
		o.Report(local.Searching{}) // something always happens at once
		return c, nil
	}
	if opt.running == nil {
		opt.running = func(uint64) (game local.Game, wish filter.Ports, err error) { return }
	}
	opt.Waits = func(w Wait) { c.waited = append(c.waited, w) }
	var err error
	if with == nil {
		opt.Relays = []code.Relay{{Host: "192.0.2.1", Port: code.DefaultPort}}
		c.session, err = Share(ctx, opt)
	} else {
		c.session, err = Join(ctx, *with, opt)
	}
	if err != nil {
		return c, err
	}
	go func() {
		defer close(c.over)
		for e := range c.session.Events() {
			c.mu.Lock()
			c.events = append(c.events, e)
			c.mu.Unlock()
		}
	}()
	return c, nil
}

// unplug has a computer reach nobody, or mends that.
func unplug(hub *linktest.Hub, c *computer, others []*computer, off bool) {
	c.off.Store(off)
	for _, o := range others {
		if off {
			hub.Cut(c.net, o.net)
		} else {
			hub.Heal(c.net, o.net)
		}
	}
}

// session starts as many computers as wanted, all in one session.
func session(t *testing.T, hub *linktest.Hub, n int) (all []*computer) {
	t.Helper()
	first, err := start(t, hub, nil, Options{Name: "m0"})
	require.NoError(t, err)
	all = append(all, first)
	for i := 1; i < n; i++ {
		c, err := start(t, hub, first.code(), Options{Name: "m" + string(rune('0'+i))})
		require.NoError(t, err)
		all = append(all, c)
	}
	pass(time.Second)
	return all
}

// pass lets time pass in the bubble.
func pass(d time.Duration) { <-time.After(d) }

func (c *computer) code() *code.Code {
	with, err := code.Parse(c.session.Code())
	require.NoError(c.t, err)
	return &with
}

// names returns who is in the session, in the order of slots.
func (c *computer) names() (all []string) {
	for _, m := range c.session.Members() {
		all = append(all, m.Name)
	}
	return all
}

// told returns the events of a type.
func told[E Event](c *computer) (all []E) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// Stand takes the streams of the machine in the slot.
func (c *computer) Stand(slot int, _ filter.Ports, way link.Link) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failing != nil {
		return c.failing
	}
	if c.others[slot] != nil || slot == c.slot {
		c.t.Errorf("two machines are on slot %d", slot)
	}
	c.others[slot] = way
	c.group.Go(func() {
		for {
			s, err := way.AcceptStream(way.Context())
			if err != nil {
				return
			}
			text, _ := io.ReadAll(s)
			c.mu.Lock()
			c.heard[slot] = append(c.heard[slot], string(text))
			c.mu.Unlock()
		}
	})
	return nil
}

// Drop has nobody in the slot.
func (c *computer) Drop(slot int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.others, slot)
}

// Move changes our slot.
func (c *computer) Move(slot int, _ filter.Ports) error {
	c.slot = slot
	return c.failing
}

// LetHost lets a game here host.
func (c *computer) LetHost(on bool) { c.lets = on }

// Hosts returns whose games host.
func (c *computer) Hosts() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hosts
}

// Close ends it.
func (c *computer) Close() error {
	c.open = false
	return nil
}

// slots returns on which others stand.
func (c *computer) slots() (all []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for slot := range c.others {
		all = append(all, slot)
	}
	slices.Sort(all)
	return all
}

// say sends a text to the machine in a slot.
func (c *computer) say(slot int, text string) {
	c.mu.Lock()
	way := c.others[slot]
	c.mu.Unlock()
	require.NotNil(c.t, way, "nobody is on slot %d", slot)
	s, err := way.OpenStream(c.t.Context())
	require.NoError(c.t, err)
	_, err = s.Write([]byte(text))
	require.NoError(c.t, err)
	require.NoError(c.t, s.CloseWrite())
}

// everybodyTalks has each computer send to each, and checks that it comes from where it should.
func everybodyTalks(t *testing.T, all []*computer) {
	t.Helper()
	for _, from := range all {
		for _, to := range all {
			if from != to {
				from.say(to.slot, from.net.ID().String())
			}
		}
	}
	pass(time.Second)
	for _, to := range all {
		to.mu.Lock()
		for _, from := range all {
			if from != to {
				require.Equal(t, []string{from.net.ID().String()}, to.heard[from.slot])
			}
		}
		clear(to.heard)
		to.mu.Unlock()
	}
}

// end closes all, and waits until nothing runs.
func end(all []*computer) {
	for _, c := range all {
		c.session.Close() //nolint:errcheck // it has none
		<-c.over
		c.group.Wait()
	}
}
