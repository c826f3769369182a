package cli

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExposed warns where others can read what is served, and nowhere else.
func TestExposed(t *testing.T) {
	for at, want := range map[string]string{
		"127.0.0.1:1":          "",
		"127.9.9.9:1":          "",
		"[::1]:1":              "",
		"[::ffff:127.0.0.1]:1": "",
		"0.0.0.0:9478": "--metrics at all addresses: everybody who reaches this machine can read the figures; " +
			"127.0.0.1:9478 is for this machine alone",
		"[::]:1":                "--metrics at all addresses: ",
		"192.0.2.7:1":           "--metrics at 192.0.2.7: everybody who reaches that address can read the figures; ",
		"[2001:db8::7]:1":       "--metrics at 2001:db8::7: ",
		"[fe80::1%lo]:1":        "--metrics at fe80::1: ",
		"[::ffff:192.0.2.7]:80": "--metrics at 192.0.2.7: ",
	} {
		got := Exposed("--metrics", netip.MustParseAddrPort(at), "the figures")
		if assert.Equal(t, want == "", got == "", at); want != "" {
			assert.Contains(t, got, want, at)
		}
	}
}
