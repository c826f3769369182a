package playerlist

import (
	"math"
	"strings"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusals holds every operation against every reason it has, and checks that the list stays as it was.
func TestRefusals(t *testing.T) {
	server := Entry{ID: wire.IDServer, System: 10, Flags: wire.PlayerServerPlayer}
	big := make([]byte, MaxEntryOctets+1)
	for _, c := range []struct {
		op   Op
		name string
		id   wire.PlayerID // that the error names
		want error
	}{
		{nil, "Apply", 0, ErrOp},
		{player(0, 10), "AddPlayer", 0, ErrReserved},
		{player(wire.IDUnknown, 10), "AddPlayer", wire.IDUnknown, ErrReserved},
		{player(wire.IDServer, 10), "AddPlayer", wire.IDServer, ErrReserved},
		{system(wire.IDServer), "AddPlayer", wire.IDServer, ErrReserved},
		{AddPlayer{Entry{ID: 1, Flags: wire.PlayerSystem | wire.PlayerServerPlayer}}, "AddPlayer", 1, ErrReserved},
		{AddGroup{server}, "AddGroup", 1, ErrReserved},
		{player(11, 10), "AddPlayer", 11, ErrInUse},
		{player(20, 10), "AddPlayer", 20, ErrInUse},
		{system(10), "AddPlayer", 10, ErrInUse},
		{player(99, 98), "AddPlayer", 98, ErrUnknown},
		{player(99, 0), "AddPlayer", 0, ErrUnknown},
		{player(99, 11), "AddPlayer", 11, ErrNotSystem},
		{player(99, 20), "AddPlayer", 20, ErrNotSystem},
		{AddPlayer{Entry{ID: 99, System: 10, Flags: wire.PlayerNameServer}}, "AddPlayer", 99, ErrFlags},
		{AddPlayer{Entry{ID: 99, Flags: wire.PlayerNameServer | wire.PlayerSystem}}, "AddPlayer", 10, ErrHost},
		{AddPlayer{Entry{ID: 99, System: 10, Data: big}}, "AddPlayer", 99, ErrTooLarge},
		{AddPlayer{Entry{ID: 99, System: 10, ShortName: wire.Text("ab")}}, "AddPlayer", 99, ErrText},
		{AddPlayer{Entry{ID: 99, System: 10, LongName: wire.Text("ab\x00")}}, "AddPlayer", 99, ErrText},
		{AddPlayer{Entry{ID: 99, System: 10, LongName: wire.Text("a\x00\x00\x00b\x00\x00\x00")}}, "AddPlayer", 99, ErrText},

		{DeletePlayer{99}, "DeletePlayer", 99, ErrUnknown},
		{DeletePlayer{0}, "DeletePlayer", 0, ErrUnknown},
		{DeletePlayer{20}, "DeletePlayer", 20, ErrNotPlayer},
		{DeletePlayer{10}, "DeletePlayer", 10, ErrOwns},

		{aGroup(11, 10), "AddGroup", 11, ErrInUse},
		{aGroup(wire.IDUnknown, 10), "AddGroup", wire.IDUnknown, ErrReserved},
		{aGroup(99, 98), "AddGroup", 98, ErrUnknown},
		{aGroup(99, 11), "AddGroup", 11, ErrNotSystem},
		{AddGroup{Entry{ID: 99, System: 10, Parent: 98}}, "AddGroup", 98, ErrUnknown},
		{AddGroup{Entry{ID: 99, System: 10, Parent: 11}}, "AddGroup", 11, ErrNotGroup},
		{AddGroup{Entry{ID: 99, System: 10, Flags: wire.PlayerSystem}}, "AddGroup", 99, ErrFlags},
		{AddGroup{Entry{ID: 99, System: 10, Flags: wire.PlayerNameServer}}, "AddGroup", 99, ErrFlags},
		{AddGroup{Entry{ID: 99, System: 10, ShortName: wire.Text("x")}}, "AddGroup", 99, ErrText},

		{DeleteGroup{99}, "DeleteGroup", 99, ErrUnknown},
		{DeleteGroup{11}, "DeleteGroup", 11, ErrNotGroup},

		{SetName{ID: 99}, "SetName", 99, ErrUnknown},
		{SetName{ID: 11, ShortName: wire.Text("x")}, "SetName", 11, ErrText},
		{SetName{ID: 11, LongName: append(big, make([]byte, 2)...)}, "SetName", 11, ErrText},
		{SetName{ID: 11, ShortName: longText(MaxEntryOctets + 1)}, "SetName", 11, ErrTooLarge},
		{SetName{ID: 31, ShortName: longText(MaxEntryOctets - 33)}, "SetName", 31, ErrTooLarge}, // 32 + 3 are there
		{SetData{ID: 99}, "SetData", 99, ErrUnknown},
		{SetData{ID: 20, Data: big}, "SetData", 20, ErrTooLarge},
		{SetInfo{ID: 99}, "SetInfo", 99, ErrUnknown},
		{SetInfo{ID: 11, Data: big}, "SetInfo", 11, ErrTooLarge},
		{SetInfo{ID: 11, ShortName: wire.Text("x"), Data: []byte{1}}, "SetInfo", 11, ErrText},
		{SetSPData{ID: 99}, "SetSPData", 99, ErrUnknown},
		{SetSPData{ID: 11, SPData: big}, "SetSPData", 11, ErrTooLarge},

		{SetHost{99}, "SetHost", 99, ErrUnknown},
		{SetHost{0}, "SetHost", 0, ErrUnknown},
		{SetHost{11}, "SetHost", 11, ErrNotSystem},
		{SetHost{20}, "SetHost", 20, ErrNotSystem},
		{SetDesc{Session{Name: wire.Text("x")}}, "SetDesc", 0, ErrText},
		{SetDesc{Session{Password: wire.Text("x")}}, "SetDesc", 0, ErrText},
		{SetDesc{Session{Name: longText(MaxSessionOctets), Password: wire.NewText("")}}, "SetDesc", 0, ErrTooLarge},

		{AddMember{99, 11}, "AddMember", 99, ErrUnknown},
		{AddMember{11, 12}, "AddMember", 11, ErrNotGroup},
		{AddMember{20, 99}, "AddMember", 99, ErrUnknown},
		{AddMember{20, 21}, "AddMember", 21, ErrNotPlayer},
		{AddMember{20, 31}, "AddMember", 31, ErrMember},
		{RemoveMember{99, 11}, "RemoveMember", 99, ErrUnknown},
		{RemoveMember{11, 11}, "RemoveMember", 11, ErrNotGroup},
		{RemoveMember{20, 99}, "RemoveMember", 99, ErrUnknown},
		{RemoveMember{20, 32}, "RemoveMember", 32, ErrNotPlayer},
		{RemoveMember{20, 12}, "RemoveMember", 12, ErrNotMember},

		{AddShortcut{99, 20}, "AddShortcut", 99, ErrUnknown},
		{AddShortcut{20, 99}, "AddShortcut", 99, ErrUnknown},
		{AddShortcut{20, 11}, "AddShortcut", 11, ErrNotGroup},
		{AddShortcut{11, 20}, "AddShortcut", 11, ErrNotGroup},
		{AddShortcut{20, 20}, "AddShortcut", 20, ErrSelf},
		{AddShortcut{20, 32}, "AddShortcut", 32, ErrMember},
		{RemoveShortcut{99, 20}, "RemoveShortcut", 99, ErrUnknown},
		{RemoveShortcut{20, 99}, "RemoveShortcut", 99, ErrUnknown},
		{RemoveShortcut{20, 21}, "RemoveShortcut", 21, ErrNotMember}, // created in it, not shown
		{RemoveShortcut{32, 20}, "RemoveShortcut", 20, ErrNotMember}, // the other way round

		{InstructConnect{99}, "InstructConnect", 99, ErrUnknown},
		{InstructConnect{11}, "InstructConnect", 11, ErrNotSystem},
	} {
		l := sample(t)
		before, version := l.State(), l.Version()
		for _, f := range []func() error{
			func() error { _, err := l.Apply(c.op); return err },
			func() error { return l.ApplyAt(version+1, c.op) },
		} {
			var oe *OpError
			err := f()
			require.ErrorAs(t, err, &oe, "%T %+v", c.op, c.op)
			assert.ErrorIs(t, err, c.want, "%T", c.op)
			assert.Equal(t, c.name, oe.Op)
			assert.Equal(t, c.id, oe.ID, "%v", err)
			assert.Contains(t, err.Error(), c.id.String())
		}
		assert.Equal(t, before, l.State(), "%T changed the list although it was refused", c.op)
		assert.Equal(t, version, l.Version())
		audit(t, l)
	}
}

// longText is a text of n octets with its terminator, one less if n is odd.
func longText(n int) wire.Text {
	return wire.Text(strings.Repeat("x", n/2*2-2) + "\x00\x00")
}

// TestVersions checks that copies take operations in order only.
func TestVersions(t *testing.T) {
	host, replica := newList(t), newList(t)
	assert.Zero(t, host.Version())
	v, err := host.Apply(system(10))
	require.NoError(t, err)
	assert.EqualValues(t, 1, v, "[MC-DPL8CS] 2.2.6: the first operation has number 1")

	for _, c := range []struct {
		at   uint32
		want error
		text string
	}{
		{0, ErrRepeat, "operation 0 at version 0: was applied before"},
		{2, ErrGap, "operation 2 at version 0: operations before it are missing"},
		{math.MaxUint32, ErrGap, "operation 4294967295 at version 0: operations before it are missing"},
		{1, nil, ""},
		{1, ErrRepeat, "operation 1 at version 1: was applied before"},
		{3, ErrGap, "operation 3 at version 1: operations before it are missing"},
	} {
		err := replica.ApplyAt(c.at, system(10))
		if c.want == nil {
			require.NoError(t, err)
			continue
		}
		var ve *VersionError
		require.ErrorAs(t, err, &ve)
		assert.ErrorIs(t, err, c.want)
		assert.EqualError(t, err, c.text)
	}
	assert.True(t, Equal(host, replica))
}

// TestVersionsEnd checks that numbers never start over.
func TestVersionsEnd(t *testing.T) {
	s := newList(t).State()
	s.Version = math.MaxUint32 - 1
	l, err := Load(s)
	require.NoError(t, err)
	require.NoError(t, l.ApplyAt(math.MaxUint32, system(10)))
	_, err = l.Apply(system(11))
	require.ErrorIs(t, err, ErrVersions)
	assert.EqualError(t, err, "operation 4294967295 at version 4294967295: no number is left")
	require.ErrorIs(t, l.ApplyAt(0, system(11)), ErrRepeat)
	require.ErrorIs(t, l.ApplyAt(math.MaxUint32, system(11)), ErrRepeat)
	audit(t, l)
}

// TestNewRefuses checks sessions that could not be sent.
func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		s    Session
		want error
	}{
		{Session{Name: wire.Text("x")}, ErrText},
		{Session{Password: wire.Text{0, 0, 0}}, ErrText},
		{Session{Name: longText(MaxSessionOctets + 1)}, ErrTooLarge},
		{Session{Name: longText(MaxSessionOctets / 2), Password: longText(MaxSessionOctets/2 + 4)}, ErrTooLarge},
	} {
		_, err := New(c.s)
		assert.ErrorIs(t, err, c.want)
	}
	l, err := New(Session{Name: longText(MaxSessionOctets - 1), Desc: wire.SessionDesc{CurrentPlayers: 9, NamePointer: 0xBAD}})
	require.NoError(t, err)
	s := l.Session()
	assert.Zero(t, s.Desc.CurrentPlayers)
	assert.Zero(t, s.Desc.NamePointer)
	out, err := wire.AppendMessage(nil, wire.DX9, l.SuperEnumPlayersReply(View{}))
	require.NoError(t, err, "the longest name can be sent")
	assert.Len(t, out, l.SuperSize()-wire.SPHeaderSize)
}

// TestMaxEntryOctets checks that the largest entry just fits in the largest CREATEPLAYER.
func TestMaxEntryOctets(t *testing.T) {
	l := sample(t)
	apply(t, l, SetData{12, make([]byte, MaxEntryOctets)})
	info, _ := l.Packed(12, 10)
	e := wire.Envelope{HasSP: true, Version: wire.DX9, Message: &wire.CreatePlayer{Player: 12, Info: info}}
	out, err := e.Append(nil)
	require.NoError(t, err)
	assert.Len(t, out, wire.MaxMessage)
}
