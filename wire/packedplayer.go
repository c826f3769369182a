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
	c.u32("Size", &size)
	c.flags("Flags", (*uint32)(&p.Flags), playerFlagString)
	c.id("PlayerID", &p.ID)
	short := c.size("ShortNameLength", len(p.ShortName))
	long := c.size("LongNameLength", len(p.LongName))
	sp := c.size("ServiceProviderDataSize", len(p.SPData))
	data := c.size("PlayerDataSize", len(p.Data))
	n := c.size("NumberOfPlayers", len(p.PlayerIDs))
	c.id("SystemPlayerID", &p.System)
	fixed := c.size("FixedSize", PackedPlayerFixed)
	c.u32("PlayerVersion", &p.Version)
	c.id("ParentID", &p.Parent)
	if c.err == nil && fixed.value != PackedPlayerFixed {
		c.fail(fixed.name, fixed.at, fixed.value, ErrValue) // the variable part would begin elsewhere
	}
	c.sizedText("ShortName", &p.ShortName, c.length(short))
	c.sizedText("LongName", &p.LongName, c.length(long))
	c.spData("ServiceProviderData", &p.SPData, c.length(sp))
	c.octets("PlayerData", &p.Data, c.length(data))
	c.ids("PlayerIDs", &p.PlayerIDs, c.count(n, 4))
	if !c.enc && c.err == nil {
		p.sizeOff = size - (PackedPlayerFixed + short.value + long.value + sp.value + data.value)
	}
}

// SizeField is the structure's own Size as Append writes it: what was decoded, or the computed value.
func (p *PackedPlayer) SizeField() uint32 {
	return uint32(PackedPlayerFixed+len(p.ShortName)+len(p.LongName)+len(p.SPData)+len(p.Data)) + p.sizeOff
}

// packedPlayers is a list of n packed players without anything between them.
func (c *codec) packedPlayers(name string, list *[]PackedPlayer, n int) {
	if n == 0 {
		if !c.enc {
			*list = nil
		}
		return
	}
	if !c.enc {
		*list = make([]PackedPlayer, 0, n)
	}
	c.openList(name, n)
	for i := 0; i < n && c.err == nil; i++ {
		if !c.enc {
			*list = append(*list, PackedPlayer{})
		}
		c.element(i)
		c.packedPlayer(&(*list)[i])
		c.endElement()
	}
	c.close()
}
