package wire

// RequestGroupID is DPSP_MSG_REQUESTGROUPID (2.2.48): a member asks the host for a group id.
type RequestGroupID struct {
	Flags  PlayerFlags // Windows sends bits beyond the one that is documented
	Layout Layout
}

// Command returns CmdRequestGroupID.
func (m *RequestGroupID) Command() Command { return CmdRequestGroupID }

func (m *RequestGroupID) fields(c *codec) {
	c.begin(&m.Layout)
	c.Flags("Flags", (*uint32)(&m.Flags), playerFlagString)
}
