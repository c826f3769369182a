package wire

// PlayerDataChanged is DPSP_MSG_PLAYERDATACHANGED (2.2.44).
type PlayerDataChanged struct {
	To     PlayerID // IDTo; 0
	Player PlayerID // PlayerID
	Data   []byte   // PlayerData
	Layout Layout
}

// Command returns CmdPlayerDataChanged.
func (m *PlayerDataChanged) Command() Command { return CmdPlayerDataChanged }

func (m *PlayerDataChanged) fields(c *codec) {
	c.begin(&m.Layout)
	c.dataChanged(&m.To, "PlayerID", &m.Player, "PlayerData", &m.Data)
}
