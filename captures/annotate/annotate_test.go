package annotate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/annotate"
	"dplay4/captures/internal/pcapfile"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// annotated writes a capture with its comments.
func annotated(t *testing.T, file []byte) (out []byte, done annotate.Written) {
	t.Helper()
	notes, err := annotate.Read(context.Background(), bytes.NewReader(file), annotate.Options{Options: captures.Options{Name: "test"}})
	require.NoError(t, err)
	defer notes.Close()
	var b bytes.Buffer
	done, err = notes.Write(context.Background(), &b, bytes.NewReader(file), nil)
	require.NoError(t, err)
	return b.Bytes(), done
}

// comments returns the comments of a file as pcapng has them: of the section, and of each packet.
func comments(t *testing.T, file []byte) (section []string, frames map[int][]string) {
	t.Helper()
	frames = map[int][]string{}
	frame := 0
	for len(file) > 0 {
		size := int(u32(file[4:]))
		block := file[:size-4]
		switch file = file[size:]; u32(block) {
		case 0x0a0d0d0a:
			section = append(section, options(block[24:])...)
		case 6:
			frame++
			if list := options(block[28+(u32(block[20:])+3)&^3:]); list != nil {
				frames[frame] = list
			}
		}
	}
	return section, frames
}

// options returns the comments among options. All files here have the octets in little order.
func options(b []byte) (list []string) {
	for len(b) >= 4 {
		code, n := u32(b)&0xffff, int(u32(b)>>16)
		if code == 1 {
			list = append(list, string(b[4:4+n]))
		}
		b = b[4+(n+3)&^3:]
	}
	return list
}

func u32(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// packets returns the packets of a file.
func packets(t *testing.T, file []byte) (all []pcapfile.Packet) {
	t.Helper()
	rd, err := pcapfile.NewReader(bytes.NewReader(file), "test")
	require.NoError(t, err)
	for {
		p, err := rd.Next()
		if err != nil {
			return all
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}

// TestCaptures annotates every capture of the project: the packets stay as they are, and every message, and every finding of
// the reading, stands at the frame where it ends or is.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("../*/*.pcap*")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		out, done := annotated(t, file)
		before := packets(t, file)
		require.Equal(t, before, packets(t, out), name)
		section, frames := comments(t, out)
		require.Greater(t, len(section), 2, name)
		require.Equal(t, len(before), done.Frames)
		require.Len(t, frames, done.Commented, name)
		messages := 0
		want := func(frame int, text string) {
			require.True(t, holds(frames[frame], text), "%s: frame %d has %q, not %q", name, frame, frames[frame], text)
		}
		_, err = captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(r *captures.Record) error {
			last := r.Frames[len(r.Frames)-1]
			want(last, fmt.Sprintf("message %d: %s", r.N, r.Command()))
			for i, f := range r.Frames[:len(r.Frames)-1] {
				want(f, fmt.Sprintf("message %d: %s continues in frame %d", r.N, r.Command(), r.Frames[i+1]))
			}
			for _, f := range r.Findings {
				want(f.Frame, "finding "+string(f.Code)+": ")
			}
			messages++
			return nil
		}, func(f *captures.Finding) { want(f.Frame, "finding "+string(f.Code)+": ") })
		require.NoError(t, err)
		require.NotZero(t, messages, name)
		for frame, list := range frames {
			for _, text := range list {
				require.True(t, utf8.ValidString(text) && len(text) <= 1000 && !strings.ContainsAny(text, "\x00\n"), "frame %d: %q", frame, text)
			}
		}
	}
}

// holds reports whether a comment begins with a text.
func holds(list []string, text string) bool {
	for _, c := range list {
		if strings.HasPrefix(c, text) {
			return true
		}
	}
	return false
}

// TestFull: the file says what the doctor says, who hosts what, and who plays.
func TestFull(t *testing.T) {
	file, err := os.ReadFile("../lab/08-rzhost-full-max1-w10join.pcap")
	require.NoError(t, err)
	out, _ := annotated(t, file)
	section, frames := comments(t, out)
	assert.Contains(t, frames[38], `doctor, failure session-full: 10.77.0.2 got no player in the session "FULL": the session is full; `+
		`here: REQUESTPLAYERREPLY Result: DPERR_NONEWPLAYERS (0x8877014a)`)
	text := strings.Join(section, "\n")
	assert.Contains(t, text, "\ndoctor: 1 finding: ")
	assert.Contains(t, text, "See frame 38. Why: ")
	assert.Contains(t, text, `session "FULL" {bd43b6fb-276a-47d7-af03-d7554bf6e979} of the game {a052a50b-ffe0-11cf-9c4e-00a0c905425e}, `+
		`MIGRATEHOST|KEEPALIVE; hosted by 0x19a9d65b at 10.77.0.1:2300; machines: 0x000003ea at 10.77.0.2:2300, `+
		`0x19a9d65b at 10.77.0.1:2300; players: "HostGuy" 0x000003e9`)
	assert.Contains(t, text, "45 frames, 8 of them with DirectPlay 4; 8 messages.")
}

// TestLate has messages that are known only after later frames: behind a gap that is filled, and at the end of the file
// behind one that is not. Each stands at its own frame.
func TestLate(t *testing.T) {
	n := madeup.New(t)
	chat := func(text string) []byte {
		return madeup.System(2300, &wire.Chat{From: 1, To: 2, Text: wire.NewText(text)})
	}
	seq := uint32(1000)
	segment := func(octets []byte) func() int { // takes its place in the stream now, and is written when it is called
		at := seq
		seq += uint32(len(octets))
		return func() int {
			return n.TCP("10.0.0.1:40000", "10.0.0.2:2300", layers.TCP{Seq: at, ACK: true, PSH: true}, octets)
		}
	}
	n.TCP("10.0.0.1:40000", "10.0.0.2:2300", layers.TCP{Seq: seq - 1, SYN: true}, nil)
	first := segment(chat("first"))()
	held := segment(chat("held back"))
	behind := segment(chat("behind it"))()
	ping := n.UDP("10.0.0.1:2350", "10.0.0.2:2350", madeup.System(2300, &wire.Ping{From: 1, Tick: 5}))
	late := held()
	segment(chat("lost"))
	last := segment(chat("the last"))()
	long := chat(strings.Repeat("long ", 10))
	begin := segment(long[:30])()
	end := segment(long[30:])()
	out, _ := annotated(t, n.Bytes())
	_, frames := comments(t, out)
	for frame, want := range map[int]string{first: `message 1: CHAT`, ping: "message 2: PING", late: "message 3: CHAT",
		behind: "message 4: CHAT", last: "message 5: CHAT", begin: "message 6: CHAT continues in frame 8", end: "message 6: CHAT [began in frame 7]"} {
		assert.True(t, holds(frames[frame], want), "frame %d: %q in %q", frame, want, frames)
	}
	assert.Contains(t, fmt.Sprint(frames[behind]), `text="behind it"`)
	assert.Contains(t, fmt.Sprint(frames[last]), "finding octets-lost: ")
}

// TestStopped ends with its context, and leaves nothing behind.
func TestStopped(t *testing.T) {
	file, err := os.ReadFile("../lab/08-rzhost-full-max1-w10join.pcap")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	notes, err := annotate.Read(ctx, bytes.NewReader(file), annotate.Options{})
	require.NoError(t, err)
	defer notes.Close()
	cancel()
	_, err = notes.Write(ctx, new(bytes.Buffer), bytes.NewReader(file), nil)
	require.ErrorIs(t, err, context.Canceled)
	notes, err = annotate.Read(ctx, bytes.NewReader(file), annotate.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, notes)
}
