package dpl8

import (
	"encoding/binary"

	"dplay4/wire"
)

// Append appends a message with its packet type to dst. On an error, a *wire.EncodeError, dst comes back as it was.
func Append(dst []byte, m Message) ([]byte, error) {
	if m == nil {
		return dst, &wire.EncodeError{Message: "MESSAGE", Field: "Body", Err: wire.ErrValue}
	}
	c := encoder(binary.LittleEndian.AppendUint32(dst, uint32(m.Type())), m)
	if err := c.fail(); err != nil {
		return dst, err
	}
	return c.Buf, nil
}

// encoder returns a codec that has appended what follows the packet type.
func encoder(dst []byte, m Message) *codec {
	c := &codec{typ: m.Type()}
	c.Encoding, c.Buf, c.Base, c.Most = true, dst, len(dst), MaxMessage-typeSize
	m.fields(c)
	c.End()
	return c
}
