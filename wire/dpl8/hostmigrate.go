package dpl8

import "dplay4/wire"

// HostMigrate is DN_HOST_MIGRATE (2.2.2.3): the new host says that a migration has begun.
type HostMigrate struct {
	OldHost DPNID // dpnidOldHost: who has left
	NewHost DPNID // dpnidNewHost: who sends this
	Layout  wire.Layout
}

// Type returns TypeHostMigrate.
func (m *HostMigrate) Type() Type { return TypeHostMigrate }

// HostMigrateComplete is DN_HOST_MIGRATE_COMPLETE (2.2.2.11): the migration is over. It has no fields.
type HostMigrateComplete struct {
	Layout wire.Layout
}

// Type returns TypeHostMigrateComplete.
func (m *HostMigrateComplete) Type() Type { return TypeHostMigrateComplete }

func (m *HostMigrate) fields(c *codec) {
	c.begin(&m.Layout)
	c.id("dpnidOldHost", &m.OldHost)
	c.id("dpnidNewHost", &m.NewHost)
}

func (m *HostMigrateComplete) fields(c *codec) { c.begin(&m.Layout) }
