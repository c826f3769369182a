package captures_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/show"
)

// survive reads a file that may be anything, shows all that comes out in every way, and checks what holds for
// every file.
func survive(t testing.TB, file []byte, opt captures.Options) *captures.Summary {
	t.Helper()
	var line, colored show.Line
	colored.Color, colored.Times, colored.Payload = true, show.Absolute, show.PayloadText
	var tree show.Tree
	js := show.JSON{}
	var b []byte
	n := 0
	s, err := captures.Read(context.Background(), bytes.NewReader(file), opt, func(r *captures.Record) error {
		n++
		require.Equal(t, n, r.N, "records are numbered without gaps")
		require.NotEmpty(t, r.Frames)
		requireSameOctets(t, r)
		b = line.Append(b[:0], r)
		require.Equal(t, 1, bytes.Count(b, []byte("\n")), "a line is one line")
		requirePlain(t, b)
		b = colored.Append(b[:0], r)
		b = tree.Append(b[:0], r)
		requirePlain(t, b)
		b = show.HexDump(b, r.Raw)
		b = js.Append(b[:0], r)
		requireObject(t, b)
		requirePlain(t, b)
		return nil
	}, func(f *captures.Finding) { requireObject(t, show.AppendFinding(b[:0], f)) })
	require.Equal(t, n, s.Messages)
	requireBalanced(t, s)
	if err != nil {
		require.NotZero(t, s.ByCode[captures.FileDamaged], "%v", err)
	}
	return s
}

// requirePlain checks that nothing reaches a terminal but text.
func requirePlain(t testing.TB, b []byte) {
	t.Helper()
	for _, c := range b {
		if c < 0x20 && c != '\n' || c == 0x7f {
			require.FailNow(t, "control characters", "%q", b)
		}
	}
}

// requireObject checks that b is a JSON object and that no object in it has a key twice.
func requireObject(t testing.TB, b []byte) {
	t.Helper()
	require.True(t, json.Valid(b), "%s", b)
	d := json.NewDecoder(bytes.NewReader(b))
	var open []map[string]bool // nil for a list
	key := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		inObject := len(open) > 0 && open[len(open)-1] != nil
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			key = len(open) > 0 && open[len(open)-1] != nil
			continue
		case string:
			if inObject && key {
				require.False(t, open[len(open)-1][v], "the key %q is there twice: %s", v, b)
				open[len(open)-1][v] = true
				key = false
				continue
			}
		}
		key = inObject
	}
}

// seeds are the captures of the lab, and some made here.
func seeds(t testing.TB) (list [][]byte) {
	files, err := filepath.Glob(filepath.Join("lab", "*.pcap"))
	require.NoError(t, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(b) < 20_000 {
			list = append(list, b)
		}
	}
	for _, script := range []func(*traffic){games, hostile} {
		b, err := io.ReadAll(newTraffic(1, script))
		require.NoError(t, err)
		list = append(list, b[:8000])
	}
	return list
}

// options are some of the ways to read a capture.
func options(i byte) captures.Options {
	opt := captures.Options{Name: "fuzz", MessageIDs: captures.Choice(i % 3), Reliable: captures.Choice(i / 3 % 3)}
	if i&0x80 != 0 {
		opt.Ports = []uint16{2350, 53}
	}
	return opt
}

// FuzzRead reads anything.
func FuzzRead(f *testing.F) {
	for i, b := range seeds(f) {
		f.Add(b, byte(i*37))
	}
	f.Fuzz(func(t *testing.T, file []byte, opt byte) {
		if len(file) <= 64<<10 { // it may be compressed a thousandfold
			survive(t, file, options(opt))
		}
	})
}

// FuzzMutate reads captures of the lab with errors in them: octets changed, frames cut, lost, repeated, moved,
// and put in from other captures.
func FuzzMutate(f *testing.F) {
	all := seeds(f)
	for i := range all {
		f.Add(uint64(i), uint16(i), byte(i*41))
	}
	f.Fuzz(func(t *testing.T, seed uint64, count uint16, opt byte) {
		rnd := rand.New(rand.NewPCG(seed, uint64(count)))
		frames := recordsOf(all[seed%uint64(len(all))])
		for range count%64 + 1 {
			frames = mutate(rnd, frames, all)
		}
		file := append([]byte(nil), all[seed%uint64(len(all))][:24]...)
		survive(t, append(file, bytes.Join(frames, nil)...), options(opt))
	})
}

// recordsOf returns the records of a pcap file in the byte order of this machine's lab.
func recordsOf(file []byte) (list [][]byte) {
	for b := file[24:]; len(b) >= 16; {
		n := 16 + int(binary.LittleEndian.Uint32(b[8:]))
		if n > len(b) {
			break
		}
		list, b = append(list, bytes.Clone(b[:n])), b[n:]
	}
	return list
}

// mutate makes one error in a list of records, and gives the list.
func mutate(rnd *rand.Rand, frames [][]byte, all [][]byte) [][]byte {
	if len(frames) == 0 {
		return recordsOf(all[0])
	}
	i, j := rnd.IntN(len(frames)), rnd.IntN(len(frames))
	switch rnd.IntN(8) {
	case 0, 1, 2: // octets of the packet, mostly of what is behind its headers
		b := frames[i]
		for range 1 + rnd.IntN(3) {
			if at := 16 + 14 + rnd.IntN(len(b)); at < len(b) {
				b[at] = byte(rnd.Uint32() >> rnd.IntN(32))
			}
		}
	case 3: // cut it
		n := rnd.IntN(len(frames[i]) - 15)
		frames[i] = frames[i][:16+n]
		binary.LittleEndian.PutUint32(frames[i][8:], uint32(n))
	case 4: // lose it
		frames = append(frames[:i], frames[i+1:]...)
	case 5: // send it again
		frames = append(frames, bytes.Clone(frames[i]))
	case 6: // change places
		frames[i], frames[j] = frames[j], frames[i]
	case 7: // one of another capture
		if other := recordsOf(all[rnd.IntN(len(all))]); len(other) > 0 {
			frames[i] = other[rnd.IntN(len(other))]
		}
	}
	return frames
}

// TestMutations is FuzzMutate for a while, so that every run of the tests has some of it.
func TestMutations(t *testing.T) {
	all := seeds(t)
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		frames := recordsOf(all[seed%uint64(len(all))])
		for range seed % 40 {
			frames = mutate(rnd, frames, all)
		}
		file := append([]byte(nil), all[seed%uint64(len(all))][:24]...)
		survive(t, append(file, bytes.Join(frames, nil)...), options(byte(seed)))
	}
}
