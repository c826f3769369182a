package hostmigrate_test

import (
	"errors"
	"testing"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reason returns what an ignored message's error wraps.
func reason(t *testing.T, err error) error {
	t.Helper()
	var e *hostmigrate.IgnoredError
	require.ErrorAs(t, err, &e)
	return errors.Unwrap(err)
}

// TestSilentPeers checks that the leader goes on without those that do not answer (3.2), when they say nothing and when
// they are asked for operations.
func TestSilentPeers(t *testing.T) {
	all, _ := hosted(t)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5, 6})
	all[4].Take()
	require.NoError(t, all[4].Receive(0, 5, encode(t, &dpl8.NameTableVersion{Version: 9, VersionNotUsed: 1})))
	assert.Empty(t, all[4].Take(), "6 has not answered")
	all[4].Look(all[4].Next() - 1)
	assert.Empty(t, all[4].Take())
	now := all[4].Next()
	all[4].Look(now)
	o := all[4].Take()
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 6, Err: hostmigrate.ErrSilent}}, o.Events)
	assert.Equal(t, []string{"REQ_NAMETABLE_OP 0x00000005"}, types(t, o))
	assert.ErrorIs(t, all[4].Receive(now, 6, encode(t, &dpl8.NameTableVersion{VersionNotUsed: 1})), hostmigrate.ErrGone)
	all[4].Look(all[4].Next())
	o = all[4].Take()
	assert.Equal(t, []hostmigrate.Event{
		hostmigrate.Drop{ID: 5, Err: hostmigrate.ErrSilent}, hostmigrate.Complete{Version: 3, List: all[4].Replica()},
	}, o.Events)
}

// TestBadAnswers checks what a newest peer may send instead of its operations: it is dropped.
func TestBadAnswers(t *testing.T) {
	ops := func(ops ...dpl8.Operation) dpl8.Message { return &dpl8.AckNameTableOp{Operations: ops} }
	for name, c := range map[string]struct {
		m   dpl8.Message
		err error
	}{
		"nothing":         {ops(), nil},
		"no operation":    {ops(dpl8.Operation{ID: dpl8.TypeHostMigrate}), hostmigrate.ErrNoOperation},
		"not decoded":     {ops(dpl8.Operation{ID: dpl8.TypeInstructConnect, Octets: []byte{1}}), wire.ErrShort},
		"a gap":           {ops(dpl8.Operation{Message: &dpl8.InstructConnect{ID: 4, Version: 9}}), playerlist.ErrGap},
		"does not fit":    {ops(dpl8.Operation{Message: &dpl8.InstructConnect{ID: 77, Version: 4}}), playerlist.ErrUnknown},
		"old ones":        {ops(dpl8.Operation{Message: &dpl8.InstructConnect{ID: 4, Version: 1}}), nil},
		"too few":         {ops(dpl8.Operation{Message: &dpl8.InstructConnect{ID: 4, Version: 4}}), nil},
		"an old table":    {&dpl8.SendConnectInfo{ReservedData: []byte("x-directplay4:/\x00")}, hostmigrate.ErrBehind},
		"no table at all": {&dpl8.SendConnectInfo{}, hostmigrate.ErrForm},
	} {
		all, _ := hosted(t)
		all[4].Begin(0, 3, 4, []wire.PlayerID{5})
		require.NoError(t, all[4].Receive(0, 5, encode(t, &dpl8.NameTableVersion{Version: 9, VersionNotUsed: 1})))
		all[4].Take()
		assert.ErrorIs(t, all[4].Receive(0, 5, encode(t, c.m)), c.err, name)
		events := all[4].Take().Events
		require.Len(t, events, 2, name)
		assert.Equal(t, hostmigrate.Drop{ID: 5, Err: hostmigrate.ErrAnswer}, events[0], name)
	}
}

// TestSilentCandidate checks that a member gives up a candidate that says nothing, and takes the next one's word.
func TestSilentCandidate(t *testing.T) {
	all, _ := hosted(t)
	all[5].Begin(0, 3, 4, nil)
	assert.Equal(t, hostmigrate.DefaultPatience, all[5].Next())
	all[5].Look(hostmigrate.DefaultPatience)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 4, Err: hostmigrate.ErrSilent}}, all[5].Take().Events)
	assert.Equal(t, hostmigrate.Never, all[5].Next(), "once is enough")

	all, _ = hosted(t)
	all[5].Begin(0, 3, 4, nil)
	all[5].Take()
	word := encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 6})
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, all[5].Receive(0, 6, word)))
	assert.Equal(t, hostmigrate.DefaultTimeout/2, all[5].Next(), "6 does not wait for long")
	assert.Empty(t, all[5].Take())
	all[5].Look(hostmigrate.DefaultTimeout / 2)
	o := all[5].Take()
	assert.Equal(t, []hostmigrate.Event{hostmigrate.LeaderKnown{ID: 6, Old: 3}}, o.Events)
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000006"}, types(t, o))

	require.NoError(t, all[5].Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})), "the better one speaks after all")
	assert.Equal(t, []hostmigrate.Event{hostmigrate.LeaderKnown{ID: 4, Old: 3}}, all[5].Take().Events)
}

// TestCandidateLeft checks that the word of a candidate that was removed since counts for nothing when the host is lost
// later: nobody would be at the other end.
func TestCandidateLeft(t *testing.T) {
	all, _ := hosted(t)
	word := encode(t, &dpl8.HostMigrate{OldHost: 77, NewHost: 4})
	assert.Equal(t, hostmigrate.ErrCandidate, reason(t, all[5].Receive(0, 4, word)))
	all[5].Left(4)
	all[5].Begin(0, 3, 6, nil)
	all[5].Look(hostmigrate.DefaultPatience)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 6, Err: hostmigrate.ErrSilent}}, all[5].Take().Events)
}

// TestTwoHosts checks that of two that lead, the worse candidate yields, and keeps what it numbered.
func TestTwoHosts(t *testing.T) {
	all, _ := hosted(t)
	all[5].Begin(0, 3, 5, nil) // 5 lost 4 as well
	list := all[5].Replica()
	apply(t, list, playerlist.InstructConnect{ID: 5})
	all[5].Take()
	delete(all, 3)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	events := exchange(t, all)
	assert.Equal(t, hostmigrate.LeaderKnown{ID: 4, Old: 3}, events[5][0])
	assert.EqualValues(t, 4, all[4].Version())
	assert.True(t, playerlist.Equal(all[4].Replica(), all[5].Replica()))
	assert.NotSame(t, list, all[5].Replica(), "the list that it led with is its caller's")
	assert.ErrorIs(t, all[4].Receive(0, 5, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 5})), hostmigrate.ErrCandidate)
	assert.ErrorIs(t, all[4].Receive(0, 5, encode(t, &dpl8.HostMigrate{OldHost: 4, NewHost: 5})), hostmigrate.ErrUnexpected)
}

// TestComesBack checks a member that followed a better candidate in between, after the one before has finished.
func TestComesBack(t *testing.T) {
	for _, version := range []uint32{2, 9} {
		all, _ := hosted(t)
		all[4].Begin(0, 3, 4, []wire.PlayerID{5})
		answer := encode(t, &dpl8.NameTableVersion{Version: 3, VersionNotUsed: 1})
		require.NoError(t, all[4].Receive(0, 5, answer))
		all[4].Take()
		err := all[4].Receive(0, 5, encode(t, &dpl8.NameTableVersion{Version: version, VersionNotUsed: 1}))
		o := all[4].Take()
		if version > 3 {
			assert.ErrorIs(t, err, hostmigrate.ErrAhead)
			assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 5, Err: hostmigrate.ErrAhead}}, o.Events)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, []string{"SEND_CONNECT_INFO 0x00000005", "HOST_MIGRATE_COMPLETE 0x00000005"}, types(t, o))
	}
}

// TestIntegrityCheck checks 1.3.5 and 3.2.5.3: the one that does not answer goes, or else the one that asked.
func TestIntegrityCheck(t *testing.T) {
	all, _ := hosted(t)
	all[4].Lost(0, 5)
	all[5].Lost(0, 4)
	events := exchange(t, all, hostmigrate.ErrUnexpected) // the other one's answer comes too late
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 5, Err: hostmigrate.ErrAlive}}, events[3], "only one of the two")
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Removed{By: 3}}, events[5])

	all, _ = hosted(t)
	for range 2 {
		require.NoError(t, all[3].Receive(0, 4, encode(t, &dpl8.ReqIntegrityCheck{Target: 5})))
	}
	assert.Equal(t, []string{"INTEGRITY_CHECK 0x00000005"}, types(t, all[3].Take()))
	assert.Equal(t, hostmigrate.DefaultTimeout, all[3].Next())
	all[3].Look(hostmigrate.DefaultTimeout - 1)
	assert.Empty(t, all[3].Take())
	all[3].Look(hostmigrate.DefaultTimeout)
	assert.Equal(t, []hostmigrate.Event{hostmigrate.Drop{ID: 5, Err: hostmigrate.ErrSilent}}, all[3].Take().Events)
	assert.Equal(t, hostmigrate.Never, all[3].Next())
}

// TestLostIsAskedLater checks that a member asks about a peer when the migration is over, and not about one that the
// host removed already, or the host itself.
func TestLostIsAskedLater(t *testing.T) {
	all, _ := hosted(t)
	all[4].Lost(0, 3)
	all[4].Lost(0, 99)
	all[4].Lost(0, 4)
	assert.Empty(t, all[4].Take())
	all[5].Begin(0, 3, 4, nil)
	all[5].Lost(0, 3)
	require.NoError(t, all[5].Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 4})))
	all[5].Take()
	require.NoError(t, all[5].Receive(0, 4, encode(t, &dpl8.HostMigrateComplete{})))
	assert.Equal(t, []string{"REQ_INTEGRITY_CHECK 0x00000004"}, types(t, all[5].Take()))
}

// TestIgnored checks messages that nobody has a use for, and what the error says.
func TestIgnored(t *testing.T) {
	all, _ := hosted(t)
	fresh := table(7)
	for name, c := range map[string]struct {
		at   *hostmigrate.Table
		from wire.PlayerID
		m    dpl8.Message
		err  error
	}{
		"no business":          {all[4], 3, &dpl8.AckConnectInfo{}, hostmigrate.ErrUnexpected},
		"self":                 {all[4], 4, &dpl8.HostMigrateComplete{}, hostmigrate.ErrGone},
		"complete":             {all[4], 3, &dpl8.HostMigrateComplete{}, hostmigrate.ErrUnexpected},
		"complete by another":  {all[4], 5, &dpl8.HostMigrateComplete{}, hostmigrate.ErrNotHost},
		"version":              {all[4], 5, &dpl8.NameTableVersion{Version: 1}, hostmigrate.ErrNotLeading},
		"version of nobody":    {all[3], 9, &dpl8.NameTableVersion{Version: 1}, hostmigrate.ErrNotMember},
		"version ahead":        {all[3], 4, &dpl8.NameTableVersion{Version: 99}, hostmigrate.ErrUnexpected},
		"request":              {all[4], 3, &dpl8.ReqNameTableOp{}, hostmigrate.ErrUnexpected},
		"request by another":   {all[4], 5, &dpl8.ReqNameTableOp{}, hostmigrate.ErrNotHost},
		"answer":               {all[4], 3, &dpl8.AckNameTableOp{}, hostmigrate.ErrUnexpected},
		"resync by another":    {all[4], 5, &dpl8.ResyncVersion{}, hostmigrate.ErrNotHost},
		"table by another":     {all[4], 5, &dpl8.SendConnectInfo{}, hostmigrate.ErrNotHost},
		"operation to host":    {all[3], 4, &dpl8.InstructConnect{ID: 3, Version: 4}, hostmigrate.ErrNotHost},
		"check by another":     {all[4], 5, &dpl8.IntegrityCheck{}, hostmigrate.ErrNotHost},
		"check asked of":       {all[4], 5, &dpl8.ReqIntegrityCheck{Target: 3}, hostmigrate.ErrNotLeading},
		"check of nobody":      {all[3], 5, &dpl8.ReqIntegrityCheck{Target: 9}, hostmigrate.ErrNotMember},
		"check of self":        {all[3], 5, &dpl8.ReqIntegrityCheck{Target: 5}, hostmigrate.ErrNotMember},
		"response":             {all[3], 5, &dpl8.IntegrityCheckResponse{Requesting: 4}, hostmigrate.ErrUnexpected},
		"terminate by another": {all[4], 5, &dpl8.TerminateSession{}, hostmigrate.ErrNotHost},
		"in another's name":    {all[4], 5, &dpl8.HostMigrate{OldHost: 3, NewHost: 6}, hostmigrate.ErrUnexpected},
		"of another session":   {all[4], 5, &dpl8.HostMigrate{OldHost: 77, NewHost: 5}, hostmigrate.ErrCandidate},
		"no host":              {fresh, 5, &dpl8.ResyncVersion{}, hostmigrate.ErrNotHost},
	} {
		before := c.at.Version()
		assert.ErrorIs(t, c.at.Receive(0, c.from, encode(t, c.m)), c.err, name)
		assert.Empty(t, c.at.Take(), name)
		assert.Equal(t, before, c.at.Version(), name)
	}
	assert.ErrorIs(t, all[4].Receive(0, 3, []byte{1}), wire.ErrShort)
	stray := append(encode(t, &dpl8.HostMigrate{OldHost: 3, NewHost: 5}), 1, 2, 3)
	assert.ErrorIs(t, all[4].Receive(0, 5, stray), hostmigrate.ErrUnexpected)

	fresh.Follow(0, 3)
	assert.ErrorIs(t, fresh.Receive(0, 3, encode(t, &dpl8.ResyncVersion{})), hostmigrate.ErrUnexpected)
	assert.ErrorIs(t, fresh.Receive(0, 3, encode(t, &dpl8.InstructConnect{ID: 3, Version: 1})), hostmigrate.ErrUnexpected)
	assert.Equal(t, []string{"NAMETABLE_VERSION 0x00000003"}, types(t, fresh.Take()), "it asks for the whole table")
}
