package dpl8_test

import (
	"fmt"
	"strings"
	"testing"

	"dplay4/wire"
	"dplay4/wire/dpl8"
	"dplay4/wire/internal/wiretest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVisitCovers: the fields of each golden message cover it, no octet twice, and brackets pair.
func TestVisitCovers(t *testing.T) {
	for _, g := range wiretest.Goldens(t) {
		w := wiretest.Watcher{T: t, Size: len(g.Raw)}
		m, err := dpl8.Visit(g.Raw, w.See)
		require.NoError(t, err, g.Name)
		w.Done()
		dropOctets(m)
		assert.Equal(t, goldenValues[g.Name], m)
	}
}

// shown writes fields as lines of offset, name with index, and value.
func shown(t *testing.T, b []byte) string {
	t.Helper()
	var s strings.Builder
	depth := 0
	_, err := dpl8.Visit(b, func(f *wire.Field) {
		if f.Kind == wire.KindEnd {
			depth--
			return
		}
		fmt.Fprintf(&s, "%s%d %s", strings.Repeat(" ", depth), f.Offset, f.Name)
		if f.Index >= 0 {
			fmt.Fprintf(&s, "[%d]", f.Index)
		}
		switch f.Kind {
		case wire.KindStruct, wire.KindList, wire.KindMessage:
			fmt.Fprintf(&s, " (%d)", f.Num)
			depth++
		case wire.KindText:
			fmt.Fprintf(&s, " %q", wire.Text(f.Raw).String())
		case wire.KindOctets, wire.KindStray, wire.KindGUID:
			fmt.Fprintf(&s, " %x", f.Raw)
		default:
			fmt.Fprintf(&s, " %#x %s", f.Num, f.Names())
		}
		s.WriteString("\n")
	})
	require.NoError(t, err)
	return strings.ReplaceAll(s.String(), " \n", "\n")
}

// TestVisitOperations: the golden DN_ACK_NAMETABLE_OP, with a stray octet behind it, and its first operation cut short.
func TestVisitOperations(t *testing.T) {
	b := append(readGolden(t, "ACK_NAMETABLE_OP"), 0x99)
	b[4+4+8] = 15 // dwOpSize of operation 0
	assert.Equal(t, `0 dwPacketType 0xcc ACK_NAMETABLE_OP
4 dwNumEntries 0x3
8 Operations (3)
 8 Operations[0] (0)
  8 dwMsgId 0xd1 DESTROY_PLAYER
  12 dwOpOffset 0x59
  16 dwOpSize 0xf
 20 Operations[1] (0)
  20 dwMsgId 0xdb UPDATE_INFO
  24 dwOpOffset 0x2b
  28 dwOpSize 0x2e
 32 Operations[2] (0)
  32 dwMsgId 0xdc UNKNOWN(0x000000dc)
  36 dwOpOffset 0x28
  40 dwOpSize 0x3
44 op[2] 010203
47 op[1] (219)
 47 dwPacketContext 0xc0ffee01
 51 dpnid 0x300003
 55 dwVersion 0x7
 59 dwVersionNotUsed 0xa1a2a3a4
 63 dwInfoFlags 0x3 NAME|DATA
 67 dwNameOffset 0x2a
 71 dwNameSize 0x4
 75 dwDataOffset 0x28
 79 dwDataSize 0x2
 83 dpnidRequesting 0x200002
 87 data d1d2
 89 name "B"
93 op[0] 0300300007000000a4a3a2a1020000
108 Stray 0099
`, shown(t, b))
}

// TestVisitNameTable: parts of entries carry the entry's index.
func TestVisitNameTable(t *testing.T) {
	s := shown(t, readGolden(t, "SEND_CONNECT_INFO"))
	for _, line := range []string{
		"\n112 DN_NameTable_Entry_Info (2)\n 112 DN_NameTable_Entry_Info[0] (0)\n  112 dpnid 0x100001\n",
		"\n  132 dwDNETVersion 0x8 DirectX 9.0\n",
		"\n208 DN_NameTable_Membership_Info (1)\n 208 DN_NameTable_Membership_Info[0] (0)\n  208 dpnidPlayer 0x100001\n",
		"\n224 url[1] 783a00\n227 data[1] d1d2\n229 name[1] \"G\"\n233 name[0] \"Ann\"\n241 ApplicationReservedData a1a2a3\n",
	} {
		assert.Contains(t, s, line)
	}
}
