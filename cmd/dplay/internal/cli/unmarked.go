package cli

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// Unmarked returns a text in UTF-8 without the byte order mark that editors of Windows write. A text with a mark of UTF-16 is
// converted: PowerShell 5 writes so into the file behind ">".
func Unmarked(text []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	units := make([]uint16, len(text)/2-1)
	binary.Decode(text[2:], order, units) //nolint:errcheck // there are as many octets
	return []byte(string(utf16.Decode(units)))
}
