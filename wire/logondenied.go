package wire

// LogonDenied is DPSP_MSG_LOGONDENIED (2.2.36).
type LogonDenied struct {
	Layout Layout
}

// Command returns CmdLogonDenied.
func (m *LogonDenied) Command() Command { return CmdLogonDenied }

func (m *LogonDenied) fields(c *codec) { c.begin(&m.Layout) }
