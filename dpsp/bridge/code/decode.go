package code

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// errCut means that octets are missing or too many, though the letters fit each other: nobody types such a code by mistake.
var errCut = errors.New("the code is damaged")

// decode reads letters without those that check them.
func decode(letters []byte) (Code, error) {
	form, b := letters[0], unspell(letters[1:])
	switch form {
	case usual:
		if len(b) != 4+16 {
			return Code{}, errCut
		}
		host := netip.AddrFrom4([4]byte(b)).String()
		return Code{Relays: []Relay{{Host: host, Port: DefaultPort}}, Secret: [16]byte(b[4:])}, nil
	case general:
		return decodeGeneral(&rest{b: b})
	}
	return Code{}, ErrLater
}

// decodeGeneral reads the general form.
func decodeGeneral(b *rest) (Code, error) {
	var c Code
	copy(c.Secret[:], b.take(16))
	switch n := b.octet(); n {
	case 0:
	case 4, 16:
		at, _ := netip.AddrFromSlice(b.take(int(n)))
		c.Meeting = netip.AddrPortFrom(at, b.port())
	default:
		return Code{}, ErrLater
	}
	n := b.octet()
	if n > MaxRelays {
		return Code{}, ErrLater
	}
	for range n {
		r, later := b.relay()
		if later {
			return Code{}, ErrLater
		}
		c.Relays = append(c.Relays, r)
	}
	if b.cut || len(b.b) > 0 {
		return Code{}, errCut
	}
	return c, nil
}

// A rest is what is left to read.
type rest struct {
	b   []byte
	cut bool // more was asked for than was there
}

func (b *rest) take(n int) []byte {
	if n > len(b.b) {
		b.cut, b.b = true, nil
		return make([]byte, n)
	}
	t := b.b[:n]
	b.b = b.b[n:]
	return t
}

func (b *rest) octet() byte  { return b.take(1)[0] }
func (b *rest) port() uint16 { return binary.BigEndian.Uint16(b.take(2)) }
func (b *rest) text() string { return string(b.take(int(b.octet()))) }

// relay reads a relay. later means that it is of a kind that this version does not know.
func (b *rest) relay() (r Relay, later bool) {
	flags := b.octet()
	switch flags & 0x0f {
	case ipv4:
		r.Host, r.Port = netip.AddrFrom4([4]byte(b.take(4))).String(), DefaultPort
	case ipv6:
		r.Host, r.Port = netip.AddrFrom16([16]byte(b.take(16))).String(), DefaultPort
	case named:
		r.Host = b.text()
	default:
		return r, !b.cut
	}
	if flags&withPort != 0 {
		r.Port = b.port()
	}
	if flags&withUser != 0 {
		r.User, r.Password = b.text(), b.text()
	}
	return r, flags&^(0x0f|withPort|withUser) != 0 && !b.cut
}
