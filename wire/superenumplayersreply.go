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

// Command returns CmdSuperEnumPlayersReply.
func (m *SuperEnumPlayersReply) Command() Command { return CmdSuperEnumPlayersReply }

func (m *SuperEnumPlayersReply) fields(c *codec) {
	c.begin(&m.Layout)
	players := c.Size("PlayerCount", len(m.Players))
	groups := c.Size("GroupCount", len(m.Groups))
	at := c.Offset("PackedOffset")
	shortcuts := c.Size("ShortcutCount", len(m.Shortcuts))
	desc := c.Offset("DescriptionOffset")
	name := c.Offset("NameOffset")
	password := c.Offset("PasswordOffset")
	c.FixedPart()
	c.sessionDescAt(desc, &m.Desc)
	c.textAt(name, "SessionName", &m.Name)
	c.textAt(password, "Password", &m.Password)
	if players.Value == 0 && groups.Value == 0 && shortcuts.Value == 0 {
		if !c.Encoding {
			m.Players, m.Groups, m.Shortcuts = nil, nil, nil
		}
		c.NothingAt(at)
		return
	}
	if !c.Seek(at, true, false) {
		return
	}
	from := c.Off
	list(c, "Players", &m.Players, c.Count(players, SuperPackedFixed), (*codec).superPackedPlayer)
	list(c, "Groups", &m.Groups, c.Count(groups, SuperPackedFixed), (*codec).superPackedPlayer)
	list(c, "Shortcuts", &m.Shortcuts, c.Count(shortcuts, SuperPackedFixed), (*codec).superPackedPlayer)
	c.Claim(at, from)
}
