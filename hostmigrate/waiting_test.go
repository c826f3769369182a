package hostmigrate_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/hostmigrate"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// TestWaitForEachOther checks that two machines which wait for each other, and one that waits for the worse of them, all
// follow the better one at once: each of the two is called, and leads.
func TestWaitForEachOther(t *testing.T) {
	for _, first := range []wire.PlayerID{4, 5} { // who notices first that the host is gone
		l := listOf(t, 3, 4, 5, 6)
		all := map[wire.PlayerID]*hostmigrate.Table{3: table(3), 4: table(4), 5: table(5), 6: table(6)}
		all[3].Lead(0, l, []wire.PlayerID{4, 5, 6})
		for _, id := range []wire.PlayerID{4, 5, 6} {
			all[id].Follow(0, 3)
		}
		exchange(t, all)
		delete(all, 3)
		other := 9 - first
		all[first].Begin(0, 3, other, nil)
		assert.Empty(t, exchange(t, all)[other], "it has not noticed yet")
		all[other].Begin(0, 3, first, nil)
		all[6].Begin(0, 3, 5, nil)
		events := exchange(t, all)
		called := 0
		for _, id := range []wire.PlayerID{4, 5} {
			for _, ev := range events[id] {
				if _, ok := ev.(hostmigrate.Called); ok {
					called++
					all[id].Again(0, 3, []wire.PlayerID{4, 5, 6})
				}
			}
		}
		assert.NotZero(t, called)
		exchange(t, all, hostmigrate.ErrCandidate, hostmigrate.ErrUnexpected, hostmigrate.ErrNotLeading, hostmigrate.ErrNotHost)
		for id, x := range all {
			assert.EqualValues(t, 4, x.Host(), "%v follows the one that joined first", id)
			assert.False(t, x.Migrating())
		}
	}
}

// TestCalledLeader checks that who leads, or has a leader, is not called, and that a leader takes one that calls it into
// its migration if it did not know of it.
func TestCalledLeader(t *testing.T) {
	call := encode(t, &dpl8.NameTableVersion{Version: 3, VersionNotUsed: math.MaxUint32})
	all, _ := hosted(t)
	all[4].Begin(0, 3, 4, []wire.PlayerID{6})
	all[4].Take()
	require.NoError(t, all[4].Receive(0, 5, call))
	o := all[4].Take()
	assert.Empty(t, o.Events)
	require.Equal(t, []string{"HOST_MIGRATE 0x00000005"}, types(t, o))
	require.NoError(t, all[5].Receive(0, 4, o.Sends[0].Message))
	all[5].Take()
	require.NoError(t, all[5].Receive(0, 6, call))
	assert.Empty(t, all[5].Take())
	require.NoError(t, all[3].Receive(0, 5, call))
	assert.Equal(t, hostmigrate.Output{Events: []hostmigrate.Event{hostmigrate.Called{By: 5}}}, all[3].Take(),
		"the host says that it is")
}

// TestLeaderThatSpoke checks that a member goes on with a candidate that spoke when it knows that another one is next,
// which may not know it: only the member itself, and only if it is the better one, leads instead.
func TestLeaderThatSpoke(t *testing.T) {
	word := encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 5})
	for _, next := range []wire.PlayerID{4, 6} {
		l := listOf(t, 3, 4, 5, 6)
		host, x := table(3), table(6)
		x.Follow(0, 3)
		host.Lead(0, l, []wire.PlayerID{6})
		exchange(t, map[wire.PlayerID]*hostmigrate.Table{3: host, 6: x})
		require.NoError(t, x.Receive(0, 5, word))
		x.Begin(0, 3, next, []wire.PlayerID{4, 5})
		assert.EqualValues(t, 5, x.Host())
		assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000005"}, types(t, x.Take()), "and calls nobody")
		require.NoError(t, x.Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})))
		assert.EqualValues(t, 4, x.Host(), "the better one speaks")
	}
	all, _ := hosted(t)
	require.NoError(t, all[4].Receive(0, 5, word))
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	assert.EqualValues(t, 4, all[4].Host())
}

// TestWordKept checks that a candidate which was not followed for another one's sake is, if that one turns out to be
// worse: what it says of itself counts. So it is for a machine that is to lead itself.
func TestWordKept(t *testing.T) {
	word := func(id wire.PlayerID, number byte) []byte {
		return append(encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: dpl8.DPNID(id)}), 1, 0, 0, 0, number, 0, 0, 0)
	}
	x := table(6)
	x.UseRule(hostmigrate.DPlay4)
	x.Follow(0, 3)
	x.Begin(0, 3, 4, nil)
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, x.Receive(0, 5, word(5, 7))), "4 has the lower id")
	require.NoError(t, x.Receive(0, 4, word(4, 9)))
	assert.EqualValues(t, 5, x.Host())

	x = table(6)
	x.UseRule(hostmigrate.DPlay4)
	x.Follow(0, 3)
	x.Begin(0, 3, 4, nil)
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, x.Receive(0, 5, word(5, 7))))
	x.Take()
	x.UseRule(hostmigrate.Modern)
	x.Again(0, 3, []wire.PlayerID{4, 5})
	assert.EqualValues(t, 5, x.Host())
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000005"}, types(t, x.Take()))
}

// TestHostThatNeverLed checks that a member which waits for a candidate waits no longer when that one is host: it may have
// become host without having led, for it knew of no peers.
func TestHostThatNeverLed(t *testing.T) {
	all, _ := hosted(t)
	all[5].Begin(0, 3, 4, nil)
	require.True(t, all[5].Waits())
	all[5].Follow(0, 4)
	assert.False(t, all[5].Migrating())
	assert.Equal(t, hostmigrate.Never, all[5].Next(), "and gives up nobody")

	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	assert.False(t, all[4].Waits())
}

// TestLeaderLostUnnoticed checks that a leader that is lost is followed no longer, also where the caller waits for another
// machine: when that one is given up, the next candidate is the leader.
func TestLeaderLostUnnoticed(t *testing.T) {
	all, _ := hosted(t)
	x := all[5]
	require.NoError(t, x.Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})))
	x.Begin(0, 3, 9, nil) // the caller waits for 9, which does not know the table
	require.EqualValues(t, 4, x.Host())
	x.Lost(0, 4)
	assert.False(t, x.Greeted())
	x.Take()
	x.Begin(0, 9, 5, []wire.PlayerID{6})
	assert.EqualValues(t, 5, x.Host())
	assert.Equal(t, []string{"HOST_MIGRATE 0x00000006"}, types(t, x.Take()))
}

// TestFollowerLeadsNot checks that a machine which answered the leader is not taken for one that leads, whatever it said
// before.
func TestFollowerLeadsNot(t *testing.T) {
	all, _ := hosted(t)
	x := all[4]
	x.Begin(0, 3, 4, []wire.PlayerID{5})
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, x.Receive(0, 5, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 5}))))
	require.NoError(t, x.Receive(0, 5, encode(t, &dpl8.NameTableVersion{Version: 3, VersionNotUsed: 1})))
	require.False(t, x.Migrating())
	x.Take()
	x.Begin(0, 3, 5, nil)
	assert.True(t, x.Waits())
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000005"}, types(t, x.Take()), "it is called")
}

// TestAnsweredTooLate checks that who follows a machine that has stopped leading calls it: at once while that one waits,
// and when the candidate that it stopped for is gone.
func TestAnsweredTooLate(t *testing.T) {
	l := listOf(t, 3, 4, 5, 6)
	host, x := table(3), table(5)
	x.Follow(0, 3)
	host.Lead(0, l, []wire.PlayerID{5})
	exchange(t, map[wire.PlayerID]*hostmigrate.Table{3: host, 5: x})
	x.Begin(0, 3, 5, []wire.PlayerID{4, 6})
	require.NoError(t, x.Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})))
	require.EqualValues(t, 4, x.Host())
	x.Take()
	answer := encode(t, &dpl8.NameTableVersion{Version: 0, VersionNotUsed: 1})
	require.NoError(t, x.Receive(0, 6, answer))
	assert.Empty(t, x.Take().Events, "the better one leads")
	x.Lost(0, 4)
	x.Begin(0, 4, 6, nil)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Called{By: 6}}, x.Take().Events)
	require.NoError(t, x.Receive(0, 6, answer))
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Called{By: 6}}, x.Take().Events)
}

// TestHeldForNext checks that a candidate which spoke, and was not followed for a better one's sake, is not left waiting longer
// when that one is lost and the next one says nothing either.
func TestHeldForNext(t *testing.T) {
	l := listOf(t, 3, 4, 5, 6, 7)
	host, x := table(3), table(7)
	host.Lead(0, l, []wire.PlayerID{7})
	x.Follow(0, 3)
	exchange(t, map[wire.PlayerID]*hostmigrate.Table{3: host, 7: x})
	x.Begin(0, 3, 4, nil)
	word := encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 6})
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, x.Receive(0, 6, word)))
	x.Begin(time.Second, 4, 5, nil)
	x.Take()
	require.Equal(t, time.Second+hostmigrate.DefaultTimeout/2, x.Next())
	x.Look(x.Next())
	assert.EqualValues(t, 6, x.Host())
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000006"}, types(t, x.Take()))
}

// TestLedBeforeNamed checks that a migration goes on until its host is named, though the table was led to its end: all wait
// for a machine that is to be host by the rule of DirectPlay 4, and when that one is passed over, another one leads. It
// names the first host too, and is compared with what the first leader said of itself, not with what the rule says of it.
func TestLedBeforeNamed(t *testing.T) {
	l := listOf(t, 3, 4, 5, 6)
	all := map[wire.PlayerID]*hostmigrate.Table{3: table(3), 4: table(4), 5: table(5), 6: table(6)}
	all[3].Lead(0, l, []wire.PlayerID{4, 5, 6})
	for _, id := range []wire.PlayerID{4, 5, 6} {
		all[id].Follow(0, 3)
	}
	exchange(t, all)
	delete(all, 3)
	for _, id := range []wire.PlayerID{5, 6} {
		all[id].UseRule(hostmigrate.DPlay4)
		all[id].Begin(0, 3, 4, nil)
	}
	all[4].Begin(0, 3, 4, []wire.PlayerID{5, 6})
	exchange(t, all)
	for id, x := range all {
		require.EqualValues(t, 4, x.Host(), "%v follows the oldest one", id)
		require.False(t, x.Migrating())
	}
	all[5].Begin(0, 2, 5, []wire.PlayerID{4, 6})
	exchange(t, all)
	for id, x := range all {
		assert.EqualValues(t, 5, x.Host(), "%v", id)
		assert.False(t, x.Migrating())
	}

	all[6].Follow(0, 5)
	all[6].Begin(0, 5, 6, []wire.PlayerID{4})
	o := all[6].Take()
	require.Equal(t, []string{"HOST_MIGRATE 0x00000004"}, types(t, o))
	want := append(encode(t, &dpl8.HostMigrate{OldHost: 5, NewHost: 6}), 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0)
	assert.Equal(t, want, o.Sends[0].Message, "the host was named: another migration, of which only it went")
}

// TestFollowerThatLed checks that a host does not give way to a member that follows it: what that one said as a leader came
// late.
func TestFollowerThatLed(t *testing.T) {
	all, _ := hosted(t)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	all[5].Begin(0, 3, 4, nil)
	delete(all, 3)
	exchange(t, all)
	all[4].Lead(0, all[4].Replica(), []wire.PlayerID{5})
	require.True(t, all[4].Follows(5))
	old := append(encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 5}), 1, 0, 0, 0, 0, 0, 0, 0) // better than 4
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, all[4].Receive(0, 5, old)))
	assert.EqualValues(t, 4, all[4].Host())
}
