package dpl8

import (
	"slices"

	"dplay4/wire"
)

// AckNameTableOp is DN_ACK_NAMETABLE_OP (2.2.2.10): the operations that the new host lacks. Their number, offsets and
// sizes are computed.
type AckNameTableOp struct {
	Operations []Operation
	Layout     Layout
}

// Type gives TypeAckNameTableOp.
func (m *AckNameTableOp) Type() Type { return TypeAckNameTableOp }

// Operation is one operation of the name table: a message without its dwPacketType, which stands in dwMsgId.
type Operation struct {
	ID      Type    // dwMsgId; encoding, the type of Message if that is not nil
	Message Message // one of the eight operations; nil where ID is none of them, or the octets are none or damaged
	Octets  []byte  // as they were on the wire (aliased); what is encoded when Message is nil, else ignored
	Err     error   // decoded: what is wrong with Octets that are damaged, a *wire.DecodeError; ignored by Append
}

func (m *AckNameTableOp) fields(c *codec) {
	c.begin(&m.Layout)
	n := c.count(c.counter("dwNumEntries", len(m.Operations)), operationSize)
	m.Operations = resize(c, m.Operations, n)
	bodies := make([][]byte, n) // encoding, what goes into op
	c.parts = slices.Grow(c.parts, n)
	c.each("Operations", n, func(i int) {
		op := &m.Operations[i]
		id := op.ID
		if c.enc {
			id, bodies[i] = c.operation(op)
		}
		c.named("dwMsgId", (*uint32)(&id), typeName)
		c.partFields("dwOpOffset", "dwOpSize", len(bodies[i]))
		if !c.enc {
			op.ID = id
		}
	})
	c.fixedPart()
	for i := n - 1; i >= 0; i-- {
		b := c.partAt(i, bodies[i])
		if !c.enc {
			m.Operations[i].Octets = b
		}
	}
	c.apart() // before messages are made of them: octets that overlap could make far more than there are
	for i := n - 1; i >= 0 && !c.enc && c.err == nil; i-- {
		c.openOperation(i, &m.Operations[i])
	}
}

// operation encodes an operation's message, or takes its octets as they are.
func (c *codec) operation(op *Operation) (Type, []byte) {
	if op.Message == nil {
		return op.ID, op.Octets
	}
	t := op.Message.Type()
	if !t.Operation() {
		c.fail("dwMsgId", c.off, uint32(t), wire.ErrValue)
		return t, nil
	}
	b, err := appendBody(nil, op.Message)
	if e, ok := err.(*wire.EncodeError); ok && c.err == nil {
		c.err = &wire.EncodeError{Message: c.typ.String(), Field: c.path("op") + "." + e.Message + "." + e.Field, Err: e.Err}
	}
	return t, b
}

// openOperation makes a message of an operation's octets. It is decoded before a visitor sees it, which is told either
// all of its fields or its octets.
func (c *codec) openOperation(i int, op *Operation) {
	if len(op.Octets) == 0 {
		return
	}
	base := c.base + int(c.parts[i].offset)
	if !op.ID.Operation() {
		c.emitPart(i, wire.Field{Name: "op", Size: len(op.Octets), Kind: wire.KindOctets, Raw: op.Octets})
		return
	}
	m, err := decodeBody(op.ID, op.Octets, base, nil)
	if err != nil {
		op.Err = err
		c.emitPart(i, wire.Field{Name: "op", Size: len(op.Octets), Kind: wire.KindOctets, Raw: op.Octets})
		return
	}
	op.Message = m
	if c.visit != nil {
		c.visit(&wire.Field{Name: "op", Index: i, Offset: base, Kind: wire.KindMessage, Num: uint32(op.ID)})
		_, _ = decodeBody(op.ID, op.Octets, base, c.visit) // again; it cannot fail now
		c.visit(&wire.Field{Index: -1, Offset: base + len(op.Octets), Kind: wire.KindEnd})
	}
}
