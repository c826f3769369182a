package dpl8

import (
	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// AckNameTableOp is DN_ACK_NAMETABLE_OP (2.2.2.10): the operations that the new host lacks. Their number, offsets and
// sizes are computed.
type AckNameTableOp struct {
	Operations []Operation
	Layout     wire.Layout
}

// Type returns TypeAckNameTableOp.
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
	n := c.Count(c.Size("dwNumEntries", len(m.Operations)), operationSize)
	m.Operations = resize(c, m.Operations, n)
	bodies := make([][]byte, n) // encoding, what goes into op
	c.Expect(n)
	c.Each("Operations", n, func(i int) {
		op := &m.Operations[i]
		id := op.ID
		if c.Encoding {
			id, bodies[i] = c.operation(op)
		}
		c.Named("dwMsgId", (*uint32)(&id), typeName)
		c.Pair("dwOpOffset", "dwOpSize", len(bodies[i]))
		if !c.Encoding {
			op.ID = id
		}
	})
	c.FixedPart()
	for i := n - 1; i >= 0; i-- {
		b := c.PairAt(i, bodies[i])
		if !c.Encoding {
			m.Operations[i].Octets = b
		}
	}
	c.Apart() // before messages are made of them: octets that overlap could make far more than there are
	for i := n - 1; i >= 0 && !c.Encoding && c.Err == nil; i-- {
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
		c.Fail("dwMsgId", c.Off, uint32(t), wire.ErrValue)
		return t, nil
	}
	inner := encoder(nil, op.Message)
	if inner.fail() != nil {
		c.Adopt("op", inner.Err)
	}
	return t, inner.Buf
}

// openOperation makes a message of an operation's octets. It is decoded before a visitor sees it, which is told either
// all of its fields or its octets.
func (c *codec) openOperation(i int, op *Operation) {
	if len(op.Octets) == 0 {
		return
	}
	base := c.PairStart(i)
	if op.ID.Operation() {
		m, err := decodeBody(op.ID, op.Octets, base, nil)
		if err == nil {
			op.Message = m
			if c.Visit != nil {
				c.Visit.See(&field.Field{Name: "op", Index: i, Offset: base, Kind: field.Message, Num: uint32(op.ID)})
				_, _ = decodeBody(op.ID, op.Octets, base, c.Visit) // again; it cannot fail now
				c.Visit.See(&field.Field{Index: -1, Offset: base + len(op.Octets), Kind: field.End})
			}
			return
		}
		op.Err = err
	}
	c.EmitPair(i, field.Field{Name: "op", Size: len(op.Octets), Kind: field.Octets, Raw: op.Octets})
}
