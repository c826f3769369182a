package wire

// ExtensionTable is of releases before [ExtensionView]. It carries one message of [MC-DPL8CS] 2.2, from its packet type on; see package dpl8.
type ExtensionTable struct{ Message []byte }

func (*ExtensionTable) kind() ExtensionKind { return KindTable }

func (b *ExtensionTable) fields(c *codec) { c.Rest("Message", &b.Message) }
