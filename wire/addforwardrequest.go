package wire

// AddForwardRequest is DPSP_MSG_ADDFORWARDREQUEST (2.2.11): a newcomer asks the host to be let in and made
// known to all members.
type AddForwardRequest struct {
	To       PlayerID // IDTo; 0
	Player   PlayerID // PlayerID: the newcomer's system player, as REQUESTPLAYERREPLY gave it
	Group    PlayerID // GroupID; 0
	Info     PackedPlayer
	Password Text // always sent; an empty one where there is none
	// Reserved1 is that of the session's description: Windows and Wine send it (facts, 3.6 and 10.4). The
	// specification calls the field TickCount, and says that it is one.
	Reserved1 uint32
	Layout    Layout
}

// Command returns CmdAddForwardRequest.
func (m *AddForwardRequest) Command() Command { return CmdAddForwardRequest }

func (m *AddForwardRequest) fields(c *codec) {
	c.begin(&m.Layout)
	at := c.threeIDs(&m.To, &m.Player, &m.Group)
	password := c.Offset("PasswordOffset")
	c.FixedPart()
	if c.Seek(at, true, false) {
		from := c.Off
		c.info("PlayerInfo", &m.Info)
		c.Claim(at, from)
	}
	c.textAt(password, "Password", &m.Password)
	// The DWORD follows the password, or what comes before it where there is none.
	from := c.Off
	c.Hex32("SessionReserved1", &m.Reserved1)
	c.ClaimBehind(password, from)
}
