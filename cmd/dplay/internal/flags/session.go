package flags

import (
	"fmt"
	"slices"
	"strings"

	"dplay4/wire"
)

// A Session is the flags of a session: names with commas between.
type Session struct{ wire.SessionFlags }

// SessionNames returns the names of all flags, in lower case, by their bits.
func SessionNames() []string {
	var names []string
	for bit := range 32 {
		if n := wire.SessionFlags(1 << bit).String(); !strings.HasPrefix(n, "0x") {
			names = append(names, strings.ToLower(n))
		} else {
			names = append(names, "")
		}
	}
	return names
}

// String returns the names.
func (f *Session) String() string {
	if f.SessionFlags == 0 {
		return ""
	}
	return strings.ToLower(strings.ReplaceAll(f.SessionFlags.String(), "|", ","))
}

// Set takes names; repeated flags add up.
func (f *Session) Set(s string) error {
	names := SessionNames()
	for _, word := range strings.Split(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		bit := slices.Index(names, word)
		if word == "" || bit < 0 {
			known := slices.DeleteFunc(names, func(n string) bool { return n == "" })
			return fmt.Errorf("%q is no session flag; they are %s", word, strings.Join(known, ", "))
		}
		f.SessionFlags |= 1 << bit
	}
	return nil
}

// Type returns what help shows for the value.
func (f *Session) Type() string { return "NAME,..." }
