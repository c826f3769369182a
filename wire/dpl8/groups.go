package dpl8

import "dplay4/wire"

// CreateGroup is DN_CREATE_GROUP (2.2.4.2): a group was created.
//
// The figure names neither the group nor a version, although the message is an operation of the name table and every
// other one has both. A receiver cannot do without, so a sender must put more behind the two fields than the figure
// shows; the specification does not say what, and Rest keeps it as it is.
type CreateGroup struct {
	Requesting DPNID  // dpnidRequesting
	Context    uint32 // dwPacketContext: as in the request
	Rest       []byte // what follows the figure's fields (aliased); nil: nothing
}

// Type returns TypeCreateGroup.
func (m *CreateGroup) Type() Type { return TypeCreateGroup }

// DestroyGroup is DN_DESTROY_GROUP (2.2.4.8): a group was removed.
type DestroyGroup struct {
	Group          DPNID // dpnidGroup
	Version        uint32
	VersionNotUsed uint32 // kept
	Requesting     DPNID  // dpnidRequesting
	Context        uint32 // dwPacketContext: as in the request
	Layout         wire.Layout
}

// Type returns TypeDestroyGroup.
func (m *DestroyGroup) Type() Type { return TypeDestroyGroup }

// AddPlayerToGroup is DN_ADD_PLAYER_TO_GROUP (2.2.4.4): a player was added to a group.
type AddPlayerToGroup struct {
	Group          DPNID // dpnidGroup
	Player         DPNID // dpnidPlayer
	Version        uint32
	VersionNotUsed uint32 // kept
	Requesting     DPNID  // dpnidRequesting
	Context        uint32 // dwPacketContext: as in the request
	Layout         wire.Layout
}

// Type returns TypeAddPlayerToGroup.
func (m *AddPlayerToGroup) Type() Type { return TypeAddPlayerToGroup }

// DeletePlayerFromGroup is DN_DELETE_PLAYER_FROM_GROUP (2.2.4.6): a player was removed from a group.
type DeletePlayerFromGroup struct {
	Group          DPNID // dpnidGroup
	Player         DPNID // dpnidPlayer
	Version        uint32
	VersionNotUsed uint32 // kept
	Requesting     DPNID  // dpnidRequesting
	Context        uint32 // dwPacketContext: as in the request
	Layout         wire.Layout
}

// Type returns TypeDeletePlayerFromGroup.
func (m *DeletePlayerFromGroup) Type() Type { return TypeDeletePlayerFromGroup }

func (m *CreateGroup) fields(c *codec) {
	c.id("dpnidRequesting", &m.Requesting)
	c.Hex32("dwPacketContext", &m.Context)
	c.Rest("Rest", &m.Rest)
}

func (m *DestroyGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidGroup", &m.Group)
	c.version(&m.Version, &m.VersionNotUsed)
	c.id("dpnidRequesting", &m.Requesting)
	c.Hex32("dwPacketContext", &m.Context)
}

func (m *AddPlayerToGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidGroup", &m.Group)
	c.id("dpnidPlayer", &m.Player)
	c.version(&m.Version, &m.VersionNotUsed)
	c.id("dpnidRequesting", &m.Requesting)
	c.Hex32("dwPacketContext", &m.Context)
}

func (m *DeletePlayerFromGroup) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidGroup", &m.Group)
	c.id("dpnidPlayer", &m.Player)
	c.version(&m.Version, &m.VersionNotUsed)
	c.id("dpnidRequesting", &m.Requesting)
	c.Hex32("dwPacketContext", &m.Context)
}
