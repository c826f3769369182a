package compat_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/annotate"
)

// annotateFile writes a capture with its comments, and gives the file.
func annotateFile(t *testing.T, file []byte) (name string) {
	t.Helper()
	notes, err := annotate.Read(context.Background(), bytes.NewReader(file), annotate.Options{})
	require.NoError(t, err)
	defer notes.Close()
	var out bytes.Buffer
	_, err = notes.Write(context.Background(), &out, bytes.NewReader(file), nil)
	require.NoError(t, err)
	name = filepath.Join(t.TempDir(), "annotated.pcapng")
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
	return name
}

// frames returns what tshark tells of each frame of a file: all that has to stay as it is, and the comments.
func (p tshark) frames(t *testing.T, name string) (fixed []string, comments map[string]string) {
	t.Helper()
	args := []string{"-r", name, "-n", "-o", "frame.generate_md5_hash:TRUE", "-T", "fields", "-E", "aggregator=\x1e", "-e", "frame.number",
		"-e", "frame.comment", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len", "-e", "frame.interface_id",
		"-e", "frame.encap_type", "-e", "frame.md5_hash"}
	comments = map[string]string{}
	for line := range strings.Lines(string(p.run(t, args...))) {
		f := strings.SplitN(line, "\t", 3)
		require.Len(t, f, 3, "%q", line)
		fixed = append(fixed, f[0]+" "+f[2])
		if f[1] != "" {
			comments[f[0]] = "\x1e" + f[1]
		}
	}
	return fixed, comments
}

// TestTsharkReadsComments annotates every capture of the project and has tshark read it: the packets are what they were, and
// every message stands at the frame in which it ends, as a comment of its own. Without DPLAY_LONG, as "make race-long" has it, it
// takes three of the captures, a pcapng file among them. That takes two seconds: each start of tshark takes a quarter of one.
func TestTsharkReadsComments(t *testing.T) {
	t.Parallel()
	program := findTshark(t)
	names, err := filepath.Glob("../captures/*/*.pcap*")
	require.NoError(t, err)
	require.Greater(t, len(names), 20)
	for i, name := range names {
		if i%14 != 0 && os.Getenv("DPLAY_LONG") == "" {
			continue
		}
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		before, _ := program.frames(t, name)
		after, comments := program.frames(t, annotateFile(t, file))
		if filepath.Ext(name) == ".pcap" {
			for i := range before { // that has no interfaces
				before[i] = strings.Replace(before[i], "\t\t", "\t0\t", 1)
			}
		}
		require.Equal(t, before, after, name)
		with := map[string]bool{}
		_, err = captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(r *captures.Record) error {
			for i, f := range r.Frames {
				frame := fmt.Sprint(f)
				want := fmt.Sprintf("\x1emessage %d: %s", r.N, r.Command())
				if i < len(r.Frames)-1 {
					want += fmt.Sprintf(" continues in frame %d", r.Frames[i+1])
				}
				require.Contains(t, comments[frame], want, "%s frame %s", name, frame)
				with[frame] = true
			}
			return nil
		}, nil)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(comments), len(with), name)
	}
}

// TestTsharkReadsSection has the programs of Wireshark show the comments on a file, and a display filter find a finding.
func TestTsharkReadsSection(t *testing.T) {
	t.Parallel()
	program := findTshark(t)
	file, err := os.ReadFile("../captures/lab/08-rzhost-full-max1-w10join.pcap")
	require.NoError(t, err)
	name := annotateFile(t, file)
	out := string(program.run(t, "-r", name, "-Y", `frame.comment contains "doctor"`, "-T", "fields", "-e", "frame.number"))
	assert.Equal(t, "38\n", out)
	capinfos, err := exec.LookPath(filepath.Join(filepath.Dir(program.path), "capinfos"))
	if err != nil {
		t.Skipf("tshark comes without capinfos here: %v", err)
	}
	info, err := exec.CommandContext(t.Context(), capinfos, "-k", name).Output()
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^Capture comment: +doctor: 1 finding: 10\.77\.0\.2 got no player in the session "FULL"`, string(info))
	assert.Regexp(t, `(?m)^Capture comment: +session "FULL" .*hosted by 0x19a9d65b at 10\.77\.0\.1:2300`, string(info))
}

// TestTsharkReadsPcap has tshark compare pcap files of both byte orders and resolutions with their copies, which have a
// packet that was cut, a time beyond 2038, and a frame check sequence.
func TestTsharkReadsPcap(t *testing.T) {
	t.Parallel()
	program := findTshark(t)
	type appender interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
	for _, c := range []struct {
		order       appender
		magic, link uint32
	}{
		{binary.LittleEndian, 0xa1b2c3d4, 1}, {binary.BigEndian, 0xa1b23c4d, 1 | 1<<26 | 2<<28}, {binary.BigEndian, 0xa1b2c3d4, 276},
	} {
		o := c.order
		b := o.AppendUint16(o.AppendUint16(o.AppendUint32(nil, c.magic), 2), 4)
		b = o.AppendUint32(o.AppendUint32(append(b, make([]byte, 8)...), 262144), c.link)
		for i, length := range []uint32{64, 1514, 65} {
			b = o.AppendUint32(o.AppendUint32(b, 1_700_000_000+uint32(i)*1_000_000_000), 999_999-uint32(i))
			b = o.AppendUint32(o.AppendUint32(b, 61), length)
			b = append(b, bytes.Repeat([]byte{byte(i)}, 61)...)
		}
		name := filepath.Join(t.TempDir(), "before.pcap")
		require.NoError(t, os.WriteFile(name, b, 0o644))
		tree := func(name string) string {
			return string(program.run(t, "-r", name, "-n", "-o", "frame.generate_md5_hash:TRUE", "-V", "-O", "frame,eth,sll,data"))
		}
		before, after := tree(name), tree(annotateFile(t, b))
		for _, part := range []string{"\n    Frame Number: ", "\n    Epoch Time: ", "\n    Frame Length: ", "\n    Capture Length: ",
			"\n    Encapsulation type: ", "\n    [Frame MD5 Hash: "} {
			assert.Equal(t, 3, strings.Count(before, part), part)
		}
		assert.Equal(t, 3, strings.Count(after, "\n    Interface id: 0 "), "the interface of every frame")
		assert.Equal(t, withoutInterface(before), withoutInterface(after))
	}
}

// withoutInterface leaves out the lines on the interface, the first ones of frames among them, and that there are comments.
func withoutInterface(tree string) (out string) {
	for line := range strings.Lines(tree) {
		switch label, _, _ := strings.Cut(strings.TrimSpace(line), ":"); {
		case strings.HasPrefix(line, "Frame "), label == "Packet comments", label == "Section number", label == "Interface id",
			label == "Interface name":
		default:
			out += line
		}
	}
	return out
}
