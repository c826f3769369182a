package cli

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLookUp checks that what is no address says so in people's words, whatever the resolver says.
func TestLookUp(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"::1":                "::1: DirectPlay 4 knows IPv4 addresses only",
		"192.0.2.7:2300":     "192.0.2.7:2300: a name or an address alone is wanted, such as 192.0.2.7, without a port",
		"http://192.0.2.7/x": "http://192.0.2.7/x: a name or an address alone is wanted, such as 192.0.2.7, without a port",
	} {
		_, err := LookUp(context.Background(), host)
		assert.EqualError(t, err, want)
	}
	assert.Contains(t, whyUnknown(&net.DNSError{Err: "no such host", IsNotFound: true}), "there is no machine of that name")
	assert.Contains(t, whyUnknown(&net.AddrError{Err: "no suitable address", Addr: "six"}), "has no IPv4 address")
	for _, err := range []error{&net.DNSError{Err: "read udp 192.0.2.1:5->192.0.2.2:53: i/o timeout", IsTimeout: true}, errors.New("odd")} {
		assert.Contains(t, whyUnknown(err), "could not be looked up")
		assert.NotContains(t, whyUnknown(err), "read udp")
	}
}
