package dpl8

import "dplay4/wire"

// AddPlayer is DN_ADD_PLAYER (2.2.1.7): the host has peers add a peer. The message is one entry of the name table, in
// the layout of DN_NAMETABLE_ENTRY_INFO; its dwDNETClientVersion is Entry.DNETVersion.
type AddPlayer struct {
	Entry  Entry
	Layout wire.Layout
}

// Type returns TypeAddPlayer.
func (m *AddPlayer) Type() Type { return TypeAddPlayer }

// DestroyPlayer is DN_DESTROY_PLAYER (2.2.2.2): the host has peers remove a peer.
type DestroyPlayer struct {
	Leaving        DPNID // dpnidLeaving
	Version        uint32
	VersionNotUsed uint32 // kept
	Reason         DestroyReason
	Layout         wire.Layout
}

// Type returns TypeDestroyPlayer.
func (m *DestroyPlayer) Type() Type { return TypeDestroyPlayer }

// InstructConnect is DN_INSTRUCT_CONNECT (2.2.1.9): the host has peers connect to a new one.
type InstructConnect struct {
	ID             DPNID // dpnid: of the peer to connect to
	Version        uint32
	VersionNotUsed uint32 // kept
	Layout         wire.Layout
}

// Type returns TypeInstructConnect.
func (m *InstructConnect) Type() Type { return TypeInstructConnect }

func (m *AddPlayer) fields(c *codec) {
	c.begin(&m.Layout)
	p := c.entry(&m.Entry, "dwDNETClientVersion")
	c.FixedPart()
	c.entryParts(p, &m.Entry)
}

func (m *DestroyPlayer) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidLeaving", &m.Leaving)
	c.version(&m.Version, &m.VersionNotUsed)
	c.Named("dwDestroyReason", (*uint32)(&m.Reason), destroyReasonName)
}

func (m *InstructConnect) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnid", &m.ID)
	c.version(&m.Version, &m.VersionNotUsed)
}
