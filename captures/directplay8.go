package captures

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"dplay4/captures/internal/link"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A likeness is how much a datagram looks like one of DirectPlay 8.
type likeness uint8

const (
	unlike  likeness = iota
	alike            // it has the form of one; a program of another protocol may happen to send it
	certain          // no other program sends it
)

// A pair is two sockets.
type pair [2]netip.AddrPort

// directPlay8 returns how much a datagram of sockets that are not known to be DirectPlay 4's looks like DirectPlay 8. A program of
// DirectPlay 8 has one UDP socket, so all datagrams of a socket are certain from the proof on that it speaks DirectPlay 8. The
// proof is one datagram that is certain, or one from each side that is alike: a datagram of DirectPlay 4 begins with the
// sender's id, and two machines have no player of one id.
func (r *run) directPlay8(u *link.Unit) likeness {
	if r.eights[u.Src] || r.eights[u.Dst] {
		return certain
	}
	like := likenessOf(u.Payload)
	if like == alike {
		like = r.bothAlike(u)
	}
	if like != certain || len(r.eights) >= maxSockets {
		return like
	}
	r.eights[u.Src], r.eights[u.Dst] = true, true
	r.find(Finding{Code: DirectPlay8, Frame: u.Frames[len(u.Frames)-1], Offset: -1, Src: u.Src, Dst: u.Dst,
		Text: fmt.Sprintf("%s and %s speak DirectPlay 8, not DirectPlay 4: their datagrams are not decoded", u.Src, u.Dst)})
	return certain
}

// bothAlike returns certain if the other side of a datagram that is alike has sent one, too.
func (r *run) bothAlike(u *link.Unit) likeness {
	both := r.alike[pair{u.Dst, u.Src}] && u.Src != u.Dst
	if both || len(r.alike) < maxSockets {
		r.alike[pair{u.Src, u.Dst}] = true
	}
	if both {
		return certain
	}
	return alike
}

// The first octet of frames of DirectPlay 8 ([MC-DPL8R] 2.2.1, 2.2.2).
const (
	eightData       = 0x01
	eightReliable   = 0x02
	eightSequential = 0x04
	eightPoll       = 0x08
	eightNew        = 0x10
	eightEnd        = 0x20
	eightUser1      = 0x40 // a message of [MC-DPL8CS]
	eightCommand    = 0x80
)

// likenessOf judges one datagram by its octets.
func likenessOf(b []byte) likeness {
	switch {
	case len(b) < 4:
		return unlike
	case b[0] == 0:
		return enumLikeness(b)
	case b[0]&^eightPoll == eightCommand:
		return commandLikeness(b)
	case b[0]&^eightPoll == eightData|eightReliable|eightSequential|eightNew|eightEnd|eightUser1:
		return coreLikeness(b)
	}
	return unlike
}

// enumLikeness judges a possible search or answer to a search ([MC-DPLHP] 2.2.1, 2.2.2). A search is for any application or for
// one, and has no data of the game. An answer has a description, whose size is the same in all answers.
func enumLikeness(b []byte) likeness {
	const (
		query, response = 2, 3
		anyApp, oneApp  = 2, 1
		descAt          = 12
		descSize        = 0x50
	)
	switch {
	case b[1] == query && len(b) == 5 && b[4] == anyApp:
		return alike
	case b[1] == query && len(b) == 21 && b[4] == oneApp && randomGUID(b[5:]):
		return alike
	case b[1] == response && len(b) >= descAt+descSize && binary.LittleEndian.Uint32(b[descAt:]) == descSize:
		return certain
	}
	return unlike
}

// randomGUID reports whether a GUID is one as programs make them up (RFC 4122, versions 1 and 4).
func randomGUID(b []byte) bool {
	version := b[7] >> 4
	return b[8]&0xc0 == 0x80 && (version == 1 || version == 4)
}

// Opcodes of command frames ([MC-DPL8R] 2.2.1).
const (
	connect    = 1
	connected  = 2
	signed     = 3
	disconnect = 4
	sack       = 6
)

// commandSizes has the sizes of frames that begin or end a connection.
var commandSizes = map[byte][]int{connect: {16}, connected: {16}, signed: {48}, disconnect: {16, 24}}

// commandLikeness judges a possible command frame ([MC-DPL8R] 2.2.1). Frames that begin or end a connection name the version.
func commandLikeness(b []byte) likeness {
	if b[1] == sack {
		return sackLikeness(b)
	}
	if !slices.Contains(commandSizes[b[1]], len(b)) {
		return unlike
	}
	const major, newest, sessions = 0x00010000, 6, 5 // from minor version 5 on the session id is not 0
	version, session := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	minor := version - major
	switch {
	case minor > newest, // or version is below major
		minor >= sessions && session == 0,
		b[1] == connect && b[3] != 0,
		b[1] == signed && (minor < sessions || !signedSecrets(b)):
		return unlike
	}
	return certain
}

// signedSecrets reports whether CONNECTED_SIGNED ([MC-DPL8R] 2.2.1.3) has the secrets that its sender must give, and one way of
// signing.
func signedSecrets(b []byte) bool {
	ours := binary.LittleEndian.Uint64(b[24:]) != 0
	theirs := binary.LittleEndian.Uint64(b[32:]) != 0
	how := binary.LittleEndian.Uint32(b[40:])
	connector := b[0]&eightPoll == 0
	return ours == connector && theirs == connector && (how == 1 || how == 2)
}

// sackLikeness judges a possible acknowledgement ([MC-DPL8R] 2.2.1.5): it has the masks that its flags name, and a signature
// if the connection has.
func sackLikeness(b []byte) likeness {
	const size, masks, mask, signature = 12, 0x1e, 4, 8
	if len(b) < size || b[2]&^(masks|1) != 0 || binary.LittleEndian.Uint16(b[6:]) != 0 {
		return unlike
	}
	whole := size + mask*bits.OnesCount8(b[2]&masks)
	if len(b) == whole || len(b) == whole+signature {
		return alike
	}
	return unlike
}

// coreLikeness judges a possible data frame ([MC-DPL8R] 2.2.2) with a whole message of [MC-DPL8CS].
func coreLikeness(b []byte) likeness {
	const retry, masks, mask, typeSize = 0x01, 0xf0, 4, 4
	at := 4 + mask*bits.OnesCount8(b[1]&masks)
	if b[1]&^(masks|retry) != 0 || len(b) < at+typeSize {
		return unlike
	}
	stray := false
	m, err := dpl8.Visit(b[at:], func(f *wire.Field) { stray = stray || f.Kind == wire.KindStray })
	if _, unknown := m.(*dpl8.Unknown); unknown || err != nil || stray {
		return unlike
	}
	if len(b) == at+typeSize {
		return alike // it has nothing but its type
	}
	return certain
}
