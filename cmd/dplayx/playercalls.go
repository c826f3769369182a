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

func createPlayer(o *directplay.Object, c *call) wire.HResult {
	m, id := c.making()
	return c.made(id, o.CreatePlayer(id, m))
}

func destroyPlayer(o *directplay.Object, c *call) wire.HResult { return o.DestroyPlayer(c.id(0)) }

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

func enumPlayers(o *directplay.Object, c *call) wire.HResult {
	return o.EnumPlayers(c.guid(0), c.each(), c.number(1))
}

func getPlayerAccount(o *directplay.Object, _ *call) wire.HResult { return o.GetPlayerAccount() }

func getPlayerAddress(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetPlayerAddress(c.id(0), b) })
}

func getPlayerData(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetPlayerData(c.id(0), b, c.number(1)) })
}

func getPlayerName(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetPlayerName(c.id(0), b, c.face()) })
}

// tell answers with a number that a method finds, which gets nil if the game has no place for it.
func (c *call) tell(method func(*uint32) wire.HResult) wire.HResult {
	if !c.is(1) {
		return method(nil)
	}
	var v uint32
	r := method(&v)
	c.answer(0, v)
	return r
}

func getPlayerFlags(o *directplay.Object, c *call) wire.HResult {
	return c.tell(func(flags *uint32) wire.HResult { return o.GetPlayerFlags(c.id(0), flags) })
}

func setPlayerData(o *directplay.Object, c *call) wire.HResult {
	return o.SetPlayerData(c.id(0), c.block(0), c.number(1), c.number(2))
}

func setPlayerName(o *directplay.Object, c *call) wire.HResult {
	return o.SetPlayerName(c.id(0), c.name(), c.nameFlags())
}

// nameFlags returns the flags of a method that sets a name; those of one with a name that cannot be read are as bad.
func (c *call) nameFlags() uint32 {
	if c.unreadable() {
		return ^uint32(0)
	}
	return c.number(1)
}
