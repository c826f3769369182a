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
	bound     []channel // few: to look at each takes less time than a map, and much less memory
	permitted bool      // to hear what comes over no channel; there is but one address to hear from
}

// A channel leads to a port of the address that the allocation has, for there is no other one to talk with.
type channel struct{ number, port uint16 }

// bind is told that a channel is bound, perhaps once more.
func (c *channels) bind(number, port uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(number)
	c.bound = append(c.bound, channel{number, port})
}

// unbind is told that a channel has expired.
func (c *channels) unbind(number uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(number)
}

// remove removes a channel. mu is held.
func (c *channels) remove(number uint16) {
	c.bound = slices.DeleteFunc(c.bound, func(b channel) bool { return b.number == number })
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
	if len(c.bound) < maxChannels {
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
	return !slices.ContainsFunc(c.bound, func(b channel) bool { return b.number == binary.BigEndian.Uint16(number) })
}

// port returns where a channel leads to, 0 for nowhere.
func (c *channels) port(number uint16) uint16 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, b := range c.bound {
		if b.number == number {
			return b.port
		}
	}
	return 0
}

// from returns how the client hears what comes from a port: over a channel, or as an indication for channel 0, if at all.
func (c *channels) from(port uint16) (number uint16, heard bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, b := range c.bound {
		if b.port == port {
			return b.number, true
		}
	}
	return 0, c.permitted
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
