package relay

import (
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// patience is how long a test waits for what has to happen.
const patience = 20 * time.Second

// here is where relays of tests listen, and their public address.
var here = netip.MustParseAddr("127.0.0.1")

// usual is a relay on loopback, with ports that are free at the moment.
func usual(t testing.TB) Config {
	certificate, err := SelfMade([]netip.Addr{here})
	require.NoError(t, err)
	port, tlsPort := freePorts(t)
	return Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: port, AlternatePort: port + 1, TLSPort: tlsPort,
		Certificate: certificate, Secret: code.OpenSecret, Limits: DefaultLimits()}
}

// nextPort is where to look for free ports: below those that the system gives to sockets that do not care.
var nextPort atomic.Int32

func init() { nextPort.Store(10000 + rand.Int32N(15000)) }

// freePorts finds a port that is free for UDP and TCP, and whose next one is free too; and one more.
func freePorts(t testing.TB) (port, tlsPort uint16) {
	t.Helper()
	for range 1000 {
		port = uint16(nextPort.Add(3))
		if free(port) && free(port+1) && free(port+2) {
			return port, port + 2
		}
	}
	require.Fail(t, "no ports are free")
	return 0, 0
}

// free reports whether nobody has a port.
func free(port uint16) bool {
	at := netip.AddrPortFrom(here, port)
	l, err := net.Listen("tcp4", at.String())
	if err != nil {
		return false
	}
	defer l.Close()
	c, err := openDatagrams(at)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// begin opens a relay for a test.
func begin(t testing.TB, changes ...func(*Config)) *Server {
	t.Helper()
	c := usual(t)
	for _, change := range changes {
		change(&c)
	}
	s, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// A target is a TURN server that tests talk with: ours, or coturn.
type target struct {
	at, tls netip.AddrPort
	secret  string
	public  netip.Addr
	from    netip.Addr // where clients are, if that matters
	sockets bool       // relayed addresses are sockets: coturn
}

func (s *Server) target() target {
	return target{at: netip.AddrPortFrom(s.config.Listen[0], s.config.Port),
		tls: netip.AddrPortFrom(s.config.Listen[0], s.config.TLSPort), secret: s.config.Secret, public: s.config.Public[0]}
}

// credential makes one that is good for an hour.
func (g target) credential(tag string) code.Credential {
	return code.NewCredential(g.secret, tag, time.Now().Add(time.Hour))
}

// connect opens a socket or a connection to the server.
func (g target) connect(t testing.TB, transport string) net.PacketConn {
	t.Helper()
	switch transport {
	case "udp":
		from := here
		if g.from.IsValid() {
			from = g.from
		}
		c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)))
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	case "tls":
		c, err := tls.Dial("tcp4", g.tls.String(), &tls.Config{InsecureSkipVerify: true})
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return turn.NewSTUNConn(c)
	}
	c, err := net.Dial("tcp4", g.at.String())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return turn.NewSTUNConn(c)
}

// A machine is a client of pion, with an allocation.
type machine struct {
	net.PacketConn
	client *turn.Client
}

func (m machine) address() netip.AddrPort { return addrPort(m.LocalAddr()) }

// allocate makes an allocation, of IPv4 if no family is said.
func (g target) allocate(t testing.TB, transport string, c code.Credential, family ...turn.RequestedAddressFamily) (machine,
	error) {
	t.Helper()
	family = append(family, turn.RequestedAddressFamilyIPv4)
	client, err := turn.NewClient(&turn.ClientConfig{STUNServerAddr: g.at.String(), TURNServerAddr: g.at.String(),
		Conn: g.connect(t, transport), Username: c.User, Password: c.Password, Realm: realm, RequestedAddressFamily: family[0],
		LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}})
	require.NoError(t, err)
	require.NoError(t, client.Listen())
	t.Cleanup(client.Close)
	conn, err := client.Allocate()
	if err != nil {
		return machine{}, err
	}
	t.Cleanup(func() { conn.Close() })
	return machine{conn, client}, nil
}

// member makes an allocation that has to be.
func (g target) member(t testing.TB, transport, tag string) machine {
	t.Helper()
	m, err := g.allocate(t, transport, g.credential(tag))
	require.NoError(t, err)
	require.NoError(t, m.client.CreatePermission(m.LocalAddr()))
	return m
}

// talk has one machine say something to another one, until it arrives.
func talk(t testing.TB, from, to machine, text string) {
	t.Helper()
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		var b [2000]byte
		to.SetReadDeadline(time.Now().Add(patience)) //nolint:errcheck // then nothing is heard
		for {
			n, at, err := to.ReadFrom(b[:])
			if !assert.NoError(t, err) {
				return
			}
			if string(b[:n]) == text {
				assert.Equal(t, from.address(), addrPort(at))
				return
			}
		}
	}()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		_, err := from.WriteTo([]byte(text), to.LocalAddr())
		require.NoError(t, err)
		select {
		case <-heard:
			return
		case <-again.C:
		}
	}
}

// A plain client says whatever it is told to.
type plain struct {
	t          testing.TB
	conn       net.PacketConn
	to         net.Addr
	credential code.Credential
	nonce      stun.Nonce
	realm      stun.Realm
}

func (g target) plain(t testing.TB, transport string, c code.Credential) *plain {
	return &plain{t: t, conn: g.connect(t, transport), to: net.UDPAddrFromAddrPort(g.at), credential: c}
}

// ask sends a request and returns the answer to it.
func (p *plain) ask(parts ...stun.Setter) *stun.Message {
	p.t.Helper()
	m, err := stun.Build(append([]stun.Setter{stun.TransactionID}, parts...)...)
	require.NoError(p.t, err)
	end := time.Now().Add(patience)
	for time.Now().Before(end) {
		_, err = p.conn.WriteTo(m.Raw, p.to)
		require.NoError(p.t, err)
		if a := p.answer(m.TransactionID, 500*time.Millisecond); a != nil {
			return a
		}
		if _, ok := p.conn.(*turn.STUNConn); ok {
			break // nothing is lost there
		}
	}
	require.Fail(p.t, "no answer")
	return nil
}

// answer waits for an answer, and returns nil if there is none.
func (p *plain) answer(id [stun.TransactionIDSize]byte, wait time.Duration) *stun.Message {
	require.NoError(p.t, p.conn.SetReadDeadline(time.Now().Add(wait)))
	var b [2000]byte
	for {
		n, _, err := p.conn.ReadFrom(b[:])
		if err != nil {
			return nil
		}
		a := &stun.Message{Raw: append([]byte(nil), b[:n]...)}
		if a.Decode() == nil && a.TransactionID == id {
			return a
		}
	}
}

// signed asks with the credential.
func (p *plain) signed(parts ...stun.Setter) *stun.Message {
	p.t.Helper()
	if p.nonce == nil {
		p.learn(p.ask(allocateRequest, transportUDP))
	}
	return p.ask(p.sign(parts)...)
}

// learn takes from an answer what requests are signed with.
func (p *plain) learn(a *stun.Message) {
	p.t.Helper()
	require.NotNil(p.t, a)
	require.Equal(p.t, stun.CodeUnauthorized, failure(a))
	require.NoError(p.t, p.nonce.GetFrom(a))
	require.NoError(p.t, p.realm.GetFrom(a))
}

// sign signs a request.
func (p *plain) sign(parts []stun.Setter) []stun.Setter {
	return append(parts, stun.NewUsername(p.credential.User), p.realm, p.nonce,
		stun.NewLongTermIntegrity(p.credential.User, p.realm.String(), p.credential.Password), stun.Fingerprint)
}

// failure returns the code of an answer that is an error, 0 for others.
func failure(m *stun.Message) stun.ErrorCode {
	var e stun.ErrorCodeAttribute
	if m.Type.Class != stun.ClassErrorResponse || e.GetFrom(m) != nil {
		return 0
	}
	return e.Code
}

// allocateRequest is the type of an Allocate request.
var allocateRequest = stun.NewType(stun.MethodAllocate, stun.ClassRequest)

// transportUDP asks for UDP in an Allocate request.
var transportUDP = stun.RawAttribute{Type: stun.AttrRequestedTransport, Value: []byte{17, 0, 0, 0}}

// A peerAddress names another address.
type peerAddress netip.AddrPort

// AddTo puts it into a message.
func (p peerAddress) AddTo(m *stun.Message) error {
	a := netip.AddrPort(p)
	return stun.XORMappedAddress{IP: a.Addr().AsSlice(), Port: int(a.Port())}.AddToAs(m, stun.AttrXORPeerAddress)
}

// channelNumber is that of a channel.
func channelNumber(n uint16) stun.Setter {
	return stun.RawAttribute{Type: stun.AttrChannelNumber, Value: []byte{byte(n >> 8), byte(n), 0, 0}}
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	require.Eventually(t, so, patience, 5*time.Millisecond, what)
}

// value returns one of the metrics.
func (s *Server) value(name string) string {
	for line := range strings.Lines(s.metrics()) {
		if v, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(v)
		}
	}
	return "none"
}
