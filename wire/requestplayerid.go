package wire

// RequestPlayerID is DPSP_MSG_REQUESTPLAYERID (2.2.49): a machine asks the host for a player id. The first one
// it asks for is its system player's, and begins a join.
type RequestPlayerID struct {
	Flags  PlayerFlags // PlayerSystem tells the two cases apart; Windows also sends PlayerSpectator
	Layout Layout
}

// Command returns CmdRequestPlayerID.
func (m *RequestPlayerID) Command() Command { return CmdRequestPlayerID }

func (m *RequestPlayerID) fields(c *codec) {
	c.begin(&m.Layout)
	c.Flags("Flags", (*uint32)(&m.Flags), playerFlagString)
}
