package captures_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/testkit"
)

// pings is a capture of some PINGs by UDP.
func pings(t testing.TB, count int) *network {
	n := newNetwork(t)
	for i := range count {
		n.UDP(joiner+":2350", host+":2350", ping(uint32(i)))
	}
	return n
}

// TestDamagedFiles: what stands before the damage is read, and the place of the damage is said.
func TestDamagedFiles(t *testing.T) {
	good := pings(t, 3).Bytes()
	huge := bytes.Clone(good)
	copy(huge[24+16+78+8:], "\xff\xff\xff\xff")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(good)
	z.Close()
	cases := []struct {
		name     string
		file     []byte
		messages int
		want     captures.Finding
	}{
		{"no capture", []byte("This is a text."), 0, captures.Finding{Field: "magic number",
			Text: "magic number at octet 0: not a pcap or pcapng file (1416128883 = 0x54686973)"}},
		{"empty", nil, 0, captures.Finding{Field: "file header", Text: "file header at octet 0: file is empty"}},
		{"cut inside a frame", good[:len(good)-1], 2, captures.Finding{Frame: 3, Field: "Packet Data", Offset: 24 + 2*94 + 16,
			Text: "Packet Data at octet 228: file ends inside a record"}},
		{"cut inside a record header", good[:24+94+7], 1, captures.Finding{Frame: 2, Field: "record header", Offset: 24 + 94,
			Text: "record header at octet 118: file ends inside a record"}},
		{"a length that cannot be", huge, 1, captures.Finding{Frame: 2, Field: "Captured Packet Length", Offset: 24 + 94 + 8,
			Text: "Captured Packet Length at octet 126: larger than the limit (4294967295 = 0xffffffff)"}},
		{"compressed and cut", packed.Bytes()[:packed.Len()-20], -1, captures.Finding{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var found []captures.Finding
			messages := 0
			s, err := captures.Read(context.Background(), bytes.NewReader(c.file), captures.Options{Name: "x.pcap"},
				func(*captures.Record) error { messages++; return nil }, func(f *captures.Finding) { found = append(found, *f) })
			require.Error(t, err)
			requireBalanced(t, s)
			require.Len(t, found, 1)
			assert.Equal(t, captures.FileDamaged, found[0].Code)
			assert.Equal(t, messages, s.Messages)
			assert.Contains(t, err.Error(), "x.pcap: ")
			if c.messages < 0 {
				return
			}
			assert.Equal(t, c.messages, messages)
			c.want.Code, c.want.File = captures.FileDamaged, "x.pcap"
			assert.Equal(t, c.want, found[0])
		})
	}
}

// TestFindingString puts a finding into a line.
func TestFindingString(t *testing.T) {
	f := captures.Finding{Code: captures.FileDamaged, File: "x.pcap", Frame: 3,
		Text: "Packet Data at octet 5: file ends inside a record"}
	assert.Equal(t, "x.pcap: frame 3: file-damaged: Packet Data at octet 5: file ends inside a record", f.String())
	f.Frame = 0
	assert.Equal(t, "x.pcap: file-damaged: Packet Data at octet 5: file ends inside a record", f.String())
}

// TestHandleError: the handler's error ends reading and comes back.
func TestHandleError(t *testing.T) {
	stop := errors.New("enough")
	count := 0
	s, err := captures.Read(context.Background(), bytes.NewReader(pings(t, 5000).Bytes()), captures.Options{},
		func(r *captures.Record) error {
			if count++; count == 3 {
				return stop
			}
			return nil
		}, nil)
	assert.Equal(t, stop, err)
	assert.Equal(t, 3, count)
	assert.Equal(t, 3, s.Messages)
	requireBalanced(t, s)
}

// TestCancel: a context that ends, ends reading, also while the input has nothing to read.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	_, err := captures.Read(ctx, bytes.NewReader(pings(t, 20_000).Bytes()), captures.Options{},
		func(*captures.Record) error { cancel(); return nil }, nil)
	assert.Equal(t, context.Canceled, err)

	ctx, cancel = context.WithCancel(context.Background())
	in, _ := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err := captures.Read(ctx, in, captures.Options{}, func(*captures.Record) error { return nil }, nil)
		assert.Equal(t, context.Canceled, err)
		assert.Zero(t, s.Findings, "the file is not to blame")
	}()
	cancel()
	testkit.Receive(t, done, "Read to return")
}

// TestLive: messages of a capture that is still being made come out as they come in.
func TestLive(t *testing.T) {
	file := pings(t, 3).Bytes()
	in, out := io.Pipe()
	got := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err := captures.Read(context.Background(), in, captures.Options{},
			func(*captures.Record) error { got <- struct{}{}; return nil }, nil)
		assert.NoError(t, err)
		assert.Equal(t, 3, s.Messages)
	}()
	const header, frame = 24, 16 + 14 + 28 + 36
	for i := range 3 {
		end := header + (i+1)*frame
		_, err := out.Write(file[end-frame-header*btoi(i == 0) : end])
		require.NoError(t, err)
		testkit.Receive(t, got, "a message")
	}
	out.Close()
	testkit.Receive(t, done, "the end")
}

// TestWaiting: who holds messages back hears when no more of them come for now, which is behind all that came.
func TestWaiting(t *testing.T) {
	file := pings(t, 5000).Bytes()
	in, out := io.Pipe()
	got, waiting := 0, make(chan int)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := captures.Read(context.Background(), in, captures.Options{Waiting: func() { waiting <- got }},
			func(*captures.Record) error { got++; return nil }, nil)
		assert.NoError(t, err)
		close(waiting)
	}()
	next := func() (n int, more bool) { return testkit.Receive(t, waiting, "Read to wait for more") }
	const header, frame = 24, 16 + 14 + 28 + 36
	written := 0
	for _, frames := range []int{1, 2, 2500, 5000} {
		go out.Write(file[written : header+frames*frame]) //nolint:errcheck // otherwise the messages are missing
		written = header + frames*frame
		for n := 0; n != frames; { // it may have come in pieces
			n, _ = next()
		}
		require.Equal(t, frames, got)
	}
	out.Close()
	for more := true; more; {
		_, more = next()
	}
	testkit.Receive(t, done, "the end")
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestProgress: the reader hears how far it has come, in octets of the compressed file, up to all of them.
func TestProgress(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(pings(t, 20_000).Bytes())
	z.Close()
	var seen []int64
	s, err := captures.Read(context.Background(), bytes.NewReader(packed.Bytes()),
		captures.Options{Progress: func(n int64) { seen = append(seen, n) }}, func(*captures.Record) error { return nil }, nil)
	require.NoError(t, err)
	assert.Equal(t, 20_000, s.Messages)
	require.Greater(t, len(seen), 3)
	assert.IsNonDecreasing(t, seen)
	assert.EqualValues(t, packed.Len(), seen[len(seen)-1])
}

// TestManyFindings: of one kind only so many are handed out, but all are counted.
func TestManyFindings(t *testing.T) {
	n := newNetwork(t)
	for range 1500 {
		n.Raw(make([]byte, 5))
	}
	n.UDP(joiner+":2350", host+":2350", resize(ping(1), 19))
	g := n.read(captures.Options{})
	assert.Len(t, g.events, 1000+2)
	assert.Equal(t, 1501, g.sum.Findings)
	assert.Equal(t, 1500, g.sum.ByCode[captures.FrameMalformed])
}

// TestReasons: each reason to skip octets has a text of its own, in the order of Account.Skipped.
func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range captures.Reasons() {
		assert.Equal(t, i, int(r))
		assert.NotEmpty(t, r.String())
		seen[r.String()] = true
	}
	assert.Len(t, seen, len(captures.Account{}.Skipped))
}
