package code

import (
	"encoding/hex"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeyVectors holds what members of one session derive, each by itself.
func TestKeyVectors(t *testing.T) {
	k := vectors[0].code.Keys()
	assert.Equal(t, "af3eacffcf59932de6bc7344dc2832dd515d25d324780adca2464b592fce896a", hex.EncodeToString(k.CA.Seed()))
	assert.Equal(t, "935cf73f71244fa9674ed03467c9bd6fc861a52fc75ce2188b22973d5af0015a", hex.EncodeToString(k.Probe[:]))
	assert.Equal(t, "m0fcb17ab2723acb8", k.Meeting)
	assert.Equal(t, [4]uint16{7371, 1400, 22613, 23351}, Ports(k.Meeting))

	other := vectors[0].code
	other.Secret[15]++
	assert.NotEqual(t, k, other.Keys())
	other = vectors[0].code
	other.Meeting, other.Relays = netip.MustParseAddrPort("192.0.2.1:5"), []Relay{{Host: "a"}}
	assert.Equal(t, k, other.Keys(), "a code with a new address is one of the same session")
}

// TestCredentialOfCoturn is a credential that openssl gives:
// printf 1790000000:club | openssl dgst -sha1 -hmac secret -binary | base64.
func TestCredentialOfCoturn(t *testing.T) {
	c := NewCredential("secret", "club", time.Unix(1790000000, 0))
	assert.Equal(t, Credential{User: "1790000000:club", Password: "vajnxX6zUxoUZac6K8kQSQQUVX0="}, c)
	assert.Equal(t, c.Password, Password("secret", c.User))
}

func TestCredentials(t *testing.T) {
	until := time.Unix(1790000000, 0)
	tag := vectors[0].code.Keys().Meeting
	open := Relay{Host: "a"}.Credentials(tag, until)
	assert.Equal(t, []Credential{NewCredential(OpenSecret, tag, until)}, open)
	u, err := ParseUser(open[0].User)
	require.NoError(t, err)
	assert.Equal(t, User{Expires: until, Name: tag, Tag: tag}, u)

	given := NewCredential("secret", "club", until)
	carried := Relay{Host: "a", User: given.User, Password: given.Password}.Credentials(tag, until.AddDate(0, 0, 1))
	require.Len(t, carried, 2)
	assert.Equal(t, given, carried[1])
	assert.Equal(t, given.User+"+"+tag, carried[0].User)
	assert.Equal(t, Password("secret", carried[0].User), carried[0].Password)
	u, err = ParseUser(carried[0].User)
	require.NoError(t, err)
	assert.Equal(t, User{Expires: until, Name: "club", Tag: tag}, u)
	u, err = ParseUser(given.User)
	require.NoError(t, err)
	assert.Equal(t, User{Expires: until, Name: "club"}, u)

	bought := Relay{Host: "a", User: "customer", Password: "x"}.Credentials(tag, until)
	assert.Equal(t, []Credential{{User: "customer", Password: "x"}}, bought)
}

func TestUsersRefused(t *testing.T) {
	for _, user := range []string{"", "club", ":club", "x:club", "-1:club", "1:club+", "1:club+m123", "1:c+m0123456789abcdeF",
		"99999999999999999999:club", "1:c+m0123456789abcdef+m0123456789abcdef"} {
		_, err := ParseUser(user)
		assert.Error(t, err, user)
	}
}

func TestPorts(t *testing.T) {
	for n := range 2000 {
		ports := Ports(string(rune(n)))
		for i, p := range ports {
			assert.GreaterOrEqual(t, p, uint16(1024))
			assert.NotContains(t, ports[:i], p)
		}
	}
}

func TestParseRelay(t *testing.T) {
	const form = "; a relay is an address or a name, such as 203.0.113.5 or relay.example.org:443"
	for s, want := range map[string]Relay{
		"203.0.113.5":                          {Host: "203.0.113.5", Port: 3478},
		" 203.0.113.5:3478 ":                   {Host: "203.0.113.5", Port: 3478},
		"203.0.113.5:443":                      {Host: "203.0.113.5", Port: 443},
		"2001:DB8::5":                          {Host: "2001:db8::5", Port: 3478},
		"[2001:db8::5]":                        {Host: "2001:db8::5", Port: 3478},
		"[2001:db8::5]:443":                    {Host: "2001:db8::5", Port: 443},
		"Relay.Example.org.":                   {Host: "relay.example.org"},
		"relay.example.org:3478":               {Host: "relay.example.org", Port: 3478},
		"::ffff:203.0.113.5":                   {Host: "203.0.113.5", Port: 3478},
		"customer:secret@relay.example.org":    {Host: "relay.example.org", User: "customer", Password: "secret"},
		"customer:se:cret@relay.example.org":   {Host: "relay.example.org", User: "customer", Password: "se:cret"},
		"1790000000:club:p+/=@203.0.113.5:443": {Host: "203.0.113.5", Port: 443, User: "1790000000:club", Password: "p+/="},
	} {
		got, err := ParseRelay(s)
		if assert.NoError(t, err, s) {
			assert.Equal(t, want, got, s)
			again, err := ParseRelay(got.String())
			if want.User == "" {
				require.NoError(t, err, s)
				assert.Equal(t, got, again, s)
			}
			assert.NotContains(t, got.String(), "secret")
		}
	}
	for s, want := range map[string]string{
		"":                          "1 to 253 letters",
		"a:0":                       `relay "a:0": "0" is no port: they go from 1 to 65535`,
		"a:http":                    "is no port",
		"user@a":                    "USER:PASSWORD",
		":x@a":                      "USER:PASSWORD",
		"fe80::1%eth0":              "write the address as",
		"0.0.0.0":                   "no machine",
		"203.0.113":                 "no name and no address",
		"http://203.0.113.5":        `relay "http://203.0.113.5": leave "http://" away` + form,
		"turns://u:p@a.b:443":       `leave "turns://" away`,
		"turn:a.b:3478":             `relay "turn:a.b:3478": leave "turn:" away`,
		"TURN:203.0.113.5":          `leave "TURN:" away`,
		"a.b/x":                     `relay "a.b/x": leave "/x" away`,
		"u:a/b@203.0.113.5:3478/":   `relay "203.0.113.5:3478/": leave "/" away`,
		"a b":                       `relay "a b": there is a space in it` + form,
		"203.0.113.5, 203.0.113.6":  "there is a space in it",
		"203.0.113.5,relay.example": "no name",
		"u:secret@a:b":              `relay "a:b": "b" is no port`,
		"a.b:5:6":                   "no name",
		"user:\x1b[m@a.b":           "no text",
	} {
		_, err := ParseRelay(s)
		assert.ErrorContains(t, err, want, "%q", s)
	}
}
