package wire

import "dplay4/wire/internal/field"

// AddForward is DPSP_MSG_ADDFORWARD (2.2.8): the host tells a member of a newcomer.
type AddForward struct {
	To             PlayerID // IDTo; 0
	Player         PlayerID // PlayerID: the newcomer's system player
	Group          PlayerID // GroupID; 0
	PasswordOffset uint32   // not used
	Info           PackedPlayer
	Layout         Layout
}

// Command returns CmdAddForward.
func (m *AddForward) Command() Command { return CmdAddForward }

func (m *AddForward) fields(c *codec) {
	c.begin(&m.Layout)
	at := c.threeIDs(&m.To, &m.Player, &m.Group)
	c.U32("PasswordOffset", &m.PasswordOffset)
	c.FixedPart()
	if c.Seek(at, true, false) {
		from := c.Off
		c.info("PlayerInfo", &m.Info)
		c.Claim(at, from)
	}
}

// threeIDs is the beginning that the messages about one player or group share, up to CreateOffset.
func (c *codec) threeIDs(to, player, group *PlayerID) field.Slot {
	c.id("IDTo", to)
	c.id("PlayerID", player)
	c.id("GroupID", group)
	return c.Offset("CreateOffset")
}

// info is a packed player under the name that the message gives it.
func (c *codec) info(name string, p *PackedPlayer) {
	c.Open(name)
	c.packedPlayer(p)
	c.Close()
}
