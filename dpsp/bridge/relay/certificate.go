package relay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// SelfMade makes a certificate that nobody has signed. Bridges take it: what they send is encrypted for each other in any case,
// and TLS is only there because some networks let nothing else out.
func SelfMade(public []netip.Addr) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	t := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "dplay bridge relay"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, a := range public {
		t.IPAddresses = append(t.IPAddresses, net.IP(a.AsSlice()))
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c, nil }, nil
}

// Files returns the certificate in two files of PEM. It is read anew when one of them has changed, looked for once a minute.
func Files(cert, key string) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	f := &files{cert: cert, key: key}
	return f.get, f.look()
}

type files struct {
	cert, key string

	mu      sync.Mutex
	looked  time.Time
	changed [2]time.Time
	current *tls.Certificate
}

// get returns the certificate.
func (f *files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) >= time.Minute {
		f.look() //nolint:errcheck // a new one that cannot be read may be on its way
	}
	return f.current, nil
}

// look reads the certificate if a file has changed. After an error the current certificate stays.
func (f *files) look() error {
	f.looked = time.Now()
	changed := [2]time.Time{modified(f.cert), modified(f.key)}
	if f.current != nil && changed == f.changed {
		return nil
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err == nil {
		f.current, f.changed = &c, changed
	}
	return err
}

// modified returns when a file was changed last, the zero time if it is not there.
func modified(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
