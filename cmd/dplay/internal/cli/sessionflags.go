package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/wire"
)

// SessionNames returns the names of all session flags, in lower case, by their bits; "" for bits without one.
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

// ParseSessionFlags reads session flags: names with commas between, numbers such as 0xa044, or "none".
func ParseSessionFlags(s string) (wire.SessionFlags, error) {
	if s == "none" {
		return 0, nil
	}
	var flags wire.SessionFlags
	names := SessionNames()
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		if n, err := strconv.ParseUint(word, 0, 32); err == nil {
			flags |= wire.SessionFlags(n)
			continue
		}
		bit := slices.Index(names, word)
		if word == "" || bit < 0 {
			known := slices.DeleteFunc(names, func(n string) bool { return n == "" })
			return 0, fmt.Errorf("%q is no session flag%s; they are none, %s, and numbers such as 0xa044", word,
				strings.TrimSuffix(Nearest(word, known), "?"), strings.Join(known, ", "))
		}
		flags |= 1 << bit
	}
	return flags, nil
}

// SessionFlagsText returns flags as ParseSessionFlags reads them.
func SessionFlagsText(f wire.SessionFlags) string {
	if f == 0 {
		return "none"
	}
	return strings.ToLower(strings.ReplaceAll(f.String(), "|", ","))
}
