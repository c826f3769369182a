package wire

import (
	"strconv"

	"dplay4/wire/internal/field"
)

// ExtensionHello says that its sender knows the extension. A machine sends it to machines with our mark when it has joined.
type ExtensionHello struct {
	Abilities uint32 // what the sender can do: HelloViews, HelloObjects, HelloArrived
	Answer    uint32 // 1: the receiver is to say hello as well
	Version   uint32 // the index of the sender's log
}

// The abilities of a hello.
const (
	HelloTable   uint32 = 1 << 0 // [ExtensionTable], of releases before HelloViews
	HelloObjects uint32 = 1 << 1 // objects that change owner
	HelloArrived uint32 = 1 << 2 // counts of the messages that arrived; releases without it ignore the bit
	HelloCounted uint32 = 1 << 3 // the sender has the receiver's count: the greeting is no first one
	HelloViews   uint32 = 1 << 4 // [ExtensionView]

	helloTurn  = 8  // where Abilities has the turn of HelloLinks
	helloFirst = 24 // and the first messageid
)

// HelloLinks says where the sender's links to the receiver begin, in a session with DIRECTPLAYPROTOCOL.
type HelloLinks struct {
	Turn  uint16 // how often they began anew; a later greeting never has an earlier one
	First uint8  // the first messageid; 0 is 1
}

// Links returns where links begin.
func (b *ExtensionHello) Links() HelloLinks {
	return HelloLinks{Turn: uint16(b.Abilities >> helloTurn), First: uint8(b.Abilities >> helloFirst)}
}

// SetLinks sets it.
func (b *ExtensionHello) SetLinks(l HelloLinks) {
	b.Abilities = b.Abilities&(1<<helloTurn-1) | uint32(l.Turn)<<helloTurn | uint32(l.First)<<helloFirst
}

func (*ExtensionHello) kind() ExtensionKind { return KindHello }

func (b *ExtensionHello) fields(c *codec) {
	c.Flags("Abilities", &b.Abilities, abilityNames)
	c.U32("Answer", &b.Answer)
	c.U32("NameTableVersion", &b.Version)
}

// AbilityNames returns the names of Abilities, and what Links returns: "TABLE|VIEWS|TURN=1|FIRST=200".
func (b *ExtensionHello) AbilityNames() string { return abilityNames(b.Abilities) }

func abilityNames(v uint32) string {
	s := field.FlagNames(v&(1<<helloTurn-1), []field.FlagName{{HelloTable, "TABLE"}, {HelloObjects, "OBJECTS"},
		{HelloArrived, "ARRIVED"}, {HelloCounted, "COUNTED"}, {HelloViews, "VIEWS"}})
	if l := (&ExtensionHello{Abilities: v}).Links(); l != (HelloLinks{}) {
		s += "|TURN=" + strconv.Itoa(int(l.Turn)) + "|FIRST=" + strconv.Itoa(int(l.First))
	}
	return s
}
