package code

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secret is that of the vectors.
var secret = [16]byte{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}

// vectors are codes that must never change, for other versions of the program have to read them.
var vectors = []struct {
	code Code
	text string
}{
	{Code{Relays: []Relay{{Host: "203.0.113.5", Port: 3478}}, Secret: secret},
		"ASC0-7218-024H-36H2-NCSV-RH6D-AQF6-DVVQ-ZPP7"},
	{Code{Relays: []Relay{{Host: "203.0.113.5", Port: 3478}}, Meeting: netip.MustParseAddrPort("198.51.100.7:51234"), Secret: secret},
		"B008-J4CT-4ANK-7F24-SNAX-WSQF-EZW2-CCCV-40Z4-2408-1SC0-7218-76T"},
	{Code{Relays: []Relay{{Host: "2001:db8::5", Port: 443}}, Secret: secret},
		"B008-J4CT-4ANK-7F24-SNAX-WSQF-EZW0-024H-0046-VG00-0000-0000-0000-0000-506X-GZFY"},
	{Code{Relays: []Relay{{Host: "relay.example.org"}}, Secret: secret},
		"B008-J4CT-4ANK-7F24-SNAX-WSQF-EZW0-020R-HE9J-PRRB-S5SJ-QGRB-DE1P-6ABK-FE9K-GAQG"},
	{Code{Relays: []Relay{{Host: "203.0.113.5", Port: 3478, User: "1790000000:club", Password: "EAwNBVEN1fZL4/hPmzkv8Zmz8Vs="},
		{Host: "relay.example.org", Port: 3478}, {Host: "198.51.100.7", Port: 5000}}, Meeting: netip.MustParseAddrPort("[2001:db8::7]:1024"), Secret: secret},
		"B008-J4CT-4ANK-7F24-SNAX-WSQF-EZW8-2008-DQ00-0000-0000-0000-0000-0E10-00CG-WP03-H0M7-K2DS-S60R-30C1-G60R-3MRV-" +
			"CENH-1RHA-1EX7-44NJ-59RR-PCPJ-C6GQ-PGM3-DF9N-QCE2-TDNX-3GNK-K7M9-H2WK-5DHG-QJBK-5F1G-PTW3-CCMQ-6YWK-71PB-13HH-KCG3-H720-Z4V"},
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		require.NoError(t, v.code.Check())
		assert.Equal(t, v.text, v.code.String(), "%+v", v.code)
		got, err := Parse(v.text)
		require.NoError(t, err, v.text)
		assert.Equal(t, v.code, got)
	}
	assert.Len(t, strings.ReplaceAll(vectors[0].text, "-", ""), 36, "what people read out")
}

// TestReadAsPeopleWrite parses one code in the ways in which it gets from one to another.
func TestReadAsPeopleWrite(t *testing.T) {
	want, text := vectors[0].code, vectors[0].text
	for _, s := range []string{
		strings.ToLower(text),
		strings.ReplaceAll(text, "-", ""),
		strings.ReplaceAll(text, "-", " "),
		strings.ReplaceAll(text, "-", "\r\n"),
		strings.ReplaceAll(text, "-", "\u2013"), // a dash of a word processor
		strings.ReplaceAll(text, "-", "\u00a0"),
		"\ufeff\u201c" + text + "\u201d\n",
		"`" + text + "`",
		"\u201e" + text + "\u201c", "**" + text + "**", "(" + text + ")", "<" + text + ">.", "|| " + text + " ||",
		strings.ReplaceAll(text, "0", "O"),
		strings.ReplaceAll(text, "0", "o"),
		strings.ReplaceAll(text, "1", "I"),
		strings.ReplaceAll(text, "1", "l"),
		strings.ReplaceAll(text, "V", "u"),
	} {
		got, err := Parse(s)
		if assert.NoError(t, err, "%q", s) {
			assert.Equal(t, want, got, "%q", s)
		}
	}
}

func TestRefusals(t *testing.T) {
	text := vectors[0].text
	later := seal("C" + vectors[0].code.letters()[1:])
	form := func(octets ...byte) string {
		return seal(general + spelling.EncodeToString(append(secret[:], octets...)))
	}
	for s, want := range map[string]string{
		"":                                             "a code has 36 letters or more, not 0",
		"A-B":                                          "not 2",
		text[:21]:                                      "has 17 letters, and would have 36: some are missing",
		text + "7":                                     "37 letters, and would have 36: some are too many",
		strings.Replace(text, "36H2", "3RH2", 1):       "letter 14, which is number 2 of group 4, is wrong: R has to be 6, if all",
		strings.Replace(text, "NC", "CN", 1):           "number 1 of group 5, and the one after it are exchanged: CN has to be NC, if all",
		strings.Replace(text, "NCSV", "", 1):           "some are missing",
		"http://example.org/" + text:                   "a code has no ':', as letter 5",
		later:                                          "later version",
		strings.Repeat("B", maxLetters+1):              "at most 3000",
		strings.Repeat("B", 600):                       "several letters",
		form(0, 1, ipv4, 127, 0):                       "damaged",
		form(0, 1, ipv4, 203, 0, 113, 5):               "damaged", // it has a shorter form
		form(0, 4, ipv4, 203, 0, 113, 5):               "later",
		form(0, 1, 0x04, 203, 0, 113, 5):               "later",
		form(0, 1, 0x41, 203, 0, 113, 5):               "later",
		form(0, 0):                                     "needs a relay",
		form(0, 1, ipv4, 0, 0, 0, 0):                   "no machine",
		form(0, 1, named, 2, 'a', 0x1b):                "no name and no address",
		form(0, 1, named, 1, 'a', 'b'):                 "damaged",
		form(0, 1, named|withPort, 1, 'a'):             "damaged",
		form(0, 1, named|withUser, 1, 'a', 1, 0x1b, 0): "no text",
		form(5, 1, 2, 3, 4, 5, 0, 9, 1, ipv4, 203, 0, 113, 5): "later",
		form(4, 203, 0, 113, 5, 0, 0, 1, named, 1, 'a'):       "nobody can answer",
		form(4, 203, 0): "damaged",
	} {
		_, err := Parse(s)
		assert.ErrorContains(t, err, want, "%.80q", s)
	}
	_, err := Parse(later)
	assert.ErrorIs(t, err, ErrLater)
}

func TestCheck(t *testing.T) {
	relay := func(r Relay) Code { return Code{Relays: []Relay{r}, Secret: secret} }
	for want, c := range map[string]Code{
		"needs a secret":          {Relays: []Relay{{Host: "a"}}},
		"needs a relay":           {Secret: secret},
		"can answer at 0.0.0.0:5": {Secret: secret, Relays: []Relay{{Host: "a"}}, Meeting: netip.MustParseAddrPort("0.0.0.0:5")},
		"3 relays, not 4":         {Secret: secret, Relays: make([]Relay, 4)},
		"write the address as":    relay(Relay{Host: "::ffff:203.0.113.5", Port: 1}),
		"as fe80::1":              relay(Relay{Host: "fe80::1%eth0", Port: 1}),
		"needs a port":            relay(Relay{Host: "203.0.113.5"}),
		"1 to 253 letters":        relay(Relay{}),
		"no name and no address":  relay(Relay{Host: "Relay.example.org"}),
		"\"-a.example\"":          relay(Relay{Host: "-a.example"}),
		"\"a.\"":                  relay(Relay{Host: "a."}),
		"\"1.2.3\"":               relay(Relay{Host: "1.2.3"}),
		"without a user":          relay(Relay{Host: "a", Password: "x"}),
		"128 octets":              relay(Relay{Host: "a", User: strings.Repeat("x", 129)}),
		"no text":                 relay(Relay{Host: "a", User: "\xff"}),
	} {
		assert.ErrorContains(t, c.Check(), want)
		assert.Empty(t, c.String())
	}
}

// TestEverySlip makes slips of every letter, and exchanges every two neighbours, in codes of all kinds.
func TestEverySlip(t *testing.T) {
	for _, v := range vectors {
		whole := seal(v.code.letters())
		for i := range whole {
			for by := byte(1); by < 32; by += byte(1 + len(whole)/20) {
				slip := whole[:i] + string(alphabet[value(whole[i])^by]) + whole[i+1:]
				require.False(t, sealed(slip))
				m, ok := find(slip)
				require.True(t, ok)
				assert.Equal(t, mistake{place: i, want: whole[i]}, m)
			}
			if i == 0 || whole[i] == whole[i-1] {
				continue
			}
			slip := whole[:i-1] + whole[i:i+1] + whole[i-1:i] + whole[i+1:]
			require.False(t, sealed(slip))
			m, ok := find(slip)
			require.True(t, ok)
			assert.Equal(t, mistake{place: i - 1, want: whole[i-1], exchanged: true}, m)
		}
	}
}

// TestPolynomial checks what the places of slips rest on: that the order of x is 32767, and that within the length that is
// claimed no slip leaves what another one does.
func TestPolynomial(t *testing.T) {
	order, p := 1, remainder(1<<5)
	for ; p != 1; order++ {
		p = p.next(0)
	}
	assert.Equal(t, 1<<15-1, order)
	type slip struct {
		place     int
		exchanged bool
		by        byte
	}
	seen := map[remainder]slip{}
	one, two := remainder(1), remainder(1|1<<5)
	for i := range located {
		for e := byte(1); e < 32; e++ {
			for exchanged, q := range map[bool]remainder{false: one, true: two} {
				r := q.times(e)
				before, taken := seen[r]
				require.False(t, taken, "%v and %v", before, slip{i, exchanged, e})
				seen[r] = slip{i, exchanged, e}
			}
		}
		one, two = one.next(0), two.next(0)
	}
}

// random returns a code that Check takes.
func random(r *rand.Rand) Code {
	c := Code{}
	for i := range c.Secret {
		c.Secret[i] = byte(r.Uint32())
	}
	c.Secret[0] |= 1
	if r.IntN(3) == 0 {
		at := netip.AddrFrom4([4]byte{203, byte(r.Uint32()), byte(r.Uint32()), 1})
		if r.IntN(2) == 0 {
			at = netip.AddrFrom16([16]byte{0x20, 1, 15: byte(r.Uint32())})
		}
		c.Meeting = netip.AddrPortFrom(at, uint16(1+r.IntN(65535)))
	}
	for range 1 + r.IntN(MaxRelays) {
		n := r.Uint32()
		one := []Relay{
			{Host: fmt.Sprintf("10.%d.%d.%d", byte(n), byte(n>>8), byte(n>>16)), Port: DefaultPort},
			{Host: fmt.Sprintf("2001:db8::%x", n&0xffff|1), Port: DefaultPort},
			{Host: fmt.Sprintf("relay%d.example.org", n)},
		}[r.IntN(3)]
		if r.IntN(2) == 0 {
			one.Port = uint16(1 + n%65535)
		}
		if r.IntN(3) == 0 {
			one.User = fmt.Sprint(n, ":ä")
			one.Password = strings.Repeat("p", r.IntN(maxText+1))
		}
		c.Relays = append(c.Relays, one)
	}
	return c
}

func TestRandomCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		c := random(r)
		require.NoError(t, c.Check())
		got, err := Parse(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
}

// FuzzParse holds what Parse takes against its one way of being written.
func FuzzParse(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.text)
	}
	f.Add(strings.Repeat("0", 100))
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			if errors.Is(err, ErrLater) {
				return
			}
			assert.Equal(t, Code{}, c)
			return
		}
		again, err := Parse(c.String())
		require.NoError(t, err)
		assert.Equal(t, c, again)
	})
}

// FuzzDecode gives octets with the right checks, which FuzzParse hardly ever finds.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		l := v.code.letters()
		octets, err := spelling.DecodeString(l[1:])
		require.NoError(f, err)
		f.Add(value(l[0]), octets)
	}
	f.Fuzz(func(t *testing.T, form byte, octets []byte) {
		letters := seal(string(alphabet[form&31]) + spelling.EncodeToString(octets))
		c, err := Parse(letters)
		if err == nil {
			assert.Equal(t, letters, seal(c.letters()))
		}
	})
}
