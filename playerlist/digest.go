package playerlist

import (
	"bytes"
	"hash/maphash"
)

// seed differs from one run of the program to the next.
var seed = maphash.MakeSeed()

// Digest returns a number that two lists share if they have the same normal players, groups, memberships and shortcuts, in whatever
// order. Lists that differ share it by an accident of 1 in 2^64 only. It means nothing outside of this process.
func (l *List) Digest() (sum uint64) {
	for r := l.players.first; r != nil; r = r.next {
		if !r.isSystem() {
			sum += r.sum()
		}
	}
	for r := l.groups.first; r != nil; r = r.next {
		sum += r.sum()
		for _, k := range r.group.members {
			sum += maphash.Comparable(seed, [2]uint32{uint32(r.id), uint32(k.id)})
		}
		for _, k := range r.group.shortcuts {
			sum += maphash.Comparable(seed, [2]uint32{uint32(r.id), uint32(k.id)})
		}
	}
	return sum
}

// sum returns the digest of a row without the groups that it is in. Only set changes a row, and zeroes it.
func (r *row) sum() uint64 {
	if r.digest != 0 {
		return r.digest
	}
	short, long := bytes.TrimSuffix(r.short, []byte{0, 0}), bytes.TrimSuffix(r.long, []byte{0, 0})
	fixed := [6]uint32{uint32(r.id), uint32(r.system), uint32(r.flags), 0, uint32(len(short)), uint32(len(long))}
	if r.group != nil {
		fixed[3] = uint32(r.group.parent)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, fixed)
	h.Write(short)
	h.Write(long)
	h.Write(r.data)
	r.digest = h.Sum64() | 1
	return r.digest
}
