package hexdump

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// chat has octets that are text, among them digits, braces and comment signs, for the column of characters.
func chat() []byte {
	return madeup.Game(2300, 0x1234, 0x5678, "ab cd { 12 34 } /* # // = hello      ")
}

// column returns the characters beside octets.
func column(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		s.WriteByte(c)
	}
	return s.String()
}

// dump writes lines of octets, each with an offset and a column of characters.
func dump(b []byte, size, group int, offset, beside string) string {
	var s strings.Builder
	for at := 0; at < len(b); at += size {
		line := b[at:min(len(b), at+size)]
		var octets strings.Builder
		for i, c := range line {
			if i%group == 0 {
				octets.WriteByte(' ')
			}
			fmt.Fprintf(&octets, "%02x", c)
		}
		if offset != "" {
			fmt.Fprintf(&s, offset, at)
		}
		fmt.Fprintf(&s, "%-*s"+beside+"\n", size*2+(size+group-1)/group, octets.String(), column(line))
	}
	return s.String()
}

// array writes an array of C as Wireshark does.
func array(b []byte) string {
	s := "/* Frame (1 bytes) */\nstatic const unsigned char pkt1[1] = {\n"
	for at := 0; at < len(b); at += 8 {
		line := b[at:min(len(b), at+8)]
		for _, c := range line {
			s += fmt.Sprintf("0x%02x, ", c)
		}
		s += "/* " + strings.ReplaceAll(column(line), "*/", "..") + " */\n"
	}
	return s + "};\n"
}

func escaped(b []byte) string {
	s := ""
	for at := 0; at < len(b); at += 16 {
		s += `"`
		for _, c := range b[at:min(len(b), at+16)] {
			s += fmt.Sprintf(`\x%02x`, c)
		}
		s += "\" \\\n"
	}
	return s
}

// TestForms reads one message in each form that tools print it in, alone and two times, with Windows' line ends, with the spaces at
// the ends of lines lost, and without a newline at the end.
func TestForms(t *testing.T) {
	b := chat()
	plain := strings.ToUpper(hex.EncodeToString(b))
	colons := strings.ReplaceAll(dump(b, len(b), 1, "", "%.0s"), " ", ":")[1:]
	for name, text := range map[string]string{
		"digits":         plain + "\n",
		"folded digits":  plain[:60] + "\n" + plain[60:] + "\n",
		"colons":         colons,
		"single octets":  dump(b, 16, 1, "", "%.0s"),
		"groups of four": dump(b, 16, 2, "", "%.0s"),
		"xxd":            dump(b, 16, 2, "%08x:", "  %s"),
		"xxd -c 32":      dump(b, 32, 2, "%08x:", "  %s"),
		"xxd -c 7":       dump(b, 7, 2, "%08x:", "  %s"),
		"hexdump -C":     hex.Dump(b) + fmt.Sprintf("%08x\n", len(b)),
		"od":             dump(b, 16, 1, "%06x", "  >%s<") + fmt.Sprintf("%06x\n", len(b)),
		"Wireshark":      dump(b, 16, 1, "%04x  ", "   %s"),
		"offsets alone":  dump(b, 16, 1, "%04x ", "%.0s"),
		"tcpdump -X":     dump(b, 16, 2, "\t0x%04x: ", "  %s"),
		"array":          array(b),
		"escaped":        escaped(b),
		"comment":        "# from a forum\n// of 2003\n" + plain + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			trimmed := ""
			for line := range strings.Lines(text) {
				trimmed += strings.TrimRight(line, " \n") + "\n"
			}
			for form, x := range map[string]string{
				"as it is": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "no newline": strings.TrimSuffix(text, "\n"),
				"trimmed": trimmed, "mark": "\ufeff" + text,
			} {
				got, err := parse([]byte(x))
				require.NoError(t, err, "%s:\n%s", form, x)
				require.Equal(t, [][]byte{b}, got, "%s:\n%s", form, x)
				assert.True(t, Recognized([]byte(x)[:min(len(x), 100)]), form)
			}
			got, err := parse([]byte(text + "\n" + text))
			require.NoError(t, err)
			assert.Equal(t, [][]byte{b, b}, got)
		})
	}
	got, err := parse([]byte(dump(b, 16, 2, "%08x:", "  %s") + dump(b, 16, 2, "%08x:", "  %s")))
	require.NoError(t, err)
	assert.Equal(t, [][]byte{b, b}, got, "offset 0 begins a message")
}

// TestOffsets: digits count as an offset only before a word of one or two octets. What stands there else is a column of characters.
func TestOffsets(t *testing.T) {
	for text, want := range map[string]string{
		"0102  ··\n":             "0102",
		"ff 44\n0x12ff  ··":      "ff4412ff",
		"0002 |€":                "0002",
		"0000 \n0000  ··":        "00000000",
		"00000000 |·\n  44":      "0000000044",
		"0000 34 35\n0002 36  ·": "343536",
	} {
		got, err := parse([]byte(text))
		require.NoError(t, err, "%q", text)
		assert.Equal(t, want, hex.EncodeToString(bytes.Join(got, nil)), "%q", text)
	}
}

// TestColumnIsShort: each gap of a long line asks for the column of characters, so that the answer takes no time that grows with the line.
func TestColumnIsShort(t *testing.T) {
	line := bytes.Repeat([]byte("4"), maxBeside+1)
	assert.True(t, shows(line[:maxBeside], line[:maxBeside]))
	assert.False(t, shows(line, line))
	assert.Zero(t, testing.AllocsPerRun(1, func() { shows(line, line[:16]) }), "copies of the line")
}

// TestErrors: an error names line and column, and the culprit.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"34 00\n34 zz\n":               "line 2, column 4: \"zz\" is no hexadecimal octet",
		"34 00 3\n":                    "line 1, column 7: \"3\" has an odd number",
		"0000  34 00\n0010  34 00\n":   "line 2, column 1: offset 0x10, but 2 (0x2) octets",
		"00000000: 3400\n*\n":          "line 2, column 1: \"*\" stands for",
		"0000000 0034 fab0\n":          "line 1, column 1: \"0000000\" has an odd number of digits; \"hexdump\" without -C",
		"34 00 /* begun\n":             "line 1, column 7: a comment that does not end",
		"ffffffffff: 34\n":             "line 1, column 1: offset ffffffffff: is too large",
		"34 00 é\n":                    "line 1, column 7: ",
		"34 00  wrong column\n":        "line 1, column 8: \"wrong\" is no",
		"34 00\n{34}  zz\n":            "line 2, column 7: \"zz\" is no",
		"# nothing\n":                  "the text has no octets",
		"45000028000000004006000000\n": "",
	} {
		var out bytes.Buffer
		err := Capture(strings.NewReader(text), &out)
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.ErrorContains(t, err, want, text)
	}
	assert.EqualError(t, Capture(strings.NewReader("34\nno\n"), &bytes.Buffer{}), `line 2, column 1: "no" is no hexadecimal octet`)
	for _, text := range []string{"", "no hex", "package main", "\n\n", "*", "0000000 0034"} {
		assert.False(t, Recognized([]byte(text)), text)
	}
	assert.ErrorContains(t, Capture(bytes.NewReader(make([]byte, maxText+1)), &bytes.Buffer{}), "more than")
}

// records reads text as a capture.
func records(t *testing.T, text string) (list []string) {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, Capture(strings.NewReader(text), &file))
	_, err := captures.Read(t.Context(), &file, captures.Options{Ports: []uint16{Port}}, func(r *captures.Record) error {
		list = append(list, fmt.Sprintf("%s %s > %s %s %d %v", r.Transport, r.Src, r.Dst, r.Command(), len(r.Raw), r.Err))
		return nil
	}, nil)
	require.NoError(t, err)
	return list
}

// TestKinds reads all that a message may be.
func TestKinds(t *testing.T) {
	system := madeup.System(2300, &wire.Ping{From: 7})
	bare := madeup.Message(&wire.Ping{From: 7})
	game := madeup.Bare(1, 2, "0123456789")
	frame := func(write func(n *madeup.Network)) []byte {
		n := madeup.New(t)
		write(n)
		const header = 24 + 16
		b := n.Bytes()
		at := bytes.LastIndex(b, []byte{0x08, 0x00, 0x45})
		require.Positive(t, at)
		require.Greater(t, at, header)
		return b[at-12:]
	}
	udp := frame(func(n *madeup.Network) { n.UDP("10.0.0.1:2350", "10.0.0.2:2351", system) })
	if end := 14 + int(udp[16])<<8 + int(udp[17]); len(udp) > end {
		udp = udp[:end]
	}
	made := func(transport, command string, size int) string {
		return fmt.Sprintf("%s 192.0.2.1:2350 > 192.0.2.2:2350 %s %d <nil>", transport, command, size)
	}
	for name, c := range map[string]struct {
		octets []byte
		want   []string
	}{
		"datagram":         {system, []string{made("udp", "PING", len(system))}},
		"game message":     {game, []string{made("udp", "PLAYERMESSAGE", len(game))}},
		"from a signature": {bare, []string{made("udp", "PING", len(bare)+wire.SPHeaderSize)}},
		"stream": {append(bytes.Clone(system), system...),
			[]string{made("tcp", "PING", len(system)), made("tcp", "PING", len(system))}},
		"long":     {madeup.Game(2300, 1, 2, strings.Repeat("x", 70_000)), []string{made("tcp", "PLAYERMESSAGE", 70_028)}},
		"Ethernet": {udp, []string{fmt.Sprintf("udp 10.0.0.1:2350 > 10.0.0.2:2351 PING %d <nil>", len(system))}},
		"IPv4":     {udp[14:], []string{fmt.Sprintf("udp 10.0.0.1:2350 > 10.0.0.2:2351 PING %d <nil>", len(system))}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, records(t, hex.EncodeToString(c.octets))) })
	}
	bad := bytes.Clone(udp)
	bad[23] = 6
	assert.ErrorContains(t, Capture(strings.NewReader(hex.EncodeToString(bad)), &bytes.Buffer{}), "message 1 is a frame")
}

func FuzzCapture(f *testing.F) {
	f.Add(hex.Dump(chat()))
	f.Add(array(chat()))
	f.Add("0000: 34 00  4.\n\n{45}")
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		if err := Capture(strings.NewReader(text), &out); err == nil {
			_, err := captures.Read(t.Context(), &out, captures.Options{Ports: []uint16{Port}},
				func(*captures.Record) error { return nil }, nil)
			require.NoError(t, err)
		}
	})
}
