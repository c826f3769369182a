package relay

import (
	"bytes"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"dplay4/internal/testkit"
)

// TestMalformed: none of thousands of damaged packets does harm, whoever sends them, and who behaves is served. More than
// half of them get to the TURN server.
func TestMalformed(t *testing.T) {
	t.Parallel()
	s := begin(t, func(c *Config) { c.Limits.Rate, c.Limits.AddressRate = 1<<30, 1<<30 })
	g := s.target()
	d := damager{rand.New(rand.NewPCG(14, 5))}
	bad := g
	bad.from = testkit.Addr(t)
	member := bad.plain(t, "udp", g.credential("a0123456789abcdef"))
	require.Zero(t, failure(member.signed(allocateRequest, transportUDP)))
	stranger := bad.plain(t, "udp", g.credential(""))
	stranger.learn(stranger.ask(allocateRequest, transportUDP))
	stranger.credential.Password = "another one"
	own := s.exchange.of(client{s.fronts[0], addrPort(member.conn.LocalAddr())})
	for _, l := range []*rate.Limiter{own.requests, s.strangers.of(bad.from).most, s.strangers.of(bad.from).own,
		s.proved.of(bad.from).most, s.proved.of(bad.from).own} {
		l.SetLimit(rate.Inf)
	}
	packets := 20000
	if os.Getenv("DPLAY_LONG") != "" {
		packets = 100000
	}
	for n := range packets {
		who := []*plain{member, member, member, stranger}[d.IntN(4)]
		_, err := who.conn.WriteTo(d.packet(who), who.to)
		require.NoError(t, err)
		if n%50 == 49 { // so that none is lost
			member.ask(stun.BindingRequest)
		}
	}
	dropped := uint64(0)
	for _, c := range []count{droppedMalformed, droppedStranger, droppedFlood, droppedRate, refusedCredentials} {
		dropped += s.counts[c].Load()
	}
	assert.Less(t, dropped, uint64(packets/2))
	a, b := g.member(t, "udp", ""), g.member(t, "tcp", "")
	talk(t, a, b, "unharmed")
}

// A damager makes packets that are not quite right.
type damager struct{ *rand.Rand }

// packet makes a packet with an attribute or two that are damaged, most times signed as if it were right; or damages any of its
// octets.
func (d damager) packet(who *plain) []byte {
	if d.IntN(20) == 0 {
		return d.octets([]byte{0x40, 0, 0, 4, 'b', 'o', 'o', '!'})
	}
	types := []stun.MessageType{allocateRequest, refreshRequest, permissionRequest, channelRequest, sendIndication}
	m := stun.MustBuild(stun.TransactionID, types[d.IntN(len(types))], transportUDP, peerAddress(netip.AddrPortFrom(netip.AddrFrom4([4]byte(who.to.(*net.UDPAddr).IP.To4())), 9)),
		channelNumber(0x4000), stun.RawAttribute{Type: stun.AttrData, Value: []byte("boo!")},
		stun.NewUsername(who.credential.User), who.realm, who.nonce)
	parts := []stun.Setter{stun.TransactionID, m.Type}
	for _, a := range m.Attributes {
		parts = append(parts, a)
	}
	for range d.IntN(3) {
		parts[2+d.IntN(len(parts)-2)] = d.attribute()
	}
	if d.IntN(10) > 0 {
		parts = append(parts, stun.NewLongTermIntegrity(who.credential.User, who.realm.String(), who.credential.Password))
	}
	damaged, err := stun.Build(parts...)
	switch {
	case err != nil: // a FINGERPRINT before what signs it
		return m.Raw
	case d.IntN(5) == 0:
		return d.octets(damaged.Raw)
	}
	return damaged.Raw
}

// attribute makes one of those that a TURN server looks at, of any size.
func (d damager) attribute() stun.Setter {
	types := []stun.AttrType{stun.AttrUsername, stun.AttrRealm, stun.AttrNonce, stun.AttrRequestedTransport, stun.AttrLifetime,
		stun.AttrRequestedAddressFamily, stun.AttrEvenPort, stun.AttrReservationToken, stun.AttrDontFragment, stun.AttrData,
		stun.AttrXORPeerAddress, stun.AttrChannelNumber, stun.AttrMessageIntegrity, stun.AttrFingerprint, stun.AttrErrorCode,
		stun.AttrType(d.Uint32())}
	value := make([]byte, []int{0, 1, 4, 8, 20, 700}[d.IntN(6)])
	for i := range value {
		value[i] = byte(d.Uint32())
	}
	return stun.RawAttribute{Type: types[d.IntN(len(types))], Value: value}
}

// octets changes some, and takes some away.
func (d damager) octets(b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + d.IntN(3) {
		b[d.IntN(len(b))] = byte(d.Uint32())
	}
	return b[:len(b)-d.IntN(len(b))*d.IntN(2)]
}
