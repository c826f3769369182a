package view

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Octets make operations of a fuzzer's octets, one choice of each; after the last one all choices are 0.
type Octets struct{ B []byte }

// Choose returns a number below n.
func (o *Octets) Choose(n int) int {
	if len(o.B) == 0 {
		return 0
	}
	v := int(o.B[0])
	o.B = o.B[1:]
	return v % n
}

// Drawn returns octets of a seed.
func Drawn(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 28))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(256))
	}
	return b
}

func (o *Octets) text() wire.Text {
	switch o.Choose(8) {
	case 0:
		return nil
	case 1:
		return wire.NewText8("eight")
	case 2:
		return wire.Text{1, 2, 3} // it has no end
	}
	return wire.NewText("name"[:o.Choose(5)])
}

func (o *Octets) data() []byte {
	switch o.Choose(6) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		return make([]byte, o.Choose(256))
	}
	d := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: uint16(2300 + o.Choose(3)), Addr: [4]byte{10, 0, 0, byte(o.Choose(4))}}}
	return d.Append(nil)
}

func (o *Octets) entry(ids []wire.PlayerID) playerlist.Entry {
	id := func() wire.PlayerID { return ids[o.Choose(len(ids))] }
	e := playerlist.Entry{ID: id(), System: id(), Dialect: uint32(o.Choose(20)), ShortName: o.text(), LongName: o.text(), SPData: o.data(),
		Data: o.data(), Flags: wire.PlayerFlags(o.Choose(256))}
	if o.Choose(3) == 0 {
		e.Parent = id()
	}
	if o.Choose(3) > 0 { // so that it is possible as a rule
		e.Flags &^= wire.PlayerNameServer
		if e.Flags&wire.PlayerSystem != 0 {
			e.System = e.ID
		}
	}
	return e
}

// Add returns an operation that adds something.
func (o *Octets) Add(ids []wire.PlayerID) playerlist.Op {
	e := o.entry(ids)
	if o.Choose(3) > 0 {
		return playerlist.AddPlayer{Entry: e}
	}
	e.Group = true
	e.Flags &^= wire.PlayerSystem | wire.PlayerNameServer
	return playerlist.AddGroup{Entry: e}
}

// Op returns an operation about some ids, which may be possible.
func (o *Octets) Op(ids []wire.PlayerID) playerlist.Op {
	id := func() wire.PlayerID { return ids[o.Choose(len(ids))] }
	switch o.Choose(16) {
	case 0, 1, 2, 3, 4:
		return o.Add(ids)
	case 5:
		return playerlist.DeletePlayer{ID: id()}
	case 6:
		return playerlist.DeleteGroup{ID: id()}
	case 7:
		return playerlist.SetName{ID: id(), ShortName: o.text(), LongName: o.text()}
	case 8:
		return playerlist.SetData{ID: id(), Data: o.data()}
	case 9:
		return playerlist.SetInfo{ID: id(), ShortName: o.text(), LongName: o.text(), Data: o.data()}
	case 10:
		return playerlist.SetSPData{ID: id(), SPData: o.data()}
	case 11:
		return playerlist.AddMember{Group: id(), Player: id()}
	case 12:
		return playerlist.RemoveMember{Group: id(), Player: id()}
	case 13:
		return playerlist.AddShortcut{Parent: id(), Child: id()}
	case 14:
		return playerlist.RemoveShortcut{Parent: id(), Child: id()}
	}
	if o.Choose(3) == 0 {
		return playerlist.SetDesc{Session: playerlist.Session{Name: o.text(), Password: o.text(), Desc: wire.SessionDesc{MaxPlayers: uint32(o.Choose(9))}}}
	}
	return playerlist.SetHost{ID: id()}
}

// FuzzList makes a list in the ways in which messages do: an operation with the next number, one with a later number, and the whole list
// with a later number. Of each such list the state loads again, and so does the form in which INSTALL and STATE have it.
func FuzzList(f *testing.F) {
	ids := []wire.PlayerID{wire.IDAll, wire.IDServer}
	for id := wire.PlayerID(3); id < 15; id++ {
		ids = append(ids, id)
	}
	// Operations: a system player, a player of it, a group with a long name, and that player in it; then the list with a later number.
	add := func(group bool, id, system, flags byte) []byte {
		b := []byte{1, 1, id, system, 14, 4, 2, 4, 3, 0, 1, flags, 1, 1, 1}
		if group {
			b[len(b)-1] = 0
		}
		return b
	}
	f.Add(slices.Concat(add(false, 2, 2, 1), add(false, 3, 2, 0), add(true, 4, 2, 0), []byte{1, 11, 4, 3}, []byte{0, 7}, []byte{1, 8, 3, 2, 50}))
	f.Add(slices.Concat(add(false, 2, 2, 3), add(false, 5, 5, 1), []byte{2, 9, 15, 5}, []byte{1, 5, 2}, []byte{0, 1}, add(true, 2, 5, 0)))
	for seed := range uint64(8) {
		f.Add(Drawn(seed, 300))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &Octets{b}
		l, err := playerlist.New(playerlist.Session{Name: wire.NewText("views")})
		require.NoError(t, err)
		for len(o.B) > 0 {
			how := o.Choose(4)
			if how == 0 {
				l = at(l, l.Version()+uint32(o.Choose(300)))
				continue
			}
			version := l.Version() + 1
			if how == 2 {
				version += uint32(o.Choose(300))
			}
			n, err := unpack(pack(playerlist.Numbered{Version: version, Op: o.Op(ids)}))
			if err != nil {
				continue // it fits in no message
			}
			if err := l.ApplyAt(version, n.Op); err != nil {
				continue
			}
			require.True(t, playerlist.Equal(l, clone(l)), "%T", n.Op)
		}
		ops, err := unpackAll(packState(l, 0))
		require.NoError(t, err)
		again, err := unpackState(ops, l.Version())
		require.NoError(t, err)
		require.True(t, playerlist.Equal(l, again))
	})
}
