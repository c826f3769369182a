package recorder

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// exclusive creates files that are not there.
func exclusive(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// question is a packet with a message of DirectPlay 4.
func question(t *testing.T) []byte {
	t.Helper()
	n := madeup.NewInterfaces(t, "one")
	n.UDP("192.0.2.1:2350", "255.255.255.255:47624", madeup.System(31415, &wire.EnumSessions{}))
	r, err := newReader(bytes.NewReader(n.Bytes()))
	require.NoError(t, err)
	data, _, err := r.ReadPacketData()
	require.NoError(t, err)
	return data
}

// messages counts those of a file, which has to be whole.
func messages(t *testing.T, name string) int {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	sum, err := captures.Read(context.Background(), f, captures.Options{}, func(*captures.Record) error { return nil }, nil)
	require.NoError(t, err, name)
	return sum.Messages
}

// TestRing records much more than there is room for: no file is larger than it may be, there are no more files than there may
// be, the first one stays, each is whole by itself, and what the doctor says is of all.
func TestRing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "game.pcapng")
	taken := filepath.Join(filepath.Dir(name), "game-3.pcapng")
	require.NoError(t, os.WriteFile(taken, []byte("another's"), 0o600))
	f := &files{name: name, size: 2000, most: 3, create: exclusive, adapters: []adapter{{"one", ethernet}, {"tun0", bareIP}}}
	tape, err := newTape(f, newPorts(nil), nil)
	require.NoError(t, err)
	b := question(t)
	began := time.Now()
	const packets = 200
	for i := range packets {
		require.NoError(t, tape.packet(gopacket.CaptureInfo{Timestamp: began.Add(time.Duration(i) * time.Millisecond), CaptureLength: len(b),
			Length: len(b)}, b))
		if i == 0 {
			require.NoError(t, tape.add(adapter{"late", loopback}))
		}
	}
	report, err := tape.end()
	require.NoError(t, err)
	assert.Equal(t, packets, report.Messages)
	assert.Equal(t, fmt.Sprintf("%d packets, %d messages of DirectPlay 4, 1 sender", packets, packets), tape.seen())
	require.Len(t, f.list, 3)
	assert.Equal(t, name, f.list[0])
	assert.Positive(t, f.deleted)
	there, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
	require.NoError(t, err)
	assert.ElementsMatch(t, append(f.list, taken), there, "what had to go is gone, and nothing else")
	for _, file := range f.list {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), f.size)
		assert.Positive(t, messages(t, file))
	}
	kept, err := os.ReadFile(taken)
	require.NoError(t, err)
	assert.Equal(t, "another's", string(kept))

	_, err = newTape(&files{name: name, size: 2000, most: 3, create: exclusive, adapters: f.adapters}, newPorts(nil), nil)
	assert.ErrorIs(t, err, fs.ErrExist, "the first name has to be free")
}

// TestOneFile keeps one file: it is the last one then.
func TestOneFile(t *testing.T) {
	f := &files{name: filepath.Join(t.TempDir(), "game"), size: 1000, most: 1, create: exclusive, adapters: []adapter{{"one", ethernet}}}
	require.NoError(t, f.next())
	b := question(t)
	for range 30 {
		require.NoError(t, f.packet(gopacket.CaptureInfo{Timestamp: time.Now(), CaptureLength: len(b), Length: len(b)}, b))
	}
	require.NoError(t, f.close())
	there, err := os.ReadDir(filepath.Dir(f.name))
	require.NoError(t, err)
	require.Len(t, there, 1)
	assert.Equal(t, f.named(f.number), filepath.Join(filepath.Dir(f.name), there[0].Name()))
}
