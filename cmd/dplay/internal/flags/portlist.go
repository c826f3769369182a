package flags

import (
	"errors"
	"strconv"
	"strings"
)

// A PortList is ports with commas between; repeated flags add up.
type PortList []uint16

// String returns nothing: help shows no default.
func (l *PortList) String() string { return "" }

// Set takes ports.
func (l *PortList) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		switch port, err := strconv.ParseUint(strings.TrimSpace(word), 10, 16); {
		case errors.Is(err, strconv.ErrSyntax):
			return errors.New("it takes whole numbers from 0 with commas between, such as 2300,47624")
		case err != nil || port == 0:
			return errors.New("ports go from 1 to 65535")
		default:
			*l = append(*l, uint16(port))
		}
	}
	return nil
}

// Type returns what help shows for the value.
func (l *PortList) Type() string { return "PORT" }
