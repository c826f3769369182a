package playerlist

import "dplay4/wire"

// An Entry is a player or a group as it goes into a list with [AddPlayer] or [AddGroup], and as it comes out.
type Entry struct {
	ID wire.PlayerID
	// Flags are kept with bits that nobody knows. LOCAL and INGROUP are ignored going in: the first means something
	// on the sending machine alone, the second is computed (see the package documentation).
	Flags wire.PlayerFlags
	// System is the system player of the machine that owns it (2.2.2; facts, 3.5); of a system player, its own id,
	// whatever goes in.
	System wire.PlayerID
	// Parent is the group in which a group was created; 0: none. A player has none, whatever goes in.
	Parent wire.PlayerID
	// Dialect is the version of the protocol that its machine speaks (PlayerVersion; receivers ignore that of
	// anything but system players). It is a system player's; what it owns has the same, whatever goes in.
	Dialect uint32
	// Added is the number of the operation that added it; ignored going in.
	Added uint32
	// Group tells groups from players; ignored going in.
	Group bool

	ShortName wire.Text // nil: none
	LongName  wire.Text // nil: none
	SPData    []byte    // nil: none; as announced, see the package documentation
	Data      []byte    // the game's own; nil: none
}

// octets is what an entry's names and data take.
func (e *Entry) octets() int {
	return len(e.ShortName) + len(e.LongName) + len(e.SPData) + len(e.Data)
}

// clone returns a copy that shares nothing with e.
func (e *Entry) clone() Entry {
	c := *e
	p := block(e.octets())
	c.ShortName, p = wire.Text(p.copy(e.ShortName)), p.after(e.ShortName)
	c.LongName, p = wire.Text(p.copy(e.LongName)), p.after(e.LongName)
	c.SPData, p = p.copy(e.SPData), p.after(e.SPData)
	c.Data = p.copy(e.Data)
	return c
}

// checkContent reports whether names and data can be sent at all, and be taken into the list where names and data
// of old octets stood before.
func (l *List) checkContent(op string, e *Entry, old int) error {
	switch n := e.octets(); {
	case !terminated(e.ShortName) || !terminated(e.LongName):
		return &OpError{op, e.ID, ErrText}
	case n > MaxEntryOctets:
		return &OpError{op, e.ID, ErrTooLarge}
	case l.octets-old+n > MaxOctets:
		return &OpError{op, e.ID, ErrFull}
	}
	return nil
}

// A pool is a block of memory that small copies share; nil where each gets its own.
type pool []byte

// block returns room for copies of n octets together.
func block(n int) pool {
	if n == 0 || n > smallOctets {
		return nil
	}
	return make(pool, n)
}

// copy returns a copy of b without room to append; nil for none.
func (p pool) copy(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	if len(b) > len(p) {
		c := make([]byte, len(b))
		copy(c, b)
		return c
	}
	copy(p, b)
	return p[:len(b):len(b)]
}

// after is what is left of p after a copy of b.
func (p pool) after(b []byte) pool {
	if len(b) > len(p) {
		return nil
	}
	return p[len(b):]
}

// duplicate returns a copy of b without room to append; nil for none.
func duplicate(b []byte) []byte { return pool(nil).copy(b) }

// terminated reports whether a text ends with its first zero WCHAR, or is none at all. Others cannot be written into
// SUPERENUMPLAYERSREPLY, where a name has no length.
func terminated(t wire.Text) bool { return textEnd(t) == len(t) }

// textEnd returns the length of the text with its terminator; len(t)+1, which no text has, if there is none.
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

// terminate returns the text up to its terminator, or with one if it has none: a packed player gives lengths
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
