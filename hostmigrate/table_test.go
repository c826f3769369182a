package hostmigrate_test

import (
	"errors"
	"testing"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func table(self wire.PlayerID) *hostmigrate.Table {
	return hostmigrate.NewTable(hostmigrate.Config{Self: self, Rule: hostmigrate.Modern})
}

// listOf is a list of system players; the first is host.
func listOf(t testing.TB, ids ...wire.PlayerID) *playerlist.List {
	l := newList(t)
	for i, id := range ids {
		e := system(id)
		if i == 0 {
			e.Flags |= wire.PlayerNameServer
		}
		apply(t, l, playerlist.AddPlayer{Entry: e})
	}
	return l
}

func encode(t testing.TB, m dpl8.Message) []byte {
	b, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	return b
}

// types returns what is sent to whom.
func types(t testing.TB, o hostmigrate.Output) (all []string) {
	for _, s := range o.Sends {
		m, err := dpl8.Decode(s.Message)
		require.NoError(t, err)
		all = append(all, m.Type().String()+" "+s.To.String())
	}
	return all
}

// exchange delivers what tables send each other until nothing is left, and gives all events. Nothing is ignored, but
// for some reasons.
func exchange(t testing.TB, tables map[wire.PlayerID]*hostmigrate.Table, but ...error) map[wire.PlayerID][]hostmigrate.Event {
	events := map[wire.PlayerID][]hostmigrate.Event{}
	for more := true; more; {
		more = false
		for id := range wire.PlayerID(20) {
			if tables[id] == nil {
				continue
			}
			o := tables[id].Take()
			events[id] = append(events[id], o.Events...)
			for _, s := range o.Sends {
				if tables[s.To] != nil {
					more = true
					if err := tables[s.To].Receive(0, id, s.Message); err != nil {
						require.Contains(t, but, errors.Unwrap(err))
					}
				}
			}
		}
	}
	return events
}

// hosted returns a host 3 with members 4 and 5 who have its table.
func hosted(t testing.TB) (map[wire.PlayerID]*hostmigrate.Table, *playerlist.List) {
	l := listOf(t, 3, 4, 5)
	all := map[wire.PlayerID]*hostmigrate.Table{3: table(3), 4: table(4), 5: table(5)}
	all[3].Lead(0, l, []wire.PlayerID{4, 4, 0, 3})
	all[4].Follow(0, 3)
	all[5].Follow(0, 3)
	all[3].Admit(0, 5)
	exchange(t, all)
	for _, x := range all {
		require.True(t, playerlist.Equal(l, x.Replica()))
	}
	return all, l
}

// TestHostTells checks the whole table, every operation, and the forgetting of 2.2.6.
func TestHostTells(t *testing.T) {
	all, l := hosted(t)
	assert.EqualValues(t, 3, all[4].Version())
	apply(t, l, playerlist.SetData{ID: 3, Data: []byte{1}}, playerlist.SetData{ID: 3, Data: []byte{2}})
	all[3].Sync(0)
	o := all[3].Take()
	assert.Equal(t, []string{"UPDATE_INFO 0x00000004", "UPDATE_INFO 0x00000004", "UPDATE_INFO 0x00000005", "UPDATE_INFO 0x00000005"},
		types(t, o))
	for _, s := range o.Sends {
		require.NoError(t, all[s.To].Receive(0, 3, s.Message))
	}
	for _, id := range []wire.PlayerID{4, 5} {
		o := all[id].Take()
		assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000003"}, types(t, o), "at version 4, none at 5")
		require.NoError(t, all[3].Receive(0, id, o.Sends[0].Message))
	}
	_, ok := l.Since(3)
	assert.False(t, ok, "all have version 4")
	_, ok = l.Since(4)
	assert.True(t, ok)
	exchange(t, all)
	_, ok = all[4].Replica().Since(3)
	assert.False(t, ok)
	all[3].Sync(0)
	assert.Empty(t, all[3].Take())
	all[3].Remove(0, 5)
	apply(t, l, playerlist.SetHost{ID: 4})
	all[3].Sync(0)
	assert.Equal(t, []string{"UPDATE_INFO 0x00000004"}, types(t, all[3].Take()))
	all[4].Sync(0)
	all[4].Admit(0, 5)
	all[3].Admit(0, 3)
	assert.Empty(t, all[4].Take(), "it is not the host")
}

// TestRepairs checks that a member that lacks operations asks once, and gets the whole table.
func TestRepairs(t *testing.T) {
	all, l := hosted(t)
	apply(t, l, playerlist.SetData{ID: 3, Data: []byte{1}}, playerlist.SetData{ID: 3, Data: []byte{2}},
		playerlist.SetData{ID: 3, Data: []byte{3}})
	all[3].Sync(0)
	o := all[3].Take()
	assert.ErrorIs(t, all[4].Receive(0, 3, o.Sends[1].Message), playerlist.ErrGap)
	assert.ErrorIs(t, all[4].Receive(0, 3, o.Sends[2].Message), playerlist.ErrGap)
	ask := all[4].Take()
	require.Equal(t, []string{"NAMETABLE_VERSION 0x00000003"}, types(t, ask))
	require.NoError(t, all[3].Receive(0, 4, ask.Sends[0].Message))
	state := all[3].Take()
	require.Equal(t, []string{"SEND_CONNECT_INFO 0x00000004"}, types(t, state))
	require.NoError(t, all[4].Receive(0, 3, state.Sends[0].Message))
	assert.True(t, playerlist.Equal(l, all[4].Replica()))
	err := all[4].Receive(0, 3, o.Sends[0].Message)
	assert.ErrorIs(t, err, playerlist.ErrRepeat)
	assert.Contains(t, err.Error(), "UPDATE_INFO from 0x00000003: operation 4 at version 6")
}

// TestTooLargeToTell checks that members stay where they are while something does not fit, and then go on.
func TestTooLargeToTell(t *testing.T) {
	all, l := hosted(t)
	apply(t, l, playerlist.SetSPData{ID: 3, SPData: make([]byte, 600_000)})
	all[3].Sync(0)
	apply(t, l, playerlist.SetSPData{ID: 3, SPData: []byte{1}})
	assert.Empty(t, all[3].Take())
	all[3].Sync(0)
	exchange(t, all)
	assert.True(t, playerlist.Equal(l, all[4].Replica()))
}

// TestLargeTableInParts checks a table of several messages, which the octets received do not have to outlive.
func TestLargeTableInParts(t *testing.T) {
	all, l := hosted(t)
	for id := range wire.PlayerID(30) {
		apply(t, l, playerlist.AddPlayer{Entry: playerlist.Entry{ID: 100 + id, System: 3, Data: make([]byte, 90_000)}})
	}
	all[3].Admit(0, 4)
	o := all[3].Take()
	n := 0
	for _, s := range o.Sends {
		if s.To == 4 {
			n++
			require.NoError(t, all[4].Receive(0, 3, s.Message))
			for i := range s.Message {
				s.Message[i] = 0xEE
			}
		}
	}
	assert.Equal(t, 3, n)
	assert.True(t, playerlist.Equal(l, all[4].Replica()))
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000003"}, types(t, all[4].Take()))
}

// TestRejoining checks that who follows another host takes that one's table, lower version or not.
func TestRejoining(t *testing.T) {
	all, _ := hosted(t)
	all[4].Follow(0, 3)
	assert.NotNil(t, all[4].Replica(), "it is the same host")
	other := table(9)
	other.Lead(0, listOf(t, 9), nil)
	all[4].Follow(0, 9)
	assert.Nil(t, all[4].Replica())
	assert.Zero(t, all[4].Version())
	assert.EqualValues(t, 9, all[4].Host())
	other.Admit(0, 4)
	for _, s := range other.Take().Sends {
		require.NoError(t, all[4].Receive(0, 9, s.Message))
	}
	assert.EqualValues(t, 1, all[4].Version())
	assert.ErrorIs(t, all[4].Receive(0, 3, encode(t, &dpl8.InstructConnect{ID: 3, Version: 2})), hostmigrate.ErrNotHost)
}

// TestMigrationMessages checks the sequence of 3.2.5.4, message by message.
func TestMigrationMessages(t *testing.T) {
	all, l := hosted(t)
	apply(t, l, playerlist.InstructConnect{ID: 5})
	all[3].Sync(0)
	for _, s := range all[3].Take().Sends {
		if s.To == 5 { // 4 does not get it any more
			require.NoError(t, all[5].Receive(0, 3, s.Message))
		}
	}
	all[5].Take()
	next, ok := hostmigrate.Candidate(hostmigrate.Modern, all[4].Replica(), 3)
	require.True(t, ok)
	require.EqualValues(t, 4, next)
	all[4].Begin(time.Second, 3, 4, []wire.PlayerID{5, 5, 3})
	assert.Equal(t, time.Second+hostmigrate.DefaultTimeout, all[4].Next())
	assert.True(t, all[4].Migrating())
	step := func(from, to wire.PlayerID, want ...string) hostmigrate.Output {
		o := all[from].Take()
		require.Equal(t, want, types(t, o))
		for _, s := range o.Sends {
			require.NoError(t, all[to].Receive(time.Second, from, s.Message))
		}
		return o
	}
	step(4, 5, "HOST_MIGRATE 0x00000005")
	o := step(5, 4, "NAMETABLE_VERSION 0x00000004")
	assert.Equal(t, []hostmigrate.Event{hostmigrate.LeaderKnown{ID: 4, Old: 3}}, o.Events)
	all[5].Begin(time.Second, 3, 4, nil) // it notices late
	step(4, 5, "REQ_NAMETABLE_OP 0x00000005")
	step(5, 4, "ACK_NAMETABLE_OP 0x00000004")
	o = step(4, 5, "RESYNC_VERSION 0x00000005", "HOST_MIGRATE_COMPLETE 0x00000005")
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Complete{Version: 4, List: all[4].Replica()}}, o.Events)
	o = all[5].Take()
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Complete{Version: 4, List: all[5].Replica()}}, o.Events)
	assert.True(t, playerlist.Equal(l, all[4].Replica()))

	list := all[4].Replica()
	apply(t, list, playerlist.DeletePlayer{ID: 3})
	all[4].Lead(time.Second, list, []wire.PlayerID{5})
	step(4, 5, "DESTROY_PLAYER 0x00000005")
	assert.True(t, playerlist.Equal(list, all[5].Replica()))
	assert.Equal(t, hostmigrate.Never, all[4].Next())
}

// TestAlone checks a candidate with nobody left, with a table and without.
func TestAlone(t *testing.T) {
	all, l := hosted(t)
	all[4].Begin(0, 3, 4, nil)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Complete{Version: 3, List: all[4].Replica()}}, all[4].Take().Events)
	assert.True(t, playerlist.Equal(l, all[4].Replica()))
	x := table(9)
	x.Begin(0, 3, 9, nil)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Complete{}}, x.Take().Events)
}

// TestAdmitDuringMigration checks that whoever says hello while tables are resynchronised is told afterwards.
func TestAdmitDuringMigration(t *testing.T) {
	all, _ := hosted(t)
	delete(all, 3)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	all[4].Admit(0, 6)
	all[6] = table(6)
	all[6].Follow(0, 4)
	exchange(t, all)
	assert.True(t, playerlist.Equal(all[4].Replica(), all[6].Replica()))
	assert.Equal(t, "modern dplay4", hostmigrate.Modern.String()+" "+hostmigrate.DPlay4.String())
}
