package wire

import (
	"encoding/binary"

	"dplay4/wire/internal/field"
)

// SuperPackedPlayer is DPLAYI_SUPERPACKEDPLAYER (2.2.3): a player, group or shortcut in a list of everything.
// The mask and the widths of the counts are computed.
//
// Its Size is 16 although the fixed part has 20 octets, and the player's data comes before that of the
// service provider, the other way round than in PackedPlayer.
type SuperPackedPlayer struct {
	size      field.Override
	mask      field.Override
	Flags     PlayerFlags
	ID        PlayerID
	Owner     uint32 // VersionOrSystemPlayerID: the dialect for a system player, else its machine's system player
	ShortName Text   // nil: none
	LongName  Text   // nil: none
	Data      []byte // PlayerData: the game's own
	SPData    []byte // ServiceProviderData: see ParseSPData
	PlayerIDs []PlayerID
	Parent    PlayerID // ParentID; 0: none
	Shortcuts []PlayerID
}

// The bits of PlayerInfoMask.
const (
	maskShortName = 1 << 0
	maskLongName  = 1 << 1
	maskSPData    = 2 // shift of a two-bit width
	maskData      = 4
	maskPlayers   = 6
	maskParent    = 1 << 8
	maskShortcuts = 9
)

// infoMaskString names what a PlayerInfoMask says is present, with the width of each length in octets.
func infoMaskString(v uint32) string {
	s := ""
	add := func(name string) { s += "|" + name }
	if v&maskShortName != 0 {
		add("SHORTNAME")
	}
	if v&maskLongName != 0 {
		add("LONGNAME")
	}
	length := func(shift int, name string) {
		if code := v >> shift & 3; code != 0 {
			add(name + ":" + utoa(uint32(width(code))))
		}
	}
	length(maskSPData, "SPDATA")
	length(maskData, "DATA")
	length(maskPlayers, "PLAYERS")
	if v&maskParent != 0 {
		add("PARENT")
	}
	length(maskShortcuts, "SHORTCUTS")
	if x := v &^ 0x7FF; x != 0 {
		add(field.HexWord(x, 8))
	}
	if s == "" {
		return "0"
	}
	return s[1:]
}

// width returns the octets of a length by its code in the mask.
func width(code uint32) int {
	return [...]int{0, 1, 2, 4}[code&3]
}

// code returns the smallest code whose width can hold n; 0 for none.
func code(n int) uint32 {
	switch {
	case n == 0:
		return 0
	case n <= 0xFF:
		return 1
	case n <= 0xFFFF:
		return 2
	}
	return 3
}

// computedMask is the mask that describes p with the smallest widths.
func (p *SuperPackedPlayer) computedMask() uint32 {
	m := code(len(p.SPData))<<maskSPData | code(len(p.Data))<<maskData |
		code(len(p.PlayerIDs))<<maskPlayers | code(len(p.Shortcuts))<<maskShortcuts
	if len(p.ShortName) > 0 {
		m |= maskShortName
	}
	if len(p.LongName) > 0 {
		m |= maskLongName
	}
	if p.Parent != 0 {
		m |= maskParent
	}
	return m
}

// InfoMask is PlayerInfoMask as Append writes it: what was decoded, or the computed value.
func (p *SuperPackedPlayer) InfoMask() uint32 {
	if p.mask.Set && p.fits(p.mask.Value) {
		return p.mask.Value
	}
	return p.computedMask()
}

// fits reports whether the entry can be written with the given mask.
func (p *SuperPackedPlayer) fits(m uint32) bool {
	holds := func(shift, n int) bool {
		w := width(m >> shift)
		return n>>(8*w) == 0
	}
	return (m&maskShortName != 0) == (len(p.ShortName) > 0) && (m&maskLongName != 0) == (len(p.LongName) > 0) &&
		(m&maskParent != 0 || p.Parent == 0) && holds(maskSPData, len(p.SPData)) && holds(maskData, len(p.Data)) &&
		holds(maskPlayers, len(p.PlayerIDs)) && holds(maskShortcuts, len(p.Shortcuts))
}

func (c *codec) superPackedPlayer(p *SuperPackedPlayer) {
	c.Implied("Size", &p.size, SuperPackedPlayerSize)
	c.Flags("Flags", (*uint32)(&p.Flags), playerFlagString)
	c.id("ID", &p.ID)
	mask := p.InfoMask()
	c.Flags("PlayerInfoMask", &mask, infoMaskString)
	if p.Flags&PlayerSystem != 0 {
		c.Word("VersionOrSystemPlayerID", &p.Owner, KindNamed, dialectName)
	} else {
		c.Word("VersionOrSystemPlayerID", &p.Owner, KindID, nil)
	}
	if mask&maskShortName != 0 {
		c.text("ShortName", &p.ShortName)
	}
	if mask&maskLongName != 0 {
		c.text("LongName", &p.LongName)
	}
	c.Octets("PlayerData", &p.Data, c.varLength("PlayerDataLength", len(p.Data), mask>>maskData, 1))
	c.spData("ServiceProviderData", &p.SPData, c.varLength("ServiceProviderDataLength", len(p.SPData), mask>>maskSPData, 1))
	c.ids("PlayerIDs", &p.PlayerIDs, c.varLength("PlayerCount", len(p.PlayerIDs), mask>>maskPlayers, 4))
	if mask&maskParent != 0 {
		c.id("ParentID", &p.Parent)
	}
	c.ids("ShortcutIDs", &p.Shortcuts, c.varLength("ShortcutIDCount", len(p.Shortcuts), mask>>maskShortcuts, 4))
	if !c.Encoding && c.Err == nil && mask != p.computedMask() {
		p.mask = field.Override{Set: true, Value: mask}
	}
}

// varLength is a length or count whose width the mask gives; code 0 means that there is none. Encoding, n is
// the length to write; decoding, the length is held against the octets left, of size each.
func (c *codec) varLength(name string, n int, code uint32, size int) int {
	w := width(code)
	at := c.Off
	var le [4]byte
	if c.Encoding {
		if size > 1 && n > MaxPlayers {
			c.Fail(name, at, uint32(n), ErrLimit)
			return 0
		}
		binary.LittleEndian.PutUint32(le[:], uint32(n))
		copy(c.Put(name, w), le[:w])
		return n
	}
	if w == 0 {
		return 0
	}
	copy(le[:], c.Take(name, w))
	s := field.Slot{Name: name, At: at, Value: binary.LittleEndian.Uint32(le[:])}
	if size > 1 { // a list, not octets
		n = c.Count(s, size)
	} else {
		n = c.Length(s)
	}
	if c.Visit != nil {
		c.Emit(at, field.Field{Name: name, Size: w, Kind: field.Number, Num: s.Value})
	}
	return n
}
