package wire

// Packet2Data is DPSP_MSG_PACKET2_DATA (2.2.41): a fragment of a message too large for the transport, to be
// acknowledged with PACKET2_ACK before the next one is sent.
type Packet2Data struct {
	ID          GUID   // GuidMessage: which message
	Index       uint32 // PacketIndex: which fragment, from 0
	Offset      uint32 // of this fragment's data in the message
	Total       uint32 // TotalPackets
	MessageSize uint32 // of the whole message, in octets
	Data        Inner  // PacketData: Octets alone unless the whole message is in this fragment
	Layout      Layout
}

// Command returns CmdPacket2Data.
func (m *Packet2Data) Command() Command { return CmdPacket2Data }

func (m *Packet2Data) fields(c *codec) {
	c.begin(&m.Layout)
	c.fragment("PacketOffset", &m.ID, &m.Index, &m.Offset, &m.Total, &m.MessageSize, &m.Data)
}
