package dpl8

import "dplay4/wire"

// NameTableVersion is DN_NAMETABLE_VERSION (2.2.2.4): a peer tells the host the version of its name table.
type NameTableVersion struct {
	Version        uint32
	VersionNotUsed uint32 // kept
	Layout         wire.Layout
}

// Type returns TypeNameTableVersion.
func (m *NameTableVersion) Type() Type { return TypeNameTableVersion }

// ResyncVersion is DN_RESYNC_VERSION (2.2.2.5): the oldest version that any participant reported; records of older
// operations may be dropped (2.2.6).
type ResyncVersion struct {
	Version        uint32
	VersionNotUsed uint32 // kept
	Layout         wire.Layout
}

// Type returns TypeResyncVersion.
func (m *ResyncVersion) Type() Type { return TypeResyncVersion }

// ReqNameTableOp is DN_REQ_NAMETABLE_OP (2.2.2.9): the new host asks a peer with a newer name table for what comes
// after its own version.
type ReqNameTableOp struct {
	Version        uint32 // of the host's name table
	VersionNotUsed uint32 // kept
	Layout         wire.Layout
}

// Type returns TypeReqNameTableOp.
func (m *ReqNameTableOp) Type() Type { return TypeReqNameTableOp }

func (m *NameTableVersion) fields(c *codec) {
	c.begin(&m.Layout)
	c.version(&m.Version, &m.VersionNotUsed)
}

func (m *ResyncVersion) fields(c *codec) {
	c.begin(&m.Layout)
	c.version(&m.Version, &m.VersionNotUsed)
}

func (m *ReqNameTableOp) fields(c *codec) {
	c.begin(&m.Layout)
	c.version(&m.Version, &m.VersionNotUsed)
}
