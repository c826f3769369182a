package wire

import "dplay4/wire/internal/field"

// CreatePlayer is DPSP_MSG_CREATEPLAYER (2.2.21): a new player.
type CreatePlayer struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID
	Group          PlayerID // GroupID; 0
	PasswordOffset uint32   // not used
	Info           PackedPlayer
	Reserved1      uint16 // with Reserved2 six zero octets; Wine drops the message if they are missing
	Reserved2      uint32
	Layout         Layout
}

// Command returns CmdCreatePlayer.
func (m *CreatePlayer) Command() Command { return CmdCreatePlayer }

func (m *CreatePlayer) fields(c *codec) {
	c.begin(&m.Layout)
	c.newPlayer(&m.To, &m.Player, &m.Group, &m.PasswordOffset, &m.Info, &m.Reserved1, &m.Reserved2)
}

// newPlayer is the body of CREATEPLAYER and CREATEPLAYERVERIFY.
func (c *codec) newPlayer(to, player, group *PlayerID, password *uint32, info *PackedPlayer, r1 *uint16, r2 *uint32) {
	at := c.threeIDs(to, player, group)
	c.U32("PasswordOffset", password)
	c.FixedPart()
	if c.Seek(at, true, false) {
		from := c.Off
		c.info("PlayerInfo", info)
		c.Half("Reserved1", r1, field.Number, nil)
		c.U32("Reserved2", r2)
		c.Claim(at, from)
	}
}
