package directplay

import (
	"encoding/binary"
	"slices"

	"dplay4/wire"
)

// sysDeleteGroup is the type of a message about a destroyed group in DirectX 1 and 2, which later ones have not.
const sysDeleteGroup = 0x0020

// A firstCreated is DPMSG_ADDPLAYER or DPMSG_ADDGROUP.
type firstCreated struct{ *Created }

func (m firstCreated) write(l *layout) {
	l.word(SysCreatePlayerOrGroup, m.kind(), uint32(m.ID))
	l.fixed = append(l.fixed, padded(l.face, m.Name.Long, formalSize)...)
	l.fixed = append(l.fixed, padded(l.face, m.Name.Short, friendlySize)...)
	l.word(m.Current)
}

// A firstDestroyed is DPMSG_DELETEPLAYER, which DPMSG_DELETEGROUP is as well.
type firstDestroyed struct {
	kind uint32
	id   wire.PlayerID
}

func (m firstDestroyed) write(l *layout) { l.word(m.kind, uint32(m.id)) }

// asFirst returns a system message as a player made by IDirectPlay gets it, or nil if DirectX 2 had none of its kind: a game
// may take what it does not know for something else.
func asFirst(m SystemMessage) SystemMessage {
	switch m := m.(type) {
	case *Created:
		return firstCreated{m}
	case *Destroyed:
		if m.Group {
			return firstDestroyed{sysDeleteGroup, m.ID}
		}
		return firstDestroyed{SysDestroyPlayerOrGroup, m.ID}
	}
	if slices.Contains([]uint32{SysAddPlayerToGroup, SysDeletePlayerFromGroup, SysSessionLost}, typeOf(m)) {
		return m
	}
	return nil
}

// typeOf returns the type of a system message, which is its first word.
func typeOf(m SystemMessage) uint32 {
	var l layout
	m.write(&l)
	return binary.LittleEndian.Uint32(l.fixed)
}
