package wire

// A Message is the body of one DirectPlay 4 message: what follows its header. Its dynamic type is a pointer to
// one of the message types of this package, each named after its command.
type Message interface {
	// Command is the command that the message's header carries.
	Command() Command
	// fields reads or writes the body, field by field.
	fields(c *codec)
}

// Options is what decoding has to know about the session that a message belongs to.
type Options struct {
	NoMessageID bool // game messages carry no ids (session flag NOMESSAGEID)
}

// Unknown is a message whose command the specification does not assign. It keeps its body.
type Unknown struct {
	Cmd  Command
	Body []byte
}

// Command returns the command that the header had.
func (m *Unknown) Command() Command { return m.Cmd }

func (m *Unknown) fields(c *codec) { c.Rest("Body", &m.Body) }
