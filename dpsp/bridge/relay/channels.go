package relay

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/pion/stun/v4"
)

// channels are what the TURN server lets an allocation talk with, as it tells us. What goes over them is relayed here, without
// it.
type channels struct {
	mu        sync.RWMutex
	numbers   map[netip.AddrPort]uint16
	peers     map[uint16]netip.AddrPort
	permitted bool // to hear what comes over no channel; there is but one address to hear from
}

// bound is told that a channel is bound.
func (c *channels) bound(number uint16, to netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.numbers == nil {
		c.numbers, c.peers = map[netip.AddrPort]uint16{}, map[uint16]netip.AddrPort{}
	}
	c.numbers[to], c.peers[number] = number, to
}

// unbound is told that a channel has expired.
func (c *channels) unbound(number uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.numbers, c.peers[number])
	delete(c.peers, number)
}

// permit is told whether the allocation has a permission for our address.
func (c *channels) permit(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.permitted = yes
}

// tooMany reports whether a ChannelBind request is for one more channel than there can be. Those that are there can be refreshed.
func (c *channels) tooMany(request []byte) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if len(c.peers) < maxChannels {
		return false
	}
	m := &stun.Message{Raw: slices.Clone(request)}
	if m.Decode() != nil {
		return true
	}
	number, err := m.Get(stun.AttrChannelNumber)
	if err != nil || len(number) != 4 {
		return true
	}
	_, bound := c.peers[binary.BigEndian.Uint16(number)]
	return !bound
}

// peer returns whom a channel leads to.
func (c *channels) peer(number uint16) (netip.AddrPort, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	to, ok := c.peers[number]
	return to, ok
}

// from returns how the client hears what comes from an address: over a channel, or else as an indication, if at all.
func (c *channels) from(at netip.AddrPort) (number uint16, channel, permitted bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	number, channel = c.numbers[at]
	return number, channel, c.permitted
}

// appendChannelData appends a packet that came for a client, as it hears it over a channel.
func appendChannelData(b []byte, number uint16, data []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, number)
	b = binary.BigEndian.AppendUint16(b, uint16(len(data)))
	b = append(b, data...)
	for len(b)%4 != 0 { // a stream needs it, a datagram may have it
		b = append(b, 0)
	}
	return b
}

// dataIndication is the type of packets that come for a client over no channel.
var dataIndication = stun.NewType(stun.MethodData, stun.ClassIndication)

// indication makes a packet that came for a client, as it hears it without a channel.
func indication(from netip.AddrPort, data []byte) ([]byte, error) {
	m, err := stun.Build(stun.TransactionID, dataIndication, sender(from), stun.RawAttribute{Type: stun.AttrData, Value: data})
	if err != nil {
		return nil, err
	}
	return m.Raw, nil
}

// A sender is whom an indication is from.
type sender netip.AddrPort

// AddTo puts it into a message.
func (s sender) AddTo(m *stun.Message) error {
	a := netip.AddrPort(s)
	return stun.XORMappedAddress{IP: net.IP(a.Addr().AsSlice()), Port: int(a.Port())}.AddToAs(m, stun.AttrXORPeerAddress)
}
