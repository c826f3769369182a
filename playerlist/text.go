package playerlist

import "dplay4/wire"

// terminated says whether a text ends with its first zero WCHAR, or is none at all. Others cannot be written into
// SUPERENUMPLAYERSREPLY, where a name has no length.
func terminated(t wire.Text) bool { return textEnd(t) == len(t) }

// textEnd gives the length of the text with its terminator; len(t)+1, which no text has, if there is none.
func textEnd(t wire.Text) int {
	if len(t) == 0 {
		return 0
	}
	for i := 0; i+1 < len(t); i += 2 {
		if t[i] == 0 && t[i+1] == 0 {
			return i + 2
		}
	}
	return len(t) + 1
}

// terminate gives the text up to its terminator, or with one if it has none: a packed player gives lengths
// instead. The text is t itself where nothing is to be done.
func terminate(t wire.Text) wire.Text {
	n := textEnd(t)
	if n <= len(t) {
		return t[:n:n]
	}
	c := make(wire.Text, len(t), len(t)+3)
	copy(c, t)
	if len(c)%2 == 1 {
		c = append(c, 0)
		if terminated(c) { // the octet that was missing was the terminator's
			return c
		}
	}
	return append(c, 0, 0)
}
