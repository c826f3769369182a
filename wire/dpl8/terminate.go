package dpl8

import "dplay4/wire"

// TerminateSession is DN_TERMINATE_SESSION (2.2.2.1): the receiver has to leave the session. Data aliases the message.
type TerminateSession struct {
	Data   []byte // TerminateData: the application's reason; nil: none
	Layout wire.Layout
}

// Type returns TypeTerminateSession.
func (m *TerminateSession) Type() Type { return TypeTerminateSession }

func (m *TerminateSession) fields(c *codec) {
	c.begin(&m.Layout)
	data := c.Pair("dwTerminateDataOffset", "dwTerminateDataSize", len(m.Data))
	c.FixedPart()
	c.dataAt(data, "TerminateData", &m.Data)
}
