package playerlist

import (
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// FuzzApply makes operations of octets, does them on a host's list and on a copy, and audits both.
func FuzzApply(f *testing.F) {
	for seed := range uint64(8) {
		s := newSeeded(seed)
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(s.choose(256))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &octets{b}
		host, replica := newList(t), newList(t)
		for len(s.b) > 0 {
			op := randomOp(s)
			v, err := host.Apply(op)
			if err != nil {
				require.Error(t, replica.ApplyAt(replica.Version()+1, op))
				continue
			}
			require.NoError(t, replica.ApplyAt(v, op))
		}
		audit(t, host)
		audit(t, replica)
		require.True(t, Equal(host, replica))
		loaded, err := Load(host.State())
		require.NoError(t, err)
		require.True(t, Equal(host, loaded))
		for _, system := range host.AppendSystems(nil) {
			for _, op := range host.Departed(system) {
				_, err := host.Apply(op)
				require.NoError(t, err)
			}
		}
		players, groups := host.Len()
		require.Zero(t, players+groups)
		audit(t, host)
	})
}

// FuzzLoadSnapshot loads whatever SUPERENUMPLAYERSREPLY octets decode to. The list is sound; listed again and loaded
// again it is the same.
func FuzzLoadSnapshot(f *testing.F) {
	for _, file := range []string{"testdata/capture05-first.hex", "testdata/capture05-second.hex"} {
		f.Add(readHex(f, file)[wire.SPHeaderSize:], uint32(0x3EC))
	}
	b, _ := encode(f, wineSuper())
	f.Add(b, uint32(0x12345678))
	m := wineSuper()
	addGroups(m, 7, 8, 8, 9, 9, 7, 5, 99)
	m.Shortcuts = []wire.SuperPackedPlayer{{ID: 7, Shortcuts: ids(8, 9, 0x5E7)}}
	b, _ = encode(f, m)
	f.Add(b, uint32(0))
	b, _ = encode(f, randomList(newSeeded(1), 300).SuperEnumPlayersReply(View{}))
	f.Add(b, uint32(7))
	f.Fuzz(func(t *testing.T, b []byte, self uint32) {
		_, decoded, err := new(wire.Decoder).DecodeMessage(b)
		m, ok := decoded.(*wire.SuperEnumPlayersReply)
		if err != nil || !ok {
			return
		}
		before := append([]byte(nil), b...)
		l, err := FromSuperEnumPlayersReply(m, wire.PlayerID(self))
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
		require.Equal(t, before, b, "the message is only read")
		audit(t, l)
		v := View{Sender: l.Host(), Newcomer: wire.PlayerID(self)}
		out, err := wire.AppendMessage(nil, wire.DX9, l.SuperEnumPlayersReply(v))
		if l.SuperSize() > wire.MaxMessage {
			require.ErrorIs(t, err, wire.ErrLimit)
			return
		}
		require.NoError(t, err)
		_, decoded, err = new(wire.Decoder).DecodeMessage(out)
		require.NoError(t, err)
		again, err := FromSuperEnumPlayersReply(decoded.(*wire.SuperEnumPlayersReply), wire.PlayerID(self))
		require.NoError(t, err)
		require.Equal(t, contentOf(l, v.Sender, true).sorted(), contentOf(again, v.Sender, true).sorted())
		i := l.IDs(0)
		for range 3 {
			id, err := i.Reserve()
			if err != nil {
				break
			}
			player, group := l.Kind(id)
			require.False(t, player || group)
		}
	})
}
