package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The program is told of an asker once for each reason, and again when others pushed it out.
func TestSearchIsNew(t *testing.T) {
	at := func(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}) }
	var sr searching
	assert.True(t, sr.isNew(silentFor{at(0), OtherGame}))
	assert.False(t, sr.isNew(silentFor{at(0), OtherGame}))
	assert.True(t, sr.isNew(silentFor{at(0), SessionFull}))
	for i := range maxSilent - 1 {
		assert.True(t, sr.isNew(silentFor{at(i + 1), OtherGame}))
	}
	assert.Len(t, sr.silent, maxSilent)
	assert.False(t, sr.isNew(silentFor{at(0), SessionFull}))
	assert.True(t, sr.isNew(silentFor{at(0), OtherGame}), "it was the oldest")
}

// A search waits only for the list that it asked for, and a new session knows that there was one.
func TestSearchNext(t *testing.T) {
	e := New(Config{})
	assert.Equal(t, Never, e.search.next())
	e.Step(5, Input{Kind: Request, Command: Enumerate{}})
	assert.Equal(t, Never, e.search.next())
	e.Step(5, Input{Kind: Request, Command: EnumeratePlayers{Host: netip.MustParseAddrPort("10.0.0.1:2300")}})
	assert.Equal(t, 5+e.cfg.Reply, e.search.next())
	assert.Greater(t, e.cfg.Reply, time.Duration(0))
	e.reset()
	assert.Equal(t, Never, e.search.next())
	assert.True(t, e.search.asked)
}
