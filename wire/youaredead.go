package wire

// YouAreDead is DPSP_MSG_YOUAREDEAD (2.2.55): the host does not know the sender of a ping.
type YouAreDead struct {
	Layout Layout
}

// Command returns CmdYouAreDead.
func (m *YouAreDead) Command() Command { return CmdYouAreDead }

func (m *YouAreDead) fields(c *codec) { c.begin(&m.Layout) }
