package reliable

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// golden are frames as octets and as values. Those of 4.1 lack octets in the specification: the fields it
// gives are laid out as 2.2 draws them, between the players 1 and 2, with CMD in Data frames because 2.2.2 asks
// for it, and with made-up data and ticks.
var golden = []struct {
	name string
	raw  string
	want Frame
}{
	{"4.1.1 message 1, frame 1", "01 02 31 00 00 00 6F6E65",
		Frame{From: 1, To: 2, Flags: CMD | STA | RLY, Data: []byte("one")}},
	{"4.1.1 message 1, frame 2", "01 02 21 00 01 01 74776F",
		Frame{From: 1, To: 2, Flags: CMD | RLY, Sequence: 1, Serial: 1, Data: []byte("two")}},
	{"4.1.1 message 1, frame 3", "01 02 29 00 02 02 33",
		Frame{From: 1, To: 2, Flags: CMD | EOM | RLY, Sequence: 2, Serial: 2, Data: []byte("3")}},
	{"4.1.1 ACK, 4500 octets", "02 01 02 00 02 00 94110000 78563412",
		Frame{From: 2, To: 1, Flags: ACK, Sequence: 2, BytesReceived: 4500, Tick: 0x12345678}},
	{"4.1.2 message 2", "01 02 38 01 03 00 FF",
		Frame{From: 1, To: 2, Flags: CMD | STA | EOM, MessageID: 1, Sequence: 3, Data: []byte{0xFF}}},
	{"4.1.3 message 3", "01 02 39 02 04 00",
		Frame{From: 1, To: 2, Flags: CMD | STA | EOM | RLY, MessageID: 2, Sequence: 4}},
	{"4.1.3 message 4, frame 2", "01 02 28 03 06 01 00",
		Frame{From: 1, To: 2, Flags: CMD | EOM, MessageID: 3, Sequence: 6, Serial: 1, Data: []byte{0}}},
	{"4.1.3 NACK without a mask, 8954 octets", "02 01 82 00 02 04 FA220000 01000000",
		Frame{From: 2, To: 1, Flags: EXT | ACK, MessageID: 2, Sequence: 4, BytesReceived: 8954, Tick: 1}},
	{"2.2.2 NACK, sequence 7, mask 0x03", "02 01 82 20 05 07 00000000 00000080 03",
		Frame{From: 2, To: 1, Flags: EXT | ACK, Extended: 0x20, MessageID: 5, Sequence: 7, Tick: 1 << 31, Mask: 3}},
	{"NACK, two octets", "02 01 82 40 05 07 00000000 00000000 0180",
		Frame{From: 2, To: 1, Flags: EXT | ACK, Extended: 0x40, MessageID: 5, Sequence: 7, Mask: 0x8001}},
	{"NACK, three octets, the last ones not needed, and a tail", "02 01 83 60 05 07 FFFFFFFF 00000000 010000 AABB",
		Frame{From: 2, To: 1, Flags: EXT | ACK | RLY, Extended: 0x60, MessageID: 5, Sequence: 7,
			BytesReceived: 0xFFFFFFFF, Mask: 1, Trailing: []byte{0xAA, 0xBB}}},
	{"ACK with a tail and flags that mean nothing in it", "02 01 1F 09 FF 03 01000000 02000000 00",
		Frame{From: 2, To: 1, Flags: ACK | STA | EOM | SAK | RLY, MessageID: 9, Sequence: 255, Serial: 3,
			BytesReceived: 1, Tick: 2, Trailing: []byte{0}}},
	{"2.2.2 data frame with extended flags, to be ignored", "01 02 B8 01 02 03 40 3412 CAFE",
		Frame{From: 1, To: 2, Flags: EXT | CMD | STA | EOM, MessageID: 1, Sequence: 2, Serial: 3,
			Extended: 0x40, Mask: 0x1234, Data: []byte{0xCA, 0xFE}}},
	{"2.2.1 the longest indexes", "FEFF03 8001 20 01 02 03",
		Frame{From: 0xFFFE, To: 128, Flags: CMD, MessageID: 1, Sequence: 2, Serial: 3}},
	{"indexes in more octets than they need", "8000 818000 20 01 02 03",
		Frame{From: 0, To: 1, FromSize: 2, ToSize: 3, Flags: CMD, MessageID: 1, Sequence: 2, Serial: 3}},
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		t.Run(g.name, func(t *testing.T) {
			raw := octets(t, g.raw)
			got, err := Decode(raw)
			require.NoError(t, err)
			assert.Equal(t, g.want, got)

			out, err := g.want.Append([]byte("before"))
			require.NoError(t, err)
			assert.Equal(t, append([]byte("before"), raw...), out)
		})
	}
}

// Every truncation is refused at a field that begins inside what is left, or only shortens the octets at the end.
func TestPrefixes(t *testing.T) {
	for _, g := range golden {
		t.Run(g.name, func(t *testing.T) {
			raw := octets(t, g.raw)
			fixed := len(raw) - len(g.want.Data) - len(g.want.Trailing)
			for n := range raw {
				f, err := Decode(raw[:n:n])
				if n >= fixed {
					require.NoError(t, err, "%d octets", n)
					assert.Len(t, append(f.Data, f.Trailing...), n-fixed)
					continue
				}
				var de *wire.DecodeError
				require.ErrorAs(t, err, &de, "%d octets", n)
				assert.ErrorIs(t, err, wire.ErrShort)
				assert.NotEmpty(t, de.Field)
				assert.LessOrEqual(t, de.Offset, n)
				assert.Greater(t, de.Offset+4, n-1, "no field is longer than four octets")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  string
		want wire.DecodeError
	}{
		{"nothing", "", wire.DecodeError{Message: "RELIABLEFRAME", Field: "IdFrom", Err: wire.ErrShort}},
		{"index ends", "01 80", wire.DecodeError{Message: "RELIABLEFRAME", Field: "IdTo", Offset: 1, Err: wire.ErrShort}},
		{"IdFrom above 0xFFFF", "FFFF04 02 38 01 01 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "IdFrom", Value: 0x13FFF, Err: wire.ErrValue}},
		{"IdTo in four octets", "01 80808001 38 01 01 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "IdTo", Offset: 1, Value: 0x200000, Err: wire.ErrValue}},
		{"no flags", "01 02", wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags", Offset: 2, Err: wire.ErrShort}},
		{"neither Data nor ACK", "01 02 18 01 01 00 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.CMD", Offset: 2, Value: 0x18, Err: wire.ErrValue}},
		{"extended flags of nothing", "01 02 80 20 01 01 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.CMD", Offset: 2, Value: 0x80, Err: wire.ErrValue}},
		{"Data and ACK", "01 02 22 01 01 00 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.ACK", Offset: 2, Value: 0x22, Err: wire.ErrValue}},
		{"Data and NACK", "8001 02 A2 01 01 00 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.ACK", Offset: 3, Value: 0xA2, Err: wire.ErrValue}},
		{"big data frame", "01 02 78 01 01 00 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.BIG", Offset: 2, Value: 0x78, Err: wire.ErrValue}},
		{"big ACK", "01 02 42 01 01 00 00",
			wire.DecodeError{Message: "RELIABLEFRAME", Field: "flags.BIG", Offset: 2, Value: 0x42, Err: wire.ErrValue}},
		{"data frame ends", "01 02 38 01 01", wire.DecodeError{Message: "DATA", Field: "serial", Offset: 5, Err: wire.ErrShort}},
		{"COMMAND in a data frame", "01 02 A0 01 01 00 01 AA",
			wire.DecodeError{Message: "DATA", Field: "extended flags.COMMAND", Offset: 6, Value: 1, Err: wire.ErrValue}},
		{"mask of a data frame ends", "01 02 A0 01 01 00 40 AA",
			wire.DecodeError{Message: "DATA", Field: "NACK MASK", Offset: 7, Err: wire.ErrShort}},
		{"ACK ends", "01 02 02 01 01 00 00000000 000000",
			wire.DecodeError{Message: "ACK", Field: "local tick count", Offset: 10, Err: wire.ErrShort}},
		{"NACK without extended flags", "01 02 82",
			wire.DecodeError{Message: "NACK", Field: "extended flags", Offset: 3, Err: wire.ErrShort}},
		{"COMMAND in a NACK", "01 02 82 30 01 01 00000000 00000000 00",
			wire.DecodeError{Message: "NACK", Field: "extended flags.COMMAND", Offset: 3, Value: 0x30, Err: wire.ErrValue}},
		{"top bit in a NACK", "01 02 82 A0 01 01 00000000 00000000 00",
			wire.DecodeError{Message: "NACK", Field: "extended flags.0", Offset: 3, Value: 0xA0, Err: wire.ErrValue}},
		{"mask of a NACK ends", "01 02 82 60 01 01 00000000 00000000 0000",
			wire.DecodeError{Message: "NACK", Field: "NACK MASK", Offset: 14, Err: wire.ErrShort}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode(octets(t, c.raw))
			var de *wire.DecodeError
			require.ErrorAs(t, err, &de)
			assert.Equal(t, c.want, *de)
			assert.ErrorIs(t, err, c.want.Err)
		})
	}
}

func TestErrorText(t *testing.T) {
	_, err := Decode(octets(t, "01 02 82 A0"))
	assert.EqualError(t, err, "NACK.extended flags.0 at octet 3: "+wire.ErrValue.Error()+" (160)")
	_, err = (&Frame{Flags: BIG}).Append(nil)
	assert.EqualError(t, err, "RELIABLEFRAME.flags.BIG: "+wire.ErrValue.Error())
}

// What was read before the error is in the frame.
func TestPartOfAFrame(t *testing.T) {
	f, err := Decode(octets(t, "05 8101 39 07"))
	assert.ErrorIs(t, err, wire.ErrShort)
	assert.Equal(t, Frame{From: 5, To: 129, Flags: CMD | STA | EOM | RLY, MessageID: 7}, f)
}

func TestAppendRefuses(t *testing.T) {
	for _, c := range []struct {
		name           string
		frame          Frame
		message, field string
	}{
		{"no flags", Frame{}, "RELIABLEFRAME", "flags.CMD"},
		{"BIG", Frame{Flags: CMD | BIG}, "RELIABLEFRAME", "flags.BIG"},
		{"Data and ACK", Frame{Flags: CMD | ACK}, "RELIABLEFRAME", "flags.ACK"},
		{"index of four octets", Frame{Flags: CMD, FromSize: 4}, "RELIABLEFRAME", "IdFrom"},
		{"index of 255 octets", Frame{Flags: CMD, ToSize: 255}, "RELIABLEFRAME", "IdTo"},
		{"COMMAND", Frame{Flags: EXT | ACK, Extended: 0x01}, "NACK", "extended flags.COMMAND"},
		{"top bit", Frame{Flags: EXT | CMD, Extended: 0x80}, "DATA", "extended flags.0"},
		{"extended flags without EXT", Frame{Flags: ACK, Extended: 0x20}, "ACK", "extended flags"},
		{"mask without EXT", Frame{Flags: CMD, Mask: 1}, "DATA", "NACK MASK"},
		{"mask longer than nNACK", Frame{Flags: EXT | ACK, Extended: 0x20, Mask: 0x100}, "NACK", "NACK MASK"},
		{"mask of four octets", Frame{Flags: EXT | ACK, Extended: 0x60, Mask: 1 << 24}, "NACK", "NACK MASK"},
		{"serial of a NACK", Frame{Flags: EXT | ACK, Serial: 1}, "NACK", "serial"},
		{"bytes received of a data frame", Frame{Flags: CMD, BytesReceived: 1}, "DATA", "bytes received"},
		{"tick of a data frame", Frame{Flags: CMD, Tick: 1}, "DATA", "local tick count"},
		{"tail of a data frame", Frame{Flags: CMD, Trailing: []byte{1}}, "DATA", "Trailing"},
		{"data of an ACK", Frame{Flags: ACK, Data: []byte{1}}, "ACK", "Data"},
		{"data of a NACK", Frame{Flags: EXT | ACK, Data: []byte{1}}, "NACK", "Data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := []byte("before")
			out, err := c.frame.Append(dst)
			var ee *wire.EncodeError
			require.ErrorAs(t, err, &ee)
			assert.Equal(t, wire.EncodeError{Message: c.message, Field: c.field, Err: wire.ErrValue}, *ee)
			assert.Equal(t, dst, out)
		})
	}
}

// An index that was changed to a longer one than the size kept for it takes what it needs.
func TestIndexSizeIsAtLeastWhatIsNeeded(t *testing.T) {
	f := Frame{From: 65535, FromSize: 2, To: 1, ToSize: 1, Flags: CMD}
	out, err := f.Append(nil)
	require.NoError(t, err)
	assert.Equal(t, octets(t, "FFFF03 01 20 00 00 00"), out)
}

func TestSlicesAliasWithoutRoom(t *testing.T) {
	for _, text := range []string{"01 02 38 01 01 00 AABB", "01 02 02 01 01 00 00000000 00000000 AABB"} {
		raw := octets(t, text)
		f, err := Decode(raw[:len(raw)-1])
		require.NoError(t, err)
		tail := f.Data
		if f.Kind() == KindACK {
			tail = f.Trailing
		}
		require.Equal(t, []byte{0xAA}, tail)
		assert.Equal(t, []byte{0xAA, 0xEE}, append(tail, 0xEE))
		assert.Equal(t, byte(0xBB), raw[len(raw)-1], "append must not reach past the frame")
		raw[len(raw)-2] = 0xCC
		assert.Equal(t, []byte{0xCC}, tail)
	}
}

func TestVisit(t *testing.T) {
	type field struct {
		name         string
		offset, size int
		kind         wire.Kind
		num          uint32
		raw, names   string
	}
	for _, c := range []struct {
		raw  string
		want []field
	}{
		{"8101 02 B9 07 08 09 20 03 CAFE", []field{
			{"IdFrom", 0, 2, wire.KindNumber, 129, "", ""},
			{"IdTo", 2, 1, wire.KindNumber, 2, "", ""},
			{"flags", 3, 1, wire.KindFlags, 0xB9, "", "EXT|CMD|STA|EOM|RLY"},
			{"messageid", 4, 1, wire.KindNumber, 7, "", ""},
			{"sequence", 5, 1, wire.KindNumber, 8, "", ""},
			{"serial", 6, 1, wire.KindNumber, 9, "", ""},
			{"extended flags", 7, 1, wire.KindFlags, 0x20, "", "nNACK=1"},
			{"NACK MASK", 8, 1, wire.KindHex, 3, "", ""},
			{"Data", 9, 2, wire.KindOctets, 0, "\xCA\xFE", ""},
		}},
		{"01 02 02 07 08 09 01000000 02000000 AA", []field{
			{"IdFrom", 0, 1, wire.KindNumber, 1, "", ""},
			{"IdTo", 1, 1, wire.KindNumber, 2, "", ""},
			{"flags", 2, 1, wire.KindFlags, 2, "", "ACK"},
			{"messageid", 3, 1, wire.KindNumber, 7, "", ""},
			{"sequence", 4, 1, wire.KindNumber, 8, "", ""},
			{"serial", 5, 1, wire.KindNumber, 9, "", ""},
			{"bytes received", 6, 4, wire.KindNumber, 1, "", ""},
			{"local tick count", 10, 4, wire.KindNumber, 2, "", ""},
			{"Trailing", 14, 1, wire.KindStray, 0, "\xAA", ""},
		}},
		{"01 02 82 00 08 09 0100", []field{ // ends in bytes received
			{"IdFrom", 0, 1, wire.KindNumber, 1, "", ""},
			{"IdTo", 1, 1, wire.KindNumber, 2, "", ""},
			{"flags", 2, 1, wire.KindFlags, 0x82, "", "EXT|ACK"},
			{"extended flags", 3, 1, wire.KindFlags, 0, "", "nNACK=0"},
			{"messageid", 4, 1, wire.KindNumber, 8, "", ""},
			{"sequence", 5, 1, wire.KindNumber, 9, "", ""},
		}},
	} {
		raw := octets(t, c.raw)
		var got []field
		f, err := Visit(raw, func(f *wire.Field) {
			got = append(got, field{f.Name, f.Offset, f.Size, f.Kind, f.Num, string(f.Raw), f.Names()})
		})
		assert.Equal(t, c.want, got)
		plain, plainErr := Decode(raw)
		assert.Equal(t, plain, f)
		assert.Equal(t, plainErr, err)
	}
}

// Of every frame that decodes, the visited fields cover each octet once and in order.
func TestVisitCoversTheFrame(t *testing.T) {
	for _, g := range golden {
		raw, at := octets(t, g.raw), 0
		_, err := Visit(raw, func(f *wire.Field) {
			assert.Equal(t, at, f.Offset, g.name)
			at += f.Size
		})
		require.NoError(t, err)
		assert.Equal(t, len(raw), at, g.name)
	}
}

// randomFrame returns a frame that Append takes.
func randomFrame(r *rand.Rand) Frame {
	f := Frame{From: uint16(r.Uint32()) >> r.IntN(16), To: uint16(r.Uint32()) >> r.IntN(16),
		MessageID: uint8(r.Uint32()), Sequence: uint8(r.Uint32()), Flags: Flags(r.Uint32()) & (STA | EOM | SAK | RLY)}
	if r.IntN(4) == 0 {
		f.FromSize = uint8(indexSize(f.From) + 1)
		f.FromSize = f.FromSize % 4 // a fourth octet is none
	}
	tail := make([]byte, r.IntN(40))
	for i := range tail {
		tail[i] = byte(r.Uint32())
	}
	if len(tail) == 0 {
		tail = nil
	}
	kind := 1 + r.IntN(4)
	if kind >= 3 {
		f.Flags |= EXT
		f.Extended = f.Extended.WithMaskSize(r.IntN(4))
		f.Mask = r.Uint32() & (1<<(8*f.Extended.MaskSize()) - 1)
	}
	if kind%2 == 1 {
		f.Flags, f.Serial, f.Data = f.Flags|CMD, uint8(r.Uint32()), tail
		return f
	}
	f.Flags, f.Trailing, f.BytesReceived, f.Tick = f.Flags|ACK, tail, r.Uint32(), r.Uint32()
	if kind == 2 {
		f.Serial = uint8(r.Uint32())
	}
	return f
}

func TestRandomFramesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	seen := map[Kind]int{}
	for range 20000 {
		want := randomFrame(r)
		seen[want.Kind()]++
		raw, err := want.Append(nil)
		require.NoError(t, err, "%+v", want)
		got, err := Decode(raw)
		require.NoError(t, err, "%x", raw)
		require.Equal(t, want, got)
	}
	for _, k := range []Kind{KindData, KindACK, KindNACK} {
		assert.Greater(t, seen[k], 1000, k.String())
	}
}

func TestNoAllocations(t *testing.T) {
	for _, g := range golden {
		raw := octets(t, g.raw)
		dst := make([]byte, 0, 2*len(raw))
		var err error
		n := testing.AllocsPerRun(100, func() {
			f, e := Decode(raw)
			out, e2 := f.Append(dst)
			if len(out) != len(raw) {
				e = errors.New("wrong length")
			}
			err = errors.Join(err, e, e2)
		})
		require.NoError(t, err)
		assert.Zero(t, n, g.name)
	}
}
