package dpl8

import "dplay4/wire"

// ReqCreateGroup is DN_REQ_CREATE_GROUP (2.2.4.1): a peer asks the host for a new group. Name and Data are nil where
// there is none; decoded, they alias the message.
type ReqCreateGroup struct {
	Context    uint32 // dwPacketContext: comes back in DN_CREATE_GROUP
	GroupFlags GroupFlags
	InfoFlags  InfoFlags // what is in the message
	Name       wire.Text
	Data       []byte
	Layout     wire.Layout
}

// Type returns TypeReqCreateGroup.
func (m *ReqCreateGroup) Type() Type { return TypeReqCreateGroup }

// ReqAddPlayerToGroup is DN_REQ_ADD_PLAYER_TO_GROUP (2.2.4.3).
type ReqAddPlayerToGroup struct {
	Context uint32 // dwPacketContext: comes back in DN_ADD_PLAYER_TO_GROUP
	Group   DPNID  // dpnidGroup
	Player  DPNID  // dpnidPlayer
	Layout  wire.Layout
}

// Type returns TypeReqAddPlayerToGroup.
func (m *ReqAddPlayerToGroup) Type() Type { return TypeReqAddPlayerToGroup }

// ReqDeletePlayerFromGroup is DN_REQ_DELETE_PLAYER_FROM_GROUP (2.2.4.5).
type ReqDeletePlayerFromGroup struct {
	Context uint32 // dwPacketContext: comes back in DN_DELETE_PLAYER_FROM_GROUP
	Group   DPNID  // dpnidGroup
	Player  DPNID  // dpnidPlayer
	Layout  wire.Layout
}

// Type returns TypeReqDeletePlayerFromGroup.
func (m *ReqDeletePlayerFromGroup) Type() Type { return TypeReqDeletePlayerFromGroup }

// ReqDestroyGroup is DN_REQ_DESTROY_GROUP (2.2.4.7). Its figure has a dpnidPlayer, described as a player that is
// removed from the group, which destroying a group has no use for.
type ReqDestroyGroup struct {
	Context uint32 // dwPacketContext: comes back in DN_DESTROY_GROUP
	Group   DPNID  // dpnidGroup
	Player  DPNID  // dpnidPlayer: kept
	Layout  wire.Layout
}

// Type returns TypeReqDestroyGroup.
func (m *ReqDestroyGroup) Type() Type { return TypeReqDestroyGroup }

func (m *ReqCreateGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.Hex32("dwPacketContext", &m.Context)
	c.Flags("dwGroupFlags", (*uint32)(&m.GroupFlags), groupFlagString)
	c.Flags("dwInfoFlags", (*uint32)(&m.InfoFlags), infoFlagString)
	name := c.Pair("dwNameOffset", "dwNameSize", len(m.Name))
	data := c.Pair("dwDataOffset", "dwDataSize", len(m.Data)) // the figure has dwDateSize, its text dwDataSize
	c.FixedPart()
	c.dataAt(data, "data", &m.Data)
	c.textAt(name, "name", &m.Name)
}

func (m *ReqAddPlayerToGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.groupRequest(&m.Context, &m.Group, &m.Player)
}

func (m *ReqDeletePlayerFromGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.groupRequest(&m.Context, &m.Group, &m.Player)
}

func (m *ReqDestroyGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.groupRequest(&m.Context, &m.Group, &m.Player)
}

// groupRequest is what three of the requests consist of.
func (c *codec) groupRequest(context *uint32, group, player *DPNID) {
	c.Hex32("dwPacketContext", context)
	c.id("dpnidGroup", group)
	c.id("dpnidPlayer", player)
}
