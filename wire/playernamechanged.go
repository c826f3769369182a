package wire

// PlayerNameChanged is DPSP_MSG_PLAYERNAMECHANGED (2.2.46).
type PlayerNameChanged struct {
	To        PlayerID // IDTo; 0
	Player    PlayerID // PlayerID
	ShortName Text     // nil: none
	LongName  Text     // nil: none
	Layout    Layout
}

// Command returns CmdPlayerNameChanged.
func (m *PlayerNameChanged) Command() Command { return CmdPlayerNameChanged }

func (m *PlayerNameChanged) fields(c *codec) {
	c.begin(&m.Layout)
	c.nameChanged(&m.To, "PlayerID", &m.Player, &m.ShortName, &m.LongName)
}
