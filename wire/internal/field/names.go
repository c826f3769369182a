package field

import "strconv"

// A FlagName names bits of a mask. It is a type without a name, so that tables of other packages need not name its fields.
type FlagName = struct {
	Mask uint32
	Name string
}

// FlagNames writes a flag word as "A|B|0x00100000": names joined, unknown bits kept, "0" for none.
func FlagNames(v uint32, names []FlagName) string {
	if v == 0 {
		return "0"
	}
	s := ""
	for _, n := range names {
		if v&n.Mask == n.Mask {
			s += "|" + n.Name
			v &^= n.Mask
		}
	}
	if v != 0 {
		s += "|" + HexWord(v, 8)
	}
	return s[1:]
}

// HexWord writes v as "0x" and at least n digits, of eight.
func HexWord(v uint32, n int) string {
	s := strconv.FormatUint(uint64(v), 16)
	return "0x" + "00000000"[min(len(s), n):n] + s
}
