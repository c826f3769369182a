package wire

// EnumPlayersReply is DPSP_MSG_ENUMPLAYERSREPLY (2.2.28): the session and all its players and groups, in a
// client/server session.
type EnumPlayersReply struct {
	ShortcutCount uint32 // ignored on receipt; Windows sends garbage
	Desc          SessionDesc
	Name          Text // SessionName; nil: none
	Password      Text // nil: none
	Players       []PackedPlayer
	Groups        []PackedPlayer
	Layout        Layout
}

// Command returns CmdEnumPlayersReply.
func (m *EnumPlayersReply) Command() Command { return CmdEnumPlayersReply }

func (m *EnumPlayersReply) fields(c *codec) {
	c.begin(&m.Layout)
	players := c.Size("PlayerCount", len(m.Players))
	groups := c.Size("GroupCount", len(m.Groups))
	at := c.Offset("PlayerOffset")
	c.U32("ShortcutCount", &m.ShortcutCount)
	desc := c.Offset("DescriptionOffset")
	name := c.Offset("NameOffset")
	password := c.Offset("PasswordOffset")
	c.FixedPart()
	c.sessionDescAt(desc, &m.Desc)
	c.textAt(name, "SessionName", &m.Name)
	c.textAt(password, "Password", &m.Password)
	if players.Value == 0 && groups.Value == 0 {
		if !c.Encoding {
			m.Players, m.Groups = nil, nil
		}
		c.NothingAt(at)
		return
	}
	if c.Seek(at, true, false) {
		from := c.Off
		list(c, "Players", &m.Players, c.Count(players, PackedPlayerFixed), (*codec).packedPlayer)
		list(c, "Groups", &m.Groups, c.Count(groups, PackedPlayerFixed), (*codec).packedPlayer)
		c.Claim(at, from)
	}
}
