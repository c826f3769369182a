//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// first makes a method of one of IDirectPlay.
func first(f func(directplay.First, *call) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult { return f(o.First(c.face()), c) })
}

// firstDesc returns a DPSESSIONDESC, or nil.
func (c *call) firstDesc() *directplay.FirstDesc {
	b := c.block(0)
	if len(b) != directplay.FirstDescSize {
		return nil
	}
	d := directplay.ReadFirstDesc((*[directplay.FirstDescSize]byte)(b), c.face())
	return &d
}

func firstOpen(f directplay.First, c *call) wire.HResult {
	d := c.firstDesc()
	r := f.Open(d)
	if r == wire.OK {
		c.answer(0, d.Session)
		c.answer(1, d.Reserved1)
		c.answer(2, d.Reserved2)
	}
	return r
}

// firstEnumSessions makes one search, as enumSessions does.
func firstEnumSessions(f directplay.First, c *call) wire.HResult {
	var each func(*directplay.FirstDesc, *uint32) bool
	if c.is(2) {
		each = func(d *directplay.FirstDesc, _ *uint32) bool {
			return d != nil && c.item(d.Block(c.face()).Data, nil) != nil
		}
	}
	return f.EnumSessions(c.firstDesc(), c.number(0), each, c.number(1))
}

func firstEnableNewPlayers(f directplay.First, c *call) wire.HResult {
	return f.EnableNewPlayers(c.is(0))
}

func firstSaveSession(f directplay.First, _ *call) wire.HResult { return f.SaveSession() }

// place returns where the id of a new player or group is put, nil if the game has no place for it, or a name that cannot be read.
func (c *call) place() *wire.PlayerID {
	if !c.is(1) || c.unreadable() {
		return nil
	}
	return new(wire.PlayerID)
}

func firstCreatePlayer(f directplay.First, c *call) wire.HResult {
	id := c.place()
	return c.made(id, f.CreatePlayer(id, c.text(0), c.text(1), notify(uint64(c.r.number[0]))))
}

func firstCreateGroup(f directplay.First, c *call) wire.HResult {
	id := c.place()
	return c.made(id, f.CreateGroup(id, c.text(0), c.text(1)))
}

func firstSetPlayerName(f directplay.First, c *call) wire.HResult {
	if c.unreadable() {
		return f.Object.SetPlayerName(c.id(0), nil, ^uint32(0)) // for what else is wrong; flags that there are not are as bad
	}
	return f.SetPlayerName(c.id(0), c.text(0), c.text(1))
}

func firstGetPlayerName(f directplay.First, c *call) wire.HResult {
	friendly, formal := c.buffer(1), c.buffer(5)
	if c.unreadable() {
		friendly, formal = nil, nil
	}
	r := f.GetPlayerName(c.id(0), friendly, formal)
	var data [2][]byte
	for i, b := range []*directplay.Buffer{friendly, formal} {
		if b != nil {
			data[i] = b.Data
			c.r.number[3+4*i] = C.uint64_t(b.Size)
		}
	}
	if r == wire.OK && c.item(data[0], data[1]) == nil {
		return wire.ErrOutOfMemory
	}
	return r
}

// eachFirst returns what takes an enumeration's players and groups, nil if the game has no callback.
func (c *call) eachFirst() func(directplay.FirstListed) bool {
	if !c.is(2) {
		return nil
	}
	return func(l directplay.FirstListed) bool {
		item := c.item(l.Friendly, l.Formal)
		if item == nil {
			return false
		}
		item.word[0], item.word[1] = C.uint32_t(l.ID), C.uint32_t(l.Flags)
		return true
	}
}

func firstEnumPlayers(f directplay.First, c *call) wire.HResult {
	return f.EnumPlayers(c.number(0), c.eachFirst(), c.number(1))
}

func firstEnumGroups(f directplay.First, c *call) wire.HResult {
	return f.EnumGroups(c.number(0), c.eachFirst(), c.number(1))
}

func firstEnumGroupPlayers(f directplay.First, c *call) wire.HResult {
	return f.EnumGroupPlayers(c.id(0), c.eachFirst(), c.number(1))
}

func firstGetCaps(f directplay.First, c *call) wire.HResult {
	return c.caps(1, directplay.Caps{}, f.GetCaps)
}

func firstGetPlayerCaps(f directplay.First, c *call) wire.HResult {
	return c.caps(1, directplay.Caps{}, func(caps *directplay.Caps) wire.HResult { return f.GetPlayerCaps(c.id(0), caps) })
}
