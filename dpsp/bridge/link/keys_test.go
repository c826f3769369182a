package link

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
)

// identityOf returns a new machine of the session with the secret.
func identityOf(t *testing.T, secret byte) *identity {
	t.Helper()
	i, err := newIdentity(code.Code{Secret: [16]byte{secret}}.Keys())
	require.NoError(t, err)
	return i
}

// TestHandshake: both sides have to know the secret, and the one that is called has to be who is meant.
func TestHandshake(t *testing.T) {
	t.Parallel()
	a, b, stranger := identityOf(t, 1), identityOf(t, 1), identityOf(t, 2)
	own := identityOf(t, 1) // signs its own certificate
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	self := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Unix(1<<32, 0)}
	der, err := x509.CreateCertificate(rand.Reader, self, self, public, private)
	require.NoError(t, err)
	own.certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
	stolen := identityOf(t, 1) // shows another's certificate
	stolen.certificate.Certificate = b.certificate.Certificate
	none := identityOf(t, 1)
	none.certificate = tls.Certificate{}
	for name, c := range map[string]struct {
		client, server *identity
		want           *ID
		client0        bool // whether it is content with the other
		server0        bool
	}{
		"members":                {a, b, &b.id, true, true},
		"any member":             {a, b, nil, true, true},
		"another machine":        {a, b, &stranger.id, false, false},
		"a stranger calls":       {stranger, b, nil, false, false},
		"a stranger is called":   {a, stranger, nil, false, false},
		"it signed itself":       {own, b, nil, true, false}, // in TLS 1.3 the client is done before the server looks
		"one of itself called":   {a, own, nil, false, false},
		"it has another's":       {stolen, b, nil, false, false},
		"another's is called":    {a, stolen, &b.id, false, false},
		"it has no certificate":  {none, b, nil, true, false},
		"no certificate, called": {a, none, nil, false, false},
	} {
		x, y := net.Pipe()
		client, server := tls.Client(x, c.client.tls(c.want)), tls.Server(y, c.server.tls(nil))
		failed := make(chan error, 1)
		go func() {
			err := client.HandshakeContext(t.Context())
			if err == nil {
				_, err = client.Read(make([]byte, 1)) // what the server says of it
			}
			x.Close()
			failed <- err
		}()
		err := server.HandshakeContext(t.Context())
		if err == nil {
			_, err = server.Write([]byte{1})
		}
		if c.server0 {
			assert.NoError(t, err, name)
			id, err := c.server.prove(server.ConnectionState())
			assert.NoError(t, err, name)
			assert.Equal(t, c.client.id, id, name)
		} else {
			assert.Error(t, err, name)
		}
		y.Close()
		if c.client0 && c.server0 {
			assert.NoError(t, <-failed, name)
		} else {
			assert.Error(t, <-failed, name)
		}
	}
}

// TestIDs: each start makes another machine.
func TestIDs(t *testing.T) {
	t.Parallel()
	a, b := identityOf(t, 1), identityOf(t, 1)
	assert.NotEqual(t, a.id, b.id)
	assert.Equal(t, a.id, idOf(a.public))
	assert.NotEqual(t, virtualAddr(a.id), virtualAddr(b.id))
	assert.True(t, virtualAddr(a.id).IsPrivate())

	u, err := code.ParseUser("1:" + a.tag())
	require.NoError(t, err)
	assert.Equal(t, a.tag(), u.Tag)
	assert.NotEqual(t, a.tag(), b.tag())
	b.public, b.id, b.certificate = a.public, a.id, a.certificate
	assert.NotEqual(t, a.tag(), b.tag(), "what others know of a machine does not give its relayed address")
}
