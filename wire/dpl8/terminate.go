package dpl8

// TerminateSession is DN_TERMINATE_SESSION (2.2.2.1): the receiver has to leave the session. Data aliases the message.
type TerminateSession struct {
	Data   []byte // TerminateData: the application's reason; nil: none
	Layout Layout
}

// Type gives TypeTerminateSession.
func (m *TerminateSession) Type() Type { return TypeTerminateSession }

func (m *TerminateSession) fields(c *codec) {
	c.begin(&m.Layout)
	data := c.partFields("dwTerminateDataOffset", "dwTerminateDataSize", len(m.Data))
	c.fixedPart()
	c.dataAt(data, "TerminateData", &m.Data)
}
