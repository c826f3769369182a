package wire

// Packet is DPSP_MSG_PACKET (2.2.39): a fragment of a message too large for the transport, not acknowledged.
// Whole messages travel in a single fragment, too; such a one is decoded.
type Packet struct {
	ID          GUID   // GuidMessage: which message
	Index       uint32 // PacketIndex: which fragment, from 0
	Offset      uint32 // of this fragment's data in the message
	Total       uint32 // TotalPackets
	MessageSize uint32 // of the whole message, in octets
	Data        Inner  // PacketData: Octets alone unless the whole message is in this fragment
	Layout      Layout
}

// Command returns CmdPacket.
func (m *Packet) Command() Command { return CmdPacket }

func (m *Packet) fields(c *codec) {
	c.begin(&m.Layout)
	c.fragment("PackedOffset", &m.ID, &m.Index, &m.Offset, &m.Total, &m.MessageSize, &m.Data)
}

// fragment is the body of PACKET and PACKET2_DATA. Their offset field is taken for a pointer to the data;
// where it is zero, the data follows.
func (c *codec) fragment(offset string, id *GUID, index, at, total, size *uint32, data *Inner) {
	c.guid("GuidMessage", id)
	c.U32("PacketIndex", index)
	var octets []byte
	if c.Encoding {
		octets = c.innerOctets("PacketData", data)
	}
	n := c.Size("DataSize", len(octets))
	c.U32("Offset", at)
	c.U32("TotalPackets", total)
	c.U32("MessageSize", size)
	s := c.Offset(offset)
	c.FixedPart()
	if !c.Follows(s) && !c.Seek(s, true, false) {
		return
	}
	from := c.Off
	if c.Encoding {
		c.Octets("PacketData", &octets, 0)
	} else {
		whole := *total == 1 && *at == 0 && *size == n.Value
		c.inner("PacketData", data, c.Length(n), whole)
	}
	c.Claim(s, from)
}
