//go:build windows && cgo

package main

// #include "request.h"
import "C"

import (
	"sync"

	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// An entry is an object that the game has, and its queue.
type entry struct {
	*directplay.Object
	sink *sink
}

// objects are those of this process, by their numbers. A number is used once.
var objects = struct {
	sync.RWMutex
	last uint32
	all  map[uint32]entry
}{all: map[uint32]entry{}}

// object returns an object, nil if there is none with that number.
func object(number uint32) *directplay.Object {
	objects.RLock()
	defer objects.RUnlock()
	return objects.all[number].Object
}

// create makes an object with a queue, nil if there is no memory.
func create() *entry {
	q := C.new_queue()
	if q == nil {
		return nil
	}
	s := &sink{queue: q}
	o := options()
	o.Sink = s
	return &entry{directplay.New(o), s}
}

// register gives an object a number, and answers with it.
func register(c *call, e *entry) {
	objects.Lock()
	defer objects.Unlock()
	objects.last++
	objects.all[objects.last] = *e
	c.answer(0, objects.last)
	c.r.queue = e.sink.queue
}

func newObject(c *call) wire.HResult {
	e := create()
	if e == nil {
		return wire.ErrOutOfMemory
	}
	register(c, e)
	return wire.OK
}

func releaseObject(c *call) wire.HResult {
	objects.Lock()
	e, ok := objects.all[uint32(c.r.object)]
	delete(objects.all, uint32(c.r.object))
	objects.Unlock()
	if !ok {
		return wire.ErrInvalidObject
	}
	defer e.sink.end()
	e.Release()
	return wire.OK
}
