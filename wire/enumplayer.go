package wire

// EnumPlayer is DPSP_MSG_ENUMPLAYER (2.2.27): a request for the list of players.
type EnumPlayer struct {
	Layout Layout
}

// Command returns CmdEnumPlayer.
func (m *EnumPlayer) Command() Command { return CmdEnumPlayer }

func (m *EnumPlayer) fields(c *codec) { c.begin(&m.Layout) }
