package code

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
)

// Keys are what the secret of a code gives.
type Keys struct {
	CA      ed25519.PrivateKey // signs the certificates that machines make for themselves
	Probe   [32]byte           // for the MAC of what measures ways
	Meeting string             // the tag of the allocation that newcomers knock at
}

// Keys derives them.
func (c Code) Keys() Keys {
	var k Keys
	k.CA = ed25519.NewKeyFromSeed(c.derive("certificates", ed25519.SeedSize))
	copy(k.Probe[:], c.derive("probes", len(k.Probe)))
	k.Meeting = "m" + hex.EncodeToString(c.derive("meeting", 8))
	return k
}

// derive returns n octets for the use that what names.
func (c Code) derive(what string, n int) []byte {
	b, err := hkdf.Key(sha256.New, c.Secret[:], nil, "dplay bridge 1 "+what, n)
	if err != nil {
		panic("code: " + err.Error()) // only for lengths of more than 8160
	}
	return b
}
