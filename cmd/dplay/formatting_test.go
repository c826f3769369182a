package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// busy is a capture of several batches of messages, with findings between them and messages larger than a batch.
func busy(t testing.TB) *capture {
	c := newCapture()
	ann := wire.PackedPlayer{ID: 0x21, ShortName: wire.NewText("Ann")}
	c.tcp(peerTCP, hostTCP, message(t, &wire.CreatePlayer{Player: 0x21, Info: ann}))
	for i := range 5 * batchObjects {
		c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: uint32(i)})).wait(1)
		c.tcp(peerTCP, hostTCP, message(t, &wire.PlayerMessage{From: 0x21, To: 0, Payload: []byte("hello")}))
		switch i % 100 {
		case 50:
			c.lose(peerTCP, hostTCP, 40)
		case 77:
			b := message(t, &wire.PlayerMessage{From: 0x21, To: 0, Payload: make([]byte, 2*batchSize)})
			for len(b) > 0 {
				n := min(len(b), 60_000)
				c.tcp(peerTCP, hostTCP, b[:n])
				b = b[n:]
			}
		case 99:
			c.tcp(peerTCP, hostTCP, message(t, &wire.PlayerNameChanged{Player: 0x21, ShortName: wire.NewText(string(rune('A' + i/100)))}))
		}
	}
	return c
}

// everyCapture lists those of the project.
func everyCapture(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "captures", "*", "*.pcap*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	return files
}

// oneByOne is what NDJSON or JSON of files is, a message after the other without any batches. Files that are damaged
// count as far as they go.
func oneByOne(t testing.TB, array bool, names []string, files ...[]byte) string {
	t.Helper()
	o := objects{array: array, several: len(files) > 1}
	var js show.JSON
	var b []byte
	for i, file := range files {
		o.file(names[i])
		record := func(r *captures.Record) error {
			b = o.append(b, func(b []byte) []byte { return js.Append(b, r) })
			return nil
		}
		finding := func(f *captures.Finding) {
			b = o.append(b, func(b []byte) []byte {
				return append(show.AppendFinding(append(b, `{"finding":`...), f), '}')
			})
		}
		opt := captures.Options{Name: displayName(names[i])}
		captures.Read(context.Background(), bytes.NewReader(file), opt, record, finding) //nolint:errcheck // of damaged files
	}
	return string(o.end(b))
}

// TestBatches holds what is formatted in batches against the same one by one: every capture of the project, from files
// and from standard input, in pieces and cut short, alone and together.
func TestBatches(t *testing.T) {
	names := append(everyCapture(t), busy(t).file(t, "long.pcap"))
	var files [][]byte
	for _, name := range names {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		files = append(files, file)
		one := []string{name}
		require.Equal(t, oneByOne(t, false, one, file), dplay(t, "decode", "--format", "ndjson", name).out, name)
		require.Equal(t, oneByOne(t, true, one, file), dplay(t, "decode", "--format", "json", name).out, name)
		one[0] = stdinName
		whole := func() io.Reader { return bytes.NewReader(file) }
		want := oneByOne(t, false, one, file)
		for _, in := range []io.Reader{whole(), iotest.HalfReader(whole()), iotest.DataErrReader(whole())} {
			require.Equal(t, want, dplayFrom(t, in, "decode", "--format", "ndjson", "-").out, name)
		}
		cut := file[:len(file)*2/3]
		got := dplayFrom(t, bytes.NewReader(cut), "decode", "--format", "json", "-")
		require.Equal(t, oneByOne(t, true, one, cut), got.out, name)
		if len(cut) > 1000 {
			require.True(t, got.status == exitOK || got.status == exitInput, got.err)
		}
	}
	require.Equal(t, oneByOne(t, false, names, files...),
		dplay(t, append([]string{"decode", "--format", "ndjson"}, names...)...).out)
	require.Equal(t, oneByOne(t, true, names, files...), dplay(t, append([]string{"decode", "--format", "json"}, names...)...).out)
}

// TestBatchesWorkers formats one capture with as many goroutines as there can be, whatever the machine has.
func TestBatchesWorkers(t *testing.T) {
	file := busy(t).b
	want := oneByOne(t, true, []string{""}, file)
	for workers := range mostWorkers + 1 {
		f := newFormatting(objects{array: true}, show.PayloadHex)
		f.workers = workers
		var got []byte
		most := 0
		take := func(b []byte) {
			got = append(got, b...)
			most = max(most, len(f.flying)+1)
		}
		record := func(r *captures.Record) error {
			take(f.record(r))
			return nil
		}
		finding := func(n *captures.Finding) { take(f.finding(n)) }
		_, err := captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, record, finding)
		require.NoError(t, err)
		for b := f.flush(); b != nil; b = f.flush() {
			take(b)
		}
		require.Equal(t, want, string(f.objects.end(got)), "%d workers", workers)
		assert.LessOrEqual(t, most, mostFlying+1, "batches")
		f.idle.New = func() any { return (*objectBatch)(nil) }
		for b := f.filling; b != nil; b = f.idle.Get().(*objectBatch) {
			assert.Less(t, cap(b.out), 8*batchSize, "a batch that held a huge message is kept")
		}
		f.stop()
		f.stop() // again does nothing
	}
}

// requireNoWorkers checks that no goroutine formats any more.
func requireNoWorkers(t *testing.T) {
	t.Helper()
	var stacks bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&stacks, 1))
	require.NotContains(t, stacks.String(), "formatting)", "a goroutine is left")
}

// TestBatchesOutputFails checks that nothing is left when the output fails, early or late: neither a goroutine nor the
// wish to read on.
func TestBatchesOutputFails(t *testing.T) {
	name := busy(t).file(t, "long.pcap")
	whole := dplay(t, "decode", "--format", "ndjson", name).out
	for _, left := range []int{0, 1000, len(whole) / 2, len(whole) - 1} {
		for err, want := range map[error]int{syscall.EPIPE: exitOK, errors.New("disk full"): exitInput} {
			var errs bytes.Buffer
			args := []string{"decode", "-q", "--format", "ndjson", name, name}
			assert.Equal(t, want, run(context.Background(), args, nil, &brokenWriter{left: left, err: err}, &errs))
			assert.Equal(t, want == exitOK, errs.Len() == 0, errs.String())
			requireNoWorkers(t)
		}
	}
}

// TestBatchesInterrupted checks that an interrupt amid a capture leaves the messages up to there, and no goroutine.
func TestBatchesInterrupted(t *testing.T) {
	c := newCapture()
	for i := range 20 * batchObjects {
		c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: uint32(i)}))
	}
	want := oneByOne(t, false, []string{stdinName}, c.b)
	ctx, interrupt := context.WithCancel(context.Background())
	in := io.MultiReader(bytes.NewReader(c.b[:len(c.b)/2]), readerFunc(func([]byte) (int, error) {
		interrupt()
		return 0, io.ErrNoProgress
	}))
	var out, errs bytes.Buffer
	run(ctx, []string{"decode", "-q", "--format", "ndjson", "-"}, in, &out, &errs)
	got := out.String()
	got, rest, _ := strings.Cut(got, `{"finding":`) // that the file is damaged, unless the interrupt was quicker
	require.True(t, strings.HasPrefix(want, got))
	require.True(t, got == "" || got[len(got)-1] == '\n')
	require.True(t, rest == "" || rest[len(rest)-1] == '\n')
	requireNoWorkers(t)
}

// A readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
