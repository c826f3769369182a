package link

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"math/big"
	"time"

	"dplay4/dpsp/bridge/code"
)

// protocol is what both sides of a connection have to speak; its number changes with what goes over it.
const protocol = "dplay-bridge/1"

// An identity is what proves who we are: a key that was made anew, in a certificate that whoever knows the secret can sign.
type identity struct {
	private     ed25519.PrivateKey
	public      ed25519.PublicKey
	id          ID
	certificate tls.Certificate
	authority   ed25519.PublicKey
}

func newIdentity(keys code.Keys) (*identity, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	// Nobody looks at the dates: the clocks of old machines are wrong, and the key is gone when the program ends.
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Unix(1<<32, 0)}
	der, err := x509.CreateCertificate(rand.Reader, t, &x509.Certificate{}, public, keys.CA)
	if err != nil {
		return nil, err
	}
	return &identity{private: private, public: public, id: idOf(public), authority: keys.CA.Public().(ed25519.PublicKey),
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}}, nil
}

// idOf returns the ID of the machine that has the key.
func idOf(public ed25519.PublicKey) ID {
	h := sha256.Sum256(public)
	return ID(h[:len(ID{})])
}

// tag returns the tag of our allocations, for as long as we have the key. Nobody else can tell it, so no other member can take
// the address over.
func (i *identity) tag() string {
	m := hmac.New(sha256.New, i.private.Seed())
	m.Write([]byte("dplay relayed address"))
	return "a" + hex.EncodeToString(m.Sum(nil)[:8])
}

// tls returns what a connection has to prove. want is the machine that was called; with none, any that knows the secret will do.
func (i *identity) tls(want *ID) *tls.Config {
	return &tls.Config{
		Certificates:           []tls.Certificate{i.certificate},
		ClientAuth:             tls.RequireAnyClientCert,
		InsecureSkipVerify:     true, // there are no names; VerifyConnection looks at the certificate
		ServerName:             "dplay",
		MinVersion:             tls.VersionTLS13,
		NextProtos:             []string{protocol},
		SessionTicketsDisabled: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			id, err := i.prove(s)
			if err == nil && want != nil && *want != id {
				err = errors.New("it is another machine than the one that was called")
			}
			return err
		},
	}
}

// prove returns the ID of the other side, which has signed the handshake with the key of its certificate, if the certificate is
// one that the secret gives.
func (i *identity) prove(s tls.ConnectionState) (ID, error) {
	if len(s.PeerCertificates) != 1 {
		return ID{}, errors.New("not one certificate")
	}
	c := s.PeerCertificates[0]
	public, ok := c.PublicKey.(ed25519.PublicKey)
	if !ok || c.SignatureAlgorithm != x509.PureEd25519 || !ed25519.Verify(i.authority, c.RawTBSCertificate, c.Signature) {
		return ID{}, errors.New("the certificate is none of this session")
	}
	return idOf(public), nil
}
