package wire_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// TestRandomMessages makes random messages of every command, encodes and decodes them, and requires an equal
// value: exactly equal, for the decoder gives nil for what is not there. Only the octets of messages inside
// messages, which decoding adds, are left out.
func TestRandomMessages(t *testing.T) {
	const rounds = 100
	var reused wire.Decoder
	for _, cmd := range append(wire.Commands(), 0, 0x14, 0x1234) {
		for round := range uint64(rounds) {
			g := generator{Rand: rand.New(rand.NewPCG(uint64(cmd), round)), noIDs: round%4 == 3}
			m := g.message(cmd)
			seed := fmt.Sprintf("%v, round %d", cmd, round)

			version := wire.Dialect(9 + g.IntN(6))
			b, err := wire.AppendMessage(nil, version, m)
			require.NoError(t, err, seed)
			behind, err := wire.AppendMessage([]byte("what was there"), version, m)
			require.NoError(t, err, seed)
			require.Equal(t, "what was there"+string(b), string(behind), seed)

			fresh := wire.Decoder{Options: wire.Options{NoMessageID: g.noIDs}}
			reused.Options = fresh.Options
			for _, d := range []*wire.Decoder{&fresh, &reused} {
				h, got, err := d.DecodeMessage(b)
				require.NoError(t, err, seed)
				require.Equal(t, wire.Header{Command: cmd, Version: version}, h, seed)
				requireRegular(t, got)
				encoded, err := wire.AppendMessage(nil, h.Version, got)
				require.NoError(t, err, seed)
				require.True(t, bytes.Equal(b, encoded), seed)
				dropOctets(reflect.ValueOf(got))
				require.True(t, reflect.DeepEqual(m, got), "%s\nwant %+v\ngot  %+v", seed, m, got)
			}
		}
	}
}

// TestRandomEnvelopes does the same with what stands around messages.
func TestRandomEnvelopes(t *testing.T) {
	all := wire.Commands()
	for round := range uint64(2000) {
		g := generator{Rand: rand.New(rand.NewPCG(99, round)), noIDs: round%4 == 3}
		e := wire.Envelope{HasSP: true, Version: wire.Dialect(g.Uint32())}
		if e.Message = g.message(all[g.IntN(len(all))]); g.IntN(4) == 0 {
			p := g.playerMessage()
			e.Message, e.Version = &p, 0
		}
		g.fill(reflect.ValueOf(&e.SP.SockAddr).Elem())
		e.SP.Token = wire.Token(1 + g.IntN(0xFFF))
		e.Trailing = g.octets()

		b, err := e.Append(nil)
		require.NoError(t, err)
		d := wire.Decoder{Options: wire.Options{NoMessageID: g.noIDs}}
		got, err := d.DecodeStream(b)
		require.NoError(t, err)
		dropOctets(reflect.ValueOf(got.Message))
		e.SP.Size = len(b) - len(e.Trailing)
		require.True(t, reflect.DeepEqual(e, got), "round %d\nwant %+v\ngot  %+v", round, e, got)
	}
}

// requireRegular requires that decoding found everything where Append puts it.
func requireRegular(t *testing.T, m wire.Message) {
	t.Helper()
	if l := reflect.ValueOf(m).Elem().FieldByName("Layout"); l.IsValid() {
		layout := l.Interface().(wire.Layout)
		require.True(t, layout.Regular(), "%T", m)
	}
}

// dropOctets forgets the octets of messages inside v that were decoded.
func dropOctets(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dropOctets(v.Elem())
		}
	case reflect.Struct:
		if in, ok := v.Addr().Interface().(*wire.Inner); ok {
			if in.Message != nil {
				in.Octets = nil
			}
			dropOctets(reflect.ValueOf(in.Message))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				dropOctets(v.Field(i))
			}
		}
	}
}
