package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/dpsp/games"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// TestDoctorFile checks verdicts and exit statuses of captures, and that one bad file does not hide the others.
func TestDoctorFile(t *testing.T) {
	got := dplay(t, "doctor", lab(t, "02"))
	assert.Equal(t, exitOK, got.status)
	assert.Equal(t, lab(t, "02")+": healthy: 1 session, 1 machine joined, 13 messages in all\n", got.out)
	assert.Empty(t, got.err)

	got = dplay(t, "doctor", lab(t, "08"), lab(t, "04"))
	assert.Equal(t, exitFindings, got.status)
	assert.Contains(t, got.out,
		"\n1. failure: 10.77.0.2 got no player in the session \"FULL\": the session is full [session-full]\n")
	assert.Contains(t, got.out, "   frame 38 at 1.507082 s: REQUESTPLAYERREPLY Result: DPERR_NONEWPLAYERS (0x8877014a)\n   Why: ")
	assert.Contains(t, got.out, "\n\n"+lab(t, "04")+": healthy: ")
	assert.Empty(t, got.err)

	got = dplay(t, "doctor", "missing.pcap", lab(t, "08"))
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "dplay: missing.pcap: ")
	assert.Contains(t, got.out, "session-full")

	in, err := os.Open(lab(t, "04"))
	require.NoError(t, err)
	defer in.Close()
	got = dplayFrom(t, in, "doctor", "-")
	assert.Equal(t, exitOK, got.status)
	assert.True(t, strings.HasPrefix(got.out, "standard input: healthy: "), got.out)
}

// TestDoctorDamaged checks that a file which is cut short is judged as far as it goes.
func TestDoctorDamaged(t *testing.T) {
	b, err := os.ReadFile(lab(t, "08"))
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(name, b[:len(b)-3], 0o600))
	got := dplay(t, "doctor", name)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.out, "session-full")
	assert.Contains(t, got.out, "capture-incomplete")
	assert.Contains(t, got.err, "cut.pcap: ")
}

// TestDoctorNoDirectPlay4 checks that a capture without DirectPlay 4 is a finding, for people and for programs, and that
// decode says who knows more.
func TestDoctorNoDirectPlay4(t *testing.T) {
	n := madeup.New(t)
	n.UDP("192.0.2.1:40000", "192.0.2.2:53", []byte("who"))
	name := filepath.Join(t.TempDir(), "dns.pcap")
	require.NoError(t, os.WriteFile(name, n.Bytes(), 0o600))
	got := dplay(t, "doctor", name)
	assert.Equal(t, exitFindings, got.status)
	assert.Contains(t, got.out, "dns.pcap: 1 finding: no DirectPlay 4 in 1 packet, but UDP port 53 (DNS) (1)\n")
	assert.Contains(t, got.out, "[no-directplay4]\n   frame 1: UDP port 53 (DNS) 1 packet\n")
	got = dplay(t, "doctor", "--format", "ndjson", name)
	assert.Equal(t, exitFindings, got.status)
	finding := parse(t, strings.Split(got.out, "\n")[0])
	assert.Equal(t, []any{"no-directplay4", "note"}, []any{finding["code"], finding["severity"]})
	evidence := finding["evidence"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{"UDP port 53 (DNS)", "1 packet", 1.0}, []any{evidence["message"], evidence["value"], evidence["frame"]})
	assert.Equal(t, false, parse(t, strings.Split(got.out, "\n")[1])["healthy"])
	got = dplay(t, "decode", name)
	assert.Equal(t, exitOK, got.status)
	assert.Contains(t, got.err, `"dplay doctor FILE" says what is`)
}

// TestDoctorNDJSON checks the objects.
func TestDoctorNDJSON(t *testing.T) {
	got := dplay(t, "doctor", "--format", "ndjson", lab(t, "01"), lab(t, "02"))
	assert.Equal(t, exitFindings, got.status)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	require.Len(t, lines, 3)
	finding := parse(t, lines[0])
	assert.Equal(t, "finding", finding["type"])
	assert.Equal(t, "list-malformed", finding["code"])
	assert.Equal(t, "failure", finding["severity"])
	evidence := finding["evidence"].([]any)[0].(map[string]any)
	assert.Equal(t, 28.0, evidence["frame"])
	assert.Equal(t, "PackedOffset", evidence["field"])
	assert.Equal(t, "0", evidence["value"])
	for i, healthy := range []bool{false, true} {
		verdict := parse(t, lines[1+i])
		assert.Equal(t, "verdict", verdict["type"])
		assert.Equal(t, healthy, verdict["healthy"])
	}
}

// TestDoctorGame checks that an application is named where its game is known.
func TestDoctorGame(t *testing.T) {
	for _, g := range games.All() {
		if g.GUID.IsZero() {
			continue
		}
		at := newPlace(t)
		c := newCapture()
		file := filepath.Join(t.TempDir(), "x.pcap")
		require.NoError(t, os.WriteFile(file, c.udp(at.address+":5000", "192.0.2.1:47624", enumSessions(t, g.GUID)).
			tcp("192.0.2.1:4000", at.address+":2300", enumReply(t)).b, 0o600))
		got := dplay(t, "doctor", file)
		assert.Equal(t, exitFindings, got.status)
		assert.Contains(t, got.out, " looks for "+g.Title+" "+g.GUID.String()+
			", but 192.0.2.1 hosts {00000000-0000-0000-0000-000000000009}")
	}
}

// TestDoctorPages checks the list of findings and the pages about them.
func TestDoctorPages(t *testing.T) {
	got := dplay(t, "doctor", "--list")
	assert.Equal(t, exitOK, got.status)
	assert.Equal(t, len(doctor.Codes()), strings.Count(got.out, "\n"))
	for _, c := range doctor.Codes() {
		assert.Contains(t, got.out, string(c)+" ")
		page := dplay(t, "doctor", "--explain", string(c))
		assert.Equal(t, exitOK, page.status)
		assert.True(t, strings.HasPrefix(page.out, "# "+doctor.Title(c)+"\n"), page.out)
	}
	for _, c := range []struct {
		args []string
		err  string
	}{
		{[]string{"--explain", "nothing"}, `--explain "nothing": there is no such code`},
		{[]string{"--explain", ""}, `--explain "": there is no such code`},
		{[]string{"--list", "x"}, "--list and --explain stand alone"},
		{[]string{"--list", "--live"}, "--list and --explain stand alone"},
		{nil, `no FILE given ("-" is standard input), and no --live`},
		{[]string{"--app", "lotr2", "x"}, "--app is for --live"},
		{[]string{"--timeout", "1s", "x"}, "--timeout is for --live"},
		{[]string{"--live", "--timeout", "0s"}, "--timeout 0s: must be more than nothing"},
		{[]string{"--live", "--port", "5"}, "--port is for captures"},
		{[]string{"--port", "0", "x"}, "ports go from 1 to 65535"},
		{[]string{"--live", "a", "b"}, "one HOST at most, not 2"},
		{[]string{"--format", "xml", "x"}, "must be text or ndjson"},
	} {
		got := dplay(t, append([]string{"doctor"}, c.args...)...)
		assert.Equal(t, exitUsage, got.status, "%v", c.args)
		assert.Contains(t, got.err, c.err)
		assert.Empty(t, got.out)
	}
}

// TestDoctorHelp checks that the help names its flags.
func TestDoctorHelp(t *testing.T) {
	help := dplay(t, "doctor", "--help").out
	for _, want := range []string{"--live", "--app GUID|NAME", "--explain CODE", "--list", "--format text|ndjson", "Exit status:"} {
		assert.Contains(t, help, want)
	}
}

func enumSessions(t testing.TB, app wire.GUID) []byte {
	return message(t, &wire.EnumSessions{Application: app})
}

func enumReply(t testing.TB) []byte {
	return message(t, &wire.EnumSessionsReply{
		Desc: wire.SessionDesc{Application: wire.GUID{15: 9}, Instance: wire.GUID{1}}, Name: wire.NewText("other")})
}
