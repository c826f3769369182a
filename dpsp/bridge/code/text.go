package code

import (
	"bytes"
	"cmp"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"
)

// alphabet is Crockford's: none of its letters looks like another one.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// spelling makes letters of octets, five bits each, with zero bits at the end.
var spelling = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// The forms, which are the first letters.
const (
	usual   = "A"
	general = "B"

	usualLetters = 1 + (4+16)*8/5 + checks
	maxLetters   = 3000
	group        = 4
)

// The flags of a relay in the general form.
const (
	ipv4     = 0x01
	ipv6     = 0x02
	named    = 0x03
	withPort = 0x10
	withUser = 0x20
)

// ErrLater means that the code is of a later version of this program.
var ErrLater = errors.New("the code is of a later version: get the newest dplay")

// String returns the code as players tell it to each other, in groups of four letters. It is "" if Check has an error.
func (c Code) String() string {
	if c.Check() != nil {
		return ""
	}
	return string(bytes.Join(slices.Collect(slices.Chunk([]byte(seal(c.letters())), group)), []byte("-")))
}

// letters returns the code without the letters that check the others.
func (c Code) letters() string {
	at := c.Meeting
	b := append(append(c.Secret[:], byte(at.Addr().BitLen()/8)), at.Addr().AsSlice()...)
	if at.IsValid() {
		b = binary.BigEndian.AppendUint16(b, at.Port())
	}
	b = append(b, byte(len(c.Relays)))
	for _, r := range c.Relays {
		b = r.append(b)
	}
	// No meeting address, and one relay: an IPv4 address with neither port nor user.
	if a, ok := bytes.CutPrefix(b[len(c.Secret):], []byte{0, 1, ipv4}); ok && len(a) == 4 {
		return usual + spelling.EncodeToString(append(a, c.Secret[:]...))
	}
	return general + spelling.EncodeToString(b)
}

// append adds the relay in the general form.
func (r Relay) append(b []byte) []byte {
	flags, host, port := byte(named), appendText(nil, r.Host), uint16(0)
	if a, err := netip.ParseAddr(r.Host); err == nil {
		flags, host, port = ipv6, a.AsSlice(), DefaultPort
		if a.Is4() {
			flags = ipv4
		}
	}
	var more []byte
	if r.Port != port {
		flags |= withPort
		more = binary.BigEndian.AppendUint16(more, r.Port)
	}
	if r.User != "" {
		flags |= withUser
		more = appendText(appendText(more, r.User), r.Password)
	}
	return slices.Concat(b, []byte{flags}, host, more)
}

// appendText adds a text and its length.
func appendText(b []byte, s string) []byte { return append(append(b, byte(len(s))), s...) }

// Parse reads a code. Its errors are for those who typed it.
func Parse(s string) (Code, error) {
	letters, err := read(s)
	switch {
	case err != nil:
		return Code{}, err
	case len(letters) < 1+checks:
		return Code{}, fmt.Errorf("a code has %d letters or more, not %d", usualLetters, len(letters))
	case !sealed(letters):
		return Code{}, refuse(letters)
	}
	c, err := decode(letters[:len(letters)-checks])
	switch {
	case err != nil:
		return Code{}, err
	case seal(c.letters()) != letters:
		return Code{}, errCut
	}
	return c, nil
}

// read returns the letters of the alphabet, without what people and chats put between and around them.
func read(s string) (string, error) {
	var letters []byte
	for _, r := range s {
		around := unicode.In(r, unicode.White_Space, unicode.P, unicode.Cf) || strings.ContainsRune("`<>|~", r)
		if around && !strings.ContainsRune(":/\\@#%&", r) { // those are of an address, or of words before it
			continue
		}
		upper := unicode.ToUpper(r)
		letter := cmp.Or(alike[upper], upper)
		if !strings.ContainsRune(alphabet, letter) {
			return "", fmt.Errorf("a code has no %q, as letter %d", r, len(letters)+1)
		}
		if len(letters) == maxLetters {
			return "", fmt.Errorf("a code has at most %d letters", maxLetters)
		}
		letters = append(letters, byte(letter))
	}
	return string(letters), nil
}

// alike has the letters of the alphabet that other letters look like.
var alike = map[rune]rune{'O': '0', 'I': '1', 'L': '1', 'U': 'V'}

// refuse says what is wrong with letters that are no code, as far as they tell.
func refuse(letters string) error {
	if n := len(letters); letters[:1] == usual && n != usualLetters {
		return fmt.Errorf("the code has %d letters, and would have %d: %s", n, usualLetters,
			map[bool]string{true: "some are missing", false: "some are too many"}[n < usualLetters])
	}
	m, ok := find(letters)
	where := fmt.Sprintf("letter %d, which is number %d of group %d,", m.place+1, m.place%group+1, m.place/group+1)
	switch {
	case !ok:
		return errors.New("several letters of the code are wrong, missing or too many")
	case m.exchanged:
		return fmt.Errorf("%s and the one after it are exchanged: %c%c has to be %[3]c%[2]c, if all others are right", where,
			letters[m.place], m.want)
	}
	return fmt.Errorf("%s is wrong: %c has to be %c, if all others are right", where, letters[m.place], m.want)
}
