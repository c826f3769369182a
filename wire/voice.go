package wire

// Voice is DPSP_MSG_VOICE (2.2.54): a message of DirectPlay Voice, [MC-DPLVP].
type Voice struct {
	From PlayerID // dwIDFrom
	To   PlayerID // dwIDTo
	Data []byte   // voiceData (aliased)
}

// Command returns CmdVoice.
func (m *Voice) Command() Command { return CmdVoice }

func (m *Voice) fields(c *codec) {
	c.id("IDFrom", &m.From)
	c.id("IDTo", &m.To)
	c.Rest("VoiceData", &m.Data)
}
