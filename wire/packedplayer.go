package wire

// PackedPlayer is DPLAYI_PACKEDPLAYER (2.2.2): a player or group as it is announced. Sizes and lengths are
// computed.
type PackedPlayer struct {
	sizeOff   uint32 // what Size on the wire had beyond the computed one
	Flags     PlayerFlags
	ID        PlayerID // PlayerID
	System    PlayerID // SystemPlayerID: the system player of the machine that owns it; its own id for a system player
	Version   uint32   // PlayerVersion: the dialect of the machine that made it
	Parent    PlayerID // ParentID: of a group inside a group, otherwise 0
	ShortName Text     // nil: none
	LongName  Text     // nil: none
	SPData    []byte   // ServiceProviderData: see ParseSPData
	Data      []byte   // PlayerData: the game's own
	PlayerIDs []PlayerID
}

func (c *codec) packedPlayer(p *PackedPlayer) {
	// Windows leaves the id list out of Size, as far as it was ever seen (facts, 3.5).
	size := p.SizeField()
	c.U32("Size", &size)
	c.Flags("Flags", (*uint32)(&p.Flags), playerFlagString)
	c.id("PlayerID", &p.ID)
	short := c.Size("ShortNameLength", len(p.ShortName))
	long := c.Size("LongNameLength", len(p.LongName))
	sp := c.Size("ServiceProviderDataSize", len(p.SPData))
	data := c.Size("PlayerDataSize", len(p.Data))
	n := c.Size("NumberOfPlayers", len(p.PlayerIDs))
	c.id("SystemPlayerID", &p.System)
	fixed := c.Size("FixedSize", PackedPlayerFixed)
	c.U32("PlayerVersion", &p.Version)
	c.id("ParentID", &p.Parent)
	if c.Err == nil && fixed.Value != PackedPlayerFixed {
		c.Fail(fixed.Name, fixed.At, fixed.Value, ErrValue) // the variable part would begin elsewhere
	}
	c.sizedText("ShortName", &p.ShortName, c.Length(short))
	c.sizedText("LongName", &p.LongName, c.Length(long))
	c.spData("ServiceProviderData", &p.SPData, c.Length(sp))
	c.Octets("PlayerData", &p.Data, c.Length(data))
	c.ids("PlayerIDs", &p.PlayerIDs, c.Count(n, 4))
	if !c.Encoding && c.Err == nil {
		p.sizeOff = size - (PackedPlayerFixed + short.Value + long.Value + sp.Value + data.Value)
	}
}

// SizeField is the structure's own Size as Append writes it: what was decoded, or the computed value.
func (p *PackedPlayer) SizeField() uint32 {
	return uint32(PackedPlayerFixed+len(p.ShortName)+len(p.LongName)+len(p.SPData)+len(p.Data)) + p.sizeOff
}
