package gamelist

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/games"
	"dplay4/wire"
)

const monsters = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"

// TestParse reads a game with everything, and one with what it has to have.
func TestParse(t *testing.T) {
	list, err := Parse("games.toml", []byte("\ufeff# mine\r\n[[game]]\r\nname = \"Monsters II\"\r\nshort = \"Monsters2\"\r\nguid = '"+monsters+
		"'\r\ntext = \"8bit\"\r\ntcp = \"31415\"\r\nudp = \"2350-2399\"\r\nflags = \"keepalive,0x2000\"\r\nsource = \"seen\"\r\n"+
		"[[game]]\nname=\"B\"\nguid=\"11111111-2222-3333-4444-555555555555\"\n"))
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, games.Game{Title: "Monsters II", Short: "monsters2", GUID: list[0].GUID, Text: wire.EightBit, Source: "seen",
		Flags:       wire.SessionKeepAlive | wire.SessionDirectPlayProtocol,
		StreamPorts: wire.Ports{First: 31415, Last: 31415}, DatagramPorts: wire.Ports{First: 2350, Last: 2399}}, list[0])
	assert.Equal(t, monsters, list[0].GUID.String())
	assert.Equal(t, games.Game{Title: "B", GUID: list[1].GUID, Source: "games.toml"}, list[1])
}

// TestParseErrors has each way to write it wrong: the error names the line and the key, and has no types of Go.
func TestParseErrors(t *testing.T) {
	const begin, end = "[[game]]\nname = \"A\"\n", "guid = \"" + monsters + "\"\n"
	for text, want := range map[string]string{
		begin + end + "nam = 3\n":                           `F, line 4: there is no key "game.nam"; a [[game]] has name, short,`,
		"[other]\nx = 1\n":                                  `F, line 1: there is no key "other"`,
		begin + "guid = \"{1}\"\n":                          `F, line 3, game.guid: "{1}" is no GUID: it takes a GUID in quotes, such as`,
		begin + "guid = 5\n":                                `F, line 3, game.guid: is of the wrong kind: it takes a GUID`,
		begin + "guid = [1]\n":                              `F, line 3, game.guid: is of the wrong kind: it takes a GUID in quotes`,
		begin + "guid = \"" + wire.GUID{}.String() + "\"\n": `F, line 3, game.guid: is zero`,
		begin + end + "text = \"utf8\"\n":                   `F, line 4, game.text: "utf8" is none: it takes "utf16" or "8bit"`,
		begin + end + "tcp = \"0\"\n":                       `F, line 4, game.tcp: 0 is no port`,
		begin + end + "udp = \"5-4\"\n":                     `F, line 4, game.udp: goes backwards: want 4-5: it takes`,
		begin + end + "flags = \"magic\"\n":                 `F, line 4, game.flags: "magic" is no session flag`,
		begin + end + "short = \"a b\"\n":                   `F, line 4, game.short: has more than letters and digits`,
		"[[game]]\nname = \"-\"\n" + end:                    `F, line 2, game.name: has neither letters nor digits`,
		"[[game]]\nname = \"" + monsters + "\"\n" + end:     `F, line 2, game.name: is a GUID`,
		"[[game]]\n" + end:                                  `F: game 1, "": it has no name`,
		begin:                                               `F: game 1, "A": it has no guid`,
		begin + end + begin + "guid=\"11111111-2222-3333-4444-555555555555\"": `F: game 2, "A": "A" is the name of another game above, "A"`,
		begin + end + "[[game]]\nname = \"B\"\n" + end:                        `F: game 2, "B": ` + monsters + ` is the GUID of another game above`,
		"[[game\n":        `F, line 1: `,
		"game = 3":        `F, line 1, game: is of the wrong kind: it takes [[game]] begins a game`,
		begin + begin[9:]: `F, line 3, name: key name is already defined`,
	} {
		_, err := Parse("F", []byte(text))
		require.ErrorContains(t, err, want, text)
		for _, word := range []string{"struct", "toml:", "gamelist.", "cannot decode"} {
			assert.NotContains(t, err.Error(), word)
		}
	}
}

// TestUserFile has the user's games first, and none of them where the file is wrong.
func TestUserFile(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path, err := Path()
	require.NoError(t, err)
	assert.NoError(t, Err(), "no file")
	assert.Equal(t, games.All(), Games())
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		Forget()
	}
	write("[[game]]\nname = \"My Loco\"\nguid = \"{f9cd2546-577f-11d2-9426-00a0244bda7a}\"\n")
	require.NoError(t, Err())
	assert.Len(t, Games(), len(games.All())+1)
	loco, _ := games.ByName("loco")
	assert.Equal(t, "My Loco", Title(loco.GUID))
	write("[[game]]\n")
	assert.ErrorContains(t, Err(), path+": game 1")
	assert.Equal(t, "Lego Loco", Title(loco.GUID))
	write(strings.Repeat("#\n", maxFile))
	assert.ErrorContains(t, Err(), "larger than 1 MiB")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o755))
	Forget()
	assert.ErrorContains(t, Err(), path)
}

// wide returns a text as Windows exports it.
func wide(s string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// bigEndian swaps the octets of each unit.
func bigEndian(text []byte) []byte {
	for i := 0; i+1 < len(text); i += 2 {
		text[i], text[i+1] = text[i+1], text[i]
	}
	return text
}

// hexText returns a value of kind hex(1) as regedit writes it, broken after some octets.
func hexText(b []byte) string {
	var out strings.Builder
	for i, c := range b {
		if i > 0 {
			out.WriteString(",")
		}
		if i%20 == 19 {
			out.WriteString("\\\r\n  ")
		}
		out.WriteString(string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
	}
	return out.String()
}

// TestRegistry reads exported registries of each kind.
func TestRegistry(t *testing.T) {
	const key = `HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\DirectPlay\Applications`
	body := "\r\n\r\n[" + key + "]\r\n\"x\"=\"y\"\r\n\r\n" +
		"[" + key + "\\Monsters [II]]\r\n\"Path\"=\"C:\\\\G\\\\\"\r\n\"guid\"=\"" + strings.ToUpper(monsters) + "\"\r\n\"Guid\"=\"twice\"\r\n" +
		"[" + strings.Replace(strings.ToLower(key), "software", `Software\WOW6432Node`, 1) + "\\Größe]\r\n\"Guid\"=hex(1):"
	tail := "\r\n[" + key + "\\Raw]\r\n\"Guid\"=hex:3e,e0,cf,bd,ec,f0,5b,41,82,11,6f,86,d8,19,7f,e1\r\n" +
		"[" + key + "\\None]\r\n\"File\"=\"a.exe\"\r\n[" + key + "\\Bad]\r\n\"Guid\"=\"{no}\"\r\n[" + key + "\\Short]\r\n\"Guid\"=hex:01\r\n" +
		"[" + key + "\\Zero]\r\n\"Guid\"=\"" + wire.GUID{}.String() + "\"\r\n[" + key + "\\Digits]\r\n\"Guid\"=hex:zz\r\n" +
		"[" + key + "\\Number]\r\n\"Guid\"=dword:00000001\r\n[-" + key + "\\Removed]\r\n[" + key + "\\Game\\Below]\r\n\"Guid\"=\"" + monsters +
		"\"\r\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Other]\r\n\"Guid\"=\"" + monsters + "\""
	eight := strings.ReplaceAll(registry4+body+hexText([]byte(monsters+"\x00"))+tail, "ö", "\xf6")
	eight = strings.ReplaceAll(eight, "ß", "\xdf")
	for name, file := range map[string][]byte{
		"UTF-16":             wide(registry5 + body + hexText(wide(monsters + "\x00")[2:]) + tail),
		"UTF-16, big-endian": bigEndian(wide(registry5 + body + hexText(wide(monsters + "\x00")[2:]) + tail)),
		"UTF-8":              []byte("\ufeff" + registry5 + body + hexText(wide(monsters + "\x00")[2:]) + tail),
		"8 bits":             []byte(eight),
	} {
		list, err := parseRegistry(file)
		require.NoError(t, err, name)
		require.Len(t, list, 9, name)
		for i, want := range []string{"Monsters [II]", "Größe", "Raw"} {
			assert.Equal(t, want, list[i].Name, name)
			assert.Equal(t, monsters, list[i].GUID.String(), name)
			assert.NoError(t, list[i].Err, name)
		}
		assert.Equal(t, 8, list[0].Line)
		for i, why := range []string{"its key has no Guid", `"{no}" is no GUID`, "has 1 octets, not 16", "is zero", "no hexadecimal", "neither text nor octets"} {
			assert.ErrorContains(t, list[3+i].Err, why, name)
		}
	}
	list, err := parseRegistry([]byte(registryWine + "\n;; All keys relative to \\\\Machine\n\n[Software\\\\Microsoft\\\\DirectPlay\\\\Applications\\\\A] 17\n" +
		"#time=1\n\"Guid\"=\"" + monsters + "\"\n\n[Software\\\\Wow6432Node\\\\Microsoft\\\\DirectPlay\\\\Applications\\\\B] 17\n\"Guid\"=str(2):\"" +
		monsters + "\"\n"))
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Equal(t, Application{"B", list[0].GUID, 9, nil}, list[1])
	for _, other := range []string{"", "hello", "\xff\xfe", "[Software]", registry4 + "x"} {
		_, err := parseRegistry([]byte(other))
		assert.ErrorContains(t, err, "is no exported registry", "%q", other)
	}
}

// TestRegistryLimits has files that are far too large in one way or another.
func TestRegistryLimits(t *testing.T) {
	const key = "[A\\SOFTWARE\\Microsoft\\DirectPlay\\Applications\\"
	_, err := parseRegistry([]byte(registry4 + "\n" + strings.Repeat(key+"x]\n\"Guid\"=\"\"\n", mostApplications+1)))
	assert.ErrorContains(t, err, "more than 1000 games")
	list, err := parseRegistry([]byte(registry4 + "\n" + key + "x]\n\"Guid\"=hex(1):" + strings.Repeat("31,\\\n", 1<<20) + "\n" +
		key + "y]\n\"Guid\"=\"" + monsters + "\""))
	require.NoError(t, err)
	require.Len(t, list, 2)
	assert.Less(t, len(list[0].Err.Error()), 2*mostValue)
	assert.NoError(t, list[1].Err)
	big := filepath.Join(t.TempDir(), "big.reg")
	require.NoError(t, os.WriteFile(big, nil, 0o644))
	require.NoError(t, os.Truncate(big, mostRegistry+1))
	_, err = ReadRegistry(big)
	assert.ErrorContains(t, err, "larger than 64 MiB")
}

// FuzzRegistry reads any octets without a panic, and never finds more games than lines.
func FuzzRegistry(f *testing.F) {
	f.Add([]byte(registry4 + "\n[HKLM\\SOFTWARE\\Microsoft\\DirectPlay\\Applications\\A]\n\"Guid\"=hex(1):7b,\\\n7d"))
	f.Add(wide(registry5 + "\n[X\\SOFTWARE\\Microsoft\\DirectPlay\\Applications\\A]\n\"Guid\"=\"" + monsters + "\""))
	f.Add([]byte(registryWine + "\n[Software\\\\Microsoft\\\\DirectPlay\\\\Applications\\\\A] 1\n\"Guid\"=str(2):\"\""))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := parseRegistry(b)
		if err != nil {
			return
		}
		assert.LessOrEqual(t, len(list), strings.Count(registryText(b), "\n")+1)
		old := []byte("# mine\n")
		text, outcomes, err := extend(old, nil, "a.reg", list)
		require.NoError(t, err)
		require.Len(t, outcomes, len(list))
		_, err = Parse("games.toml", text)
		assert.NoError(t, err, "what is added can be read")
	})
}

// TestAdd adds games behind what is in the file, and says of each what became of it.
func TestAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "games.toml")
	read := func() string {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(b)
	}
	guid := func(n byte) wire.GUID { return wire.GUID{n} }
	loco, _ := games.ByName("loco")
	list := []Application{{"It's \"quoted\" \\ and größer", guid(1), 3, nil}, {"Again", guid(1), 6, nil}, {"Loco", loco.GUID, 9, nil},
		{"its quoted and größer", guid(2), 12, nil}, {"...", guid(3), 15, nil}, {"Bad", wire.GUID{}, 18, assert.AnError}}
	want := []string{"added", "known", "known", "refused", "refused", "refused"}
	check := func(got []Outcome, err error) {
		require.NoError(t, err)
		for i := range want {
			assert.Equal(t, want[i], got[i].What, got[i].Name)
			assert.Equal(t, want[i] == "refused", got[i].Err != nil, "why")
		}
		assert.Equal(t, "Lego Loco", got[2].Known)
	}
	check(Add(path, "a.reg", list, true))
	assert.NoFileExists(t, path, "nothing is written when it is only asked")
	check(Add(path, "a.reg", list, false))
	first := read()
	own, err := Parse(path, []byte(first))
	require.NoError(t, err)
	assert.Equal(t, games.List{{Title: list[0].Name, GUID: guid(1), Source: "a.reg, line 3"}}, own)

	mine := "# mine\r\n" + strings.ReplaceAll(first, "\n", "\r\n") + "\r\n# the end"
	require.NoError(t, os.WriteFile(path, []byte(mine), 0o600))
	require.NoError(t, os.Chmod(path, 0o600))
	want[0] = "known"
	check(Add(path, "b.reg", list, false))
	assert.Equal(t, mine, read(), "nothing new, nothing written")
	_, err = Add(path, "b.reg", []Application{{"More", guid(9), 4, nil}}, false)
	require.NoError(t, err)
	assert.Equal(t, mine+"\r\n\r\n[[game]]\r\nname = 'More'\r\nguid = '"+guid(9).String()+"'\r\nsource = 'b.reg, line 4'\r\n", read())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o600, info.Mode().Perm(), "it stays the user's alone")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays")

	link := filepath.Join(t.TempDir(), "link.toml")
	require.NoError(t, os.Symlink(path, link))
	_, err = Add(link, "c.reg", []Application{{"Linked", guid(10), 4, nil}}, false)
	require.NoError(t, err)
	assert.Contains(t, read(), "Linked", "a link stays one")

	require.NoError(t, os.WriteFile(path, []byte("x = 1\n"), 0o600))
	_, err = Add(path, "d.reg", []Application{{"Never", guid(11), 4, nil}}, false)
	assert.ErrorContains(t, err, `line 1: there is no key "x"`)
	assert.Equal(t, "x = 1\n", read(), "a file that is wrong is not touched")
}
