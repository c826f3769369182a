package compat_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/compat"
	"dplay4/wire"
)

// A leaf is one field of a message as package wire decodes it.
type leaf struct {
	wire.Field
	path    string // without the places in lists
	within  int    // the leaf of the structure that it is part of, or -1
	claimed bool   // tshark shows it
}

// leaves decodes a message and gives its fields. A structure that both may show as plain octets, a player's
// service provider data, is a leaf as well, before its parts.
func leaves(t *testing.T, message []byte) []leaf {
	t.Helper()
	var all []leaf
	var path []string
	open := -1 // the leaf of the structure in work
	d := wire.Decoder{Visitor: func(f *wire.Field) {
		name := f.Name
		if len(path) > 0 && f.Index >= 0 && path[len(path)-1] == name {
			name = "" // an element has the name of its list
		}
		at := strings.ReplaceAll(strings.Join(append(path, name), "."), "..", ".")
		at = strings.Trim(at, ".")
		switch f.Kind {
		case wire.KindStruct:
			path = append(path, name)
			if f.Name == "ServiceProviderData" {
				open = len(all)
				all = append(all, leaf{Field: wire.Field{Name: f.Name, Kind: wire.KindOctets, Offset: f.Offset}, path: at, within: -1})
			}
		case wire.KindList, wire.KindMessage:
			path = append(path, name)
		case wire.KindEnd:
			if path[len(path)-1] == "ServiceProviderData" {
				open = -1
			}
			path = path[:len(path)-1]
		default:
			all = append(all, leaf{Field: *f, path: at, within: open})
			if open >= 0 {
				all[open].Raw = append(all[open].Raw, f.Raw...)
				all[open].Size += f.Size
			}
		}
	}}
	_, err := d.DecodeStream(message)
	require.NoError(t, err)
	require.Empty(t, path, "brackets that were never closed")
	return all
}

// is reports whether the leaf has the path of a row.
func (l *leaf) is(path string) bool {
	rest, star := strings.CutPrefix(path, "*")
	if !star {
		return l.path == path
	}
	list, ok := strings.CutSuffix(l.path, rest)
	return ok && (list == "Players" || list == "Groups" || list == "Shortcuts")
}

// part returns offset and size of what a form shows of a leaf: SOCKADDR_IN is shown in pieces.
func (l *leaf) part(f compat.Form) (offset, size int) {
	switch f {
	case compat.Family:
		return l.Offset, 2
	case compat.Port:
		return l.Offset + 2, 2
	case compat.Address:
		return l.Offset + 4, 4
	case compat.Zero:
		return l.Offset + 8, 8
	}
	return l.Offset, l.Size
}

// octets returns the octets of the leaf's value.
func (l *leaf) octets() []byte {
	if l.Raw != nil {
		return l.Raw
	}
	b := binary.LittleEndian.AppendUint32(nil, l.Num)
	return b[:l.Size]
}

// print prints the leaf's value in a form.
func (l *leaf) print(f compat.Form, mask uint32) string {
	switch f {
	case compat.Decimal:
		return fmt.Sprint(l.Num)
	case compat.Hex16:
		return fmt.Sprintf("0x%04x", l.Num)
	case compat.Hex32:
		return fmt.Sprintf("0x%08x", l.Num)
	case compat.Octets:
		return colons(l.octets())
	case compat.Text:
		return wire.Text(l.octets()).String()
	case compat.GUID:
		return strings.Trim(wire.GUID(l.Raw).String(), "{}")
	case compat.GUIDOctets:
		h := hex.EncodeToString(l.Raw)
		return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
	case compat.Bit:
		return fmt.Sprint(l.Num & mask >> bits.TrailingZeros32(mask))
	case compat.Bits:
		return fmt.Sprintf("0x%08x", l.Num&mask>>bits.TrailingZeros32(mask))
	}
	a := wire.ParseSockAddr(l.Raw)
	switch f {
	case compat.Family:
		return fmt.Sprintf("0x%04x", a.Family)
	case compat.Port:
		return fmt.Sprint(a.Port)
	case compat.Address:
		return fmt.Sprintf("%d.%d.%d.%d", a.Addr[0], a.Addr[1], a.Addr[2], a.Addr[3])
	case compat.Zero:
		return colons(a.Zero[:])
	}
	return fmt.Sprintf("unknown form %d", f)
}

// colons writes octets as tshark does: c9:84:03:00.
func colons(b []byte) string {
	parts := make([]string, len(b))
	for i := range b {
		parts[i] = hex.EncodeToString(b[i : i+1])
	}
	return strings.Join(parts, ":")
}
