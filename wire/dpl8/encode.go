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
	out, err := appendBody(binary.LittleEndian.AppendUint32(dst, uint32(m.Type())), m)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// appendBody appends what follows the packet type.
func appendBody(dst []byte, m Message) ([]byte, error) {
	c := codec{enc: true, buf: dst, base: len(dst), typ: m.Type(), head: -1}
	m.fields(&c)
	c.end()
	return c.buf, c.err
}
