package wire

// PlayerWrapper is DPSP_MSG_PLAYERWRAPPER (2.2.47): a game message with a header before it, because without
// one its own octets would be taken for a system message (3.1.4.16.2).
type PlayerWrapper struct {
	Player PlayerMessage // PlayerMessage, from its ids on
}

// Command returns CmdPlayerWrapper.
func (m *PlayerWrapper) Command() Command { return CmdPlayerWrapper }

func (m *PlayerWrapper) fields(c *codec) { m.Player.fields(c) }
