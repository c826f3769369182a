package cli

import (
	"cmp"
	"errors"
	"fmt"
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

// A FlagWord is a word of flags that prints as their names.
type FlagWord interface {
	~uint32
	fmt.Stringer
}

// FlagNames returns the names of those flags in all that have one, in lower case and in the order of their bits, and the flags by name.
func FlagNames[F FlagWord](all F) (names []string, flags map[string]F) {
	flags = map[string]F{}
	for bit := range 32 {
		flag := all & (1 << bit)
		if name := strings.ToLower(flag.String()); !strings.HasPrefix(name, "0") {
			names, flags[name] = append(names, name), flag
		}
	}
	return names, flags
}

// AllSession has all session flags, also those without a name, for FlagNames.
const AllSession = ^wire.SessionFlags(0)

// ParseSessionFlags reads session flags: names with commas between, numbers such as 0xa044, or "none".
func ParseSessionFlags(s string) (wire.SessionFlags, error) {
	if s == "none" {
		return 0, nil
	}
	var all wire.SessionFlags
	names, flags := FlagNames(AllSession)
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		n, err := strconv.ParseUint(word, 0, 32)
		flag, known := flags[word]
		if err != nil && !known {
			return 0, fmt.Errorf("%q is no session flag%s; they are none, %s, and numbers such as 0xa044", word,
				strings.TrimSuffix(Nearest(word, names), "?"), strings.Join(names, ", "))
		}
		all |= flag | wire.SessionFlags(n)
	}
	return all, nil
}

// SessionFlagsText returns flags as ParseSessionFlags reads them, "" for none.
func SessionFlagsText(f wire.SessionFlags) string {
	return strings.ToLower(strings.ReplaceAll(Written(f), "|", ","))
}
