package wire

// AddForwardRequest is DPSP_MSG_ADDFORWARDREQUEST (2.2.11): a newcomer asks the host to be let in and made
// known to all members.
type AddForwardRequest struct {
	To       PlayerID // IDTo; 0
	Player   PlayerID // PlayerID: the newcomer's system player, as REQUESTPLAYERREPLY gave it
	Group    PlayerID // GroupID; 0
	Info     PackedPlayer
	Password Text // always sent; an empty one where there is none
	// TickCount has that name and meaning in the specification. Windows and Wine send Reserved1 of the
	// session's description (facts, 3.6; lotr2 capture).
	TickCount uint32
	Layout    Layout
}

// Command gives CmdAddForwardRequest.
func (m *AddForwardRequest) Command() Command { return CmdAddForwardRequest }

func (m *AddForwardRequest) fields(c *codec) {
	c.begin(&m.Layout)
	at := c.threeIDs(&m.To, &m.Player, &m.Group)
	password := c.offset("PasswordOffset")
	c.fixedPart()
	if c.seek(at, true, false) {
		from := c.off
		c.info("PlayerInfo", &m.Info)
		c.claimPart(at, from)
	}
	c.textAt(password, "Password", &m.Password)
	// The DWORD follows the password, or what comes before it where there is none.
	from := c.off
	c.hex32("TickCount", &m.TickCount)
	c.claimPart(password, from)
}
