package dpl8

import "dplay4/wire"

// NameTable is the state that all participants keep in step (2.2.6), as DN_SEND_CONNECT_INFO carries it. Its counts
// are computed.
type NameTable struct {
	Version        uint32 // of the last operation that was applied; the first one has 1
	VersionNotUsed uint32 // kept
	Entries        []Entry
	Memberships    []Membership
}

// Entry is DN_NAMETABLE_ENTRY_INFO (2.2.1.5): a player or a group. Its offsets and sizes are computed. Name, Data and
// URL are nil where there is none; decoded, they alias the message.
type Entry struct {
	ID             DPNID      // dpnid
	Owner          DPNID      // dpnidOwner: of a group, not zero; of a player, zero and ignored
	Flags          EntryFlags // dwFlags
	Version        uint32     // dwVersion: of the name table when the entry was added
	VersionNotUsed uint32     // kept
	DNETVersion    DNETVersion
	Name           wire.Text // UTF-16LE with its terminator
	Data           []byte    // the application's own
	URL            URL       // the participant's address (2.2.8)
}

// Membership is DN_NAMETABLE_MEMBERSHIP_INFO (2.2.1.6): a player that is in a group.
type Membership struct {
	Player         DPNID  // dpnidPlayer
	Group          DPNID  // dpnidGroup
	Version        uint32 // dwVersion: of the name table when the player was added to the group
	VersionNotUsed uint32 // kept
}

// An entryParts holds the numbers of the parts of one entry.
type entryParts struct{ name, data, url int }

// entry is the fixed part of an entry. What the version of DirectPlay is called depends on the message.
func (c *codec) entry(e *Entry, dnetVersion string) entryParts {
	c.id("dpnid", &e.ID)
	c.id("dpnidOwner", &e.Owner)
	c.Flags("dwFlags", (*uint32)(&e.Flags), entryFlagString)
	c.version(&e.Version, &e.VersionNotUsed)
	c.Named(dnetVersion, (*uint32)(&e.DNETVersion), dnetVersionName)
	return entryParts{
		name: c.Pair("dwNameOffset", "dwNameSize", len(e.Name)),
		data: c.Pair("dwDataOffset", "dwDataSize", len(e.Data)),
		url:  c.Pair("dwURLOffset", "dwURLSize", len(e.URL)),
	}
}

// entryParts are the variable parts of an entry, in the order of the figures of 2.2.1.4 and 2.2.1.7 and of the example
// of section 4.
func (c *codec) entryParts(p entryParts, e *Entry) {
	c.urlAt(p.url, &e.URL)
	c.dataAt(p.data, "data", &e.Data)
	c.textAt(p.name, "name", &e.Name)
}

// nameTable is the fixed part of the name table: its version, its counts, its lists. It gives the numbers of the parts
// of each entry.
func (c *codec) nameTable(t *NameTable) []entryParts {
	c.version(&t.Version, &t.VersionNotUsed)
	entries := c.Size("dwEntryCount", len(t.Entries))
	memberships := c.Size("dwMembershipCount", len(t.Memberships))

	n := c.Count(entries, entrySize)
	t.Entries = resize(c, t.Entries, n)
	parts := make([]entryParts, n)
	c.Expect(3 * n)
	c.Each("DN_NameTable_Entry_Info", n, func(i int) { parts[i] = c.entry(&t.Entries[i], "dwDNETVersion") })

	n = c.Count(memberships, membershipSize)
	t.Memberships = resize(c, t.Memberships, n)
	c.Each("DN_NameTable_Membership_Info", n, func(i int) {
		m := &t.Memberships[i]
		c.id("dpnidPlayer", &m.Player)
		c.id("dpnidGroup", &m.Group)
		c.version(&m.Version, &m.VersionNotUsed)
	})
	return parts
}

// nameTableParts are the variable parts of the name table: those of the last entry first, as in the example of
// section 4. The figure of 2.2.1.4 says nothing about their order.
func (c *codec) nameTableParts(t *NameTable, parts []entryParts) {
	for i := len(parts) - 1; i >= 0 && c.Err == nil; i-- {
		c.entryParts(parts[i], &t.Entries[i])
	}
}
