package wire

// SuperEnumPlayersReply is DPSP_MSG_SUPERENUMPLAYERSREPLY (2.2.53): the session and everybody in it. It ends a
// join. The newcomer finds itself in the list.
type SuperEnumPlayersReply struct {
	Desc      SessionDesc
	Name      Text // SessionName; nil: none
	Password  Text // nil: none
	Players   []SuperPackedPlayer
	Groups    []SuperPackedPlayer
	Shortcuts []SuperPackedPlayer
	Layout    Layout
}

// Command gives CmdSuperEnumPlayersReply.
func (m *SuperEnumPlayersReply) Command() Command { return CmdSuperEnumPlayersReply }

func (m *SuperEnumPlayersReply) fields(c *codec) {
	c.begin(&m.Layout)
	players := c.size("PlayerCount", len(m.Players))
	groups := c.size("GroupCount", len(m.Groups))
	at := c.offset("PackedOffset")
	shortcuts := c.size("ShortcutCount", len(m.Shortcuts))
	desc := c.offset("DescriptionOffset")
	name := c.offset("NameOffset")
	password := c.offset("PasswordOffset")
	c.fixedPart()
	c.sessionDescAt(desc, &m.Desc)
	c.textAt(name, "SessionName", &m.Name)
	c.textAt(password, "Password", &m.Password)
	if players.value == 0 && groups.value == 0 && shortcuts.value == 0 {
		if !c.enc {
			m.Players, m.Groups, m.Shortcuts = nil, nil, nil
		}
		c.nothingAt(at)
		return
	}
	if !c.seek(at, true, false) {
		return
	}
	from := c.off
	c.superPackedPlayers("Players", &m.Players, c.count(players, SuperPackedFixed))
	c.superPackedPlayers("Groups", &m.Groups, c.count(groups, SuperPackedFixed))
	c.superPackedPlayers("Shortcuts", &m.Shortcuts, c.count(shortcuts, SuperPackedFixed))
	c.claimPart(at, from)
}
