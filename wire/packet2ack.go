package wire

// Packet2Ack is DPSP_MSG_PACKET2_ACK (2.2.40).
type Packet2Ack struct {
	ID     GUID   // GuidMessage
	Index  uint32 // PacketID: the fragment that arrived
	Layout Layout
}

// Command returns CmdPacket2Ack.
func (m *Packet2Ack) Command() Command { return CmdPacket2Ack }

func (m *Packet2Ack) fields(c *codec) {
	c.begin(&m.Layout)
	c.guid("GuidMessage", &m.ID)
	c.U32("PacketID", &m.Index)
}
