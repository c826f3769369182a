package relaytest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"os"
)

// WriteCertificate writes a certificate and its key to files, as others make them.
func WriteCertificate(c *tls.Certificate, cert, key string) error {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return err
	}
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}
