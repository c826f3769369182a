package cli

import (
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
	first, err := port(from)
	if err != nil {
		return wire.Ports{}, err
	}
	last := first
	if isRange {
		if last, err = port(to); err != nil {
			return wire.Ports{}, err
		}
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
