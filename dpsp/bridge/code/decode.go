package code

import (
	"cmp"
	"encoding/binary"
	"errors"
	"net/netip"
)

// errCut means that octets are missing or too many, though the letters fit each other: nobody types such a code by mistake.
var errCut = errors.New("the code is damaged")

// decode reads letters without those that check them, and checks what they say.
func decode(letters string) (c Code, err error) {
	octets, _ := spelling.DecodeString(letters[1:]) // all are of the alphabet
	b := &rest{b: octets}
	switch letters[:1] {
	case usual:
		c.Relays = []Relay{{Host: b.address(4).String(), Port: DefaultPort}}
		copy(c.Secret[:], b.take(16))
	case general:
		c = b.code()
	default:
		b.fail(ErrLater)
	}
	if len(b.b) > 0 {
		b.fail(errCut)
	}
	return c, cmp.Or(b.err, c.Check())
}

// A rest is what is left to read. After an error it is empty.
type rest struct {
	b   []byte
	err error // the first one
}

func (b *rest) fail(err error) { b.b, b.err = nil, cmp.Or(b.err, err) }

// take returns the next n octets, zeros if there are not as many.
func (b *rest) take(n int) []byte {
	if n > len(b.b) {
		b.fail(errCut)
		return make([]byte, n)
	}
	t := b.b[:n]
	b.b = b.b[n:]
	return t
}

func (b *rest) octet() byte  { return b.take(1)[0] }
func (b *rest) port() uint16 { return binary.BigEndian.Uint16(b.take(2)) }
func (b *rest) text() string { return string(b.take(int(b.octet()))) }

// address reads an address of 4 or 16 octets.
func (b *rest) address(n int) netip.Addr {
	a, _ := netip.AddrFromSlice(b.take(n))
	return a
}

// code reads the general form.
func (b *rest) code() (c Code) {
	copy(c.Secret[:], b.take(16))
	switch n := b.octet(); n {
	case 0:
	case 4, 16:
		c.Meeting = netip.AddrPortFrom(b.address(int(n)), b.port())
	default:
		b.fail(ErrLater)
	}
	n := b.octet()
	if n > MaxRelays {
		b.fail(ErrLater)
	}
	for range min(n, MaxRelays) {
		c.Relays = append(c.Relays, b.relay())
	}
	return c
}

// relay reads a relay. One of a kind that this version does not know is of a later version.
func (b *rest) relay() (r Relay) {
	flags := b.octet()
	switch flags & 0x0f {
	case ipv4:
		r.Host, r.Port = b.address(4).String(), DefaultPort
	case ipv6:
		r.Host, r.Port = b.address(16).String(), DefaultPort
	case named:
		r.Host = b.text()
	default:
		b.fail(ErrLater)
	}
	if flags&withPort != 0 {
		r.Port = b.port()
	}
	if flags&withUser != 0 {
		r.User, r.Password = b.text(), b.text()
	}
	if flags&^(0x0f|withPort|withUser) != 0 {
		b.fail(ErrLater)
	}
	return r
}
