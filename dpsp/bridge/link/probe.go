package link

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// On a path go packets of QUIC, whose first octet has the bit 0x40, and probes, whose has not:
//
//	kind       1 octet: a ping, or a pong, which is the answer to it
//	from      32: the sender's public key
//	to        16: the ID of whom it is for; zeros in a ping for whoever is there
//	sequence   8: the ping's own, which cannot be guessed; the pong repeats it
//	signature 64: of the above, by the sender's key, so that no other member can lead packets of this machine astray
//	MAC       16: of the above, by the session's key, so that strangers cost next to nothing
//
// A large one has octets behind that that mean nothing, as many as the packets of QUIC have.
const (
	quicBit  = 0x40
	pingKind = 0x90
	pongKind = 0x91

	signedSize = 1 + ed25519.PublicKeySize + len(ID{}) + 8
	macSize    = 16
	probeSize  = signedSize + ed25519.SignatureSize + macSize
	probeLarge = quicPacket
)

// signedAs keeps signatures of probes apart from all others of the same key.
const signedAs = "dplay bridge probe\x00"

// A probe is what measures a path, and who is at its other end.
type probe struct {
	pong     bool
	from     ID
	to       ID // zeros: whoever is there
	sequence uint64
}

// A prober makes probes, and reads those of others of the same session.
type prober struct {
	identity *identity
	key      [32]byte
}

// seal makes a probe of ours.
func (p *prober) seal(pong bool, to ID, sequence uint64) []byte {
	b := make([]byte, 0, probeSize)
	if pong {
		b = append(b, pongKind)
	} else {
		b = append(b, pingKind)
	}
	b = append(b, p.identity.public...)
	b = append(b, to[:]...)
	b = binary.BigEndian.AppendUint64(b, sequence)
	b = append(b, ed25519.Sign(p.identity.private, append([]byte(signedAs), b...))...)
	return append(b, p.mac(b)...)
}

// enlarge makes a probe a large one.
func enlarge(b []byte) []byte { return append(b, make([]byte, probeLarge-len(b))...) }

// known reports whether a probe was made by somebody who knows the secret.
func (p *prober) known(b []byte) bool {
	return (len(b) == probeSize || len(b) == probeLarge) && (b[0] == pingKind || b[0] == pongKind) &&
		hmac.Equal(p.mac(b[:probeSize-macSize]), b[probeSize-macSize:probeSize])
}

// open reads a probe. It is true only for one that was made by the machine that it names.
func (p *prober) open(b []byte) (probe, bool) {
	if !p.known(b) {
		return probe{}, false
	}
	said := b[:probeSize-macSize]
	public := ed25519.PublicKey(b[1 : 1+ed25519.PublicKeySize])
	rest := b[1+ed25519.PublicKeySize:]
	if !ed25519.Verify(public, append([]byte(signedAs), b[:signedSize]...), b[signedSize:len(said)]) {
		return probe{}, false
	}
	return probe{pong: b[0] == pongKind, from: idOf(public), to: ID(rest[:len(ID{})]),
		sequence: binary.BigEndian.Uint64(rest[len(ID{}):])}, true
}

func (p *prober) mac(b []byte) []byte {
	m := hmac.New(sha256.New, p.key[:])
	m.Write(b)
	return m.Sum(nil)[:macSize]
}
