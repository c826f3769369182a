package code

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what TURN servers and coturn's use-auth-secret take
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// OpenSecret is the secret of a relay that is open to everybody.
const OpenSecret = "dplay"

// A Credential is what a relay asks for.
type Credential struct{ User, Password string }

// NewCredential makes one as coturn's use-auth-secret wants it: the user is when it expires, and a name.
func NewCredential(secret, name string, expires time.Time) Credential {
	user := strconv.FormatInt(expires.Unix(), 10) + ":" + name
	return Credential{User: user, Password: sign(secret, user)}
}

// For returns the credential that a member makes of one that carries no tag, for an allocation with the tag: our relays know it,
// others do not.
func (c Credential) For(tag string) Credential {
	user := c.User + "+" + tag
	return Credential{User: user, Password: sign(c.Password, user)}
}

// sign returns the password of a user.
func sign(secret, user string) string {
	m := hmac.New(sha1.New, []byte(secret))
	m.Write([]byte(user))
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// Credentials returns what to show to the relay for an allocation with the tag, what is best first. That for an open relay
// expires at the time.
func (r Relay) Credentials(tag string, expires time.Time) []Credential {
	if r.User == "" {
		return []Credential{NewCredential(OpenSecret, tag, expires)}
	}
	c := Credential{User: r.User, Password: r.Password}
	if _, err := ParseUser(r.User); err != nil {
		return []Credential{c} // no relay of ours gave it
	}
	return []Credential{c.For(tag), c}
}

// A User is what the name of a user says.
type User struct {
	Expires time.Time
	Name    string // whom the operator gave it to; the tag on an open relay
	Tag     string // "m" or "a" and 16 hexadecimal digits; "" if it has none
}

// ParseUser reads the name of a user that NewCredential or For has made.
func ParseUser(user string) (User, error) {
	base, tag, tagged := strings.Cut(user, "+")
	when, name, ok := strings.Cut(base, ":")
	n, err := strconv.ParseUint(when, 10, 63)
	if !ok || err != nil || len(user) > maxText+1+len("m0123456789abcdef") {
		return User{}, errors.New("the user is not EXPIRY:NAME")
	}
	if tagged && !tags.MatchString(tag) {
		return User{}, errors.New("what stands behind + is no tag")
	}
	if !tagged && tags.MatchString(name) {
		tag = name
	}
	return User{Expires: time.Unix(int64(n), 0), Name: name, Tag: tag}, nil
}

// tags matches tags.
var tags = regexp.MustCompile(`^[ma][0-9a-f]{16}$`)

// Password returns the password that a relay with this secret expects of the user.
func Password(secret, user string) string {
	if base, _, tagged := strings.Cut(user, "+"); tagged {
		return sign(sign(secret, base), user)
	}
	return sign(secret, user)
}

// Ports returns the relayed ports that a relay of ours gives to an allocation with the tag, the first of them that no other
// tag has.
func Ports(tag string) [4]uint16 {
	const first = 1024
	var ports [4]uint16
	for n, found := byte(0), 0; found < len(ports); n++ {
		h := sha256.Sum256(append([]byte("dplay relayed port "), append([]byte(tag), n)...))
		p := uint16(first + binary.BigEndian.Uint64(h[:])%(65536-first))
		if !slices.Contains(ports[:found], p) {
			ports[found] = p
			found++
		}
	}
	return ports
}
