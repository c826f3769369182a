package wire

// An ObjectID names a replicated object: the machine that made it, and a number that this machine used once.
type ObjectID struct {
	Creator PlayerID // a system player
	Number  uint32
}

// String returns "0x00000005/3".
func (o ObjectID) String() string { return o.Creator.String() + "/" + utoa(o.Number) }

// ExtensionObject is a message about a replicated object. What its fields mean for each Op is for package
// hostmigrate/object to say.
type ExtensionObject struct {
	Op       ExtensionKind // KindObjectCreate to KindObjectInstruct
	Object   ObjectID
	Owner    PlayerID // IDOwner: a system player
	Counter  uint32   // MigrationCounter
	Sequence uint32   // of the state
	State    []byte   // the application's own
}

func (b *ExtensionObject) kind() ExtensionKind { return b.Op }

func (b *ExtensionObject) fields(c *codec) {
	c.id("IDCreator", &b.Object.Creator)
	c.U32("ObjectNumber", &b.Object.Number)
	c.id("IDOwner", &b.Owner)
	c.U32("MigrationCounter", &b.Counter)
	c.U32("Sequence", &b.Sequence)
	n := c.Size("StateSize", len(b.State))
	c.Octets("State", &b.State, c.Length(n))
}
