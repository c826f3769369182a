package compat_test

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/internal/madeup"
	"dplay4/internal/testkit"
)

// A tshark is the program under test.
type tshark struct {
	path    string
	version string // "4.0.17"
}

// findTshark skips the test where there is no tshark, or fails it where CI wants one.
func findTshark(t *testing.T) tshark {
	t.Helper()
	path, err := exec.LookPath("tshark")
	if err != nil {
		const hint = "install Wireshark's command line program (Debian: apt-get install tshark)"
		if os.Getenv("DPLAY_REQUIRE_TSHARK") != "" {
			t.Fatalf("DPLAY_REQUIRE_TSHARK is set and there is no tshark: %v; %s", err, hint)
		}
		t.Skipf("nothing to compare with: %v; %s", err, hint)
	}
	p := tshark{path: path}
	tsharkVersion.once.Do(func() { tsharkVersion.says = string(p.run(t, "--version")) })
	// "TShark (Wireshark) 4.0.17 (Git v4.0.17 packaged as 4.0.17-0+deb12u3)."
	words := strings.Fields(tsharkVersion.says)
	require.Greater(t, len(words), 2, "tshark --version says %q", words)
	p.version = strings.TrimSuffix(words[2], ".")
	return p
}

// tsharkVersion is what tshark --version says. It is asked once, because each start takes a quarter of a second.
var tsharkVersion struct {
	once sync.Once
	says string
}

// run returns what tshark prints. Nobody's own settings have a say.
func (p tshark) run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(testkit.Context(t), p.path, args...)
	cmd.Env = append(os.Environ(), "WIRESHARK_CONFIG_DIR="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "tshark %s: %s", strings.Join(args, " "), &stderr)
	return out
}

// A pdmlField is one field that tshark shows, in its XML.
type pdmlField struct {
	Name     string      `xml:"name,attr"` // "" for a heading
	Show     string      `xml:"show,attr"`
	ShowName string      `xml:"showname,attr"`
	Pos      int         `xml:"pos,attr"` // in octets from the start of the frame
	Size     int         `xml:"size,attr"`
	Fields   []pdmlField `xml:"field"`
}

// A packet is what tshark shows of one frame.
type packet struct {
	Protos []pdmlField `xml:"proto"`
}

// has reports whether tshark sees the protocol in the frame.
func (p packet) has(proto string) bool {
	for _, q := range p.Protos {
		if q.Name == proto {
			return true
		}
	}
	return false
}

// dplay returns the fields of DirectPlay, headings taken out.
func (p packet) dplay() []pdmlField {
	var all []pdmlField
	var walk func([]pdmlField)
	walk = func(fields []pdmlField) {
		for _, f := range fields {
			if f.Name != "" {
				all = append(all, f)
			}
			walk(f.Fields)
		}
	}
	for _, q := range p.Protos {
		if q.Name == "dplay" {
			walk(q.Fields)
		}
	}
	return all
}

// body returns the fields of DirectPlay beyond the header.
func (p packet) body() []pdmlField {
	header := map[string]bool{"dplay.size": true, "dplay.token": true, "dplay.saddr.af": true, "dplay.saddr.port": true,
		"dplay.saddr.ip": true, "dplay.saddr.padding": true, "dplay.dplay_str": true, "dplay.command": true,
		"dplay.dialect.version": true}
	var all []pdmlField
	for _, f := range p.dplay() {
		if !header[f.Name] {
			all = append(all, f)
		}
	}
	return all
}

// show returns the values of the fields of that name.
func (p packet) show(name string) []string {
	var all []string
	for _, f := range p.dplay() {
		if f.Name == name {
			all = append(all, f.Show)
		}
	}
	return all
}

// valueName is tshark's name for the value of a field: AES of "Encryption algorithm: AES (0x00006611)".
func (f pdmlField) valueName() string {
	_, s, _ := strings.Cut(f.ShowName, ": ")
	if i := strings.LastIndex(s, " ("); i >= 0 {
		return s[:i]
	}
	return ""
}

// decode writes a capture and lets tshark decode it. The frames come back in order, frame n at n-1.
func (p tshark) decode(t *testing.T, write func(*madeup.Network)) []packet {
	t.Helper()
	name := filepath.Join(t.TempDir(), "compat.pcap")
	c := madeup.New(t)
	write(c)
	require.NoError(t, os.WriteFile(name, c.Bytes(), 0o600))
	var doc struct {
		Packets []packet `xml:"packet"`
	}
	require.NoError(t, xml.Unmarshal(p.run(t, "-n", "-r", name, "-T", "pdml"), &doc))
	require.Len(t, doc.Packets, c.Frames, "frames that tshark shows")
	return doc.Packets
}
