package wire

// Chat is DPSP_MSG_CHAT (2.2.19): text from a player to a player or group. The specification draws its header
// without the service provider's part; on a socket that part is the transport's doing, not the command's.
type Chat struct {
	From   PlayerID // IDFrom
	To     PlayerID // IDTo: a player or a group
	Flags  ChatFlags
	Text   Text // ChatMessage; nil: a null message
	Layout Layout
}

// Command returns CmdChat.
func (m *Chat) Command() Command { return CmdChat }

func (m *Chat) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("IDFrom", &m.From)
	c.id("IDTo", &m.To)
	c.Flags("Flags", (*uint32)(&m.Flags), chatFlagString)
	at := c.Offset("MessageOffset")
	c.FixedPart()
	c.textAt(at, "ChatMessage", &m.Text)
}
