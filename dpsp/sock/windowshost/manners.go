package windowshost

import "net/netip"

// Manners returns the ways in which hosts were seen to talk, or may, by name; each has a session called "Windows". from is
// another address of the host. All can be joined.
func Manners(from netip.Addr) map[string]Manner {
	return map[string]Manner{
		"as Windows":                          {},
		"closes the connection of its answer": {Hangs: true},
		"a connection a message":              {Each: true},
		"two messages in a segment":           {Together: true},
		"octet by octet":                      {Dribbles: true},
		"from another address of its own":     {From: from},
		"two sessions on one connection":      {Sessions: []string{"First", "Windows"}},
		"in 8 bits":                           {EightBit: true},
		"with stray tails":                    {Tail: []byte("stray")},
		"the list twice":                      {Twice: true},
		"does not hear the first request":     {Deaf: 1},
		"answers the first request late":      {Late: true},
		"closes, and does not hear":           {Hangs: true, Deaf: 1},
		"all at once": {EightBit: true, Together: true, Dribbles: true, Tail: []byte{1}, Twice: true, From: from,
			Sessions: []string{"First", "Windows"}},
	}
}
