//go:build windows && cgo

package main

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// send is Send and SendEx.
func send(o *directplay.Object, c *call) wire.HResult {
	m := directplay.Sending{From: c.id(0), To: c.id(1), Flags: c.number(2), Data: c.block(0), Size: c.number(3),
		Priority: c.number(4), TimeoutMS: c.number(5), Context: uint64(c.r.number[6])}
	if c.unreadable() {
		m.Size = 0 // which is as bad
	}
	if !c.is(7) {
		return o.Send(m.From, m.To, m.Flags, m.Data, m.Size)
	}
	var id uint32
	r := o.SendEx(m, &id)
	c.answer(0, id)
	return r
}

func sendChatMessage(o *directplay.Object, c *call) wire.HResult {
	return o.SendChatMessage(c.id(0), c.id(1), c.number(2), c.text(0))
}

func getMessageQueue(o *directplay.Object, c *call) wire.HResult {
	var messages, octets uint32
	r := o.GetMessageQueue(c.id(0), c.id(1), c.number(2), &messages, &octets)
	if r == wire.OK && c.unreadable() {
		return wire.ErrInvalidParams
	}
	c.answer(0, messages)
	c.answer(1, octets)
	return r
}

func cancelMessage(o *directplay.Object, c *call) wire.HResult {
	return o.CancelMessage(c.number(0), c.number(1))
}

func cancelPriority(o *directplay.Object, c *call) wire.HResult {
	return o.CancelPriority(c.number(0), c.number(1), c.number(2))
}
