package cli

import "dplay4/wire"

// FirstFree opens the first port of a range that open can open, and returns the last error of open if there is none. It tries first and
// the ports behind it before those in front of it. first is in the range.
func FirstFree[S any](ports wire.Ports, first uint16, open func(port uint16) (S, error)) (s S, err error) {
	n := int(ports.Last) - int(ports.First) + 1
	for i := range n {
		if s, err = open(ports.First + uint16((int(first-ports.First)+i)%n)); err == nil {
			break
		}
	}
	return s, err
}
