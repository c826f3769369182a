package relay

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/internal/testkit"
)

// The requests of who has an allocation.
var (
	permissionRequest = stun.NewType(stun.MethodCreatePermission, stun.ClassRequest)
	channelRequest    = stun.NewType(stun.MethodChannelBind, stun.ClassRequest)
	connectRequest    = stun.NewType(stun.MethodConnect, stun.ClassRequest)
	refreshRequest    = stun.NewType(stun.MethodRefresh, stun.ClassRequest)
	sendIndication    = stun.NewType(stun.MethodSend, stun.ClassIndication)
)

// others are addresses that a relay must not be aimed at.
var others = []string{"127.0.0.3", "10.1.2.3", "192.168.1.1", "169.254.169.254", "203.0.113.9", "198.51.100.1",
	"255.255.255.255", "224.0.0.1", "0.0.0.0"}

// TestAimedAtNobody: permissions and channels for other addresses are refused, and what is sent to them, or to sockets at
// the relay's own address, arrives nowhere.
func TestAimedAtNobody(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			s.target().aimAtOthers(t, transport)
		})
	}
}

// aimAtOthers does what can be done to have the server send to others.
func (g target) aimAtOthers(t *testing.T, transport string) {
	other := testkit.Addr(t)
	victims := map[netip.Addr]net.PacketConn{}
	for _, at := range []netip.Addr{g.at.Addr(), other, g.public} {
		if g.sockets && at == g.public {
			continue // its relayed addresses are sockets like any
		}
		c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 0)))
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		victims[at] = c
	}
	tag := "a" + hex.EncodeToString([]byte("relay"+transport)) // one with the tag of another takes its address over
	p := g.plain(t, transport, g.credential(tag))
	require.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
	for i, other := range append(others, g.at.Addr().String(), other.String()) {
		at := netip.AddrPortFrom(netip.MustParseAddr(other), 9)
		if at.Addr() == g.public {
			continue
		}
		if v := victims[at.Addr()]; v != nil {
			at = addrPort(v.LocalAddr())
		}
		assert.Equal(t, stun.CodeForbidden, failure(p.signed(permissionRequest, peerAddress(at))), other)
		assert.NotZero(t, failure(p.signed(channelRequest, channelNumber(uint16(0x4001+i)), peerAddress(at))), other)
		p.send(at)
		p.data(uint16(0x4001 + i))
	}
	own := netip.AddrPortFrom(g.public, 9)
	require.Zero(t, failure(p.signed(permissionRequest, peerAddress(own))))
	for _, v := range victims {
		p.send(addrPort(v.LocalAddr()))
	}
	if v := victims[g.public]; v != nil {
		require.Zero(t, failure(p.signed(channelRequest, channelNumber(0x4f00), peerAddress(addrPort(v.LocalAddr())))))
		p.data(0x4f00)
	}
	// All that was said is done when an answer to what came last is there.
	require.Zero(t, failure(p.signed(permissionRequest, peerAddress(own))))
	for at, v := range victims {
		direct := g.connect(t, "udp")
		_, err := direct.WriteTo([]byte("the first"), v.LocalAddr())
		require.NoError(t, err)
		require.NoError(t, v.SetReadDeadline(testkit.Deadline()))
		_, from, err := v.ReadFrom(make([]byte, 100))
		require.NoError(t, err)
		assert.Equal(t, direct.LocalAddr().String(), from.String(), "%s got something before", at)
	}
}

// send sends an indication, as it is.
func (p *plain) send(to netip.AddrPort) {
	p.t.Helper()
	p.tell(sendIndication, peerAddress(to), stun.RawAttribute{Type: stun.AttrData, Value: []byte("boo!")})
}

// data sends ChannelData.
func (p *plain) data(channel uint16) {
	p.t.Helper()
	_, err := p.conn.WriteTo(append(binary.BigEndian.AppendUint16(nil, channel), 0, 4, 'b', 'o', 'o', '!'), p.to)
	require.NoError(p.t, err)
}

// TestNoTCP: nobody has the relay open connections, nor pairs of ports.
func TestNoTCP(t *testing.T) {
	t.Parallel()
	s := begin(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	p := s.target().plain(t, "udp", s.target().credential(""))
	assert.Equal(t, stun.CodeInsufficientCapacity, failure(p.signed(allocateRequest,
		stun.RawAttribute{Type: stun.AttrRequestedTransport, Value: []byte{6, 0, 0, 0}})))
	assert.Equal(t, stun.CodeInsufficientCapacity, failure(p.signed(allocateRequest, transportUDP,
		stun.RawAttribute{Type: stun.AttrEvenPort, Value: []byte{0x80}})))
	require.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
	p.tell(connectRequest, peerAddress(addrPort(l.Addr())), stun.NewUsername(p.credential.User), p.realm, p.nonce,
		stun.NewLongTermIntegrity(p.credential.User, p.realm.String(), p.credential.Password))
	require.Zero(t, failure(p.signed(refreshRequest)))
	direct, err := net.Dial("tcp4", l.Addr().String())
	require.NoError(t, err)
	defer direct.Close()
	first, err := l.Accept()
	require.NoError(t, err)
	defer first.Close()
	assert.Equal(t, direct.LocalAddr(), first.RemoteAddr())
}

// TestCredentials has those that are refused, and that each is counted.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Secret = "of the operator" })
	g := s.target()
	g.refuseAll(t)
	assert.Zero(t, s.Allocations())
	assert.Equal(t, "1", s.value(`dplay_relay_refused_total{reason="expired"}`))
	assert.Equal(t, "8", s.value(`dplay_relay_refused_total{reason="credentials"}`))
	given := code.NewCredential(g.secret, "anna", time.Now().AddDate(0, 0, 1))
	assert.Zero(t, failure(g.plain(t, "udp", given).signed(allocateRequest, transportUDP)))
}

// TestOpenForever: an open relay takes credentials of any time, for everybody can make another one.
func TestOpenForever(t *testing.T) {
	t.Parallel()
	g := begin(t).target()
	old := code.NewCredential(g.secret, "a0123456789abcdef", time.Unix(1, 0))
	assert.Zero(t, failure(g.plain(t, "udp", old).signed(allocateRequest, transportUDP)))
}

// refuseAll has credentials that are refused.
func (g target) refuseAll(t *testing.T) {
	day := time.Now().AddDate(0, 0, 1)
	given := code.NewCredential(g.secret, "anna", day)
	for name, c := range map[string]code.Credential{
		"another secret":       code.NewCredential(code.OpenSecret, "anna", day),
		"expired":              code.NewCredential(g.secret, "anna", time.Now().AddDate(0, 0, -1)),
		"no expiry":            {User: "anna", Password: "anna"},
		"nothing":              {},
		"made to last":         {User: "9" + given.User, Password: given.Password},
		"another name":         {User: given.User + "x", Password: given.Password},
		"a tag put to it":      {User: given.User + "+m0123456789abcdef", Password: given.Password},
		"a made-up tag":        given.For("x"),
		"a tag of another one": {User: given.For("a0123456789abcdef").User, Password: given.For("a0123456789abcde0").Password},
	} {
		p := g.plain(t, "udp", c)
		assert.Equal(t, stun.CodeUnauthorized, failure(p.signed(allocateRequest, transportUDP)), name)
	}
}

// TestOthersAllocation: nobody changes an allocation with credentials of his own.
func TestOthersAllocation(t *testing.T) {
	t.Parallel()
	s := begin(t)
	p := s.target().plain(t, "udp", s.target().credential("a0123456789abcdef"))
	require.Zero(t, failure(p.signed(allocateRequest, transportUDP)))
	own, other := p.credential, s.target().credential("a0123456789abcde0")
	p.credential = other
	id := p.tell(p.sign([]stun.Setter{refreshRequest, stun.RawAttribute{Type: stun.AttrLifetime, Value: make([]byte, 4)}})...)
	p.credential = own
	require.Zero(t, failure(p.signed(refreshRequest)))
	assert.NotContains(t, p.answered, id)
	assert.Equal(t, 1, s.Allocations())
}

// TestStrangers: who has no allocation gets no answer but to Binding and Allocate requests, and the word that he has none.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for _, transport := range transports {
		p := s.target().plain(t, transport, code.Credential{})
		for _, m := range []stun.MessageType{permissionRequest, channelRequest, refreshRequest} {
			assert.Equal(t, stun.CodeAllocMismatch, failure(p.ask(m)))
		}
		for _, m := range []stun.MessageType{connectRequest, sendIndication,
			stun.BindingSuccess, stun.BindingError,
			stun.NewType(stun.MethodData, stun.ClassIndication), stun.NewType(0xabc, stun.ClassRequest)} {
			p.tell(m, stun.Fingerprint)
		}
		p.data(0x4000)
		p.ask(stun.BindingRequest)
		assert.Equal(t, stun.CodeUnauthorized, failure(p.ask(allocateRequest, transportUDP)))
	}
	assert.Equal(t, "30", countsOf(s, droppedStranger, droppedMalformed))
}

// countsOf returns the sum of some counts.
func countsOf(s *Server, of ...count) string {
	n := uint64(0)
	for _, c := range of {
		n += s.counts[c].Load()
	}
	return strconv.FormatUint(n, 10)
}

// TestNotTURN: a stream that is none of TURN is closed.
func TestNotTURN(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, err := net.Dial("tcp4", s.target().at.String())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: relay\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(testkit.Deadline()))
	n, err := c.Read(make([]byte, 100))
	assert.Zero(t, n)
	var late net.Error
	assert.False(t, errors.As(err, &late) && late.Timeout(), "it is still open")
	assert.Equal(t, "1", countsOf(s, droppedMalformed))
}

// TestFamily: who wants an address of a family that the relay has none of is told so, whether he has credentials or not.
func TestFamily(t *testing.T) {
	t.Parallel()
	family := func(n byte) stun.Setter {
		return stun.RawAttribute{Type: stun.AttrRequestedAddressFamily, Value: []byte{n, 0, 0, 0}}
	}
	s := begin(t)
	p := s.target().plain(t, "udp", s.target().credential(""))
	assert.Equal(t, stun.CodeAddrFamilyNotSupported, failure(p.signed(allocateRequest, transportUDP, family(2))))
	assert.Equal(t, stun.CodeAddrFamilyNotSupported, failure(p.ask(allocateRequest, transportUDP, family(2))))
	assert.Equal(t, "2", s.value(`dplay_relay_refused_total{reason="family"}`))
	assert.Zero(t, failure(p.signed(allocateRequest, transportUDP, family(1))))
	s = begin(t, func(c *Config) { c.Public = []netip.Addr{netip.MustParseAddr("2001:db8::5")} })
	p = s.target().plain(t, "udp", s.target().credential(""))
	p.credential = s.target().credential("")
	assert.Equal(t, stun.CodeAddrFamilyNotSupported, failure(p.ask(allocateRequest, transportUDP, family(1))))
	assert.Equal(t, stun.CodeAddrFamilyNotSupported, failure(p.ask(allocateRequest, transportUDP)))
	p.learn(p.ask(allocateRequest, transportUDP, family(2)))
	assert.Zero(t, failure(p.signed(allocateRequest, transportUDP, family(2))))
}
