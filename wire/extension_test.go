package wire_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In these golden messages the last field is what is left.
func init() {
	restBegins["EXTENSION-table"] = 16
	restBegins["EXTENSION-unknownkind"] = 16
	restBegins["EXTENSION-release2"] = 16
}

// extensionKinds are all kinds of the extension, with their names.
var extensionKinds = map[wire.ExtensionKind]string{
	wire.KindHello: "HELLO", wire.KindTable: "TABLE", wire.KindClaim: "CLAIM", wire.KindRejoinAt: "REJOINAT",
	wire.KindRejoin: "REJOIN", wire.KindArrived: "ARRIVED",
	wire.KindFormers: "FORMERS", wire.KindObjectCreate: "OBJECTCREATE", wire.KindObjectMigrate: "OBJECTMIGRATE",
	wire.KindObjectDestroy: "OBJECTDESTROY", wire.KindObjectUpdate: "OBJECTUPDATE", wire.KindObjectAck: "OBJECTACK",
	wire.KindObjectRequest: "OBJECTREQUEST", wire.KindObjectInstruct: "OBJECTINSTRUCT", wire.KindView: "VIEW",
}

// TestExtensionKinds: every kind has its name and a body that says of itself that it is of that kind; no other
// number has either.
func TestExtensionKinds(t *testing.T) {
	for k := range wire.ExtensionKind(math.MaxUint16) {
		b := append([]byte("playD4\x0e\x00\x01\x00"), byte(k), byte(k>>8), 1, 2, 3, 4)
		b = append(b, make([]byte, 160)...)
		_, m, err := new(wire.Decoder).DecodeMessage(b)
		require.NoError(t, err)
		x := m.(*wire.Extension)
		assert.Equal(t, k, x.Kind)
		assert.Equal(t, wire.PlayerID(0x04030201), x.From)
		name, known := extensionKinds[k]
		if !known {
			require.Nil(t, x.Body, "%v", k)
			require.Len(t, x.Octets, 160)
			require.Contains(t, k.String(), "UNKNOWN(0x")
			continue
		}
		assert.Equal(t, name, k.String())
		require.NotNil(t, x.Body, name)
		assert.Equal(t, k, wire.NewExtension(1, x.Body).Kind)
		assert.Equal(t, wire.CmdExtension, m.Command())
	}
	assert.Equal(t, "EXTENSION", wire.CmdExtension.String())
	assert.False(t, wire.CmdExtension.Known(), "the specification does not assign it")
	assert.IsType(t, &wire.Extension{}, wire.New(wire.CmdExtension))
	assert.Equal(t, "0x00000005/3", wire.ObjectID{Creator: 5, Number: 3}.String())
}

// TestExtensionRandom encodes bodies with random values, decodes them, and encodes them again. The decoder is one
// and the same: nothing of the message before may be left in the next.
func TestExtensionRandom(t *testing.T) {
	r := rand.New(rand.NewChaCha8([32]byte{1}))
	octets := func() []byte {
		if r.IntN(3) == 0 {
			return nil
		}
		b := make([]byte, 1+r.IntN(400))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	address := func() wire.SockAddr {
		return wire.SockAddr{Family: 2, Port: uint16(r.Uint32()), Addr: [4]byte{byte(r.Uint32()), 2, 3, 4}}
	}
	var d wire.Decoder
	for range 3000 {
		var body wire.ExtensionBody
		switch r.IntN(7) {
		case 0:
			body = &wire.ExtensionHello{Abilities: r.Uint32(), Answer: r.Uint32(), Version: r.Uint32()}
		case 1:
			body = &wire.ExtensionTable{Message: octets()}
		case 2:
			body = &wire.ExtensionClaim{Instance: wire.GUID{byte(r.Uint32())}, Version: r.Uint32(), Stream: address()}
		case 3:
			body = &wire.ExtensionRejoinAt{Host: wire.PlayerID(r.Uint32()), Stream: address()}
		case 4:
			body = &wire.ExtensionRejoin{Reserved1: r.Uint32(), Dialect: r.Uint32(), SPData: octets()}
		case 5:
			body = &wire.ExtensionObject{Op: wire.KindObjectCreate + wire.ExtensionKind(r.IntN(7)),
				Object: wire.ObjectID{Creator: wire.PlayerID(r.Uint32()), Number: r.Uint32()}, Owner: wire.PlayerID(r.Uint32()),
				Counter: r.Uint32(), Sequence: r.Uint32(), State: octets()}
		case 6:
			body = &wire.ExtensionArrived{Mine: wire.ArrivedEnd{Incarnation: wire.GUID{byte(r.Uint32()), 2}, Meeting: r.Uint32()},
				Yours: wire.ArrivedEnd{Incarnation: wire.GUID{byte(r.Uint32()), 2}, Meeting: r.Uint32()}, Connection: r.Uint32(), Next: r.Uint64(),
				Read: r.Uint32(), Count: r.Uint64()}
		}
		b, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(7, body))
		require.NoError(t, err)
		_, m, err := d.DecodeMessage(b)
		require.NoError(t, err)
		assert.Equal(t, body, m.(*wire.Extension).Body)
		got, err := wire.AppendMessage([]byte("x"), wire.DX9, m)
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(b), hex.EncodeToString(got[1:]))
	}
}

// TestExtensionKindOfBody: the body decides on release and kind, whatever the fields say.
func TestExtensionKindOfBody(t *testing.T) {
	want, err := wire.AppendMessage(nil, wire.DX9, wire.NewExtension(7, &wire.ExtensionHello{Answer: 1}))
	require.NoError(t, err)
	got, err := wire.AppendMessage(nil, wire.DX9, &wire.Extension{Release: 9, Kind: wire.KindClaim, From: 7,
		Body: &wire.ExtensionHello{Answer: 1}})
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// TestExtensionRefusesSizes makes both length fields larger than what is left.
func TestExtensionRefusesSizes(t *testing.T) {
	for _, f := range []struct {
		golden, field string
		at            int
		left          uint32
	}{
		{"EXTENSION-rejoin", "SPDataSize", 60, 32},
		{"EXTENSION-objectcreate", "StateSize", 36, 4},
		{"EXTENSION-objectack", "StateSize", 36, 0},
	} {
		for _, v := range []uint32{f.left + 1, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32} {
			refusal{f.golden, f.at, v, f.field, f.at, wire.ErrShort}.check(t)
		}
	}
}

// TestExtensionStateAliases: the state of a decoded object is part of what was decoded and has no room to append.
func TestExtensionStateAliases(t *testing.T) {
	b := load(t, "EXTENSION-objectcreate")
	_, m, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err)
	o := m.(*wire.Extension).Body.(*wire.ExtensionObject)
	b[len(b)-1] = '!'
	assert.True(t, bytes.HasSuffix(o.State, []byte("!")))
	assert.Equal(t, len(o.State), cap(o.State))
}
