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

// Command gives CmdEnumPlayersReply.
func (m *EnumPlayersReply) Command() Command { return CmdEnumPlayersReply }

func (m *EnumPlayersReply) fields(c *codec) {
	c.begin(&m.Layout)
	players := c.size("PlayerCount", len(m.Players))
	groups := c.size("GroupCount", len(m.Groups))
	at := c.offset("PlayerOffset")
	c.u32("ShortcutCount", &m.ShortcutCount)
	desc := c.offset("DescriptionOffset")
	name := c.offset("NameOffset")
	password := c.offset("PasswordOffset")
	c.fixedPart()
	c.sessionDescAt(desc, &m.Desc)
	c.textAt(name, "SessionName", &m.Name)
	c.textAt(password, "Password", &m.Password)
	if players.value == 0 && groups.value == 0 {
		if !c.enc {
			m.Players, m.Groups = nil, nil
		}
		c.nothingAt(at)
		return
	}
	if c.seek(at, true, false) {
		from := c.off
		c.packedPlayers("Players", &m.Players, c.count(players, PackedPlayerFixed))
		c.packedPlayers("Groups", &m.Groups, c.count(groups, PackedPlayerFixed))
		c.claimPart(at, from)
	}
}
