package dpl8

import (
	"encoding/binary"

	"dplay4/wire"
	"dplay4/wire/internal/field"
)

// Decode decodes one message from its packet type on: the payload of a DFRAME that has PACKET_COMMAND_USER_1 set
// (2.1.1). The message is a new value; its texts, data and payloads alias b. On an error, a *wire.DecodeError, the
// message holds the fields before the one that failed; it is nil if the packet type could not be read. A message
// longer than MaxMessage is refused with wire.ErrLimit.
func Decode(b []byte) (Message, error) { return Visit(b, nil) }

// Visit decodes like Decode and tells v every field, brackets included: the packet type, the fixed part, the parts in
// the order in which Append writes them, stray octets last. Offsets of fields count from the first octet of b.
func Visit(b []byte, v wire.Visitor) (Message, error) {
	switch {
	case len(b) > MaxMessage:
		return nil, &wire.DecodeError{Message: "MESSAGE", Field: "Body", Value: uint32(len(b)), Err: wire.ErrLimit}
	case len(b) < typeSize:
		return nil, &wire.DecodeError{Message: "MESSAGE", Field: "dwPacketType", Err: wire.ErrShort}
	}
	t := Type(binary.LittleEndian.Uint32(b))
	if v == nil {
		return decodeBody(t, b[typeSize:], typeSize, nil)
	}
	v(&wire.Field{Name: "dwPacketType", Index: -1, Size: typeSize, Kind: wire.KindNamed, Num: uint32(t), NameOf: typeName})
	return decodeBody(t, b[typeSize:], typeSize, teller(v))
}

// decodeBody decodes what follows a packet type. base is where b begins in the outermost message.
func decodeBody(t Type, b []byte, base int, v field.Visitor) (Message, error) {
	c := codec{typ: t}
	c.Buf, c.Base, c.Visit = b, base, v
	m := New(t)
	m.fields(&c)
	c.End()
	return m, c.fail()
}

func typeName(v uint32) string { return Type(v).String() }
