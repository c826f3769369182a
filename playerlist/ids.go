package playerlist

import (
	"math/bits"

	"dplay4/wire"
)

// generation is how far above the highest unique part in its list a new host starts: the old one may have handed
// out and taken back ids of which the list knows nothing, up to so many for one index.
const generation = 0x100

// maxSkip bounds how much higher than that it starts.
const maxSkip = 0x400

// IDs hands out ids as a host does (3.2.5.4): (index | unique<<16) XOR Reserved1. The index is the lowest that no
// id in use has; the unique part starts at the same number for all and goes up when an index is used again,
// so that a late message about a player who left cannot hit the next one before 65,536 others had the index.
// Never handed out: 0, 1 and 0xffffffff.
//
// An id is reserved when it is asked for (REQUESTPLAYERID), held when the player or group is there, and freed
// when it is deleted or not coming. Ids that other hosts made any other way are held like all others. The memory
// that IDs takes is bounded by the ids in use and by the 65,536 indexes. It is not safe for use by several
// goroutines at once.
type IDs struct {
	mask  uint32
	first uint16                 // the unique part of an index that was never used
	used  map[wire.PlayerID]bool // ids in use; true: only reserved
	busy  []uint64               // a bit an index: some id in use has it
	more  map[uint16]int         // ids in use that share an index, beyond the first
	next  map[uint16]uint16      // the unique part for the next id of an index that was used
	asked int                    // how many are only reserved

	// Rotate has indexes used again as late as possible instead: in sessions with the reliable protocol nothing else in a frame
	// says which player it is from.
	Rotate bool
	cursor int // the index after the last one that was given
}

// rotated is how many indexes are given in turn: those that take two octets in a frame at most.
const rotated = 1 << 14

// NewIDs is for the first host of a session. Reserved1 is that of the session's description; first is the unique
// part to start with: Windows was seen to start with 1 and 2.
func NewIDs(reserved1 uint32, first uint16) *IDs {
	return &IDs{
		mask: reserved1, first: first, used: map[wire.PlayerID]bool{},
		more: map[uint16]int{}, next: map[uint16]uint16{},
	}
}

// IDs is for a machine that becomes host: it holds all ids in the list, and starts well above the highest unique
// part among them. Call it before those that left are deleted from the list, and free their ids as they are.
//
// It starts skip numbers higher, of which there are at most maxSkip: hosts of two parts of a session begin with the same
// list, and if each draws a number, they hardly give the same ids.
func (l *List) IDs(skip uint16) *IDs {
	i := NewIDs(l.session.Desc.Reserved1, 1)
	top := uint16(0)
	for _, c := range [...]*chain{&l.players, &l.groups} {
		for r := c.first; r != nil; r = r.next {
			top = max(top, i.unique(r.id))
			i.Hold(r.id)
		}
	}
	i.first = top + generation + skip%maxSkip // wraps: an id in use is safe, for no other id gets its index
	return i
}

func (i *IDs) index(id wire.PlayerID) uint16  { return id.Index(i.mask) }
func (i *IDs) unique(id wire.PlayerID) uint16 { return uint16((uint32(id) ^ i.mask) >> 16) }

// Reserve returns a new id. It fails with ErrFull while all 65,536 indexes are in use.
func (i *IDs) Reserve() (wire.PlayerID, error) {
	index, ok := i.free()
	if !ok {
		return 0, ErrFull
	}
	unique, ok := i.next[index]
	if !ok {
		unique = i.first
	}
	id := i.make(index, unique)
	for id == wire.IDAll || id == wire.IDServer || id == wire.IDUnknown {
		unique++
		id = i.make(index, unique)
	}
	i.next[index] = unique + 1
	i.take(index)
	i.used[id] = true
	i.asked++
	return id, nil
}

func (i *IDs) make(index, unique uint16) wire.PlayerID {
	return wire.PlayerID((uint32(index) | uint32(unique)<<16) ^ i.mask)
}

// free returns the index of the next id.
func (i *IDs) free() (uint16, bool) {
	if !i.Rotate {
		return i.lowest()
	}
	for n := range rotated {
		index := (i.cursor + n) % rotated
		if word := index / 64; word >= len(i.busy) || i.busy[word]>>(index%64)&1 == 0 {
			i.cursor = index + 1
			return uint16(index), true
		}
	}
	return i.lowest()
}

// lowest returns the lowest index that no id in use has.
func (i *IDs) lowest() (uint16, bool) {
	for n, w := range i.busy {
		if w != ^uint64(0) {
			return uint16(64*n + bits.TrailingZeros64(^w)), true
		}
	}
	return uint16(64 * len(i.busy)), len(i.busy) < MaxRows/64
}

// take notes that one more id in use has the index.
func (i *IDs) take(index uint16) {
	word := int(index / 64)
	for len(i.busy) <= word {
		i.busy = append(i.busy, 0)
	}
	if i.busy[word]>>(index%64)&1 == 1 {
		i.more[index]++
	}
	i.busy[word] |= 1 << (index % 64)
}

// Hold notes that a player or group has the id, whether Reserve gave it or somebody else made it.
func (i *IDs) Hold(id wire.PlayerID) {
	reserved, ok := i.used[id]
	switch {
	case !ok:
		i.take(i.index(id))
	case reserved:
		i.asked--
	}
	i.used[id] = false
}

// Free notes that an id is no longer in use, whether it was held or only reserved; false if it was neither.
func (i *IDs) Free(id wire.PlayerID) bool {
	reserved, ok := i.used[id]
	if !ok {
		return false
	}
	delete(i.used, id)
	if reserved {
		i.asked--
	}
	index, unique := i.index(id), i.unique(id)
	if next, ok := i.next[index]; !ok || next == unique {
		i.next[index] = max(unique+1, i.first) // the host of another part goes on from the same list
	}
	if n := i.more[index]; n > 1 {
		i.more[index] = n - 1
	} else if n == 1 {
		delete(i.more, index)
	} else {
		i.busy[index/64] &^= 1 << (index % 64)
	}
	return true
}

// Reserved reports whether an id was handed out and neither held nor freed since.
func (i *IDs) Reserved(id wire.PlayerID) bool { return i.used[id] }

// Len is the number of ids in use, and of those that are only reserved.
func (i *IDs) Len() (used, reserved int) { return len(i.used), i.asked }
