package wire

import "dplay4/wire/internal/field"

// ExtensionHello says that its sender knows the extension. A machine says it to all others when it has joined.
type ExtensionHello struct {
	Abilities uint32 // what the sender can do: HelloTable, HelloObjects
	Answer    uint32 // 1: the receiver is to say hello as well
	Version   uint32 // of the sender's name table
}

// The abilities of a hello.
const (
	HelloTable   uint32 = 1 << 0 // name table, migration by its rules
	HelloObjects uint32 = 1 << 1 // objects that change owner
)

func (*ExtensionHello) kind() ExtensionKind { return KindHello }

func (b *ExtensionHello) fields(c *codec) {
	c.Flags("Abilities", &b.Abilities, helloString)
	c.U32("Answer", &b.Answer)
	c.U32("NameTableVersion", &b.Version)
}

func helloString(v uint32) string {
	return field.FlagNames(v, []field.FlagName{{HelloTable, "TABLE"}, {HelloObjects, "OBJECTS"}})
}
