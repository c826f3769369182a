//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

func enumProviders(c *call) wire.HResult {
	all, r := directplay.EnumProviders(c.is(0))
	for _, p := range all {
		item := c.item(c.face().Text(p.Name), nil)
		if item == nil {
			return wire.ErrOutOfMemory
		}
		putGUID(item, p.GUID)
		item.word[0], item.word[1] = directplay.ProviderMajor, directplay.ProviderMinor
	}
	return r
}

func initialize(o *directplay.Object, c *call) wire.HResult {
	g := c.guid(0)
	if g == nil {
		return wire.ErrInvalidParams
	}
	return o.Initialize(*g)
}

func initializeConnection(o *directplay.Object, c *call) wire.HResult {
	return o.InitializeConnection(c.block(0), c.number(0))
}

func enumConnections(c *call) wire.HResult {
	all, r := directplay.EnumConnections(c.number(0), c.is(1))
	for _, p := range all {
		n := directplay.Name{Short: &p.Name}
		item := c.structure(n.Block(c.face()), p.Address)
		if item == nil {
			return wire.ErrOutOfMemory
		}
		putGUID(item, p.Provider)
		item.word[0] = C.uint32_t(p.Flags)
	}
	return r
}

// enumSessions makes one search: the game's thread calls back, and asks for another one if the game wants that.
func enumSessions(o *directplay.Object, c *call) wire.HResult {
	var each func(*directplay.SessionDesc, *uint32) bool
	if c.is(2) {
		each = func(d *directplay.SessionDesc, _ *uint32) bool {
			return d != nil && c.structure(d.Block(c.face()), nil) != nil
		}
	}
	return o.EnumSessions(c.desc(), c.number(0), each, c.number(1))
}

func open(o *directplay.Object, c *call) wire.HResult {
	d := c.desc()
	return opened(c, d, o.Open(d, c.number(0)))
}

func secureOpen(o *directplay.Object, c *call) wire.HResult {
	d := c.desc()
	return opened(c, d, o.SecureOpen(d, c.number(0), c.is(1)))
}

// opened answers with what Open changes in a description.
func opened(c *call, d *directplay.SessionDesc, r wire.HResult) wire.HResult {
	if r != wire.OK {
		return r
	}
	if item := c.item(nil, nil); item != nil {
		putGUID(item, d.Instance)
		item.word[0], item.word[1] = C.uint32_t(d.Reserved1), C.uint32_t(d.Reserved2)
	}
	return r
}

func closeSession(o *directplay.Object, _ *call) wire.HResult { return o.Close() }

func getSessionDesc(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetSessionDesc(b, c.face()) })
}

func setSessionDesc(o *directplay.Object, c *call) wire.HResult {
	return o.SetSessionDesc(c.desc(), c.number(0))
}

func getCaps(o *directplay.Object, c *call) wire.HResult {
	return c.caps(2, directplay.Caps{WrongSize: c.is(3)}, func(caps *directplay.Caps) wire.HResult { return o.GetCaps(caps, c.number(1)) })
}

func getPlayerCaps(o *directplay.Object, c *call) wire.HResult {
	return c.caps(2, directplay.Caps{WrongSize: c.is(3)}, func(caps *directplay.Caps) wire.HResult {
		return o.GetPlayerCaps(c.id(0), caps, c.number(1))
	})
}

// caps answers with what a method fills in, which gets nil if the number at place is 0: then the game has no place for it.
func (c *call) caps(place int, caps directplay.Caps, method func(*directplay.Caps) wire.HResult) wire.HResult {
	if !c.is(place) {
		return method(nil)
	}
	r := method(&caps)
	if r == wire.OK && c.item(caps.Block().Data, nil) == nil {
		return wire.ErrOutOfMemory
	}
	return r
}
