package playerlist

import (
	"bytes"
	"slices"
)

// Equal says whether two lists are at the same version with the same content in the same order. What their logs
// remember does not matter.
func Equal(a, b *List) bool {
	if a.version != b.version || a.Host() != b.Host() || !equalSession(&a.session, &b.session) {
		return false
	}
	return equalChain(&a.players, &b.players) && equalChain(&a.groups, &b.groups)
}

func equalSession(a, b *Session) bool {
	return a.Desc == b.Desc && bytes.Equal(a.Name, b.Name) && bytes.Equal(a.Password, b.Password)
}

func equalChain(a, b *chain) bool {
	if a.n != b.n {
		return false
	}
	for r, q := a.first, b.first; r != nil; r, q = r.next, q.next {
		if !equalRow(r, q) {
			return false
		}
	}
	return true
}

func equalRow(a, b *row) bool {
	if a.id != b.id || a.flags != b.flags || a.system != b.system || a.dialect != b.dialect || a.added != b.added {
		return false
	}
	if !bytes.Equal(a.short, b.short) || !bytes.Equal(a.long, b.long) || !bytes.Equal(a.sp, b.sp) || !bytes.Equal(a.data, b.data) {
		return false
	}
	if a.group == nil || b.group == nil {
		return a.group == b.group
	}
	return a.group.parent == b.group.parent && slices.Equal(a.group.members, b.group.members) &&
		slices.Equal(a.group.shortcuts, b.group.shortcuts)
}
