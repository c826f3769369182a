package relay

import (
	"crypto/tls"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pion/logging"
	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// usual is a relay at a loopback address of its own.
func usual(t testing.TB) Config {
	at := []netip.Addr{testkit.Addr(t)}
	certificate, err := SelfMade(at)
	require.NoError(t, err)
	return Config{Public: at, Listen: at, Port: DefaultPort, AlternatePort: DefaultPort + 1, TLSPort: DefaultTLSPort,
		Certificate: certificate, Secret: code.OpenSecret, Limits: DefaultLimits()}
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
	from    netip.Addr // where clients are; none: where the server is
	sockets bool       // relayed addresses are sockets: coturn
}

func (s *Server) target() target {
	return target{at: netip.AddrPortFrom(s.config.Listen[0], s.config.Port),
		tls: netip.AddrPortFrom(s.config.Listen[0], s.config.TLSPort), secret: s.config.Secret, public: s.config.Public[0]}
}

// credential makes one that is good for a day.
func (g target) credential(tag string) code.Credential {
	return code.NewCredential(g.secret, tag, time.Now().AddDate(0, 0, 1))
}

// connect opens a socket or a connection to the server.
func (g target) connect(t testing.TB, transport string) net.PacketConn {
	t.Helper()
	from := g.at.Addr()
	if g.from.IsValid() {
		from = g.from
	}
	if transport == "udp" {
		c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(from, 0)))
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
	var c net.Conn
	var err error
	if transport == "tls" {
		c, err = tls.DialWithDialer(&d, "tcp4", g.tls.String(), &tls.Config{InsecureSkipVerify: true})
	} else {
		c, err = d.Dial("tcp4", g.at.String())
	}
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
	for err != nil && strings.Contains(err.Error(), "error 438") { // a late request was sent twice, and coturn has another nonce now
		conn, err = client.Allocate()
	}
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
	heard := make(chan error, 1)
	go func() {
		var b [2000]byte
		err := to.SetReadDeadline(testkit.Deadline())
		for err == nil {
			var n int
			var at net.Addr
			n, at, err = to.ReadFrom(b[:])
			if err == nil && string(b[:n]) == text {
				assert.Equal(t, from.address(), addrPort(at))
				break
			}
		}
		heard <- err
	}()
	var said time.Time
	testkit.Until(t, func() bool {
		select {
		case err := <-heard:
			require.NoError(t, err)
			return true
		default:
		}
		if time.Since(said) > testkit.Moment { // it may be lost
			said = time.Now()
			_, err := from.WriteTo([]byte(text), to.LocalAddr())
			require.NoError(t, err)
		}
		return false
	}, "%q", text)
}

// A plain client says whatever it is told to.
type plain struct {
	t          testing.TB
	conn       net.PacketConn
	to         net.Addr
	credential code.Credential
	nonce      stun.Nonce
	realm      stun.Realm
	answered   [][stun.TransactionIDSize]byte // other messages than those of ask
}

func (g target) plain(t testing.TB, transport string, c code.Credential) *plain {
	return &plain{t: t, conn: g.connect(t, transport), to: net.UDPAddrFromAddrPort(g.at), credential: c}
}

// tell sends a message, and returns its id.
func (p *plain) tell(parts ...stun.Setter) [stun.TransactionIDSize]byte {
	p.t.Helper()
	m, err := stun.Build(append([]stun.Setter{stun.TransactionID}, parts...)...)
	require.NoError(p.t, err)
	_, err = p.conn.WriteTo(m.Raw, p.to)
	require.NoError(p.t, err)
	return m.TransactionID
}

// ask sends a request and returns the answer to it.
func (p *plain) ask(parts ...stun.Setter) *stun.Message {
	p.t.Helper()
	m, err := stun.Build(append([]stun.Setter{stun.TransactionID}, parts...)...)
	require.NoError(p.t, err)
	stop := p.again(m.Raw, p.to)
	defer stop()
	a, _ := p.answer(m.TransactionID)
	return a
}

// again sends a packet, and again until stop is called, because datagrams may be lost.
func (p *plain) again(b []byte, to net.Addr) (stop func()) {
	p.t.Helper()
	_, err := p.conn.WriteTo(b, to)
	require.NoError(p.t, err)
	if _, stream := p.conn.(*turn.STUNConn); stream {
		return func() {}
	}
	return testkit.Again(func() { p.conn.WriteTo(b, to) }) //nolint:errcheck // it is lost, too
}

// answer waits for the answer to a request, and returns where it came from as well.
func (p *plain) answer(id [stun.TransactionIDSize]byte) (*stun.Message, net.Addr) {
	p.t.Helper()
	require.NoError(p.t, p.conn.SetReadDeadline(testkit.Deadline()))
	var b [2000]byte
	for {
		n, from, err := p.conn.ReadFrom(b[:])
		require.NoError(p.t, err, "no answer")
		a := &stun.Message{Raw: append([]byte(nil), b[:n]...)}
		if a.Decode() != nil {
			continue
		}
		if a.TransactionID == id {
			return a, from
		}
		p.answered = append(p.answered, a.TransactionID)
	}
}

// once asks by one packet, and returns the answer.
func (p *plain) once(parts ...stun.Setter) *stun.Message {
	p.t.Helper()
	a, _ := p.answer(p.tell(parts...))
	return a
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
	testkit.Until(t, so, "%s", what)
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
