package wire

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
)

// A GUID is 16 octets in wire order: three little-endian numbers and eight octets ([MS-DTYP] 2.3.4).
type GUID [16]byte

// String returns the standard notation, {a052a50b-ffe0-11cf-9c4e-00a0c905425e}.
func (g GUID) String() string {
	return string(g.AppendText(make([]byte, 0, 38)))
}

// AppendText appends the standard notation to dst.
func (g GUID) AppendText(dst []byte) []byte {
	var b [16]byte
	binary.BigEndian.PutUint32(b[0:], binary.LittleEndian.Uint32(g[0:]))
	binary.BigEndian.PutUint16(b[4:], binary.LittleEndian.Uint16(g[4:]))
	binary.BigEndian.PutUint16(b[6:], binary.LittleEndian.Uint16(g[6:]))
	copy(b[8:], g[8:])
	dst = append(dst, '{')
	at := 0
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[at:at+n])
		at += n
	}
	return append(dst, '}')
}

// IsZero reports whether all octets are zero. In an enumeration that means any application.
func (g GUID) IsZero() bool { return g == GUID{} }

var errGUID = errors.New("not a GUID: want {xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}")

// ParseGUID reads the standard notation, with or without braces.
func ParseGUID(s string) (GUID, error) {
	if strings.HasPrefix(s, "{") != strings.HasSuffix(s, "}") {
		return GUID{}, errGUID
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return GUID{}, errGUID
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	if err != nil || len(b) != 16 {
		return GUID{}, errGUID
	}
	var g GUID
	binary.LittleEndian.PutUint32(g[0:], binary.BigEndian.Uint32(b[0:]))
	binary.LittleEndian.PutUint16(g[4:], binary.BigEndian.Uint16(b[4:]))
	binary.LittleEndian.PutUint16(g[6:], binary.BigEndian.Uint16(b[6:]))
	copy(g[8:], b[8:])
	return g, nil
}
