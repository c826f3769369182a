package link

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures/internal/pcapfile"
)

// The addresses and ports of all test packets.
var (
	src4 = netip.MustParseAddrPort("192.0.2.1:2350")
	dst4 = netip.MustParseAddrPort("192.0.2.2:2351")
	src6 = netip.MustParseAddrPort("[2001:db8::1]:2350")
	dst6 = netip.MustParseAddrPort("[2001:db8::2]:2351")
)

var be = binary.BigEndian

// join puts octets one after the other.
func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func udp(payload []byte) []byte {
	b := be.AppendUint16(be.AppendUint16(nil, src4.Port()), dst4.Port())
	b = be.AppendUint16(b, uint16(udpSize+len(payload)))
	return join(b, []byte{0xba, 0xad}, payload) // a wrong checksum
}

// tcp makes a segment with sequence number 0xfffffff0; the options are padded with zeros.
func tcp(flags byte, options, payload []byte) []byte {
	options = append(options[:len(options):len(options)], make([]byte, -len(options)&3)...)
	b := be.AppendUint16(be.AppendUint16(nil, src4.Port()), dst4.Port())
	b = be.AppendUint32(be.AppendUint32(b, 0xfffffff0), 7)
	b = append(b, byte(tcpSize+len(options))<<2, flags, 0xff, 0xff, 0xba, 0xad, 0, 0)
	return join(b, options, payload)
}

// fragment4 makes an IPv4 packet: with the fields that fragments have, and options.
func fragment4(proto Proto, id uint16, at int, more bool, options, payload []byte) []byte {
	flags := uint16(at / 8)
	if more {
		flags |= 0x2000
	}
	header := ip4Size + len(options)
	b := be.AppendUint16([]byte{0x40 | byte(header/4), 0}, uint16(header+len(payload)))
	b = be.AppendUint16(be.AppendUint16(b, id), flags)
	b = append(b, 64, byte(proto), 0xba, 0xad)
	return join(b, src4.Addr().AsSlice(), dst4.Addr().AsSlice(), options, payload)
}

func ip4(proto Proto, payload []byte) []byte { return fragment4(proto, 0, 0, false, nil, payload) }

func ip6(next Proto, payload []byte) []byte {
	b := be.AppendUint16([]byte{0x60, 0, 0, 0}, uint16(len(payload)))
	b = append(b, byte(next), 64)
	return join(b, src6.Addr().AsSlice(), dst6.Addr().AsSlice(), payload)
}

// extension makes an extension header of n times 8 octets that holds one option, PadN (RFC 8200 4.2).
func extension(next Proto, n int) []byte {
	return append([]byte{byte(next), byte(n - 1), 1, byte(8*n - 4)}, make([]byte, 8*n-4)...)
}

// header6 makes the fragment header of IPv6.
func header6(next Proto, id uint32, at int, more bool) []byte {
	if more {
		at |= 1
	}
	return be.AppendUint32(be.AppendUint16([]byte{byte(next), 0}, uint16(at)), id)
}

// etherHeader makes an Ethernet header.
func etherHeader(etherType uint16) []byte {
	return be.AppendUint16([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}, etherType)
}

var epoch = time.Date(1999, 12, 31, 23, 59, 30, 0, time.UTC)

// packet makes a packet that was captured whole.
func packet(frame int, link pcapfile.LinkType, data []byte) *pcapfile.Packet {
	return &pcapfile.Packet{Frame: frame, Time: epoch.Add(time.Duration(frame) * time.Millisecond), Link: link,
		Data: data, Length: len(data)}
}

// unit4 and unit6 are the units of frame 1 that udp makes.
func unit4(payload []byte) Unit {
	return Unit{Proto: UDP, Src: src4, Dst: dst4, Time: packet(1, 0, nil).Time, Frames: []int{1}, Payload: payload}
}

func unit6(payload []byte) Unit {
	u := unit4(payload)
	u.Src, u.Dst = src6, dst6
	return u
}

// decode1 decodes one packet with a new Decoder.
func decode1(p *pcapfile.Packet) (Unit, Status) { return new(Decoder).Decode(p) }

// requireUnit decodes one packet that gives a unit.
func requireUnit(t *testing.T, want Unit, p *pcapfile.Packet) {
	t.Helper()
	u, st := decode1(p)
	require.Equal(t, Status{Kind: KindUnit}, st)
	require.Equal(t, want, u)
}
