package wire

// ExtensionRejoinAt is of releases before [ExtensionView]. It tells a member that the session goes on at another host.
type ExtensionRejoinAt struct {
	Host   PlayerID // IDHost: that host's system player
	Stream SockAddr // where it listens
}

func (*ExtensionRejoinAt) kind() ExtensionKind { return KindRejoinAt }

func (b *ExtensionRejoinAt) fields(c *codec) {
	c.id("IDHost", &b.Host)
	c.sockAddr("SockAddr", &b.Stream)
}

// ExtensionRejoin is of releases before [ExtensionView]. It asks a host to take the sender back with the id that it had. The host
// answers it like an ADDFORWARDREQUEST.
type ExtensionRejoin struct {
	Secret    GUID // see ExtensionFormers; zero: not known
	Instance  GUID
	Reserved1 uint32   // of the session's description
	Host      PlayerID // IDHost: who was host for the sender until now
	Dialect   uint32   // PlayerVersion
	SPData    []byte   // see ParseSPData
}

func (*ExtensionRejoin) kind() ExtensionKind { return KindRejoin }

func (b *ExtensionRejoin) fields(c *codec) {
	c.guid("Secret", &b.Secret)
	c.guid("GUIDInstance", &b.Instance)
	c.Hex32("SessionReserved1", &b.Reserved1)
	c.id("IDHost", &b.Host)
	c.U32("PlayerVersion", &b.Dialect)
	n := c.Size("SPDataSize", len(b.SPData))
	c.spData("SPData", &b.SPData, c.Length(n))
}
