package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dplay4/wire"
)

// ParsePorts reads a port or FROM-TO.
func ParsePorts(s string) (wire.Ports, error) {
	if s == "" {
		return wire.Ports{}, errors.New("is empty: want a port or FROM-TO, such as 2300-2349")
	}
	from, to, isRange := strings.Cut(s, "-")
	if !isRange {
		to = from
	}
	first, bad := port(from)
	last, bad2 := port(to)
	if err := cmp.Or(bad, bad2); err != nil {
		return wire.Ports{}, err
	}
	if last < first {
		return wire.Ports{}, fmt.Errorf("goes backwards: want %d-%d", last, first)
	}
	return wire.Ports{First: first, Last: last}, nil
}

// port reads the number of a port.
func port(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n == 0:
		return 0, fmt.Errorf("%s is no port: they go from 1 to 65535", s)
	case err != nil:
		return 0, fmt.Errorf("%q is no number: want a port or FROM-TO, such as 2300-2349", s)
	}
	return uint16(n), nil
}

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
