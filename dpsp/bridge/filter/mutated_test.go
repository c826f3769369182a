package filter

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// evilPlayer and evilMessage have addresses outside every plan.
var (
	evilMessage, _ = wire.AppendMessage(nil, wire.DX9, &wire.AddForward{Info: wire.PackedPlayer{ID: 7, SPData: evil}})
	evilPlayer     = evilMessage[28:]
)

// mutate changes a message as a malicious member would: addresses, sizes and offsets above all.
func mutate(r *rand.Rand, all []sample, s sample) []byte {
	b := bytes.Clone(s.raw)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(b))
		switch r.IntN(9) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2: // a number
			at = at &^ 3
			if at+4 <= len(b) {
				binary.LittleEndian.PutUint32(b[at:], []uint32{0, 1, 8, 20, 28, 32, 48, uint32(len(b)), uint32(r.IntN(len(b))), 1 << 20,
					1 << 31, 0xFFFFFFFF}[r.IntN(12)])
			}
		case 3: // an address
			mutateAddress(r, b, append([]int{4}, s.places...))
		case 4: // another command
			if len(b) > 26 {
				commands := append(wire.Commands(), wire.CmdExtension)
				binary.LittleEndian.PutUint16(b[24:], uint16(commands[r.IntN(len(commands))]))
			}
		case 5: // the rest of another message
			other := all[r.IntN(len(all))].raw
			b = append(b[:at], other[min(at, len(other)):]...)
		case 6: // octets less or more
			if r.IntN(2) == 0 {
				b = b[:at+1]
			} else {
				b = append(b, make([]byte, r.IntN(64))...)
			}
		case 7: // a message in a message
			c := []wire.Message{&wire.Signed{}, &wire.Ask4Multicast{}, &wire.MulticastDelivery{}, &wire.Packet{Total: 1}}[r.IntN(4)]
			if len(b) > wire.SPHeaderSize {
				if in, err := wire.AppendMessage(nil, wire.DX9, c); err == nil {
					b = append(append(bytes.Clone(b[:wire.SPHeaderSize]), in...), b[wire.SPHeaderSize:]...)
				}
			}
		case 8: // octets before or behind a player or a message, and what says where it is
			b = putIn(b, [][]byte{make([]byte, 4), evilPlayer, evilMessage, evil}[r.IntN(4)], []int{12, 16, 20, 28, 44}[r.IntN(5):])
		}
	}
	if len(b) >= 4 && r.IntN(8) > 0 { // the size is right as a rule
		token := wire.TokenRemote
		if r.IntN(8) == 0 {
			token = wire.Token(r.Uint32())
		}
		binary.LittleEndian.PutUint32(b, uint32(len(b))|uint32(token)<<20)
	}
	return b
}

// mutateAddress changes one of the addresses of a message.
func mutateAddress(r *rand.Rand, b []byte, places []int) {
	at := places[r.IntN(len(places))]
	if at+8 > len(b) {
		return
	}
	switch r.IntN(3) {
	case 0:
		copy(b[at+4:], []byte{10, 0, 0, byte(r.Uint32())})
	case 1:
		binary.BigEndian.PutUint16(b[at+2:], uint16(r.Uint32()))
	case 2:
		b[at] = byte(r.Uint32())
	}
}

// putIn puts octets where the first offset that is one says that something is, which is behind them then.
func putIn(b, add []byte, offsets []int) []byte {
	for _, at := range offsets {
		if at += wire.SPHeaderSize; at+4 <= len(b) {
			if from := wire.SPHeaderSize + int(binary.LittleEndian.Uint32(b[at:])); from > at && from <= len(b) {
				binary.LittleEndian.PutUint32(b[at:], uint32(from+len(add)-wire.SPHeaderSize))
				return join(b[:from], add, b[from:])
			}
		}
	}
	return b
}

// times is how often a test does something: a part of it in a quick run.
func times(all int) int {
	if os.Getenv("DPLAY_LONG") != "" {
		return all
	}
	return all / 20
}

// TestMutated has a malicious member send a million messages: nothing that has an address outside the plan passes, on a stream,
// as a datagram, or as a request for sessions.
func TestMutated(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	all := samples(t)
	var passed, refused int
	for i := range times(1_000_000) {
		s := all[r.IntN(len(all))]
		b := mutate(r, all, s)
		st := NewStream(s.rule, nil)
		got, err := st.Pass(nil, b)
		passedFrom(t, b, got)
		if err != nil || len(got) < len(b) {
			refused++
		} else {
			passed++
		}
		checkPassed(t, s.rule.Plan(), got)
		inFrames := s.rule
		inFrames.Framed = func() bool { return true }
		if NewDatagrams(inFrames).Check(b) == nil && isSystem(b) {
			if size := int(binary.LittleEndian.Uint32(b) & wire.MaxMessage); size >= wire.SPHeaderSize && size <= len(b) { // to Wine
				require.Empty(t, strays(s.rule.Plan(), b[wire.SPHeaderSize:size]), "%x", b)
			}
		}
		if NewDatagrams(s.rule).Check(b) == nil && isSystem(b) {
			checkPassed(t, s.rule.Plan(), b)
		}
		if NewRequests(s.rule).Check(time.Duration(i)*time.Second, b) == nil {
			checkPassed(t, s.rule.Plan(), b)
			require.Equal(t, wire.CmdEnumSessions, wire.Command(binary.LittleEndian.Uint16(b[24:])))
		}
	}
	assert.Greater(t, passed, times(1_000_000)/10)
	assert.Greater(t, refused, times(1_000_000)/10)
}

// passedFrom checks that octets are what passed of a stream: its messages, of which some were dropped, and some may be missing at
// the end. In some of them addresses are 127.0.0.1 now.
func passedFrom(t testing.TB, in, got []byte) {
	t.Helper()
	for len(got) > 0 {
		size, err := wire.FrameSize(in)
		require.NoError(t, err)
		switch {
		case size == 0 || size > len(in) || len(got) < size && bytes.HasPrefix(in[:size], got):
			require.True(t, bytes.HasPrefix(in, got))
			return
		case len(got) >= size && sameButHome(in[:size], got[:size]):
			got = got[size:]
		default:
			require.True(t, isSystem(in[:size]) && !bears[wire.Command(binary.LittleEndian.Uint16(in[24:]))], "%x is not of %x", got, in)
		}
		in = in[size:]
	}
}

// sameButHome reports whether a message is another one in which nothing but addresses became 127.0.0.1.
func sameButHome(in, got []byte) bool {
	for i := range in {
		near := got[max(0, i-3):min(len(got), i+4)]
		if in[i] != got[i] && !bytes.Contains(near, []byte{127, 0, 0, 1}) {
			return false
		}
	}
	return true
}

// checkPassed looks for addresses in messages that passed.
func checkPassed(t testing.TB, plan *Plan, stream []byte) {
	t.Helper()
	for len(stream) > 0 {
		size, err := wire.FrameSize(stream)
		require.NoError(t, err)
		if size == 0 || size > len(stream) {
			require.False(t, isSystem(stream), "a piece of a system message: %x", stream)
			return
		}
		bad, is := outside(t, plan, stream[:size])
		require.False(t, is, "%s in %x", bad, stream[:size])
		require.Empty(t, strays(plan, stream[wire.SPHeaderSize:size]), "%x", stream[:size])
		stream = stream[size:]
	}
}

// FuzzStream has any octets come in any pieces: it makes no difference in which, what passes is what came, and has no address
// outside the plan.
func FuzzStream(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.raw, uint64(1))
	}
	for _, b := range twoReadings(f) {
		f.Add(join(headOf(len(b)), b), uint64(1))
	}
	f.Add([]byte("0\x0000\x02\x00\x00\x00\x00\x00\x00\x00000000000000000000000000000000000000"), uint64(1))
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351})
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		dropped := false
		rule := Rule{From: Ports{2300, 2350}, Plan: func() *Plan { return plan }, Dropped: func(error) { dropped = true }}
		if len(b) >= 8 && b[6]|b[7] != 0 { // nobody has port 0
			rule.From.TCP = binary.BigEndian.Uint16(b[6:])
		}
		whole, cut := NewStream(rule, nil), NewStream(rule, nil)
		want, wantErr := whole.Pass(nil, b)
		var got []byte
		var err error
		pieces(rand.New(rand.NewPCG(seed, 0)), b, 100, func(b []byte) { got, err = cut.Pass(got, b) })
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
		passedFrom(t, b, got)
		require.LessOrEqual(t, len(got)+whole.Held(), len(b))
		if err == nil {
			require.Equal(t, !dropped, len(b) == len(got)+whole.Held())
			require.Equal(t, whole.Held(), cut.Held())
		}
		checkPassed(t, NewPlan(Ports{2300, 2350}, Ports{2301, 2351}, rule.From), got)
		if b := bytes.Clone(b); NewDatagrams(rule).Check(b) == nil && isSystem(b) {
			checkPassed(t, NewPlan(Ports{2300, 2350}, Ports{2301, 2351}, rule.From), b)
		}
	})
}

// FuzzTranslate has any octets translated: as many come out, in whatever pieces, only ports differ, and translating them again
// gives what was.
func FuzzTranslate(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.raw, uint16(2300), uint64(1))
	}
	f.Fuzz(func(t *testing.T, b []byte, port uint16, seed uint64) {
		by := Translation{Game: Ports{port, port + 50}, Slot: Ports{2307, 2357}}
		tr := NewTranslator(func() Translation { return by })
		r := rand.New(rand.NewPCG(seed, 0))
		translate := func(in []byte) (out []byte, err error) {
			st := tr.Stream()
			pieces(r, in, 100, func(b []byte) { out, err = st.Pass(out, b) })
			return out, err
		}
		once, err := translate(b)
		twice, again := translate(once)
		require.True(t, err != nil || again == nil) // what ends a stream is not in what came out of it
		require.Equal(t, append([]byte{}, b[:len(twice)]...), append([]byte{}, twice...))
		datagram := bytes.Clone(b)
		tr.Datagram(datagram)
		tr.Datagram(datagram)
		require.True(t, bytes.Equal(b, datagram))
	})
}
