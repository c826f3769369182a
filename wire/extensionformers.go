package wire

// ExtensionFormers is of releases before [ExtensionView]. It tells a newcomer what it needs to bring parts of a session together
// when their hosts are gone: which machines were lost, and a secret by which machines of the session know each other.
type ExtensionFormers struct {
	Secret  GUID
	Formers []ExtensionFormer
}

// An ExtensionFormer is a machine that was lost, and may live on in another part of the session.
type ExtensionFormer struct {
	System   PlayerID // its system player, as it was
	Stream   SockAddr // where it listens
	Datagram SockAddr
}

// formerSize is what one former machine takes, in octets.
const formerSize = 4 + 2*SockAddrSize

func (*ExtensionFormers) kind() ExtensionKind { return KindFormers }

func (b *ExtensionFormers) fields(c *codec) {
	c.guid("Secret", &b.Secret)
	n := c.Count(c.Size("FormerCount", len(b.Formers)), formerSize)
	list(c, "Formers", &b.Formers, n, func(c *codec, f *ExtensionFormer) {
		c.id("IDSystem", &f.System)
		c.sockAddr("Stream", &f.Stream)
		c.sockAddr("Datagram", &f.Datagram)
	})
}
