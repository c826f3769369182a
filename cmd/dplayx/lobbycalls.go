//go:build windows && cgo

package main

/*
#include "request.h"
#include "lobby.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/local"
	"dplay4/wire"
)

// lobby returns the lobby of this process, which is made when the game first asks for it.
var lobby = sync.OnceValue(func() *directplay.Lobby { return directplay.NewLobby(local.Machine()) })

// inLobby makes a method of one of the lobby.
func inLobby(f func(*directplay.Lobby, *call) wire.HResult) func(*call) wire.HResult {
	return func(c *call) wire.HResult { return f(lobby(), c) }
}

// entering are the objects that are on their way into the session of the connection settings.
var entering = struct {
	sync.Mutex
	all map[*directplay.Object]*entry
}{all: map[*directplay.Object]*entry{}}

// lobbyConnect has a new object, which may have been made by an earlier call.
func lobbyConnect(l *directplay.Lobby, c *call) wire.HResult {
	o, r := l.Connect(c.number(0), func() *directplay.Object {
		e := create()
		if e == nil {
			return nil
		}
		entering.Lock()
		defer entering.Unlock()
		entering.all[e.Object] = e
		return e.Object
	})
	if o == nil {
		return r
	}
	entering.Lock()
	e := entering.all[o]
	delete(entering.all, o)
	entering.Unlock()
	if r != wire.OK {
		e.Release()
		e.sink.end()
		C.free_queue(e.sink.queue)
		return r
	}
	register(c, e)
	return r
}

func createAddress(c *call) wire.HResult {
	if c.unreadable() {
		return wire.ErrInvalidParams
	}
	return c.fill(0, func(b *directplay.Buffer) wire.HResult {
		return directplay.CreateAddress(c.guid(0), c.guid(1), c.block(2), b)
	})
}

func createCompoundAddress(c *call) wire.HResult {
	if c.unreadable() {
		return wire.ErrInvalidParams
	}
	var elements []directplay.Chunk
	for _, e := range unsafe.Slice((*C.Element)(c.r.block[0].data), int(c.r.block[0].size)) {
		elements = append(elements, directplay.Chunk{Type: guid(&e._type), Data: octets(e.data)})
	}
	return c.fill(0, func(b *directplay.Buffer) wire.HResult { return directplay.CreateCompoundAddress(elements, b) })
}

func enumAddress(c *call) wire.HResult {
	if c.unreadable() {
		return wire.ErrInvalidParams
	}
	chunks, r := directplay.EnumAddress(c.block(0), c.is(0))
	for _, chunk := range chunks {
		item := c.item(chunk.Data, nil)
		if item == nil {
			return wire.ErrOutOfMemory
		}
		putGUID(item, chunk.Type)
	}
	return r
}

func enumAddressTypes(c *call) wire.HResult {
	types, r := directplay.EnumAddressTypes(c.guid(0), c.number(0), c.is(1))
	for _, t := range types {
		item := c.item(nil, nil)
		if item == nil {
			return wire.ErrOutOfMemory
		}
		putGUID(item, t)
	}
	return r
}

func enumLocalApplications(l *directplay.Lobby, c *call) wire.HResult {
	all, r := l.EnumLocalApplications(c.number(0), c.is(1))
	for _, a := range all {
		if c.structure(a.Block(c.face()), nil) == nil {
			return wire.ErrOutOfMemory
		}
	}
	return r
}

func getConnectionSettings(l *directplay.Lobby, c *call) wire.HResult {
	return c.fill(1, func(b *directplay.Buffer) wire.HResult { return l.GetConnectionSettings(c.number(0), b, c.face()) })
}

func receiveLobbyMessage(l *directplay.Lobby, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult {
		flags, r := l.ReceiveLobbyMessage(c.number(0), c.number(1), b)
		c.answer(0, flags)
		return r
	})
}

// settings returns connection settings, or nil.
func (c *call) settings() *directplay.Settings {
	if !c.is(C.SETTINGS_GIVEN) {
		return nil
	}
	s := &directplay.Settings{WrongSize: c.is(C.SETTINGS_WRONG_SIZE) || c.unreadable(), Flags: c.number(C.SETTINGS_FLAGS),
		Session: c.desc(), Player: c.name(), Address: c.block(C.SETTINGS_ADDRESS)}
	if provider := c.guid(C.SETTINGS_PROVIDER); provider != nil {
		s.Provider = *provider
	}
	return s
}

// notify returns what sets an event of the game's, nil for none.
func notify(event uint64) func() {
	if event == 0 {
		return nil
	}
	return func() { C.set_event(C.uint64_t(event)) }
}

func runApplication(l *directplay.Lobby, c *call) wire.HResult {
	id, r := l.RunApplication(c.number(0), c.settings(), notify(uint64(c.r.number[1])))
	c.answer(0, id)
	return r
}

func sendLobbyMessage(l *directplay.Lobby, c *call) wire.HResult {
	return l.SendLobbyMessage(c.number(0), c.number(1), c.block(0))
}

func setConnectionSettings(l *directplay.Lobby, c *call) wire.HResult {
	return l.SetConnectionSettings(c.number(0), c.number(1), c.settings())
}

func setLobbyMessageEvent(l *directplay.Lobby, c *call) wire.HResult {
	return l.SetLobbyMessageEvent(c.number(0), c.number(1), notify(uint64(c.r.number[2])))
}

func registerApplication(l *directplay.Lobby, c *call) wire.HResult {
	from := (*C.Application)(c.r.block[0].data)
	if from == nil {
		return l.RegisterApplication(c.number(0), nil)
	}
	text := func(o C.Octets) string { return value(c.read(o)) }
	a := &directplay.Application{WrongSize: from.wrong_size != 0 || c.unreadable(), Flags: uint32(from.flags),
		GUID: guid(&from.guid), Name: text(from.name), File: text(from.file), CommandLine: text(from.command_line), Path: text(from.path),
		CurrentDirectory: text(from.current_directory), Launcher: text(from.launcher)}
	a.Description = value(read(face(true), from.wide_description))
	if a.Description == "" {
		a.Description = value(read(face(false), from.narrow_description))
	}
	return l.RegisterApplication(c.number(0), a)
}

// value returns a text that may be NULL.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func unregisterApplication(l *directplay.Lobby, c *call) wire.HResult {
	return l.UnregisterApplication(c.number(0), c.guid(0))
}

func waitForConnectionSettings(l *directplay.Lobby, c *call) wire.HResult {
	return l.WaitForConnectionSettings(c.number(0))
}
