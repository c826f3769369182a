//go:build windows && cgo

package main

/*
#include <string.h>
#include "request.h"
*/
import "C"

import (
	"unsafe"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// A call is a request as methods read and answer it. What it gives is Go's own: the request is gone when it was answered.
type call struct{ r *C.Request }

func (c *call) number(i int) uint32    { return uint32(c.r.number[i]) }
func (c *call) id(i int) wire.PlayerID { return wire.PlayerID(c.r.number[i]) }
func (c *call) is(i int) bool          { return c.r.number[i] != 0 }
func (c *call) unreadable() bool       { return c.r.unreadable != 0 }
func (c *call) answer(i int, v uint32) { c.r.answer[i] = C.uint32_t(v) }
func (c *call) face() directplay.Face  { return face(c.r.wide != 0) }
func face(wide bool) directplay.Face {
	return directplay.Face{Wide: wide, Pointer: int(unsafe.Sizeof(uintptr(0))), CodePage: codePage{}}
}
func (c *call) block(i int) []byte { return octets(c.r.block[i]) }
func (c *call) text(i int) *string { return c.read(c.r.block[i]) }

// octets returns a copy, nil if there are none.
func octets(o C.Octets) []byte {
	if o.data == nil {
		return nil
	}
	return append([]byte{}, unsafe.Slice((*byte)(o.data), int(o.size))...)
}

// guid returns a GUID that the game gave, or nil.
func (c *call) guid(i int) *wire.GUID {
	b := c.block(i)
	if len(b) != len(wire.GUID{}) {
		return nil
	}
	g := wire.GUID(b)
	return &g
}

// read returns a text, nil for NULL.
func (c *call) read(o C.Octets) *string { return read(c.face(), o) }

// read returns a text that the game wrote for a face, nil for NULL.
func read(f directplay.Face, o C.Octets) *string {
	b := octets(o)
	if b == nil {
		return nil
	}
	s := f.Read(b)
	return &s
}

// name returns a DPNAME, or nil.
func (c *call) name() *directplay.Name {
	n := c.r.name
	if n == nil {
		return nil
	}
	return &directplay.Name{Short: c.read(n.short_name), Long: c.read(n.long_name)}
}

// desc returns a DPSESSIONDESC2, or nil. One with texts that cannot be read is as bad as one of the wrong size.
func (c *call) desc() *directplay.SessionDesc {
	d := c.r.desc
	if d == nil {
		return nil
	}
	x := &directplay.SessionDesc{WrongSize: d.wrong_size != 0 || c.unreadable(), Flags: wire.SessionFlags(d.flags),
		Instance: guid(&d.instance), Application: guid(&d.application), MaxPlayers: uint32(d.max_players),
		CurrentPlayers: uint32(d.current_players), Name: c.read(d.name), Password: c.read(d.password),
		Reserved1: uint32(d.reserved1), Reserved2: uint32(d.reserved2)}
	for i := range x.User {
		x.User[i] = uint32(d.user[i])
	}
	return x
}

func guid(from *[16]C.uint8_t) wire.GUID { return wire.GUID(*(*[16]byte)(unsafe.Pointer(from))) }

// buffer returns the buffer whose numbers begin at i, nil if there is no place for its size.
func (c *call) buffer(i int) *directplay.Buffer {
	n := c.r.number[i:]
	if n[0] == 0 {
		return nil
	}
	return &directplay.Buffer{Null: n[1] != 0, Size: uint32(n[2]), Address: uint64(n[3])}
}

// fill has a method fill the buffer whose numbers begin at i.
func (c *call) fill(i int, method func(b *directplay.Buffer) wire.HResult) wire.HResult {
	b := c.buffer(i)
	r := method(b)
	if b == nil {
		return r
	}
	c.r.number[i+2] = C.uint64_t(b.Size)
	if r == wire.OK && len(b.Data) > 0 && c.item(b.Data, nil) == nil {
		return wire.ErrOutOfMemory
	}
	return r
}

// item appends octets to the answer. It returns nil if there is no memory.
func (c *call) item(block, more []byte) *C.Item {
	item := C.add_item(c.r, C.uint32_t(len(block)), C.uint32_t(len(more)))
	if item != nil {
		put(item.block, block)
		put(item.more, more)
	}
	return item
}

// structure appends a structure to the answer, with pointers that point to where it stands there.
func (c *call) structure(b directplay.Block, more []byte) *C.Item {
	item := c.item(b.Data, more)
	if item != nil {
		b.Move(uint64(uintptr(item.block)), c.face())
		put(item.block, b.Data)
	}
	return item
}

// put copies octets to memory of C.
func put(at unsafe.Pointer, b []byte) { copy(unsafe.Slice((*byte)(at), len(b)), b) }

// putGUID copies a GUID to an item.
func putGUID(item *C.Item, g wire.GUID) { put(unsafe.Pointer(&item.guid), g[:]) }
