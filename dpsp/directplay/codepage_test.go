package directplay

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A madeUp code page writes kana as Japanese Windows does by and large: in two octets, of which the second may be ASCII.
type madeUp struct{}

func (madeUp) Encode(s string) (b []byte) {
	for _, r := range s {
		if r >= 'ア' && r <= 'ン' {
			b = append(b, 0x83, byte(0x40+r-'ア'))
			continue
		}
		b = append(b, byte(r))
	}
	return b
}

func (madeUp) Decode(b []byte) string {
	var s strings.Builder
	for i := 0; i < len(b); i++ {
		if b[i] == 0x83 && i+1 < len(b) {
			i++
			s.WriteRune('ア' + rune(b[i]) - 0x40)
			continue
		}
		s.WriteByte(b[i])
	}
	return s.String()
}

// TestRead: a game's text has the characters of its face, whatever else its octets might be.
func TestRead(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Zoë €", Face{}.Read([]byte("Zo\xEB \x80")))
	assert.Equal(t, "\x01Bob", Face{}.Read([]byte("\x01Bob")), "games write colours so")
	assert.Equal(t, "Zoë人", Face{Wide: true}.Read([]byte{'Z', 0, 'o', 0, 0xEB, 0, 0xBA, 0x4E}))
	assert.Equal(t, "", Face{CodePage: madeUp{}}.Read([]byte{}))
	for _, f := range []Face{{}, {Wide: true}, {CodePage: madeUp{}}} {
		for _, s := range []string{"", "A", "Ann", "0u-N"} {
			b := f.Text(s)
			width := len(f.Text(""))
			assert.Equal(t, s, f.Read(b[:len(b)-width]), "%v", f)
			assert.Equal(t, make([]byte, width), b[len(b)-width:], "%v", f)
		}
	}
}

// TestCodePage: games hear and tell 8-bit text by the code page of the machine, by every interface, and no character is cut
// in two.
func TestCodePage(t *testing.T) {
	bubble(t, func(t *world) {
		kana := strings.Repeat("カタカナ", 30)
		in := madeUp{}.Encode(kana)
		narrow := Face{CodePage: madeUp{}}
		assert.Equal(t, append(bytes.Clone(in), 0), narrow.Text(kana))
		assert.Equal(t, kana, narrow.Read(in))

		f, d, _ := firstHosts(t)
		f.face = narrow
		var id wire.PlayerID
		name := narrow.Read(in)
		require.Equal(t, wire.OK, f.CreatePlayer(&id, &name, &name, nil))
		short, long := &Buffer{Size: 20}, &Buffer{Size: 52}
		require.Equal(t, wire.OK, f.GetPlayerName(id, short, long))
		assert.Equal(t, append(bytes.Clone(in[:18]), 0), short.Data)
		assert.Equal(t, append(bytes.Clone(in[:50]), 0), long.Data)
		var listed []FirstListed
		require.Equal(t, wire.OK, f.EnumPlayers(0, func(l FirstListed) bool { listed = append(listed, l); return true }, 0))
		require.Len(t, listed, 1)
		assert.Equal(t, short.Data, listed[0].Friendly)
		assert.Equal(t, long.Data, listed[0].Formal)
		full := &Buffer{Size: 1024}
		require.Equal(t, wire.OK, f.Object.GetPlayerName(id, full, narrow))
		assert.Equal(t, 16+2*(len(in)+1), len(full.Data))
		assert.Contains(t, string(full.Data), string(in))

		told := (&Message{System: firstCreated{&Created{Subject{ID: id, Name: Name{&name, &name}}, 1}}}).Block(narrow).Data
		assert.Equal(t, append(bytes.Clone(in[:50]), 0, 0), told[12:64])
		assert.Equal(t, append(bytes.Clone(in[:18]), 0, 0), told[64:84])

		d.Name = name
		octets := d.Block(narrow).Data
		assert.Equal(t, append(bytes.Clone(in[:30]), 0, 0), octets[36:68])
		read := ReadFirstDesc((*[FirstDescSize]byte)(octets), narrow)
		assert.Equal(t, string([]rune(kana)[:15]), read.Name)
	})
}

// TestWithinHuge: a name as long as a message may be is cut at once.
func TestWithinHuge(t *testing.T) {
	t.Parallel()
	s := strings.Repeat("ア", 1<<20)
	assert.Len(t, Face{CodePage: madeUp{}}.within(s, 20), 19)
	assert.Len(t, Face{}.within(s, 20), 20)
}

// TestNamesThatLookNarrow: names of ideographs whose octets are ASCII stay what they are, and 8-bit text that a game gives to a
// wide interface comes back to it as the same octets, and to a narrow one as what it says.
func TestNamesThatLookNarrow(t *testing.T) {
	bubble(t, func(t *world) {
		wide := Face{Wide: true}
		odd := wide.Read([]byte("Nobleman")) // as such games give it
		at := t.lane(2)
		host := initialized(t, at[0], at[0].String())
		session := "山田"
		require.Equal(t, wire.OK, host.Open(&SessionDesc{Application: testGame, Name: &session}, OpenCreate))
		family, noble := host.player("田中", 0), host.player(odd, 0)
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		require.NotNil(t, d.Name)
		assert.Equal(t, session, *d.Name)
		require.Equal(t, wire.OK, g.Open(&d, OpenJoin))
		named := func(id wire.PlayerID, f Face) string {
			b := &Buffer{Size: 256}
			require.Equal(t, wire.OK, g.GetPlayerName(id, b, f))
			return string(b.Data)
		}
		assert.Contains(t, named(family, wide), string(wide.Text("田中")))
		assert.Contains(t, named(noble, wide), "Nobleman\x00\x00")
		assert.Contains(t, named(noble, Face{}), "Nobleman\x00")
		assert.Contains(t, named(noble, Face{CodePage: madeUp{}}), "Nobleman\x00")
	})
}
