//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// making returns what CreatePlayer and CreateGroup were told, and the place for the new id, nil if there is none.
func (c *call) making() (directplay.Making, *wire.PlayerID) {
	m := directplay.Making{Name: c.name(), Data: c.block(0), Size: c.number(2), Flags: c.number(3), Wake: notify(uint64(c.r.number[1]))}
	if c.unreadable() {
		m.Data, m.Size = nil, 1 // which is as bad
	}
	if !c.is(4) {
		return m, nil
	}
	return m, new(wire.PlayerID)
}

// made answers with a new id.
func (c *call) made(id *wire.PlayerID, r wire.HResult) wire.HResult {
	if id != nil {
		c.answer(0, uint32(*id))
	}
	return r
}

// What a callback is told that something is.
const (
	typeGroup  = 0
	typePlayer = 1
)

// each returns what takes an enumeration's players and groups, nil if the game has no callback.
func (c *call) each() func(directplay.Listed) bool {
	if !c.is(2) {
		return nil
	}
	return func(l directplay.Listed) bool {
		item := c.structure(l.Name.Block(c.face()), nil)
		if item == nil {
			return false
		}
		kind := C.uint32_t(typePlayer)
		if l.Group {
			kind = typeGroup
		}
		item.word[0], item.word[1], item.word[2] = C.uint32_t(l.ID), kind, C.uint32_t(l.Flags)
		return true
	}
}

func getPlayerAccount(o *directplay.Object, _ *call) wire.HResult { return o.GetPlayerAccount() }

func getPlayerAddress(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetPlayerAddress(c.id(0), b) })
}

func createGroupInGroup(o *directplay.Object, c *call) wire.HResult {
	m, id := c.making()
	return c.made(id, o.CreateGroupInGroup(c.id(0), id, m))
}
