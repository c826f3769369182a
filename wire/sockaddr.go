package wire

import (
	"encoding/binary"
	"strconv"

	"dplay4/wire/internal/field"
)

// FamilyINet is the only address family of SOCKADDR_IN.
const FamilyINet = 2

// SockAddr is SOCKADDR_IN (2.2.1): the one structure with network byte order inside. Zero address means
// "whence this message came".
type SockAddr struct {
	Family uint16  // 2
	Port   uint16  // in the host's order here, in network order on the wire
	Addr   [4]byte // 0.0.0.0 for the sender's own sockets
	Zero   [8]byte // ignored on receipt; kept
}

// String returns "10.0.0.1:2300".
func (s SockAddr) String() string {
	var room [len("255.255.255.255:65535")]byte
	return string(s.AppendTo(room[:0]))
}

// AppendTo appends what String returns to dst.
func (s SockAddr) AppendTo(dst []byte) []byte {
	for i, v := range s.Addr {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(v), 10)
	}
	return strconv.AppendUint(append(dst, ':'), uint64(s.Port), 10)
}

// ParseSockAddr reads the first 16 octets of b, which must hold them.
func ParseSockAddr(b []byte) (s SockAddr) {
	s.parse(b)
	return s
}

func (s *SockAddr) parse(b []byte) {
	_ = b[SockAddrSize-1]
	s.Family, s.Port = binary.LittleEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	s.Addr, s.Zero = [4]byte(b[4:8]), [8]byte(b[8:16])
}

// put writes the structure into the first 16 octets of b.
func (s *SockAddr) put(b []byte) {
	_ = b[SockAddrSize-1]
	binary.LittleEndian.PutUint16(b, s.Family)
	binary.BigEndian.PutUint16(b[2:], s.Port)
	copy(b[4:8], s.Addr[:])
	copy(b[8:16], s.Zero[:])
}

func (c *codec) sockAddr(name string, p *SockAddr) {
	var b [SockAddrSize]byte
	p.put(b[:])
	c.Copied(name, b[:], field.SockAddr)
	p.parse(b[:])
}

// SPData is what the Winsock service provider keeps for a player: where its machine listens.
type SPData struct {
	Stream   SockAddr // TCP
	Datagram SockAddr // UDP
}

// A machine that knows [Extension] has a mark in the sin_zero of its datagram address. Others have zeros there, keep what they get, and look
// at none of it (facts, 10.10). Releases without [ExtensionView] have another mark. They take a machine that knows it for one that knows
// nothing of the extension, and it does the same with them, so that neither waits for the other's HELLO.
var (
	mark      = [8]byte{'d', 'p', 'l', 'a', 'y', '4', 1, 0}
	olderMark = [8]byte{'d', 'p', 'l', 'a', 'y', '4', 0, 0}
)

// Mark says in service provider data that their machine knows [Extension].
func (d *SPData) Mark() { d.Datagram.Zero = mark }

// Marked reports whether service provider data say that their machine knows [Extension].
func (d SPData) Marked() bool { return d.Datagram.Zero == mark }

// MarkOlder has service provider data look like those of a release without [ExtensionView].
func (d *SPData) MarkOlder() { d.Datagram.Zero = olderMark }

// MarkedOlder reports whether service provider data are those of a release without [ExtensionView].
func (d SPData) MarkedOlder() bool { return d.Datagram.Zero == olderMark }

// ParseSPData reads a player's service provider data; ok is false unless it is two SOCKADDR_IN.
func ParseSPData(b []byte) (d SPData, ok bool) {
	if len(b) != SPDataSize {
		return SPData{}, false
	}
	d = SPData{ParseSockAddr(b), ParseSockAddr(b[SockAddrSize:])}
	return d, d.Stream.Family == FamilyINet && d.Datagram.Family == FamilyINet
}

// Append appends the 32 octets to dst.
func (d SPData) Append(dst []byte) []byte {
	var b [SPDataSize]byte
	d.Stream.put(b[:])
	d.Datagram.put(b[SockAddrSize:])
	return append(dst, b[:]...)
}

// spData is the service provider's data of a player, n octets of which the caller knows that they are there. A
// visitor is shown two SOCKADDR_IN as such.
func (c *codec) spData(name string, p *[]byte, n int) {
	if c.Encoding || c.Visit == nil || n != SPDataSize {
		c.Octets(name, p, n)
		return
	}
	at := c.Off
	if _, ok := ParseSPData(c.Buf[at : at+n]); !ok {
		c.Octets(name, p, n)
		return
	}
	c.Open(name)
	*p = c.Buf[at : at+n : at+n]
	var a SockAddr
	c.sockAddr("Stream", &a)
	c.sockAddr("Datagram", &a)
	c.Close()
}
