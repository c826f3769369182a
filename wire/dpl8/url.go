package dpl8

import "bytes"

// URL is a DN_ADDRESSING_URL (2.2.8) as it is on the wire: 8-bit characters with their terminating zero. What it says
// is not looked at. Nil means that there is none; a decoded URL aliases the message.
type URL []byte

// NewURL returns s with its terminator, cut at a zero that is in it.
func NewURL(s string) URL {
	u := append(make(URL, 0, len(s)+1), s...)
	return append(u[:len(u.body())], 0)
}

func (u URL) body() []byte {
	if i := bytes.IndexByte(u, 0); i >= 0 {
		return u[:i]
	}
	return u
}

// String returns the URL without its terminator.
func (u URL) String() string { return string(u.body()) }
