package hostmigrate

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"

	"dplay4/wire"
)

// scheme begins what [MC-DPL8CS] has no field for: a URL after the manner of its section 2.2.8, 8-bit characters with a
// terminating zero, "x-directplay4:/key=value;key=value".
const scheme = "x-directplay4:/"

// maxPairs bounds the pairs of one form. The longest one that is written has thirteen.
const maxPairs = 32

// A form is such a URL while it is written. Numbers are eight hexadecimal digits after 0x, octets two digits each; what
// is zero or empty is left out.
type form []byte

func newForm() form { return form(scheme) }

func (f *form) word(key, value string) {
	if len(*f) > len(scheme) {
		*f = append(*f, ';')
	}
	*f = append(append(append(*f, key...), '='), value...)
}

func (f *form) number(key string, v uint32) {
	if v == 0 {
		return
	}
	s := strconv.FormatUint(uint64(v), 16)
	f.word(key, "0x"+"00000000"[len(s):]+s)
}

func (f *form) octets(key string, b []byte) {
	if len(b) == 0 {
		return
	}
	f.word(key, "")
	*f = hex.AppendEncode(*f, b)
}

func (f *form) guid(key string, g wire.GUID) {
	if !g.IsZero() {
		f.word(key, g.String())
	}
}

// end returns the form with its terminator.
func (f form) end() []byte { return append(f, 0) }

// A pair is one key of a form that is read.
type pair struct{ key, value string }

// values are a form that is read. Keys that nobody knows are left alone; the first value that cannot be read is in err.
type values struct {
	pairs []pair
	err   error
}

// readForm reads the form at the start of b and gives what follows it, which aliases b.
func readForm(b []byte) (v values, rest []byte, err error) {
	end := bytes.IndexByte(b, 0)
	if end < 0 || !bytes.HasPrefix(b, []byte(scheme)) {
		return v, nil, ErrForm
	}
	rest = b[end+1:]
	text := string(b[len(scheme):end])
	if text == "" {
		return v, rest, nil
	}
	for text, more := text, true; more; {
		var part string
		part, text, more = strings.Cut(text, ";")
		key, value, ok := strings.Cut(part, "=")
		if !ok || v.has(key) || len(v.pairs) == maxPairs {
			return v, nil, ErrForm
		}
		v.pairs = append(v.pairs, pair{key, value})
	}
	return v, rest, nil
}

func (v *values) has(key string) bool {
	for _, p := range v.pairs {
		if p.key == key {
			return true
		}
	}
	return false
}

// word returns a value as it stands; "" if there is none.
func (v *values) word(key string) string {
	for _, p := range v.pairs {
		if p.key == key {
			return p.value
		}
	}
	return ""
}

func (v *values) fail(key string) {
	if v.err == nil {
		v.err = &FieldError{key, ErrForm}
	}
}

func (v *values) number(key string) uint32 {
	if !v.has(key) {
		return 0
	}
	digits, ok := strings.CutPrefix(v.word(key), "0x")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil {
		v.fail(key)
	}
	return uint32(n)
}

func (v *values) octets(key string) []byte {
	w := v.word(key)
	if w == "" {
		return nil
	}
	b, err := hex.DecodeString(w)
	if err != nil {
		v.fail(key)
		return nil
	}
	return b
}

func (v *values) guid(key string) wire.GUID {
	if !v.has(key) {
		return wire.GUID{}
	}
	g, err := wire.ParseGUID(v.word(key))
	if err != nil {
		v.fail(key)
	}
	return g
}
