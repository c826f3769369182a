package dpl8

// A Message is one message of this protocol. Its dynamic type is a pointer to one of the message types of this
// package, each named after its packet type.
type Message interface {
	// Type is the packet type that the message begins with.
	Type() Type
	// fields reads or writes what follows the packet type, field by field.
	fields(c *codec)
}

// Unknown is a message whose packet type the specification does not assign. It keeps its body, which aliases the
// message.
type Unknown struct {
	ID   Type   // dwPacketType
	Body []byte // what follows it
}

// Type returns the packet type that the message had.
func (m *Unknown) Type() Type { return m.ID }

func (m *Unknown) fields(c *codec) { c.Rest("Body", &m.Body) }
