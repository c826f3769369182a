package wire

// ExtensionClaim is of releases before [ExtensionView]. It says that its sender is host of a session instance: to machines that it
// lost, in case they live on as a session of their own.
type ExtensionClaim struct {
	To       PlayerID // IDTo: the machine that was lost, or the rival host; 0: to members, all parts are one again
	Secret   GUID     // of the session, see ExtensionFormers; zero: the sender knows nothing of who it is to, and cannot go over to it
	Instance GUID
	Version  uint32   // of the sender's name table
	Stream   SockAddr // where the sender listens; address 0.0.0.0: where the packet comes from
}

func (*ExtensionClaim) kind() ExtensionKind { return KindClaim }

func (b *ExtensionClaim) fields(c *codec) {
	c.id("IDTo", &b.To)
	c.guid("Secret", &b.Secret)
	c.guid("GUIDInstance", &b.Instance)
	c.U32("NameTableVersion", &b.Version)
	c.sockAddr("SockAddr", &b.Stream)
}
