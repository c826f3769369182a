package link

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/vnet"
	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// A nat is a kind of router.
type nat string

const (
	noNAT      nat = "none"
	fullCone   nat = "full cone"
	restricted nat = "port-restricted"
	symmetric  nat = "symmetric"
	blocked    nat = "UDP blocked"
)

// An internet is made up: relays, and homes behind routers.
type internet struct {
	t     *testing.T
	wan   *vnet.Router
	homes int
	tcp   map[string]*pipes // the relays' listeners, by address
}

// vnetCounts keeps tests that run at once from making something at once: vnet counts its cards without a lock.
var vnetCounts sync.Mutex

func newRouter(c *vnet.RouterConfig) (*vnet.Router, error) {
	vnetCounts.Lock()
	defer vnetCounts.Unlock()
	return vnet.NewRouter(c)
}

func newNet(c *vnet.NetConfig) (*vnet.Net, error) {
	vnetCounts.Lock()
	defer vnetCounts.Unlock()
	return vnet.NewNet(c)
}

// newInternet returns a network for a test in a bubble.
func newInternet(t *testing.T) *internet {
	t.Helper()
	// A closed socket of vnet still sends. So a request that pion's client begins while it is closed ends by its timeout, within this minute.
	t.Cleanup(func() { <-time.After(time.Minute) })
	wan, err := newRouter(&vnet.RouterConfig{CIDR: "203.0.113.0/24", MinDelay: 10 * time.Millisecond, LoggerFactory: silent})
	require.NoError(t, err)
	return &internet{t: t, wan: wan, tcp: map[string]*pipes{}}
}

// start has packets flow, when all homes are there.
func (i *internet) start() {
	require.NoError(i.t, i.wan.Start())
	i.t.Cleanup(func() { i.wan.Stop() }) //nolint:errcheck
}

// A home is a local network, on which the cable can be pulled.
type home struct {
	internet *internet
	router   *vnet.Router
	kind     nat
	hosts    int
	cut      atomic.Bool // nothing goes out or comes in but to and from the relays
	dropped  atomic.Int64
}

// home adds a local network behind a router.
func (i *internet) home(kind nat) *home {
	i.t.Helper()
	i.homes++
	h := &home{internet: i, kind: kind}
	if kind == noNAT {
		h.router = i.wan
		return h
	}
	n := vnet.NATType{MappingBehavior: vnet.EndpointIndependent, FilteringBehavior: vnet.EndpointIndependent,
		MappingLifeTime: time.Minute}
	if kind != fullCone {
		n.FilteringBehavior = vnet.EndpointAddrPortDependent
	}
	if kind == symmetric {
		n.MappingBehavior = vnet.EndpointAddrPortDependent
	}
	var err error
	h.router, err = newRouter(&vnet.RouterConfig{CIDR: fmt.Sprintf("192.168.%d.0/24", i.homes), NATType: &n,
		StaticIPs: []string{fmt.Sprintf("203.0.113.%d", 100+i.homes)}, LoggerFactory: silent})
	require.NoError(i.t, err)
	require.NoError(i.t, i.wan.AddRouter(h.router))
	local := netip.MustParsePrefix(fmt.Sprintf("192.168.%d.0/24", i.homes))
	relays := netip.MustParsePrefix("203.0.113.0/28")
	h.router.AddChunkFilter(func(c vnet.Chunk) bool {
		from, _ := netip.AddrFromSlice(c.SourceAddr().(*net.UDPAddr).IP.To4())
		to, _ := netip.AddrFromSlice(c.DestinationAddr().(*net.UDPAddr).IP.To4())
		switch {
		case local.Contains(from) && local.Contains(to):
			return true
		case kind == blocked:
			return false
		}
		if !h.cut.Load() || relays.Contains(from) || relays.Contains(to) {
			return true
		}
		h.dropped.Add(1)
		return false
	})
	return h
}

// host adds a machine.
func (h *home) host() transport.Net {
	h.internet.t.Helper()
	h.hosts++
	at := fmt.Sprintf("192.168.%d.%d", h.internet.homes, 10+h.hosts)
	if h.kind == noNAT {
		at = fmt.Sprintf("203.0.113.%d", 200+h.internet.homes)
	}
	n, err := newNet(&vnet.NetConfig{StaticIPs: []string{at}})
	require.NoError(h.internet.t, err)
	require.NoError(h.internet.t, h.router.AddNet(n))
	return &testNet{n, h.internet}
}

// A testNet is a network of vnet with TCP to the relays.
type testNet struct {
	*vnet.Net
	internet *internet
}

type testDialer struct{ net *testNet }

func (n *testNet) CreateDialer(*net.Dialer) transport.Dialer { return testDialer{n} }

func (d testDialer) Dial(_, address string) (net.Conn, error) {
	if p := d.net.internet.tcp[address]; p != nil {
		return p.dial()
	}
	return nil, fmt.Errorf("connection refused by %s", address)
}

// A testRelay is a TURN server with addresses as ours gives them.
type testRelay struct {
	internet *internet
	at       netip.Addr
	net      *vnet.Net
	tls      bool
	deaf     bool         // it carries nothing from one of its users to another
	plain    bool         // as coturn: it knows nothing of tags
	shut     atomic.Bool  // it lets nobody in
	asked    atomic.Int64 // how often somebody wanted to be let in
	mu       sync.Mutex
	server   *turn.Server
	open     map[uint16]net.PacketConn
}

func (i *internet) relay(last int) *testRelay {
	i.t.Helper()
	at := netip.AddrFrom4([4]byte{203, 0, 113, byte(last)})
	n, err := newNet(&vnet.NetConfig{StaticIPs: []string{at.String()}})
	require.NoError(i.t, err)
	require.NoError(i.t, i.wan.AddNet(n))
	r := &testRelay{internet: i, at: at, net: n, open: map[uint16]net.PacketConn{}}
	for _, port := range []int{3478, 5349} {
		i.tcp[fmt.Sprintf("%s:%d", at, port)] = newPipes(at, port)
	}
	i.t.Cleanup(r.kill)
	return r
}

// begin has the relay answer.
func (r *testRelay) begin() {
	t := r.internet.t
	t.Helper()
	pc, err := r.net.ListenPacket("udp4", netip.AddrPortFrom(r.at, 3478).String())
	require.NoError(t, err)
	permit := func(_ net.Addr, peer net.IP) bool { return !r.deaf && peer.Equal(r.at.AsSlice()) }
	c := turn.ServerConfig{Realm: "test", LoggerFactory: silent,
		AuthHandler: func(a *turn.RequestAttributes) (string, []byte, bool) {
			r.asked.Add(1)
			return a.Username, turn.GenerateAuthKey(a.Username, a.Realm, code.Password(code.OpenSecret, a.Username)), !r.shut.Load()
		},
		PacketConnConfigs: []turn.PacketConnConfig{{PacketConn: pc, RelayAddressGenerator: r, PermissionHandler: permit}}}
	tcp, over := r.internet.tcp[fmt.Sprintf("%s:3478", r.at)], r.internet.tcp[fmt.Sprintf("%s:5349", r.at)]
	if r.tls {
		tcp = nil
	}
	if tcp != nil {
		c.ListenerConfigs = append(c.ListenerConfigs, turn.ListenerConfig{Listener: tcp.listen(),
			RelayAddressGenerator: r, PermissionHandler: permit})
	}
	keys := code.Code{Secret: [16]byte{9}}.Keys()
	id, err := newIdentity(keys)
	require.NoError(t, err)
	c.ListenerConfigs = append(c.ListenerConfigs, turn.ListenerConfig{RelayAddressGenerator: r, PermissionHandler: permit,
		Listener: tls.NewListener(over.listen(), &tls.Config{Certificates: []tls.Certificate{id.certificate}})})
	s, err := turn.NewServer(c)
	require.NoError(t, err)
	r.mu.Lock()
	r.server = s
	r.mu.Unlock()
}

// kill ends the relay. It may begin anew, and knows nothing then.
func (r *testRelay) kill() {
	r.mu.Lock()
	s := r.server
	r.server = nil
	r.mu.Unlock()
	if s != nil {
		s.Close() //nolint:errcheck
	}
}

func (r *testRelay) Validate() error { return nil }

func (r *testRelay) AllocatePacketConn(c turn.AllocateListenerConfig) (net.PacketConn, net.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	port := uint16(0)
	if u, err := code.ParseUser(c.UserID); err == nil && u.Tag != "" && !r.plain {
		ports := code.Ports(u.Tag)
		port = ports[0]
		if port == 3478 { // it is the relay's own
			port = ports[1]
		}
		if old := r.open[port]; old != nil {
			old.Close() //nolint:errcheck
		}
	}
	pc, err := r.net.ListenPacket("udp4", netip.AddrPortFrom(r.at, port).String())
	if err != nil {
		return nil, nil, err
	}
	r.open[uint16(pc.LocalAddr().(*net.UDPAddr).Port)] = pc
	return pc, pc.LocalAddr(), nil
}

func (r *testRelay) AllocateListener(turn.AllocateListenerConfig) (net.Listener, net.Addr, error) {
	return nil, nil, net.ErrClosed
}

func (r *testRelay) AllocateConn(turn.AllocateConnConfig) (net.Conn, error) {
	return nil, net.ErrClosed
}

// pipes are TCP connections in memory.
type pipes struct {
	at   *net.TCPAddr
	mu   sync.Mutex
	wait chan net.Conn // nil while nobody listens
	next int
}

func newPipes(at netip.Addr, port int) *pipes {
	return &pipes{at: &net.TCPAddr{IP: at.AsSlice(), Port: port}}
}

type pipeListener struct {
	*pipes
	wait  chan net.Conn
	ended chan struct{}
	once  sync.Once
}

func (p *pipes) listen() net.Listener {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &pipeListener{pipes: p, wait: make(chan net.Conn, 8), ended: make(chan struct{})}
	p.wait = l.wait
	return l
}

func (p *pipes) dial() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wait == nil {
		return nil, fmt.Errorf("connection refused by %s", p.at)
	}
	p.next++
	us := &net.TCPAddr{IP: net.IPv4(198, 51, 100, 1), Port: 1024 + p.next}
	a, b := net.Pipe()
	p.wait <- pipeEnd{b, p.at, us}
	return pipeEnd{a, us, p.at}, nil
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.wait:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.ended) })
	l.pipes.mu.Lock()
	defer l.pipes.mu.Unlock()
	if l.pipes.wait == l.wait {
		l.pipes.wait = nil
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return l.at }

type pipeEnd struct {
	net.Conn
	local, remote net.Addr
}

func (p pipeEnd) LocalAddr() net.Addr  { return p.local }
func (p pipeEnd) RemoteAddr() net.Addr { return p.remote }

// secret is that of all sessions here, where none is said.
var secret = [16]byte{1, 2, 3}

// codeOf returns a code of relays.
func codeOf(relays ...*testRelay) code.Code {
	c := code.Code{Secret: secret}
	for _, r := range relays {
		c.Relays = append(c.Relays, code.Relay{Host: r.at.String(), Port: 3478})
	}
	return c
}

// mesh begins a mesh that ends with the test.
func mesh(t *testing.T, c Config) *Mesh {
	t.Helper()
	m, err := New(t.Context(), c)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// inBubble runs a test in a bubble, whose clock is made up, beside other tests.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// soon is long enough for what happens at all, by the clock of a bubble.
const soon = 20 * time.Second

// within returns a context that ends a test that hangs in a bubble.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// pair links two meshes, the first of which knocks at the second's door.
func pair(t *testing.T, a, b *Mesh) (ab, ba Link) {
	t.Helper()
	meet(t, b)
	ab, err := a.Knock(within(t))
	require.NoError(t, err)
	ba, err = b.Accept(within(t))
	require.NoError(t, err)
	return paired(t, a, b, ab, ba)
}

// realPair is pair outside of a bubble, where a machine can stand still for longer than a handshake may take: the link ends at once, or
// none comes, and the machine knocks again.
func realPair(t *testing.T, a, b *Mesh) (ab, ba Link) {
	t.Helper()
	meet(t, b)
	for ba == nil {
		ab = knocks(t, a)
		ba, _ = b.Accept(ab.Context())
	}
	return paired(t, a, b, ab, ba)
}

// knocks returns the link that a mesh outside of a bubble gets at the address of its code, as often as it has to ask.
func knocks(t *testing.T, m *Mesh) Link {
	t.Helper()
	for {
		l, err := m.Knock(testkit.Context(t))
		if err == nil {
			return l
		}
		require.NoError(t, testkit.Context(t).Err(), err)
	}
}

// meet waits until a mesh answers at the address of its code.
func meet(t *testing.T, m *Mesh) {
	t.Helper()
	m.Meet(true)
	testkit.Until(t, func() bool { return slices.ContainsFunc(m.Meeting(), netip.AddrPort.IsValid) }, "an address to meet at")
}

// paired returns two sides of a link, after a look at whom they name.
func paired(t *testing.T, a, b *Mesh, ab, ba Link) (Link, Link) {
	t.Helper()
	require.Equal(t, b.ID(), ab.ID())
	require.Equal(t, a.ID(), ba.ID())
	return ab, ba
}
